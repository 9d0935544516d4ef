// Rule of textlint: a sentence has at most `max` words.

import { sentences } from "./sentences.mjs";

export default function sentenceLength(context, { max }) {
  const { Syntax, RuleError, report, locator } = context;
  const check = (node) => {
    for (const { text, at } of sentences(context, node)) {
      const count = words(text);
      const message = `a sentence of ${count} words: split it, ${max} are the most`;
      if (count > max) report(node, new RuleError(message, { padding: locator.at(at(0)) }));
    }
  };
  return { [Syntax.Paragraph]: check, [Syntax.TableCell]: check };
}

/** The number of words of a sentence. Code, numbers, abbreviations such as `PL` and signs do not count. */
const words = (sentence) => sentence.split(" ").filter((word) => /\p{Ll}/u.test(word)).length;
