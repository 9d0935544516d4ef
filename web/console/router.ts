// The page that is shown: the part of the address after `#/`.

import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** The words of the address, such as `["policies", "new"]`. */
export const place = signal<string[]>(read());

/** Whether there are changes that leaving would lose. */
let unsaved = false;
/** The address when it was last followed. */
let followed = location.hash;

addEventListener("hashchange", () => {
  if (location.hash === followed) return;
  if (!mayLeave()) {
    history.replaceState(null, "", followed || "#/");
    return;
  }
  followed = location.hash;
  place.value = read();
});

addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});

/** Replaces the whole address, without an entry in the history. */
export function replaceAddress(address: string): void {
  history.replaceState(null, "", address);
  followed = location.hash;
  place.value = read();
}

/** Asks whether changes may be lost, where there are any. */
export function mayLeave(): boolean {
  return !unsaved || confirm("Leave this page? Its changes are not saved.");
}

export function go(path: string): void {
  location.hash = `#/${path}`;
}

/** Asks before a page is left while `changed`. */
export function useUnsaved(changed: boolean): void {
  // with the change itself and not after it is painted: a click may come in between
  useLayoutEffect(() => {
    unsaved = changed;
    return () => {
      unsaved = false;
    };
  }, [changed]);
}

/** Leaves without a question, once changes are saved or thrown away. */
export function leave(path: string): void {
  unsaved = false;
  go(path);
}

function read(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
}
