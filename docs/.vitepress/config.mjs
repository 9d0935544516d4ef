import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { ENTRIES } from "../generate/javascript-entries.mjs";

const page = (text, link) => ({ text, link });
const group = (text, ...items) => ({ text, collapsed: true, items });

const SIDEBAR = [
  {
    text: "Start",
    items: [
      page("What Textveil is", "/index"),
      page("Web developer", "/start/web"),
      page("Node developer", "/start/node"),
      page("Python developer", "/start/python"),
      page("HTTP service", "/start/http"),
      page("Platform engineer on Spin", "/start/spin"),
      page("Gateway operator", "/start/gateway"),
      page("Coding agents", "/start/coding-agents"),
      page("Command line", "/start/command-line"),
      page("Rust and other hosts", "/start/rust"),
      page("Frequent questions", "/faq"),
    ],
  },
  group(
    "Concepts",
    page("Detection", "/concepts/detection"),
    page("Evidence and confidence", "/concepts/evidence"),
    page("Countries", "/concepts/countries"),
    page("Presets", "/concepts/presets"),
    page("Protection modes", "/concepts/protection"),
    page("Tokens and keys", "/concepts/tokens"),
    page("Placeholders and restoring", "/concepts/placeholders"),
    page("Policies", "/concepts/policies"),
    page("Workspaces and scopes", "/concepts/workspaces"),
  ),
  group(
    "How to",
    page("Write your own detector", "/how-to/detector"),
    page("Find out why a value was missed", "/how-to/missed"),
    page("Reduce false alarms", "/how-to/false-alarms"),
    page("Add findings of your own model", "/how-to/model"),
    page("Review findings", "/how-to/review"),
    page("Check a repository", "/how-to/repositories"),
    page("Protect structured data", "/how-to/structured-data"),
    page("Protect files, forms and requests", "/how-to/files"),
    page("Protect streams", "/how-to/streams"),
    page("Protect logs and errors", "/how-to/logs"),
    page("Protect traces in Langfuse", "/how-to/langfuse"),
    page("Protect OTLP exports", "/how-to/telemetry"),
    page("Protect prompts and restore answers", "/how-to/prompts"),
    page("Keep sessions", "/how-to/sessions"),
    page("Use the OpenAI SDK", "/how-to/openai"),
    page("Use Vercel's AI SDK", "/how-to/ai-sdk"),
    page("Use LangChain", "/how-to/langchain"),
    page("Use Next.js", "/how-to/nextjs"),
    page("Use React", "/how-to/react"),
    page("Use Express", "/how-to/express"),
    page("Use Fastify", "/how-to/fastify"),
    page("Use Hono", "/how-to/hono"),
    page("Use an edge runtime", "/how-to/edge"),
    page("Plan a deployment", "/how-to/deploy"),
    page("Deploy on Spin", "/how-to/spin"),
    page("Deploy on Kubernetes with SpinKube", "/how-to/spinkube"),
    page("Deploy on Akamai Functions", "/how-to/akamai"),
    page("Deploy with Docker or Podman", "/how-to/container"),
    page("Deploy with systemd", "/how-to/systemd"),
    page("Run several nodes with Redis", "/how-to/redis"),
    page("Sign in with an identity provider", "/how-to/sign-in"),
    page("Rotate keys", "/how-to/rotate-keys"),
    page("Verify the audit", "/how-to/audit"),
    page("Migrate from Presidio", "/how-to/presidio"),
    page("Connect LiteLLM", "/how-to/litellm"),
    page("Connect Open WebUI, LibreChat or n8n", "/how-to/chat-fronts"),
    page("Guard another gateway", "/how-to/guardrails"),
    page("Use the Model Context Protocol", "/how-to/mcp"),
    page("Protect requests of one machine", "/how-to/proxy"),
  ),
  group(
    "Reference",
    page("REST operations", "/reference/rest"),
    page("Errors", "/reference/errors"),
    page("Scopes", "/reference/scopes"),
    page("Configuration variables", "/reference/variables"),
    page("Options of a request", "/reference/options"),
    page("Gateway", "/reference/gateway"),
    page("Metadata", "/reference/metadata"),
    page("Metrics and logs", "/reference/metrics"),
    page("Limits", "/reference/limits"),
    page("Command line", "/reference/cli"),
    group(
      "JavaScript",
      page("Guide", "/reference/javascript"),
      ...Object.entries(ENTRIES).map(([file, name]) => page(name, `/reference/javascript/${file}`)),
    ),
    page("WIT", "/reference/wit"),
    page("Detectors", "/reference/detectors"),
    page("Format of a detector file", "/reference/catalogue"),
    page("Format of a language file", "/reference/languages"),
    page("Glossary", "/glossary"),
  ),
  group(
    "Trust",
    page("Accuracy", "/accuracy"),
    page("Benchmarks", "/benchmarks"),
    page("Security model", "/security"),
    page("Architecture", "/architecture"),
    group(
      "Design",
      page("Engine", "/design/engine"),
      page("Documents", "/design/documents"),
      page("Restored values", "/design/restoring"),
      page("Service and gateway", "/design/service"),
      page("Native host", "/design/host"),
      page("Package and pages", "/design/package"),
    ),
    page("Licences", "/licences"),
    page("Upgrade notes", "/upgrade"),
  ),
];

