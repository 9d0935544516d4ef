// The focus of the keyboard when the part that has it goes.

/**
 * Passes the focus on before the item around `part` is removed: to the same part of the item after it or before it, or to
 * `last` if it is the only item.
 */
export function passFocusOn(part: Element, item: string, last: Element | null | undefined): void {
  const own = part.closest(item);
  const like = [...(own?.querySelectorAll(part.tagName) ?? [])].indexOf(part);
  const next = [own?.nextElementSibling, own?.previousElementSibling].find((other) => other?.matches(item));
  const others = next?.querySelectorAll<HTMLElement>(part.tagName);
  const target = others?.[like] ?? others?.[others.length - 1] ?? last;
  if (target instanceof HTMLElement) target.focus();
}
