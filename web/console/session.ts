// The session of the user. It lives in memory only: a reload forgets all of it.

import { computed, signal } from "@preact/signals";

export const CREDENTIALS = ["service", "user", "key"] as const;
export type Credential = (typeof CREDENTIALS)[number];
export type Tokens = Partial<Record<Credential, string>>;

export const CREDENTIAL_NAMES: Record<Credential, string> = {
  service: "service token",
  user: "user access token",
  key: "API key",
};

/** The workspace of `textveil serve`'s development credentials. */
const FIRST_WORKSPACE = "default";

export const tokens = signal<Tokens>({});
export const workspace = signal(FIRST_WORKSPACE);
/** Workspaces that were open since signing in. The API has no list of them. */
export const visited = signal<readonly string[]>([FIRST_WORKSPACE]);
/** Tokens that the service took before and takes no longer. */
export const expired = signal<Partial<Record<Credential, true>>>({});

export const isSignedIn = computed(() => Object.keys(tokens.value).length > 0);

/** The workspace of the user token, whatever workspace is chosen for the gateway. */
export const userWorkspace = computed(() => claim(tokens.value.user, "workspace_id"));

/** The role of the user token, which decides its scopes; a token without one is a member's. */
export const userRole = computed(() => (tokens.value.user === undefined ? undefined : (claim(tokens.value.user, "role") ?? "member")));

export function signIn(added: Tokens): void {
  const first = !isSignedIn.value;
  tokens.value = { ...tokens.value, ...added };
  expired.value = Object.fromEntries(Object.entries(expired.value).filter(([kind]) => !(kind in added)));
  if (first && userWorkspace.value) openWorkspace(userWorkspace.value);
}

export function openWorkspace(name: string): void {
  workspace.value = name;
  visited.value = [...new Set([...visited.value, name])];
}

/** Forgets a token that the service rejected. */
export function expire(credential: Credential): void {
  const { [credential]: _gone, ...others } = tokens.value;
  tokens.value = others;
  expired.value = { ...expired.value, [credential]: true };
}

export function signOut(): void {
  tokens.value = {};
  expired.value = {};
  workspace.value = FIRST_WORKSPACE;
  visited.value = [FIRST_WORKSPACE];
}

/** A claim of a JWT. The service checks the signature, the page only reads. */
function claim(token: string | undefined, name: "workspace_id" | "role"): string | undefined {
  try {
    const payload = token?.split(".")[1] ?? "";
    const claims: unknown = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    const claimed = (claims as Record<string, unknown>)[name];
    return typeof claimed === "string" ? claimed : undefined;
  } catch {
    return undefined;
  }
}
