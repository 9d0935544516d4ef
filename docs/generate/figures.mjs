// The figures of accuracy in README.md and SECURITY.md, from the scorecard. No other page quotes them: the page of accuracy has
// its tables.

import { all, source } from "./files.mjs";

/** The documents with a region of figures. */
export const QUOTING = ["README.md", "SECURITY.md"];

const REGION = /(<!-- figures: .* -->\n)[^]*?(<!-- \/figures -->)/;

/** Returns the sentence that the documents quote. */
export function figures() {
  const card = source("tests/eval/SCORECARD.md");
  const groups = all(card, /^\| (?![^|]* in (?:lower case|capitals) \|)([^|\d\n-]+) \| \d+ \| \d+ \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \| [\d.]+ \|$/gm, 4, "groups of languages");
  const of = ([, name, precision, recall, f1]) => ({ name: spoken(name), precision, recall, f1 });
  const [english, ...others] = groups.map(of).sort((one, other) => (other.name === "English") - (one.name === "English") || other.f1 - one.f1);
  const rest = others.map(({ name, f1 }) => `${f1} in ${name}`);
  const [lower, capitals] = ["in lower case", "in capitals"].map((letters) => inCase(card, letters));
  return (
    `On held-out real text in English, names of people are found with a recall of ${english.recall} and a\n` +
    `precision of ${english.precision} (F1 ${english.f1}). The F1 is ${rest.slice(0, -1).join(", ")},\n` +
    `and ${rest.at(-1)}.\n` +
    `The same English texts have an F1 of ${lower} in lower case and ${capitals} in capitals. In corpora from which\n` +
    `nothing was learnt, the F1 by language is ${heldOut(card)}.\n`
  );
}

/** The F1 of the English texts in a letter case. */
function inCase(card, letters) {
  const [[, f1]] = all(card, new RegExp(`^\\| English, ${letters} \\| \\d+ \\| \\d+ \\| [\\d.]+ \\| [\\d.]+ \\| ([\\d.]+) \\|`, "gm"), 1, letters);
  return f1;
}

/** The lowest and the highest F1 in the corpora from which nothing was learnt. */
function heldOut(card) {
  const [, section] = card.match(/^### Corpora from which nothing was learnt\n([^]*?)^### /m);
  const rows = all(section, /^\| [^|]+ \| \d+ \| \d+ \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|/gm, 2, "corpora");
  const f1 = rows.map(([, figure]) => figure).sort();
  return `${f1.at(0)} to ${f1.at(-1)}`;
}

/** The name of a group of languages for a sentence. */
const spoken = (name) => name.replace("other Latin", "other languages of Latin script").replace(/, ([^,]*)$/, " and $1");

/** Returns a document with current figures. */
export function withFigures(text) {
  if (!REGION.test(text)) throw new Error("a document must have a region of figures");
  return text.replace(REGION, (_, open, close) => open + figures() + close);
}
