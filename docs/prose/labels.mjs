// The check of labels, buttons, hints and toasts of the pages. CONTRIBUTING.md, "Language", has the rules.

import { readdirSync } from "node:fs";
import { join } from "node:path";

import { ROOT, source } from "../generate/files.mjs";
import { terms } from "./glossary.mjs";
import { messages, pageTexts } from "./page-texts.mjs";

/** Most words of a text, by its role; of sentences, each. */
const MOST_WORDS = { label: 6, button: 5, option: 8, placeholder: 10, hint: 22, toast: 22, status: 22 };

/** Texts that name something; the others are sentences or states. */
const NAMES = ["label", "button", "option", "placeholder"];
const SENTENCES = ["hint", "toast"];

/** Phrases that no text of a page has, each with the advice. `roles`: those that must not have it; else none may. */
const PHRASES = [
  { phrase: /\b(?:that|which|who|whom|whose|what(?:ever)?|where|whether|how|why|when|while|until|if)\b/, roles: NAMES, advice: "is a clause: write a noun" },
  { phrase: /\b(?:is|are|was|were|be|been|has|have|had|may|might|can|cannot|could|must|shall|should|will|would|do|does|did|goes|went|stays|begins|gets|ends)\b/, roles: NAMES, advice: "makes a clause: write a noun" },
  { phrase: /\b(?:it|its|they|them|those|these|one|ones|nothing|everything|something|none)\b(?= ?\S)|\b(?:it|them|those|these|ones?)$/, roles: NAMES, advice: "is a pronoun: repeat the noun" },
  { phrase: /\bnot\b/, roles: ["label"], advice: "denies: name the state" },
  { phrase: /^(?:\p{L}+ed|taken|made|held|kept|sent|found|told|given|seen) (?:by|in|at|on|to|with|for|from|back|up|out|since|of)\b/u, roles: NAMES, advice: "begins with a participle: begin with the noun" },
  { phrase: /\b(?:held|taken|kept|given|turned) back\b/, roles: NAMES, advice: "is a riddle: name it, as in “look-ahead”" },
  { phrase: /\bat once\b/, advice: "has two meanings: say “burst” or “in flight”" },
  { phrase: /\b(?:so|as) (?:many|far)\b/, advice: "name the rate or the limit" },
  { phrase: /\b(?:an?|each|every) (?:second|minute|hour|day|month)\b/, roles: NAMES, advice: "say “per”" },
  { phrase: /\b(?:none|nobody|nothing) (?:is|are|was|may|can) (?:asked|named|said|given|chosen)\b/, advice: "say what applies" },
  { phrase: /\b(?:none|empty) for (?:any|none|all)\b/, advice: "say “empty: all” or “optional”" },
  { phrase: /\bnone (?:of|is)\b|\bis none\b/, advice: "say what applies" },
  { phrase: /\b(?:those|the ones?) (?:of|that|which|whose|in|with)\b/, advice: "repeat the noun" },
  { phrase: /\bof now\b/, advice: "say “current”" },
  { phrase: /\bthis once\b/, advice: "say what to do now" },
  { phrase: /\b(?:goes?|weighs?) (?:with|as)\b/, advice: "say what happens" },
  { phrase: /\bhides? nothing\b/, advice: "say what happens" },
  { phrase: /\bwhat (?:is|stays|goes|it|they|(?:an? |the )?\w+ (?:says?|tells?))\b/, advice: "is a clause: write a noun" },
  { phrase: /\btells? (?:\w+ ){0,3}what\b/, advice: "is a clause: write a noun" },
  { phrase: /\b(?:whoever|whatever)\b/, advice: "name the actor or the thing" },
];

/** The words that begin no sentence, but a part of one. */
const FRAGMENT = /^(?:where|what|which|who|whose|how|that|whether|in which|of which|such as|instead of|by|for|from|with|evidence)\b/i;

/** The verbs that buttons begin with. A new button adds its verb. */
const BUTTONS = "Accept Add Apply Cancel Check Choose Clear Close Copy Create Delete Download Edit Export Go Hide Import Include Keep Move Open Pause Play Protect Reject Reload Remove Resume Restore Revoke Save Select Share Show Sign Skip Try Undo Validate";

/** Buttons without a verb that every reader knows. */
const KNOWN = /^(?:Newer|Older|Next|Previous|Example|Code…|x|✕)$|^(?:Validating|Signing in)…/;

/** The verbs of sentences, in each form that is in use. A new hint adds its verb. */
const VERBS = `is are was were has have had may can cannot must will does do needs need opens open gives give names name shows show
  shown finds find looks look weakens records record applies apply decides decide reports report keeps keep holds hold stays stay
  leaves leave forgets forget deletes delete replaces replace restores restore runs run works work sees see sends send sent reaches reach
  reads read checks check breaks break raises raise lowers lower accepts accept rejects reject stops stop starts start lists list sets set
  uses use adds add writes write ends end issues issue goes go limits limit counts count contains contain waits wait
  rated copy paste type select press separate choose ask tells tell come comes appears appear covers cover serves serve means mean get gets
  belongs belong stores store creates create matches match compare compares revoke remove revokes removes enter tests forwards receives
  searches signing leads`.split(/\s+/);

