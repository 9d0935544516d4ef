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
      <h2>{expired.value[credential] ? `New ${name} needed` : `This page needs ${credential === "key" ? "an" : "a"} ${name}`}</h2>
      <SignInWays
        asked={[credential]}
        hint={expired.value[credential] ? `The service no longer accepts the ${name}.` : `The ${name} opens ${OPENS[credential]}.`}
      />
    </section>
  );
}
