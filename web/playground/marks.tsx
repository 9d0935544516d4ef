// A text with some of its ranges marked.

import { Component, type ComponentChild } from "preact";
import { shifted } from "./places.js";

/** A marked range, in UTF-16 units. */
export interface Mark {
  start: number;
  end: number;
  category: string;
  title?: string;
  /** Left as it is: drawn as an outline. */
  off?: boolean;
  /** Whether the cursor is in it. */
  current?: boolean;
}

interface BlockProps {
  text: string;
  /** Counted from the beginning of the block. */
  marks: readonly Mark[];
}

/** Lines that are drawn together: what is typed draws those around it anew, and no others. */
const LINES = 20;

/** The nodes of `text`. The marks are ordered and do not overlap. */
export function Marked({ text, marks }: { text: string; marks: readonly Mark[] }) {
  return (
    <>
      {[...blocks(text, marks)].map((block, index) => (
        <Block key={index} {...block} />
      ))}
      {/* a line break at the very end takes no room without something behind it */}
      {"\n"}
    </>
  );
}

class Block extends Component<BlockProps> {
  override shouldComponentUpdate({ text, marks }: BlockProps): boolean {
    return text !== this.props.text || !areSame(marks, this.props.marks);
  }

  override render({ text, marks }: BlockProps) {
    const nodes: ComponentChild[] = [];
    let at = 0;
    for (const { start, end, category, title, off, current } of marks) {
      nodes.push(
        text.slice(at, start),
        <mark data-category={category} data-off={off || undefined} data-current={current || undefined} title={title}>
          {text.slice(start, end)}
        </mark>,
      );
      at = end;
    }
    return <span class="lines">{[...nodes, text.slice(at)]}</span>;
  }
}

/** Cuts a text at line ends, and never within a mark. */
function* blocks(text: string, marks: readonly Mark[]): Generator<BlockProps> {
  let next = 0;
  for (let start = 0, end = 0; start < text.length; start = end) {
    for (let line = 0; line < LINES; line++) end = lineEnd(text, end);
    const own: Mark[] = [];
    for (let mark = marks[next]; mark !== undefined && mark.start < end; mark = marks[++next]) {
      if (mark.end > end) end = lineEnd(text, mark.end);
      own.push(shifted(mark, -start));
    }
    yield { text: text.slice(start, end), marks: own };
  }
}

/** Returns the end of the line that contains `at`, its line break included. */
function lineEnd(text: string, at: number): number {
  return text.indexOf("\n", at) + 1 || text.length;
}

function areSame(some: readonly Mark[], others: readonly Mark[]): boolean {
  return some.length === others.length && some.every((mark, index) => isSame(mark, others[index]));
}

function isSame(mark: Mark, other: Mark | undefined): boolean {
  return (
    mark.start === other?.start &&
    mark.end === other.end &&
    mark.category === other.category &&
    mark.title === other.title &&
    mark.off === other.off &&
    mark.current === other.current
  );
}
