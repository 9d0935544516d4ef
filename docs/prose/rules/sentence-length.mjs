// Rule of textlint: a sentence has at most `max` words. In a comment, a colon and a semicolon end one: enumerations of the
// parts of a format are long.

import { sentences } from "./sentences.mjs";

export default function sentenceLength(context, { max }) {
  const { Syntax, RuleError, report, locator } = context;
  const check = (node) => {
    for (const { text, at } of sentences(context, node)) {
      const parts = node.type === Syntax.Comment ? text.split(/[:;] /) : [text];
      const count = Math.max(...parts.map(words));
      const message = `a sentence of ${count} words: split it, ${max} are the most`;
      if (count > max) report(node, new RuleError(message, { padding: locator.at(at(0)) }));
    }
  };
  return { [Syntax.Paragraph]: check, [Syntax.TableCell]: check, [Syntax.Comment]: check };
}

/** The number of words of a sentence. Code, numbers, abbreviations such as `PL` and signs do not count. */
const words = (sentence) => sentence.split(" ").filter((word) => /\p{Ll}/u.test(word)).length;
