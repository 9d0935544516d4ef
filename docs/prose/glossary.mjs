// The glossary as a dictionary: its terms, and the phrases that each of them replaces.

import { source } from "../generate/files.mjs";

/** The entries of the glossary: the term in bold, and the phrases after `Not:`. */
export function entries() {
  const paragraphs = source("docs/glossary.md").split(/\n{2,}/).filter((paragraph) => paragraph.startsWith("**"));
  return paragraphs.map((paragraph) => {
    const [, term] = paragraph.match(/^\*\*(.+?)\*\*/);
    const [, list = ""] = paragraph.match(/\bNot: ([\s\S]+)$/) ?? [];
    return { term, phrases: [...list.matchAll(/`([^`]+)`/g)].map(([, phrase]) => phrase) };
  });
}

/** The phrases as patterns of the rule `terminology`, each with the term that replaces it. */
export const terms = () => entries().flatMap(({ term, phrases }) => phrases.map((phrase) => [pattern(phrase), term]));

/** The gap between two words of a phrase: spaces, or a line end with the mark of a comment. */
const SPACE = "\\s+(?:(?://[/!]?|\\*|#)\\s+)?";

/** The pattern of a phrase. Its first word may have the endings of a verb; `…` is up to three words. */
function pattern(phrase) {
  const [first, ...others] = phrase.split(" ");
  const following = others.map((word) => (word === "…" ? `(?:${SPACE}\\S+){0,3}` : `${SPACE}${word}`));
  return `${first}(?:s|es|d|ed|ing)?${following.join("")}`;
}
