// A text with some of its ranges marked.

import type { ComponentChild } from "preact";

/** A marked range, in UTF-16 units. */
export interface Mark {
  start: number;
  end: number;
  category: string;
  title?: string;
  /** Left as it is: drawn as an outline. */
  off?: boolean;
  /** The cursor stands in it. */
  current?: boolean;
}

/** The nodes of `text`. The marks are ordered and do not overlap. */
export function Marked({ text, marks }: { text: string; marks: readonly Mark[] }) {
  const nodes: ComponentChild[] = [];
  let at = 0;
  for (const { start, end, category, title, off, current } of marks) {
    nodes.push(
      text.slice(at, start),
      <mark
        data-category={category}
        data-start={start}
        data-off={off || undefined}
        data-current={current || undefined}
        title={title}
      >
        {text.slice(start, end)}
      </mark>,
    );
    at = end;
  }
  // a line break at the very end takes no room without something behind it
  nodes.push(text.slice(at), "\n");
  return <>{nodes}</>;
}
