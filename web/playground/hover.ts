// The pointer over a finding: its marks in both texts, and its entry in the list, show it.

/** The style of what belongs to the finding under the pointer: one rule, and no element is drawn anew. */
const style = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];

let shown: string | undefined;

/** Shows a finding by its start in the text of the reader, or no finding. */
export function showHovered(start: string | undefined): void {
  if (start === shown) return;
  shown = start;
  style.replaceSync(
    start === undefined || !/^\d+$/.test(start)
      ? ""
      : `mark[data-of="${start}"] { box-shadow: 0 0 0 2px var(--deep); } #findings > li[data-of="${start}"] { background: color-mix(in srgb, var(--mark) 45%, transparent); }`,
  );
}

/** Follows the pointer over marks, also below the area that the reader writes in. */
export function followPointer(): void {
  addEventListener("pointermove", ({ target, clientX, clientY, pointerType }) => {
    if (pointerType === "touch" || !(target instanceof Element)) return;
    // the marks of the editor are below its text
    const at = target.matches("#text") ? document.elementsFromPoint(clientX, clientY).find((one) => one.matches("mark")) : target;
    showHovered(at?.closest<HTMLElement>("[data-of]")?.dataset["of"]);
  });
}
