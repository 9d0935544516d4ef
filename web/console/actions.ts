// The replacement of a finding by each action.

import { type Action, ACTIONS } from "./types.js";

const MEANINGS: Record<Action, string> = {
  ALLOW: "sends it",
  FLAG: "sends it and reports it",
  MASK: "sends [[EMAIL_x7k2qd3maba]]; the answer has the value again",
  TOKENIZE: "sends a token, tok_xx_email_…, which stays; POST /api/v1/restore restores it",
  HASH: "sends a keyed hash, which stays",
  REDACT: "sends [REDACTED], which stays",
  BLOCK: "rejects the request",
};

/**
 * Returns the name of an action for readers. `MASK` of a policy sends a placeholder; the mode `mask` of protection writes
 * asterisks.
 */
export const actionTitle = (action: string) => (action === "MASK" ? "MASK → placeholder" : action);

/** The actions with their titles, for a choice. */
export const ACTION_TITLES = ACTIONS.map((action) => [action, actionTitle(action)] as const);

/** The actions with their effects, for a choice. */
export const ACTION_OPTIONS = ACTIONS.map((action) => [action, `${actionTitle(action)}: ${MEANINGS[action]}`] as const);
