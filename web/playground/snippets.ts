// The settings of the page as a program: with the package, over HTTP, on the command line, in Python.

import type { Settings } from "./settings.js";

const LANGUAGES = ["JavaScript", "curl", "CLI", "Python"] as const;
export type SnippetLanguage = (typeof LANGUAGES)[number];

/** The subject of a program: a text, or the request to a language model with its answer. */
export type SnippetSubject = "text" | "prompt";

/** The languages of programs for a subject. The command line protects texts. */
export function languagesOf(subject: SnippetSubject): readonly SnippetLanguage[] {
  return subject === "text" ? LANGUAGES : LANGUAGES.filter((name) => name !== "CLI");
}

/** The text that the programs protect. It is an example, and not the text of the page. */
const TEXT = "Write to jan.novak@example.cz.";

/** A program that protects a text, or a prompt, with these settings. */
export function snippet(language: SnippetLanguage, settings: Settings, subject: SnippetSubject): string {
  if (subject === "prompt") return PROMPTS[language === "CLI" ? "curl" : language](settings);
  switch (language) {
    case "JavaScript":
      return javaScript(settings);
    case "curl":
      return curl(settings);
    case "CLI":
      return commandLine(settings);
    case "Python":
      return python(settings);
  }
}

const MODEL = "gpt-4o-mini";
const MESSAGES = [{ role: "user", content: TEXT }];

/** Programs that ask a language model, which reads placeholders. Of the gateway, the workspace has the rules. */
const PROMPTS: Record<Exclude<SnippetLanguage, "CLI">, (settings: Settings) => string> = {
  JavaScript({ operators: _ofTexts, ...settings }) {
    return [
      "// npm install textveil openai; the key of the provider is in OPENAI_API_KEY",
      'import OpenAI from "openai";',
      'import { createProtector } from "textveil";',
      "",
      `const protector = createProtector(${objectLiteral({ ...settings, mode: "placeholder" })});`,
      "const client = new OpenAI({ fetch: protector.fetch() });",
      "const answer = await client.chat.completions.create({",
      `  model: ${JSON.stringify(MODEL)},`,
      `  messages: ${JSON.stringify(MESSAGES)},`,
      "});",
      "console.log(answer.choices[0].message.content);",
      "",
    ].join("\n");
  },
  curl(settings) {
    return [
      "# your gateway, and a service token of it with the scope gateway.chat",
      'curl "$TEXTVEIL_URL/v1/chat/completions" \\',
      '  -H "Authorization: Bearer $TEXTVEIL_SERVICE_TOKEN" \\',
      '  -H "Content-Type: application/json" \\',
      `  -d ${shellWord(JSON.stringify({ model: MODEL, messages: MESSAGES, ...privacy(settings) }, undefined, 2))}`,
      "",
    ].join("\n");
  },
  Python(settings) {
    const own = privacy(settings);
    const extra = Object.keys(own).length === 0 ? [] : [`    extra_body=json.loads(${pythonText(JSON.stringify(own, undefined, 4))}),`];
    return [
      "# pip install openai; your gateway, and a service token of it with the scope gateway.chat",
      `import ${extra.length === 0 ? "os" : "json, os"}`,
      "from openai import OpenAI",
      "",
      'client = OpenAI(base_url=os.environ["TEXTVEIL_URL"] + "/v1", api_key=os.environ["TEXTVEIL_SERVICE_TOKEN"])',
      "answer = client.chat.completions.create(",
      `    model=${JSON.stringify(MODEL)},`,
      `    messages=${JSON.stringify(MESSAGES)},`,
      ...extra,
      ")",
      "print(answer.choices[0].message.content)",
      "",
    ].join("\n");
  },
};

/** The settings that a request to the gateway may have. */
function privacy({ privacyPreset, country }: Settings): { privacy?: object } {
  if (privacyPreset === undefined && country === undefined) return {};
  return { privacy: inTheService({ privacyPreset, country }) as object };
}

/** Whether a mode makes hashes or tokens. */
function needsKey({ mode, operators = {} }: Settings): boolean {
  return [mode, ...Object.values(operators).map(({ mode }) => mode)].some((one) => one === "hash" || one === "tokenize");
}

function javaScript(settings: Settings): string {
  const options = Object.keys(settings).length === 0 && !needsKey(settings) ? "" : `, ${objectLiteral(settings)}`;
  return [
    '// npm install textveil; in a page, `await init()` first',
    'import { protect } from "textveil";',
    "",
    `const { protectedText } = protect(${JSON.stringify(TEXT)}${options});`,
    "console.log(protectedText);",
    "",
  ].join("\n");
}

