// The first page: the steps of setting up a workspace, with what is missing and where to add it.

import { DocsLink } from "../parts/docs-link.js";
import { useLoad } from "../parts/load.js";
import { Refused } from "../parts/notice.js";
import { StateBadge } from "../parts/tone.js";
import { tokens } from "../session.js";
import { type StepReport, stepReports } from "../set-up.js";

const BADGES = { done: "good", missing: "bad", unknown: "plain" } as const;

export function Overview() {
  const { data, error } = useLoad(stepReports, [tokens.value]);
  return (
    <>
      <p class="lead">These steps set up the gateway for a workspace.</p>
      <Refused error={error} />
      <p role="status" class="soft">
        {data && summary(data)}
      </p>
      <ol class="cards steps" aria-label="First steps">
        {data?.map((step) => (
          <StepCard key={step.title} step={step} />
        ))}
      </ol>
      <section class="panel" aria-labelledby="connect-title">
        <h2 id="connect-title">Application</h2>
        <p class="soft">
          Give each application a service token with the scope <code>gateway.chat</code>, and set its base URL to{" "}
          <code>{location.origin}/v1</code>. The guide shows an example under{" "}
          <DocsLink page="start/gateway" heading="change-an-application">
            Change an application
          </DocsLink>
          .
        </p>
      </section>
    </>
  );
}

function summary(steps: readonly StepReport[]): string {
  const missing = steps.filter(({ state }) => state === "missing").map(({ title }) => title);
  const unknown = steps.filter(({ state }) => state === "unknown").length;
  const parts = [
    missing.length > 0 && `Missing: ${missing.join(", ")}.`,
    unknown > 0 && `Unknown: ${unknown} of ${steps.length} steps.`,
  ];
  return parts.filter(Boolean).join(" ") || "All steps are done.";
}

function StepCard({ step: { title, state, text, link } }: { step: StepReport }) {
  return (
    <li class="card" data-step={state}>
      <div class="card-head">
        <h2>{title}</h2>
        <StateBadge state={BADGES[state]}>{state}</StateBadge>
      </div>
      <p class="soft state">{text}</p>
      <p>
        <a href={`#/${link.path}`} aria-label={`${link.label}: ${title}`}>
          {link.label}
        </a>
      </p>
    </li>
  );
}
