// A configuration that is being edited, beside what is stored.

import { isSame } from "../configuration.js";
import type { Configuration } from "../types.js";

export interface Edited {
  draft: Configuration;
  stored: Configuration;
  set: (change: Partial<Configuration>) => void;
}

/** What a field of the configuration needs to be shown, changed, and put back. */
export function bind<Name extends keyof Configuration>({ draft, stored, set }: Edited, name: Name) {
  return {
    value: draft[name],
    onChange: (value: Configuration[Name]) => set({ [name]: value }),
    onUndo: isSame(draft[name], stored[name]) ? undefined : () => set({ [name]: stored[name] }),
  };
}