/** Returns the faults of a text in English, by its role. */
export function faultsOf(role, text) {
  const faults = [];
  for (const { phrase, roles, advice } of PHRASES) {
    const found = (!roles || roles.includes(role)) && new RegExp(phrase.source, `i${phrase.flags}`).exec(withoutCode(text));
    if (found) faults.push(`“${found[0]}” ${advice}`);
  }
  for (const [phrase, term] of terms()) {
    const found = new RegExp(`\\b${phrase}\\b`, "i").exec(text);
    if (found) faults.push(`“${found[0]}”: use “${term}”`);
  }
  if (role === "button" && !KNOWN.test(text) && !BUTTONS.split(" ").includes(text.split(/[ …]/)[0])) faults.push("a button begins with a verb");
  if (["label", "button"].includes(role) && /^\p{Ll}/u.test(text) && !text.startsWith("x")) faults.push(`a ${role} begins with a capital letter`);
  if (SENTENCES.includes(role)) faults.push(...sentenceFaults(role, text));
  return [...faults, ...shapeFaults(role, text, 1)];
}

/** Returns the faults of a text in any language: its length and its stop. Other languages may have half as many words more. */
export function shapeFaults(role, text, factor = 1.5) {
  const faults = [];
  const parts = NAMES.includes(role) ? [text] : text.split(/(?<=[.;:!?]) /);
  const most = Math.max(...parts.map((part) => part.split(" ").filter((word) => /\p{L}/u.test(word)).length));
  const limit = Math.floor(MOST_WORDS[role] * factor);
  if (most > limit) faults.push(`${most} words: ${limit} are the most of a ${role}`);
  if (["label", "button", "option"].includes(role) && /[.!]$/.test(text)) faults.push(`a ${role} has no full stop`);
  if (SENTENCES.includes(role) && !/[.?!…:x]$|x[)”]$/.test(text)) faults.push(`a ${role} ends with a full stop`);
  return faults;
}

function sentenceFaults(role, text) {
  const faults = [];
  for (const sentence of withoutCode(text).split(/(?<=[.!?]) /)) {
    const words = sentence.replaceAll(/[^\p{L}\p{M}’' -]/gu, " ").split(/\s+/).map((word) => word.toLowerCase());
    const fragment = FRAGMENT.exec(sentence);
    if (fragment) faults.push(`“${fragment[0]}” begins no sentence: begin with the subject`);
    else if (/^\p{Ll}/u.test(sentence) && !/^(?:x|code)\b/.test(sentence)) faults.push(`“${sentence}” begins without a capital letter`);
    else if (role === "toast" && /^\p{Lu}[\p{L} ]+: /u.test(sentence)) continue; // a list of figures
    else if (!words.some((word) => VERBS.includes(word))) faults.push(`“${sentence}” has no verb: write a sentence`);
  }
  return faults;
}

const withoutCode = (text) => text.replaceAll(/`[^`]*`/g, "code");

/** The message files of the playground by language; the English one is the source of the others. */
const MESSAGES = "web/playground/i18n";

/** Returns the texts of the pages, with `path`, `line`, `role`, `language` and `variants`. */
export function labels() {
  const texts = ["web/console", "web/playground"].flatMap((folder) =>
    sources(folder).flatMap((path) => pageTexts(source(path)).map((text) => ({ path, language: "en", ...text }))),
  );
  const roles = new Map();
  for (const { key, role } of texts) if (key) roles.set(key, roles.get(key) ?? role);
  return [...texts.filter(({ key }) => !key), ...ofMessages(roles)];
}

/** The messages of every language, in the roles that the page gives them. */
function ofMessages(roles) {
  return readdirSync(join(ROOT, MESSAGES)).filter((name) => name !== "index.ts").flatMap((name) => {
    const path = `${MESSAGES}/${name}`;
    const all = [...messages(source(path))];
    return all.map(([key, own]) => ({ path, language: name.replace(".ts", ""), role: roles.get(key) ?? "status", ...own }));
  });
}

function sources(folder) {
  const names = readdirSync(join(ROOT, folder), { recursive: true }).map((name) => `${folder}/${name}`);
  return names.filter((name) => /\.tsx?$/.test(name) && !/\.d\.ts$|\/types\.ts$|\/i18n\/|\/sample\.ts$/.test(name)).sort();
}

/** Returns the faults of texts, each with its place. */
export function faults(texts) {
  const found = texts.flatMap(({ path, line, role, language, variants }) =>
    variants.flatMap((text) =>
      (language === "en" ? faultsOf(role, text) : shapeFaults(role, text)).map((fault) => `${path}:${line}: ${role} “${text}”: ${fault}`),
    ),
  );
  return [...new Set(found)];
}
