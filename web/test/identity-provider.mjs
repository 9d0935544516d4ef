// An identity provider on this machine: OpenID Connect by the package `oidc-provider`, with one page for signing in.

import { createServer } from "node:http";
import { generateKeyPairSync } from "node:crypto";

/** The client id of the console. */
export const CLIENT = "textveil-console";
/** The provider's description of a denial. */
export const DESCRIPTION = "the person turned away";
/** The audience of access tokens. */
export const AUDIENCE = "https://textveil.example/api";

/**
 * Starts the provider. It has two keys, as while it rotates them: the first one signs, and the tokens name it. Every
 * user is let in, by any name, as an administrator of the workspace `acme`.
 */
export async function startIdentityProvider() {
  const keys = ["now", "next"].map((kid) => ({ kid, ...generateKeyPairSync("rsa", { modulusLength: 2048 }) }));
  const jwks = (type) => ({ keys: keys.map(({ kid, [type]: key }) => ({ ...key.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" })) });
  let answer;
  const server = createServer((request, response) => answer(request, response));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const made = { audience: AUDIENCE, lifetime: 600 };

  return {
    issuer,
    /** As the provider publishes them. */
    jwks: JSON.stringify(jwks("publicKey")),
    /** The content of the next access tokens. */
    made,

    /** Admits the console at that address. */
    async admit(redirectUri) {
      const { Provider, interactionPolicy } = await quietly(() => import("oidc-provider"));
      const policy = interactionPolicy.base();
      // nobody is asked for consent
      policy.remove("consent");
      const claims = { workspace_id: "acme", role: "admin" };
      const provider = await quietly(
        () =>
          new Provider(issuer, {
            jwks: jwks("privateKey"),
            clients: [
              {
                client_id: CLIENT,
                application_type: "native",
                token_endpoint_auth_method: "none",
                grant_types: ["authorization_code"],
                response_types: ["code"],
                redirect_uris: [redirectUri],
              },
            ],
            claims: { openid: ["sub", ...Object.keys(claims)] },
            conformIdTokenClaims: false,
            clientBasedCORS: (_context, origin) => origin === new URL(redirectUri).origin,
            cookies: { keys: ["of the tests"] },
            interactions: { policy, url: (_context, { uid }) => `/interaction/${uid}` },
            loadExistingGrant: async ({ oidc: { client, session } }) => {
              const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
              grant.addOIDCScope("openid");
              await grant.save();
              return grant;
            },
            findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...claims }) }),
            extraTokenClaims: () => claims,
            ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
            features: {
              devInteractions: { enabled: false },
              resourceIndicators: {
                enabled: true,
                defaultResource: () => AUDIENCE,
                useGrantedResource: () => true,
                getResourceServerInfo: () => ({
                  scope: "",
                  audience: made.audience,
                  accessTokenFormat: "jwt",
                  accessTokenTTL: made.lifetime,
                  jwt: { sign: { alg: "RS256", kid: "now" } },
                }),
              },
            },
          }),
      );
      const others = provider.callback();
      answer = (request, response) =>
        request.url.startsWith("/interaction/") ? interact(provider, request, response) : others(request, response);
    },

    stop: () => new Promise((done) => server.close(done) && server.closeAllConnections()),
  };
}

/** Asks who signs in, and lets them in or, if they want, does not. */
async function interact(provider, request, response) {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    return response.end(FORM);
  }
  let body = "";
  for await (const chunk of request) body += chunk;
  const form = new URLSearchParams(body);
  const result = form.has("deny")
    ? { error: "access_denied", error_description: DESCRIPTION }
    : { login: { accountId: form.get("name") } };
  return provider.interactionFinished(request, response, result);
}

const FORM = `<!doctype html><title>Provider</title><link rel="icon" href="data:,"><form method="post"><label>Name <input name="name"></label>
  <button>Continue</button><button name="deny" value="yes">Deny</button></form>`;

/** The package warns that it is not meant for development, and of versions of Node that it does not test with. */
async function quietly(make) {
  const { warn, info } = console;
  Object.assign(console, { warn() {}, info() {} });
  try {
    return await make();
  } finally {
    Object.assign(console, { warn, info });
  }
}
