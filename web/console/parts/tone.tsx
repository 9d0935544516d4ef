// Words that carry a colour.

import { actionTitle } from "../actions.js";
import type { Action } from "../types.js";

export function ActionBadge({ action }: { action: Action }) {
  return (
    <span class="tone" data-tone={action}>
      {actionTitle(action)}
    </span>
  );
}

/** The state of something: good, bad, or neither. */
export function StateBadge({ state, children }: { state: "good" | "bad" | "plain"; children: string }) {
  return (
    <span class="badge" data-state={state}>
      {children}
    </span>
  );
}

const TIMES = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function Time({ at }: { at: string }) {
  return <time dateTime={at}>{TIMES.format(new Date(at))}</time>;
}
