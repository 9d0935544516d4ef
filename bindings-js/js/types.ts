// Written from the engine's types by test/types.rs, which says how to renew it.

/** Options of detection; protection takes them too. */
export interface DetectOptions {
  /**
   * ISO 3166-1 alpha-2 code of the country that the text is about; inferred when absent. It weighs
   * as evidence and hides nothing. A code of no country is ignored.
   */
  country?: string | null;
  /** Language of the text, such as `de`: evidence for the countries that speak it. */
  language?: string | null;
  /** How sure a finding must be; `balanced` when absent. */
  privacy_preset?: Preset | null;
  /** Report these types only; empty for all. Aliases of other tools are understood. */
  entities?: string[] | null;
  /** Never report these types. */
  exclude_entities?: string[] | null;
  /** In place of the preset's threshold, 0 to 1. */
  min_confidence?: number | null;
  /** Findings that are none. */
  allow_list?: AllowRule[] | null;
  /** Texts that are findings always. */
  deny_list?: DenyRule[] | null;
  /** Detectors of the caller's own. */
  custom_detectors?: CustomDetector[] | null;
  /** What offsets count; code points when absent (UTF-16 in JavaScript). */
  offset_unit?: OffsetUnit | null;
  /** Report the evidence of each finding and of each country. */
  explain?: boolean | null;
}

/** Options of protection, beside those of detection. */
export interface ProtectOptions extends DetectOptions {
  /** What to do with every finding that has no operator of its own; `replace` when absent. */
  mode?: Mode | null;
  /** By type, in place of `mode`. */
  operators?: Record<string, Operator> | null;
  /** For mode `policy`: the policies, in any order. */
  policies?: Policy[] | null;
  /** For mode `policy`: what to do where no policy applies; `MASK` when absent. */
  default_action?: Action | null;
}

/** A value to check. */
export interface ValidateRequest {
  /** Raw value. */
  value: string;
  /** Entity type to validate against. */
  entity_type: string;
  /** ISO country code for country-specific validation. */
  country?: string | null;
}

/** What was found in a text. */
export interface DetectResponse {
  /** Original input. */
  text: string;
  /** Ordered by start, never overlapping. */
  entities: DetectedEntity[];
  /** Most likely first. */
  countries_detected: CountryDetection[];
  /** The effective preset. */
  privacy_preset: Preset;
  /** Whole milliseconds, rounded up from a started one. */
  processing_time_ms: number;
  /** Version of the contract. */
  api_version: string;
}

/** What was found in several texts. */
export interface DetectBatchResponse {
  /** One a text, in the order of the texts. */
  results: DetectResponse[];
  /** Sum over all results. */
  total_entities: number;
  /** Whole milliseconds for the batch. */
  total_processing_time_ms: number;
}

/** A protected text. */
export interface ProtectResponse {
  /** Text before protection. */
  original_text: string;
  /** Text after protection. */
  protected_text: string;
  /** Ordered by start; offsets are in `original_text`. */
  entities: ProtectedEntity[];
  /** Most likely first. */
  countries_detected: CountryDetection[];
  /** Mode used. */
  protection_mode: Mode;
  /** Milliseconds, a float. */
  processing_time_ms: number;
  /** Version of the contract. */
  api_version: string;
}

/** A text with its tokens turned back. */
export interface RestoreResponse {
  /** Text with the originals in place of the tokens. */
  text: string;
  /** Tokens turned back. */
  restored: number;
  /** Tokens of another key, changed ones, and words that only look like one: left as they are. */
  unknown: number;
  /** Version of the contract. */
  api_version: string;
}

/** What a check of one value found. */
export interface ValidateResponse {
  /** Input value. */
  value: string;
  /** Type used. */
  entity_type: string;
  /** Country used. */
  country: string | null;
  /** Passed validation. */
  valid: boolean;
  /** 0 to 1. */
  confidence: number;
  /** Facts; the `reason` where the value was refused. */
  metadata: Metadata | null;
}

/** What can be found. */
export interface DetectorsResponse {
  /** The detectors, by region and name. */
  detectors: DetectorInfo[];
  /** How many. */
  count: number;
}

/** How sure a finding must be to be reported. */
export type Preset =
  /** Only what is surely personal data: fewest false alarms. */
  | "conservative"
  /** The default. */
  | "balanced"
  /** Whatever may be personal data: fewest misses. */
  | "aggressive";

/** A finding that matches is not reported. */
export type AllowRule =
  /** The whole finding, compared without regard to case. */
  | { value: string }
  /** The whole finding matches this pattern. */
  | { regex: string }
  /** An e-mail address or a URL of this domain or of one below it. */
  | { domain: string };

