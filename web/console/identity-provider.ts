// Signing in with the operator's identity provider: OpenID Connect, authorization code with PKCE. The result is
// a user access token like one that is pasted.

import { signal } from "@preact/signals";
import * as oauth from "oauth4webapi";
import { getSignInOptions, listKeys } from "./api.js";
import { ApiError, send } from "./request.js";
import { replaceAddress } from "./router.js";
import { signIn } from "./session.js";
import type { IdentityProvider } from "./types.js";

/** Item of the session storage, from leaving for the provider until the return. */
const PENDING = "textveil-sign-in";

/** The state of a sign-in that the page needs when the provider sends the user back. */
interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  /** The address that was open, after `#`. */
  place: string;
}

/** Whether an answer of the provider is being exchanged for a token. */
export const isReturning = signal(false);
/** Why the last return did not sign in. */
export const returnRefusal = signal<ApiError | undefined>(undefined);

/** The host that the user signs in at. */
export function hostOf(provider: IdentityProvider): string {
  return new URL(provider.issuer).host;
}

/** Goes to the provider, which sends the user back to this page. */
export async function leaveFor(provider: IdentityProvider): Promise<void> {
  returnRefusal.value = undefined;
  if (!isSecureContext) throw new ApiError(0, "signing in needs HTTPS; open this page by its https address");
  const { endpoint } = await discover(provider);
  const pending: Pending = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    place: location.hash,
  };
  const parameters = {
    client_id: provider.client_id,
    redirect_uri: redirectUri(),
    response_type: "code",
    scope: provider.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) endpoint.searchParams.set(name, value);
  try {
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
  } catch {
    throw new ApiError(0, "the browser stores nothing for this page; allow it, or paste a token");
  }
  location.assign(endpoint);
}

/**
 * Takes the answer of the provider out of the address, and finishes the sign-in that it belongs to. Without an answer
 * the user came back in another way, and nothing is pending any more.
 */
export function resume(): void {
  const answer = new URLSearchParams(location.search);
  const pending = takePending();
  if (!["code", "error", "state"].some((name) => answer.has(name))) return;
  replaceAddress(location.pathname + (pending?.place ?? location.hash));
  isReturning.value = true;
  void finish(answer, pending)
    .catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      returnRefusal.value = error;
    })
    .finally(() => {
      isReturning.value = false;
    });
}

async function finish(answer: URLSearchParams, pending: Pending | undefined): Promise<void> {
  if (!pending) throw new ApiError(0, "this answer belongs to no sign-in of this tab; sign in again");
  const { identity_provider: provider } = await getSignInOptions();
  if (!provider) throw new ApiError(0, "the service names no identity provider any more; paste a token");
  const { server } = await discover(provider);
  const token = await exchange(provider, server, answer, pending);
  try {
    await send(listKeys(), { user: token });
  } catch (error) {
    throw error instanceof ApiError && error.status === 401 ? new ApiError(401, NOT_ACCEPTED) : error;
  }
  signIn({ user: token });
}

const NOT_ACCEPTED =
  "the service does not accept the token of the identity provider; ask the operator to compare its audience, its key " +
  "and its claim workspace_id with the variables of the service";

/** Exchanges the code for the token that the service accepts. */
async function exchange(
  provider: IdentityProvider,
  server: oauth.AuthorizationServer,
  answer: URLSearchParams,
  { state, nonce, verifier }: Pending,
): Promise<string> {
  const client: oauth.Client = { client_id: provider.client_id };
  let parameters: URLSearchParams;
  try {
    parameters = oauth.validateAuthResponse(server, client, answer, state);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) {
      throw new ApiError(0, "this answer belongs to another sign-in; sign in again");
    }
    // the provider's own words are not shown: anybody can write them into the address
    throw error.error === "access_denied"
      ? new ApiError(0, "the identity provider denied access; ask its administrator to admit you to the console")
      : new ApiError(0, "the identity provider rejected the sign-in; ask the operator to check the client there");
  }
  try {
    const options = optionsFor(provider);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri(),
      verifier,
      options,
    );
    // the ID token comes by TLS from the provider itself, so its signature says nothing more (OpenID Connect Core §3.1.3.7)
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    return provider.token === "id" ? (tokens.id_token ?? "") : tokens.access_token;
  } catch {
    throw new ApiError(0, "the identity provider issued no valid token; sign in again, or ask the operator to check the client there");
  }
}

/** Reads the provider's endpoints. */
async function discover(provider: IdentityProvider) {
  const issuer = new URL(provider.issuer);
  let server: oauth.AuthorizationServer, endpoint: URL, tokenEndpoint: URL;
  try {
    const response = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...optionsFor(provider) });
    server = await oauth.processDiscoveryResponse(issuer, response);
    endpoint = new URL(server.authorization_endpoint ?? "");
    tokenEndpoint = new URL(server.token_endpoint ?? "");
  } catch {
    throw new ApiError(0, "the identity provider does not answer; try again, or ask the operator to check the issuer and CORS");
  }
  if (!["https:", issuer.protocol].includes(endpoint.protocol)) {
    throw new ApiError(0, "the identity provider signs in without HTTPS; ask the operator to check the issuer");
  }
  if (![issuer.origin, provider.token_origin].includes(tokenEndpoint.origin)) {
    throw new ApiError(
      0,
      "the token endpoint of the identity provider has an origin of its own; ask the operator to set sign_in_token_origin",
    );
  }
  return { server, endpoint };
}

/** The service accepts providers without TLS on loopback addresses only. */
function optionsFor(provider: IdentityProvider) {
  return { [oauth.allowInsecureRequests]: new URL(provider.issuer).protocol === "http:" };
}

/** The folder of the console: the provider adds its answer as a query, which the service does not read. */
function redirectUri(): string {
  return new URL("./", location.href).href;
}

function takePending(): Pending | undefined {
  try {
    const item = sessionStorage.getItem(PENDING);
    sessionStorage.removeItem(PENDING);
    return item === null ? undefined : (JSON.parse(item) as Pending);
  } catch {
    // a browser that stores nothing
    return undefined;
  }
}
