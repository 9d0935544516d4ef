import { useEffect, useRef } from "preact/hooks";

/** Gives the focus to what has just appeared, so that the keyboard goes on there. */
export function useFocus<Target extends HTMLElement>() {
  const target = useRef<Target>(null);
  useEffect(() => target.current?.focus(), []);
  return target;
}
