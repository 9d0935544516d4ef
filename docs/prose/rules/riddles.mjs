// Rule of textlint: phrases that a reader has to solve, each with what to write instead.

import { sentences } from "./sentences.mjs";

/**
 * A phrase, and the advice. `first`: only at the beginning of a statement. `texts`: not in comments, where “by” mostly names
 * a means: “is separated by a space”.
 */
const RIDDLES = [
  { phrase: /\b(?:is|are|was|were|be|been|has|have|had|makes?|gives?|there is|there are) none\b(?! of (?:the|them|these|those|its|their)\b)/, advice: "say “is not a …”, “has no …” or “is absent”" },
  { phrase: /\b(?:stands?|stood|standing) (?:in|at|behind|before|beside|between|there|around|elsewhere|apart|alone|under|above|below)\b/, advice: "say “is in”, “precedes” or “follows”" },
  { phrase: /\b(?:is|are|was|were)(?: not)? to (?:be|have)\b/, advice: "say “must”, “cannot” or “will”" },
  { phrase: /\b(?:to|can|cannot) be had\b/, advice: "say “available”, “installed” or “found”" },
  { phrase: /\bbut for\b/, advice: "say “except”" },
  { phrase: /\bin the place of\b/, advice: "say “instead of”" },
  { phrase: /\bsees? to (?:it|that)\b/, advice: "say “ensures”" },
  { phrase: /\b(?:so|as) many an?\b/, advice: "name the rate: “requests per minute”" },
  { phrase: /\b(?:is|are) taken (?:for|where)\b/, advice: "say “is mistaken for” or “is used when”" },
  { phrase: /\bthat (?:of|for) (?:which|whose|what)\b/, advice: "repeat the noun, or split the sentence" },
  { phrase: /\bwhat(?:ever)?\b/, first: true, advice: "begin with a noun" },
  { phrase: /\bwho\b/, first: true, advice: "name the actor: caller, client, operator, administrator" },
  { phrase: /\bwhoever\b/, advice: "name the actor: caller, client, operator, administrator" },
  { phrase: /\btells? (?:an? |the )?(?:\w+ ){0,2}what\b/, texts: true, advice: "name the thing: “the model sees the type”" },
  { phrase: /\b(?:rest|part|all) of what\b/, advice: "name it: “the remainder”" },
  { phrase: /\bwhat (?:it|they|an? \w+|the \w+) (?:says?|tells?)\b/, texts: true, advice: "name it: “its facts”, “its text”" },
  { phrase: /\bwhat is in (?:it|them)\b/, texts: true, advice: "say “the content”" },
  { phrase: /\bthat nothing (?:is|was|were) \w+ (?:from|for|in|of|to)\b/, advice: "name the state: “held-out”, “unused”" },
  { phrase: /\bthose whose .{0,60}\bthose\b|\bthat those of\b/, advice: "repeat the noun" },
  { phrase: /\b(?:is|are|was|were|be|been|being) (?:\w+ly )?(?:\w+ed|given|known|made|read|sent|written|taken|kept|held|found|told) by (?:an?|the|its|one)\b/, texts: true, advice: "let the actor be the subject: “the service checks it”" },
];

/** Questions may begin so, and so may clauses as headings, labels and entries of tables: “What it does not do”. */
const isStatement = (text) => /[^.…]\.\s*$/.test(text);

export default function riddles(context) {
  const { Syntax, RuleError, report, locator } = context;
  const check = (node) => {
    for (const [index, { text, at }] of sentences(context, node).entries()) {
      const isOpening = node.type === Syntax.Comment && index === 0; // the rule `openings` reads it
      for (const { phrase, first, texts, advice } of RIDDLES) {
        const found = new RegExp(phrase.source.replaceAll(" ", " +"), "i").exec(text); // a line may end between words
        if (!found || (texts && node.type === Syntax.Comment)) continue;
        if (first && (found.index > 0 || isOpening || !isStatement(text))) continue;
        report(node, new RuleError(`“${found[0]}” is a riddle: ${advice}`, { padding: locator.at(at(found.index)) }));
      }
    }
  };

  return { [Syntax.Paragraph]: check, [Syntax.TableCell]: check, [Syntax.Header]: check, [Syntax.Comment]: check };
}
