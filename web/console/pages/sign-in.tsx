// Signing in: with the operator's identity provider, or with tokens, which are tried at the service and kept in memory.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { getSignInOptions, getStatus, listDetectors, listKeys } from "../api.js";
import { hostOf, isReturning, leaveFor, returnRefusal } from "../identity-provider.js";
import { TextField } from "../parts/controls.js";
import { DocsLink } from "../parts/docs-link.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { asApiError, useLoad } from "../parts/load.js";
import { Refused } from "../parts/notice.js";
import { useSending } from "../parts/saving.js";
import { ApiError, type Call, send } from "../request.js";
import { type Credential, CREDENTIALS, isSignedIn, signIn, type Tokens } from "../session.js";

interface CredentialField {
  label: string;
  /** The pages that it opens. */
  hint: string;
  /** The variable in the file that `textveil serve --dev` writes. */
  variable: string;
  /** The source of the credential in production. */
  source: ComponentChildren;
  trial: () => Call<unknown>;
}

const FIELDS: Record<Credential, CredentialField> = {
  service: {
    label: "Service token",
    hint: "It opens routing, policies, dry runs, audit, usage, export and import, within its scopes and workspaces.",
    variable: "TEXTVEIL_SERVICE_TOKEN",
    source: (
      <>
        In production it is an entry of the variable <code>service_tokens</code>:{" "}
        <DocsLink page="concepts/workspaces" heading="service-tokens">
          Service tokens
        </DocsLink>
      </>
    ),
    trial: getStatus,
  },
  user: {
    label: "User access token",
    hint: "It opens the LLM providers and API keys of its workspace. Changes need the role admin.",
    variable: "TEXTVEIL_USER_TOKEN",
    source: (
      <>
        In production your identity provider issues it:{" "}
        <DocsLink page="concepts/workspaces" heading="user-tokens">
          User tokens
        </DocsLink>
      </>
    ),
    trial: listKeys,
  },
  key: {
    label: "API key",
    hint: "It opens the custom detectors and lists of its workspace. Changes need the scope settings.write, additions to the allow list settings.allow.",
    variable: "TEXTVEIL_API_KEY",
    source: (
      <>
        In production <code>textveil keys create</code> and the page API keys create keys:{" "}
        <DocsLink page="concepts/workspaces" heading="api-keys">
          Scopes of API keys
        </DocsLink>
      </>
    ),
    trial: listDetectors,
  },
};

/** The source of a credential, in development and in production. */
function Source({ credential }: { credential: Credential }) {
  const { variable, source } = FIELDS[credential];
  return (
    <span class="source">
      In development it is <code>{variable}</code> in the file <code>.textveil/credentials.env</code>. {source}
    </span>
  );
}

export function SignIn() {
  return (
    <main id="main" class="sign-in">
      <section class="panel narrow">
        <h1 tabindex={-1}>Sign in to the gateway</h1>
        <SignInWays asked={[...CREDENTIALS]} hint="One of them is enough; others can be added later." />
      </section>
    </main>
  );
}

/** The ways to get the credentials asked for: an identity provider issues user access tokens. */
export function SignInWays({ asked, hint }: { asked: Credential[]; hint: string }) {
  if (isReturning.value) return <p class="soft">Signing in with your identity provider…</p>;
  return (
    <>
      {asked.includes("user") && <ProviderSignIn />}
      <p class="soft">{hint}</p>
      <SignInForm asked={asked} />
    </>
  );
}

function ProviderSignIn() {
  // if the service does not answer, the form says so
  const { data } = useLoad(getSignInOptions, []);
  const { isSending, refusal, run } = useSending();
  const provider = data?.identity_provider;
  const error = refusal ?? returnRefusal.value;
  if (!provider && !error) return null;
  return (
    <div class="provider">
      {provider && (
        <>
          <button
            type="button"
            class="primary"
            aria-disabled={isSending ? "true" : undefined}
            onClick={() => run(() => leaveFor(provider))}
          >
            Sign in with {hostOf(provider)}
          </button>
          <p class="hint">
            {isSignedIn.value
              ? "It leaves this page, which forgets its other tokens."
              : "It gives you a user access token. Other tokens are pasted below."}
          </p>
        </>
      )}
      <Refused error={error} />
    </div>
  );
}

function SignInForm({ asked }: { asked: Credential[] }) {
  const [typed, setTyped] = useState<Tokens>({});
  const { isSending, refusal, run } = useSending();

  return (
    <Form label="Sign in" refusal={refusal} onSubmit={() => run(() => signInWith(typed))}>
      {asked.map((credential) => (
        <TextField
          key={credential}
          type="password"
          look="code"
          name={credential}
          label={FIELDS[credential].label}
          hint={
            <>
              {FIELDS[credential].hint} <Source credential={credential} />
            </>
          }
          required={asked.length === 1}
          value={typed[credential] ?? ""}
          onChange={(value) => setTyped({ ...typed, [credential]: value.trim() })}
        />
      ))}
      <p class="assurance">
        Tokens stay in this page's memory: not in storage, cookies or the address. A reload forgets them.
      </p>
      <FormRefusal />
      <div class="actions">
        <SubmitButton isSending={isSending}>{isSending ? "Signing in…" : "Sign in"}</SubmitButton>
      </div>
    </Form>
  );
}

/** Signs in where the service takes every token that was typed; else throws what it has against one. */
async function signInWith(typed: Tokens): Promise<void> {
  const given = (Object.keys(FIELDS) as Credential[]).filter((credential) => typed[credential]);
  if (given.length === 0) throw new ApiError(0, "type a token", "service");
  for (const credential of given) {
    // a header holds nothing else, and no token has anything else
    if (!/^[\x21-\x7e]+$/.test(typed[credential] ?? "")) {
      throw new ApiError(0, "a token has neither spaces nor accented letters", credential);
    }
    try {
      await send(FIELDS[credential].trial(), typed);
    } catch (error) {
      const { status, message } = asApiError(error);
      throw new ApiError(status, message, credential);
    }
  }
  returnRefusal.value = undefined;
  signIn(Object.fromEntries(given.map((credential) => [credential, typed[credential]])));
}
