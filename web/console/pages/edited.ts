// A configuration that is being edited, beside what is stored.

import { isSame } from "../same.js";
import type { Configuration } from "../types.js";

export interface Edited {
  draft: Configuration;
  stored: Configuration;
  set: (change: Partial<Configuration>) => void;
}

/** Returns the properties with which a field of the configuration is shown, changed, and put back. */
export function bind<Name extends keyof Configuration>({ draft, stored, set }: Edited, name: Name) {
  return {
    value: draft[name],
    onChange: (value: Configuration[Name]) => set({ [name]: value }),
    onUndo: undoOf(draft[name], stored[name], (value) => set({ [name]: value })),
  };
}

/** Puts a value back to what is stored; undefined where it is that. */
export function undoOf<Value>(now: Value, stored: Value, put: (value: Value) => void): (() => void) | undefined {
  return isSame(now, stored) ? undefined : () => put(stored);
}
