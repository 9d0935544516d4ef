// The paragraphs of comments, without their marks and without code.

/** The marks at the beginning of a line of a comment, of a documentation comment and of a docstring. */
const MARKS = /^[ \t]*(?:\/\/[/!]?|\/?\*+(?!\/)|#+:?(?!!)|r?""")[ \t]*/;

/** The beginning of a paragraph in a comment: a heading, an item of a list, a row of a table, a tag such as `@param`, or columns. */
const BEGINNING = /^(?:#+ |[-*] |\d+\. |\||@\w)|\S {2,}\S/;

/**
 * The ranges of the paragraphs of comments. Comments on adjacent lines are one comment, unless code precedes one of them.
 * Code between fences and examples of JSDoc are not prose.
 */
export function paragraphs(text, comments) {
  const found = [];
  for (const [start, end] of runs(text, comments)) {
    let isCode = false;
    let isExample = false;
    let open = false;
    for (let at = start; at < end; ) {
      const newline = text.indexOf("\n", at);
      const lineEnd = newline < 0 || newline > end ? end : newline;
      const line = text.slice(at, lineEnd);
      const from = at + (MARKS.exec(line)?.[0].length ?? line.search(/\S|$/));
      const content = text.slice(from, lineEnd).replace(/\s*(?:\*+\/|""")?\s*$/, "");
      if (content.startsWith("```")) isCode = !isCode;
      if (/^@\w/.test(content)) isExample = content.startsWith("@example");
      const isWords = !isCode && !isExample && /\p{L}/u.test(content) && !content.startsWith("```");
      if (isWords && open && !BEGINNING.test(content)) found.at(-1)[1] = from + content.length;
      else if (isWords) found.push([from, from + content.length]);
      open = isWords && !content.startsWith("#");
      at = lineEnd + 1;
    }
  }
  return found;
}

/** The text of a paragraph without line ends and the marks at them, in as many characters. */
export const unmarked = (raw) =>
  raw.replaceAll(/\n[^\n]*/g, (line) => {
    const marks = MARKS.exec(line.slice(1))?.[0].length ?? 0;
    return " ".repeat(1 + marks) + line.slice(1 + marks);
  });

/** The comments with those on adjacent lines joined. */
function runs(text, comments) {
  const joined = [];
  for (const [start, end] of comments) {
    const last = joined.at(-1);
    const isAlone = (at) => /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 200), at));
    const mark = (at) => /^\S+/.exec(text.slice(at, at + 4))?.[0];
    if (last && /^[ \t]*\n[ \t]*$/.test(text.slice(last[1], start)) && isAlone(last[0]) && mark(last[0]) === mark(start)) last[1] = end;
    else joined.push([start, end]);
  }
  return joined;
}
