// A text with some of its ranges marked, as nodes of the page.

/** A marked range, in UTF-16 units. */
export interface Mark {
  start: number;
  end: number;
  category: string;
  title?: string;
}

/** Shows `text` in `element`. The marks are ordered and do not overlap. */
export function showMarked(element: HTMLElement, text: string, marks: readonly Mark[]): void {
  const nodes: (Node | string)[] = [];
  let at = 0;
  for (const { start, end, category, title } of marks) {
    const mark = document.createElement("mark");
    mark.dataset["category"] = category;
    mark.textContent = text.slice(start, end);
    if (title !== undefined) mark.title = title;
    nodes.push(text.slice(at, start), mark);
    at = end;
  }
  // a line break at the very end takes no room without something behind it
  nodes.push(text.slice(at), "\n");
  element.replaceChildren(...nodes);
}