/** An object of JavaScript, with a key where hashes or tokens need one. */
function objectLiteral(settings: Settings): string {
  const fields = Object.entries(settings).map(([name, value]) => `  ${name}: ${indented(value)},`);
  if (needsKey(settings)) fields.push("  // 32 bytes in hex: the same key gives the same hashes and tokens", "  key: process.env.TEXTVEIL_KEY,");
  return `{\n${fields.join("\n")}\n}`;
}

function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll("\n", "\n  ");
}

function curl(settings: Settings): string {
  return [
    "# an API key of your service, from `textveil keys create`",
    'curl "$TEXTVEIL_URL/api/v1/protect" \\',
    '  -H "Authorization: Bearer $TEXTVEIL_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d ${shellWord(JSON.stringify(inTheService({ text: TEXT, ...settings }), undefined, 2))}`,
    "",
  ].join("\n");
}

function commandLine(settings: Settings): string {
  const { mode, privacyPreset, minConfidence, country, excludeEntities, operators = {}, ...rules } = settings;
  const { customDetectors = [], allowList = [], denyList = [] } = rules;
  const flags: string[] = [];
  if (mode !== undefined) flags.push(`--mode ${mode}`);
  if (privacyPreset !== undefined) flags.push(`--preset ${privacyPreset}`);
  if (minConfidence !== undefined) flags.push(`--min-confidence ${minConfidence}`);
  if (country !== undefined) flags.push(`--country ${country}`);
  if (excludeEntities !== undefined) flags.push(`--exclude-entities ${excludeEntities.join(",")}`);
  // a flag has no place for a comma in a text, nor for the context of a detector
  const isPlain = Object.values(operators).every(({ newValue = "" }) => !newValue.includes(","));
  const hasContext = customDetectors.some(({ context = [] }) => context.length > 0);
  const others: Settings = { ...(!isPlain && { operators }), ...(hasContext && { customDetectors }) };
  if (isPlain) {
    for (const [type, { mode = "replace", keepLast, newValue }] of Object.entries(operators)) {
      const parts = [mode, keepLast === undefined ? "" : `keep_last=${keepLast}`, newValue === undefined ? "" : `new_value=${newValue}`];
      flags.push(`--operator ${shellWord(`${type}=${parts.filter((part) => part !== "").join(",")}`)}`);
    }
  }
  if (!hasContext) {
    for (const { name, pattern = "" } of customDetectors) flags.push(`--custom-detector ${shellWord(`${name}=${pattern}`)}`);
  }
  for (const rule of allowList) {
    if ("domain" in rule) flags.push(`--allow-domain ${shellWord(rule.domain)}`);
    else if ("regex" in rule) flags.push(`--allow-regex ${shellWord(rule.regex)}`);
    else flags.push(`--allow ${shellWord(rule.value)}`);
  }
  for (const { type = "", value } of denyList) {
    const isTyped = type !== "" || value.includes("=");
    flags.push(`--deny ${shellWord(isTyped ? `${type}=${value}` : value)}`);
  }
  const lines: string[] = [];
  if (needsKey(settings)) {
    lines.push("# once: textveil key-file new keys.txt");
    flags.push("--key-file keys.txt");
  }
  if (Object.keys(others).length > 0) {
    lines.push(`printf '%s' ${shellWord(JSON.stringify(inTheService(others)))} > options.json`);
    flags.push("--options options.json");
  }
  const command = ["textveil protect", ...flags].join(" \\\n  ");
  return [...lines, `echo ${shellWord(TEXT)} | ${command}`, ""].join("\n");
}

function python(settings: Settings): string {
  const body = JSON.stringify(inTheService({ text: TEXT, ...settings }), undefined, 4);
  return [
    "# with the standard library; the service is yours",
    "import json, os, urllib.request",
    "",
    `body = json.loads(${pythonText(body)})`,
    "request = urllib.request.Request(",
    '    os.environ["TEXTVEIL_URL"] + "/api/v1/protect",',
    "    data=json.dumps(body).encode(),",
    "    headers={",
    '        "Authorization": "Bearer " + os.environ["TEXTVEIL_API_KEY"],',
    '        "Content-Type": "application/json",',
    "    },",
    ")",
    "with urllib.request.urlopen(request) as answer:",
    '    print(json.load(answer)["protected_text"])',
    "",
  ].join("\n");
}

/** Options with the names of the service and the program: `minConfidence` is `min_confidence`. */
function inTheService(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inTheService);
  if (typeof value !== "object" || value === null) return value;
  // types, which name the operators, have no capitals
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [snake(name), inTheService(item)]));
}

/** A string of Python over several lines; JSON has neither a quote of its kind nor a control character. */
function pythonText(json: string): string {
  return `r'''${json.replaceAll("'", "\\u0027")}'''`;
}

/** A word that no shell changes. */
function shellWord(text: string): string {
  return /^[\w./:=,@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
