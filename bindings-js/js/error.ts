/**
 * The kind of a failure, for programs.
 *
 * @example
 * const codes = [];
 * try { detect("Emily Carter", { minConfidence: 2 }); } catch (error) { if (error instanceof TextveilError) codes.push(error.code); }
 * codes; // ["invalid_request"]
 */
export type ErrorCode =
  /** A value is missing, outside its limits or of no known kind; `field` names it. */
  | "invalid_request"
  /** A policy with the action `BLOCK` applies; `details` counts the findings by type. */
  | "policy_violation"
  /** A verb was called before `init()` was done, or `entities` asks for names that `init` left out. */
  | "not_loaded"
  /** A defect of textveil, not of the call. */
  | "internal_error";

/**
 * Why a call was rejected. Neither the message nor any other property holds the caller's text.
 *
 * @example
 * const faults = [];
 * try {
 *   protect("Dear Emily Carter", { minConfidence: 2 });
 * } catch (error) {
 *   if (error instanceof TextveilError) faults.push(error.code, error.field);
 * }
 * faults; // ["invalid_request", "minConfidence"]
 */
export class TextveilError extends Error {
  override readonly name = "TextveilError";
  /** The kind of the failure, for programs. */
  readonly code: ErrorCode;
  /** The offending field, such as `privacyPreset` or `texts[3]`, where one is at fault. */
  readonly field: string | undefined;
  /** Findings by type, where a policy blocks. */
  readonly details: Readonly<Record<string, number>> | undefined;

  constructor(code: ErrorCode, message: string, field?: string, details?: Record<string, number>) {
    super(message);
    this.code = code;
    this.field = field;
    this.details = details;
  }
}

/** The refusal of a field that the engine never sees: it takes no value of another type. @internal */
export function invalid(field: string, expected: string): TextveilError {
  return new TextveilError("invalid_request", `${field} ${expected}`, field);
}

/** The error of a call that failed for no fault of its own. @internal */
export function defect(cause: unknown): TextveilError {
  const error = new TextveilError("internal_error", "the engine failed; please report this defect");
  error.cause = cause;
  return error;
}