/** Pages whose tables need the room of the outline. */
const WIDE = /^(?:accuracy|reference\/(?:detectors|errors|gateway|metrics|options|rest|variables))\.md$/;

export default defineConfig({
  title: "Textveil",
  description: "Finds personal data in text, validates it and protects it.",
  lang: "en",
  // the path below which the service serves the site
  base: "/docs/",
  // the service finds the file of an address without a suffix; those with one keep working
  cleanUrls: true,
  outDir: "../dist/docs",
  // `generate/catalogue.mjs` writes a page for each country from it
  srcExclude: ["detectors.md"],
  // the policy of the site forbids inline scripts; `finish.mjs` moves the remaining ones into files
  metaChunk: true,
  cacheDir: ".vitepress/cache",
  head: [["link", { rel: "icon", href: "/docs/icon.svg" }]],
  // the switch of the theme would add a style sheet to the page, which the policy forbids
  appearance: { disableTransition: false },
  ignoreDeadLinks: [/^https?:\/\/127\.0\.0\.1/],
  markdown: {
    // no grammar of WIT is in the highlighter; its comments and braces are those of Rust
    languageAlias: { wit: "rust" },
    // braces in code are the text of the page, never an expression of Vue
    config(markdown) {
      const code = markdown.renderer.rules.code_inline;
      markdown.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index].attrSet("v-pre", "");
        return code(tokens, index, ...rest);
      };
    },
  },
  transformPageData(page) {
    if (WIDE.test(page.relativePath)) page.frontmatter.aside = false;
  },
  vite: {
    resolve: {
      alias: [{ find: /^minisearch$/, replacement: fileURLToPath(new URL("theme/search.mjs", import.meta.url)) }],
    },
    build: {
      chunkSizeWarningLimit: 4_000,
      // the service sends files with plain names only
      rollupOptions: { output: { sanitizeFileName: (name) => name.replaceAll(/[^A-Za-z0-9_./-]/g, "") } },
    },
  },
  themeConfig: {
    sidebar: SIDEBAR,
    outline: [2, 3],
    search: { provider: "local" },
    notFound: {
      title: "This page does not exist",
      quote: "It may have moved: search for it, or begin at the first page.",
      linkText: "First page",
      linkLabel: "Go to the first page of the documentation",
    },
    nav: [
      { text: "Start", link: "/index" },
      { text: "Reference", link: "/reference/rest" },
      { text: "Questions", link: "/faq" },
      { text: "Accuracy", link: "/accuracy" },
      { text: "Glossary", link: "/glossary" },
    ],
  },
});
