// Questions to the site: the words that people type into the search, the page that answers, and its answer.

/** Searches, each with the page and heading of its first hit, and a part of the answer there. */
export const QUESTIONS = [
  ["Spin", "how-to/spin.md", "spin up --runtime-config-file"],
  ["OpenAI SDK", "how-to/openai.md", "new OpenAI("],
  ["own detector", "how-to/detector.md", "customDetectors"],
  ["false alarm", "how-to/false-alarms.md", "`exclude_entities`"],
  ["rotate keys", "how-to/rotate-keys.md", "textveil key-file rotate"],
  ["unit of offsets", "concepts/detection.md#offsets", "UTF-16 code unit"],
  ["limits", "reference/limits.md", "50,000 characters"],
  ["licence of data", "licences.md#data", "open data"],
  ["accuracy of a language", "accuracy.md#by-language", "language"],
  ["CSP", "start/web.md#content-security-policy", "'wasm-unsafe-eval'"],
  ["docker", "how-to/container.md", "volume `/var/lib/textveil`"],
  ["licence", "licences.md", "Apache License"],
  ["npm", "start/node.md#install-from-npm", "npm install textveil"],
  ["kubernetes", "how-to/spinkube.md", "containerd-shim-spin"],
  ["GDPR", "faq.md#gdpr", "anonymous"],
  ["utf-16", "concepts/detection.md#offsets", "UTF-16 code unit"],
  ["accuracy", "accuracy.md", "measure"],
  ["anonymize", "concepts/protection.md", "`tokenize`"],
  ["encryption", "concepts/tokens.md", "AES-SIV"],
  ["performance", "benchmarks.md", "cargo xtask bench"],
  ["SSO", "how-to/sign-in.md", "OpenID Connect"],
  ["whitelist", "how-to/false-alarms.md#allow-list", "allowList"],
  ["false positive", "how-to/false-alarms.md", "`allow_list`"],
  ["python", "start/python.md", "wasmtime"],
  ["SARIF", "how-to/repositories.md", "code scanning"],
  ["pre-commit", "how-to/repositories.md#pre-commit", "textveil-commit-message"],
  ["pandas", "start/python.md#pandas-and-polars", "protect_frame"],
  ["pino", "how-to/logs.md#pino", "protectLogs"],
  ["winston", "how-to/logs.md#winston", "protectFormat"],
  ["Sentry", "how-to/logs.md#sentry", "protectEvents"],
  ["OpenTelemetry", "how-to/logs.md#opentelemetry", "protectSpans"],
  ["fastify", "how-to/fastify.md", "protectValue"],
  ["hono", "how-to/hono.md", "protectFetch"],
  ["credit card", "reference/detectors/global.md#credit-card", ""],
  ["pesel", "reference/detectors/pl.md#pesel", ""],
];

/** The questions that the first page leads to in two clicks. */
export const TEN = QUESTIONS.slice(0, 10);
