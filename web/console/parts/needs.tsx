// The content of a page whose token is missing.

import type { ComponentChildren } from "preact";
import { type Credential, CREDENTIAL_NAMES, expired, tokens } from "../session.js";
import { SignInWays } from "../pages/sign-in.js";

const OPENS: Record<Credential, string> = {
  service: "the gateway's configuration, its policies and its audit",
  user: "LLM providers and API keys",
  key: "custom detectors, and the allow and deny lists of its workspace",
};

export function Needs({ credential, children }: { credential: Credential; children: ComponentChildren }) {
  if (tokens.value[credential]) return <>{children}</>;
  const name = CREDENTIAL_NAMES[credential];
  return (
    <section class="panel narrow">
      <h2>{expired.value[credential] ? `The ${name} is not accepted any more` : `This page needs ${credential === "key" ? "an" : "a"} ${name}`}</h2>
      <SignInWays
        asked={[credential]}
        hint={`It opens ${OPENS[credential]}. ${expired.value[credential] ? "Add a new one to go on." : "Add one to go on."}`}
      />
    </section>
  );
}
