// The steps of setting up a workspace, and which of them are left.

import { getConfiguration, listAudit, listKeys, listPolicies, listProviders } from "./api.js";
import { sentence } from "./parts/notice.js";
import { ApiError, send } from "./request.js";
import { type Credential, CREDENTIAL_NAMES, tokens } from "./session.js";

interface Step {
  title: string;
  needs: Credential;
  /** Counts the records that the step makes. */
  count: () => Promise<number>;
  /** The consequence of a step that is left. */
  missing: string;
  /** The place where it is done. */
  link: { label: string; path: string };
  /** The page that shows its records. */
  page: string;
}

export type StepState = "done" | "missing" | "unknown";

export interface StepReport {
  title: string;
  state: StepState;
  text: string;
  link: Step["link"];
}

const STEPS: readonly Step[] = [
  {
    title: "LLM provider",
    needs: "user",
    count: async () => (await send(listProviders(1, 1))).total,
    missing: "The gateway needs a provider to send requests to.",
    link: { label: "Add a provider", path: "providers/new" },
    page: "providers",
  },
  {
    title: "Route",
    needs: "service",
    count: async () => Object.keys((await send(getConfiguration())).providers).length,
    missing: "The gateway sends all requests to the default provider.",
    link: { label: "Add a route", path: "routing" },
    page: "routing",
  },
  {
    title: "Policy",
    needs: "service",
    count: async () => (await send(listPolicies())).total,
    missing: "The default action decides about every finding.",
    link: { label: "Add a policy", path: "policies/new" },
    page: "policies",
  },
  {
    title: "API key",
    needs: "user",
    count: async () => (await send(listKeys())).api_keys.filter(({ is_active }) => is_active).length,
    missing: "Applications need a key for detection, validation and protection.",
    link: { label: "Create a key", path: "keys/new" },
    page: "keys",
  },
  {
    title: "Request to a model",
    needs: "service",
    count: async () => (await send(listAudit({ event: "request" }, 1, 1))).total,
    missing: "The audit shows no request of an application.",
    link: { label: "Test a request", path: "test/dry-run" },
    page: "audit",
  },
];

/** Returns the state of every step. A step is unknown without its credential or scope. */
export const stepReports = () => Promise.all(STEPS.map(reportOf));

async function reportOf({ title, needs, count, missing, link, page }: Step): Promise<StepReport> {
  if (tokens.value[needs] === undefined) {
    const text = `Add the ${CREDENTIAL_NAMES[needs]} to see this step.`;
    return { title, state: "unknown", text, link: { label: `Add the ${CREDENTIAL_NAMES[needs]}`, path: page } };
  }
  try {
    const found = await count();
    if (found === 0) return { title, state: "missing", text: missing, link };
    return { title, state: "done", text: `${found.toLocaleString("en-GB")} found.`, link: { label: "Open the page", path: page } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { title, state: "unknown", text: sentence(error.message), link: { label: "Open the page", path: page } };
  }
}
