// The sentences of a paragraph, for the rules.

import { split } from "sentence-splitter";
import { RuleHelper } from "textlint-rule-helper";
import { StringSource } from "textlint-util-to-string";

/** The rules ask for the same nodes. */
const known = new WeakMap();

/**
 * The sentences of a node of textlint, each with its text and `at`, which gives the place of one of its characters in the node.
 * Code is blank. Quotations have no sentences: they are not our words.
 */
export function sentences(context, node) {
  if (!known.has(node)) known.set(node, sentencesOf(context, node));
  return known.get(node);
}

function sentencesOf(context, node) {
  const { Syntax } = context;
  if (new RuleHelper(context).isChildNode(node, [Syntax.BlockQuote])) return [];
  const source = new StringSource(node, { replacer: ({ node, maskValue }) => (node.type === Syntax.Code ? maskValue("`") : undefined) });
  const parts = split(source.toString()).filter(({ type }) => type === "Sentence");
  return parts.map(({ raw, range }) => ({
    text: raw.replaceAll(/\s/g, " "),
    at: (index) => source.originalIndexFromIndex(range[0] + index) ?? 0,
  }));
}
