// The lexicons of names and addresses: a module of its own, which the page loads when it is there.

import { signal } from "@preact/signals";
import { initNames } from "textveil";

export const lexicons = signal<"loading" | "loaded" | "failed">("loading");

let loading: Promise<void> | undefined;

/** Loads them. The page works meanwhile, and without them. */
export function loadLexicons(): void {
  lexicons.value = "loading";
  loading = initNames().then(
    () => {
      lexicons.value = "loaded";
    },
    () => {
      lexicons.value = "failed";
    },
  );
}

/** Whether names are found, once that is known. */
export async function findsNames(): Promise<boolean> {
  await loading;
  return lexicons.value === "loaded";
}