/** A text that is reported wherever it stands as a word of its own. */
export interface DenyRule {
  /** The text, found without regard to case. */
  value: string;
  /** The type to report; `deny_list` when absent. */
  type?: string | null;
}

/** A detector of the caller's own, with the fields that a file of the catalogue has. */
export interface CustomDetector {
  /** The type to report: lower-case letters, digits and `_`. */
  name: string;
  /** A regular expression; it must not match the empty text and is matched within one line. */
  pattern?: string | null;
  /** How it is written, such as `d4-d4`; in place of a pattern, or beside it. */
  shapes?: string[] | null;
  /** Check digits of what a shape finds; what fails is not reported. The rule `function` is refused. */
  check?: Check | null;
  /** Words that speak for it when they stand near. */
  context?: string[] | null;
  /** Confidence of a match without any of the words, 0 to 1; 0.75 when absent. */
  confidence?: number | null;
  /** What it is about; `personal` when absent. */
  category?: Category | null;
}

/** What offsets count. */
export type OffsetUnit =
  /** Unicode scalar values; the default on REST and WIT. */
  | "code_point"
  /** UTF-16 code units; the default in JavaScript, so that `text.slice(start, end)` is the original. */
  | "utf16"
  /** UTF-8 bytes. */
  | "byte";

/** What protection does with a finding. */
export type Mode =
  /** The constant `[REDACTED]`. */
  | "replace"
  /** An asterisk for each character (code point). */
  | "mask"
  /** 16 hex digits of a keyed hash of type and normalised value. */
  | "hash"
  /** A reversible token `tok_<country>_<type>_<id>`. */
  | "tokenize"
  /** Each finding by the first policy that applies to it. */
  | "policy";

/** What to do with the findings of one type. */
export interface Operator {
  /** Any mode but `policy`. */
  mode?: Mode | null;
  /** For `mask`: one character in place of `*`. */
  mask_char?: string | null;
  /** For `mask`: letters and digits at the start that stay. */
  keep_first?: number | null;
  /** For `mask`: letters and digits at the end that stay. */
  keep_last?: number | null;
  /** For `replace`: the text in place of `[REDACTED]`. */
  new_value?: string | null;
}

/** A gateway policy, as far as it decides about findings. */
export interface Policy {
  /** Reported with each finding that it decides about. */
  name: string;
  /** The highest wins; ties go to the stricter action. */
  priority?: number | null;
  /** What to do. */
  action: Action;
  /** Alternatives; none for every finding. */
  conditions?: Condition[] | null;
  /** Decides only where no other policy applies. */
  is_default?: boolean | null;
}

/** What a policy does, from the mildest to the strictest. */
export type Action =
  /** Leaves it. */
  | "ALLOW"
  /** Leaves it and reports it. */
  | "FLAG"
  /** Asterisks. */
  | "MASK"
  /** A reversible token. */
  | "TOKENIZE"
  /** A keyed hash. */
  | "HASH"
  /** `[REDACTED]`. */
  | "REDACT"
  /** Refuses the call. */
  | "BLOCK";

/** A piece of personal data. */
export interface DetectedEntity {
  /** Entity type. */
  type: string;
  /** Exact matched text. */
  original: string;
  /** Country of the detector. */
  country: string | null;
  /** 0 to 1. */
  confidence: number;
  /** Passed checksum or structural validation. */
  validated: boolean;
  /** Zero-based, in the unit asked for. */
  start: number;
  /** Exclusive. */
  end: number;
  /** Detector-specific; null where there is nothing to say. */
  metadata: Metadata | null;
  /** With `explain` only. */
  evidence?: Evidence[];
}

/** A country that the text is probably about. */
export interface CountryDetection {
  /** ISO 3166-1 alpha-2. */
  code: string;
  /** 0 to 1. */
  confidence: number;
  /** With `explain` only. */
  evidence?: Evidence[];
}

/** A piece of personal data and its replacement. */
export interface ProtectedEntity extends DetectedEntity {
  /** What stands in its place. */
  protected: string;
  /** What the policy did; in mode `policy` only. */
  action?: Action;
  /** The policy that decided; absent for the default action. */
  policy?: string;
}

/** Facts by name. */
export type Metadata = Record<string, Fact>;

