// A workspace as it may look after a while: a provider, routes, policies, and requests that went through.

export async function seed(service, provider) {
  const { id } = await service.user("POST", "llm-providers", {
    provider_type: "openai_compatible",
    display_name: "Parrot",
    credential_source: "none",
    base_url: provider.address,
    default_model: "parrot",
    allowed_models: ["parrot", "macaw"],
  });
  await service.gateway("PUT", "config?workspace_id=default", {
    providers: { primary: { provider: id, model: "parrot" }, fallback: { provider: id, model: "macaw" } },
    risk_levels: { CREDIT_CARD: "CRITICAL", EMAIL: "MEDIUM" },
    rate_limits: { requests_per_minute: 1000, burst: 100 },
    region: "eu",
  });
  for (const policy of POLICIES) await service.gateway("POST", "policies?workspace_id=default", policy);
  for (let turn = 0; turn < SEEDED - 2; turn++) await ask(service, TEXTS[turn % TEXTS.length]);
  for (const _ of [1, 2]) await ask(service, "Charge 4111 1111 1111 1111.");
}

/** Requests to language models that `seed` makes. */
export const SEEDED = 27;

/** Asks the provider through the gateway; a request that is blocked is an answer too. */
export function ask(service, content) {
  return fetch(`${service.address}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-token": service.serviceToken },
    body: JSON.stringify({ model: "primary", messages: [{ role: "user", content }] }),
  });
}

/** A new API key of the workspace with these scopes. */
export async function keyWith(service, scopes) {
  return (await service.user("POST", "api-keys", { name: "settings", scopes })).key;
}

/** A detector, and an entry in each list. */
export async function seedSettings(service, key) {
  for (const [path, body] of [
    ["custom-detectors", { name: "employee_id", pattern: "EMP-[0-9]{6}", context: ["employee", "staff number"], category: "business" }],
    ["allow-list", { value: "support@example.com" }],
    ["deny-list", { value: "Project Falcon", type: "project" }],
  ]) {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const response = await fetch(`${service.address}/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  }
}

const POLICIES = [
  {
    name: "Cards stay here",
    description: "No card number leaves the company.",
    action: "BLOCK",
    priority: 30,
    conditions: [{ entity_types: ["credit_card"], confidence_min: 0.8, direction: "input" }],
  },
  { name: "Identities are redacted", action: "REDACT", priority: 20, conditions: [{ categories: ["identity"] }] },
  { name: "Mail comes back", action: "MASK", priority: 10, is_default: true, conditions: [{ categories: ["contact"] }] },
];

const TEXTS = [
  "Write to jan.novak@example.cz.",
  "Call +420 601 123 456.",
  "What is the weather like?",
  "Write to anna@example.com and jan.novak@example.cz.",
  "Hello",
  "Send it to info@example.org.",
  "Thank you",
  "PESEL 44051401359",
];
