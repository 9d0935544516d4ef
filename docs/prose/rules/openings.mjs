// Rule of textlint: a comment begins with a noun or a verb, and not with a clause.

import { sentences } from "./sentences.mjs";

/** The words that begin a clause. `Why` and `Whether` may begin a comment: “Whether the page is open.” */
const CLAUSE = /^(?:what(?:ever)?|how|where(?:ver)?|who(?:ever|se)?|which)\b/i;

export default function openings(context) {
  const { Syntax, RuleError, report, locator } = context;
  return {
    [Syntax.Comment](node) {
      const [first] = sentences(context, node);
      const [word] = (first && CLAUSE.exec(first.text)) ?? [];
      if (word) report(node, new RuleError(`a comment begins with “${word}”: begin with a noun or a verb`, { padding: locator.at(0) }));
    },
  };
}