/** A detector. */
export interface DetectorInfo {
  /** Stable detector name. */
  name: string;
  /** Human-readable summary. */
  description: string;
  /** ISO 3166-1 alpha-2 code of the country, `EU` or `GLOBAL`. */
  region: string;
  /** What it is about. */
  category: Category;
  /** The `type` of its findings. */
  entity_type: string;
}

/**
 * Check digits: what must hold of the compact value, which is the text found without its separators and
 * without the literal beginning of its shape. Letters count 10 to 35 unless a rule says otherwise.
 */
export type Check =
  /** No check, for use inside `by_length`. */
  | { rule: "none" }
  /** The Luhn algorithm. */
  | { rule: "luhn"; prefix?: string }
  /** A sum of digits times weights. */
  | ({ rule: "weighted" } & Weighted)
  /** The whole number and its remainder. */
  | ({ rule: "integer" } & Integer)
  /** ISO 7064 mod 97-10. */
  | { rule: "mod97"; residue?: number }
  /** ISO 7064 mod 11,10. */
  | { rule: "mod11_10" }
  /** ISO 7064 mod 11-2. */
  | { rule: "mod11_2" }
  /** ISO 7064 mod 37,36. */
  | { rule: "mod37_36" }
  /** The Verhoeff algorithm. */
  | { rule: "verhoeff" }
  /** A check of a part. */
  | { rule: "part"; from?: number; to?: number | null; check: Check }
  /** Every one of several checks. */
  | { rule: "all"; checks: Check[] }
  /** One of several checks. */
  | { rule: "any"; checks: Check[] }
  /** A check that depends on the length. */
  | { rule: "by_length"; lengths: Record<string, Check> };

/** What a detector is about. */
export type Category =
  | "identity"
  | "contact"
  | "financial"
  | "location"
  | "personal"
  | "business"
  | "medical"
  | "government";

/**
 * Keys of one condition; all that are present must hold. An unknown key is refused: to drop it
 * silently would fail open.
 */
export interface Condition {
  /** The finding is at least as sure, 0 to 1. */
  confidence_min?: number | null;
  /** The finding is of one of these types. */
  entity_types?: string[] | null;
  /** The finding is of none of these types. */
  exclude_entity_types?: string[] | null;
  /** The finding is of one of these countries. */
  countries?: string[] | null;
  /** The finding is of one of these categories. */
  categories?: Category[] | null;
  /** The finding passed its checksum or structural rule, or did not. */
  validated?: boolean | null;
  /** The text has at least so many findings of its type. */
  min_count?: number | null;
}

/** One reason for or against a finding, in log-odds. */
export interface Evidence {
  /**
   * Of a finding: `shape`, `check`, `label`, `context`, `country`, `neighbour` or `competing`. Of a
   * country: `phone`, `domain`, `iban`, `bic`, `vat`, `identifier`, `place`, `postal_code`, `language`,
   * `language_given` or `currency`.
   */
  signal: string;
  /** What it adds to the log-odds. */
  weight: number;
  /** First unit inside. */
  start?: number;
  /** First unit after. */
  end?: number;
}

/** One detector-specific fact. */
export type Fact =
  /** Such as `checksum_valid`. */
  | boolean
  /** Such as `birth_date` = `1944-05-14`. */
  | string;

/** A sum of digits times weights: its remainder is one of `residues`, or with `check` tells the check digit. */
export interface Weighted {
  /** One a place; those shorter than the value repeat with `cyclic`. */
  weights: number[];
  /** What the sum is divided by. */
  modulus: number;
  /** Remainders that are right. */
  residues?: number[];
  /** The check digit for each remainder, where `-` says "never issued" and `?` "try the weights of `then`". */
  check?: string;
  /** The place of the check digit, which is left out of the sum; negative from the end. */
  at?: number;
  /** Added to the sum. */
  offset?: number;
  /** What is added up. */
  product?: Product;
  /** Other weights, for where `check` says `?`; where they say it too, the digit is 0. */
  then?: number[];
  /** Letters count their place in it. */
  alphabet?: string;
  /** The weights repeat. */
  cyclic?: boolean;
}

/** The whole number divided by `modulus`: the remainder is one of `residues`, or tells the check digits. */
export interface Integer {
  /** What the number is divided by. */
  modulus: number;
  /** Remainders that are right. */
  residues?: number[];
  /** So many of the last digits are the remainder of those before them. */
  check_len?: number;
  /** They are `modulus` less the remainder. */
  complement?: boolean;
  /** The last character for each remainder of what stands before it. */
  check?: string;
}

/** What a weighted sum adds up. */
export type Product =
  /** The products themselves. */
  | "plain"
  /** The digits of each product. */
  | "digit_sum";
