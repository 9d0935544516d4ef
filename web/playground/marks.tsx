// A text with some of its ranges marked. Of many marks, those in sight are drawn.

import { Component, type ComponentChild, createRef } from "preact";
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
  /** The start of its finding in the text of the reader, which ties it to the other marks of the finding. */
  of?: number;
}

interface BlockProps {
  text: string;
  /** Counted from the beginning of the block. */
  marks: readonly Mark[];
  /** Whether the marks are drawn wherever the block is. */
  isAlways: boolean;
}

/** Lines that are drawn together: what is typed draws those around it anew, and no others. */
const LINES = 20;
/** More marks than these take a noticeable time to lay out. */
const MANY = 1_000;
/** The first blocks of a text, which are in sight at once. */
const FIRST = 4;

/** The nodes of `text`. The marks are ordered and do not overlap. */
export function Marked({ text, marks }: { text: string; marks: readonly Mark[] }) {
  return (
    <>
      {[...blocks(text, marks)].map((block, index) => (
        <Block key={index} {...block} isAlways={marks.length <= MANY || index < FIRST} />
      ))}
      {/* a line break at the very end takes no room without something behind it */}
      {"\n"}
    </>
  );
}

/** The place on the screen of a character of a marked text, also where its mark is not drawn. */
export function placeOnScreen(marked: Element, at: number): DOMRect | undefined {
  let before = at;
  for (const block of marked.children) {
    const { length } = block.textContent ?? "";
    if (before >= length) {
      before -= length;
      continue;
    }
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const { length: own } = node.textContent ?? "";
      if (before < own) {
        const range = document.createRange();
        range.setStart(node, before);
        range.setEnd(node, before + 1);
        return range.getBoundingClientRect();
      }
      before -= own;
    }
  }
  return undefined;
}

/** A part of the text. Its marks change no layout, so a block is as large with them as without them. */
class Block extends Component<BlockProps, { isNear: boolean }> {
  override state = { isNear: false };
  readonly #element = createRef<HTMLSpanElement>();

  override componentDidMount(): void {
    if (this.#element.current !== null) observe(this.#element.current, (isNear) => this.setState({ isNear }));
  }

  override componentWillUnmount(): void {
    if (this.#element.current !== null) unobserve(this.#element.current);
  }

  override shouldComponentUpdate({ text, marks, isAlways }: BlockProps, { isNear }: { isNear: boolean }): boolean {
    const isDrawn = isAlways || isNear;
    const wasDrawn = this.props.isAlways || this.state.isNear;
    return text !== this.props.text || isDrawn !== wasDrawn || (isDrawn && !areSame(marks, this.props.marks));
  }

  override render({ text, marks, isAlways }: BlockProps, { isNear }: { isNear: boolean }) {
    const nodes: ComponentChild[] = [];
    let at = 0;
    for (const { start, end, category, title, off, current, of } of isAlways || isNear ? marks : []) {
      nodes.push(
        text.slice(at, start),
        <mark data-category={category} data-off={off || undefined} data-current={current || undefined} data-of={of} title={title}>
          {text.slice(start, end)}
        </mark>,
      );
      at = end;
    }
    return (
      <span class="lines" ref={this.#element}>
        {[...nodes, text.slice(at)]}
      </span>
    );
  }
}

/** Elements that scroll, each with what observes the blocks in it. */
const observers = new WeakMap<Element, IntersectionObserver>();
const told = new WeakMap<Element, (isNear: boolean) => void>();

function observe(block: Element, tell: (isNear: boolean) => void): void {
  const root = block.closest(SCROLLS);
  if (root === null) return tell(true);
  told.set(block, tell);
  observerOf(root).observe(block);
}

function unobserve(block: Element): void {
  const root = block.closest(SCROLLS);
  if (root !== null) observerOf(root).unobserve(block);
}

const SCROLLS = ".editor, .result, .messages";

function observerOf(root: Element): IntersectionObserver {
  const known = observers.get(root);
  if (known !== undefined) return known;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) told.get(target)?.(isIntersecting);
    },
    // a screen before and after, so that marks are there when their text comes into sight
    { root, rootMargin: "100% 0%" },
  );
  observers.set(root, observer);
  return observer;
}

/** Cuts a text at line ends, and never within a mark. */
function* blocks(text: string, marks: readonly Mark[]): Generator<Omit<BlockProps, "isAlways">> {
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
    mark.current === other.current &&
    mark.of === other.of
  );
}
