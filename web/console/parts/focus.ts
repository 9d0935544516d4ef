import { useLayoutEffect, useRef } from "preact/hooks";

/** Gives the focus to what has just appeared, so that the keyboard goes on there. */
export function useFocus<Target extends HTMLElement>() {
  const target = useRef<Target>(null);
  useLayoutEffect(() => target.current?.focus(), []);
  return target;
}

/** Goes on at the head of the page, where what had the focus is gone. */
export function focusPage(): void {
  document.querySelector<HTMLElement>("main h1")?.focus();
}
