// The replacement of a finding by each action.

import { type Action, ACTIONS } from "./types.js";

const MEANINGS: Record<Action, string> = {
  ALLOW: "sends it",
  FLAG: "sends it and reports it",
  MASK: "sends a placeholder, [[EMAIL_x7k2qd3mab]]; the answer has the value again",
  TOKENIZE: "sends a token, tok_xx_email_…, which stays; POST /api/v1/restore restores it",
  HASH: "sends a keyed hash, which stays",
  REDACT: "sends [REDACTED], which stays",
  BLOCK: "rejects the request",
};

/** The actions with what they do, for a choice. */
export const ACTION_OPTIONS = ACTIONS.map((action) => [action, `${action}: ${MEANINGS[action]}`] as const);
