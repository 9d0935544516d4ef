// The findings as a file: JSON for programs, CSV for tables.

import type { Finding } from "./analysis.js";
import { isProtected } from "./state.js";

/** The findings as JSON, with the fields of the package and whether each is protected. */
export function findingsAsJson(findings: readonly Finding[]): string {
  const written = findings.map(({ replacements: _shown, ...finding }) => ({
    ...finding,
    protected: isProtected(finding as Finding),
  }));
  return `${JSON.stringify(written, undefined, 2)}\n`;
}

const COLUMNS = ["type", "original", "start", "end", "country", "confidence", "validated", "protected"] as const;

/** The findings as a table with commas. */
export function findingsAsCsv(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => {
    const row: Record<(typeof COLUMNS)[number], unknown> = { ...finding, protected: isProtected(finding) };
    return COLUMNS.map((column) => cell(row[column]));
  });
  return [COLUMNS, ...rows].map((row) => `${row.join(",")}\n`).join("");
}

/** A cell that no spreadsheet takes for a formula. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
