// The page: what is typed is looked at as it is typed, and shown protected beside it.

import {
  type DetectedEntity,
  type DetectOptions,
  detect,
  detectors,
  init,
  type Mode,
  type Preset,
  protect,
  TextveilError,
} from "textveil";
import { countryName, percent, showFindings, typeName } from "./findings.js";
import { showMarked } from "./marks.js";

const SAMPLE = `Dear support,

I am Jan Novák, RČ 800101/1238. Please move my account to IBAN DE89 3704 0044 0532 0130 00 and send the papers to jan.novak@example.cz, or call +420 601 123 456.

My wife's PESEL is 44051401359, our company has SIREN 732 829 320 and my German tax number (IdNr) is 86 095 742 719.

The invoice 2024-0117 over 1.250,00 € of 12.03.2024 is paid.

Thank you! 🙂
`;

const text = find<HTMLTextAreaElement>("text");
const marks = find("marks");
const result = find("result");
const findings = find("findings");
const summary = find("summary");
const note = find("note");
const copy = find<HTMLButtonElement>("copy");
const options = find<HTMLFormElement>("options");

/** Category of each type, for its colour. */
const categories = new Map<string, string>();
let entities: DetectedEntity[] = [];

await init();
listDetectors();
text.addEventListener("input", refresh);
options.addEventListener("change", refresh);
document.addEventListener("selectionchange", markCurrent);
find("sample").addEventListener("click", () => setText(SAMPLE));
find("clear").addEventListener("click", () => setText(""));
copy.addEventListener("click", () => void copyResult());
setText(text.value || SAMPLE);

function refresh(): void {
  const value = text.value;
  try {
    update(value);
  } catch (error) {
    if (!(error instanceof TextveilError)) throw error;
    entities = [];
    showMarked(marks, value, []);
    result.replaceChildren();
    findings.replaceChildren();
    note.textContent = "";
    summary.textContent = error.message;
    summary.classList.add("error");
    copy.disabled = true;
  }
}

function update(value: string): void {
  const data = new FormData(options);
  const mode = data.get("mode") as Mode;
  const wanted: DetectOptions = {
    privacy_preset: data.get("privacy_preset") as Preset,
    country: (data.get("country") as string) || null,
  };
  const empty = value === "";
  const found = empty ? undefined : detect(value, { ...wanted, explain: true });
  const safe = empty ? undefined : protect(value, { ...wanted, mode });

  entities = found?.entities ?? [];
  showMarked(
    marks,
    value,
    entities.map(({ start, end, type }) => ({ start, end, category: category(type) })),
  );
  showFindings(findings, entities, value, category, select);

  // where the replacements stand in the protected text
  let shift = 0;
  const replaced = (safe?.entities ?? []).map((entity, index) => {
    const start = entity.start + shift;
    const end = start + entity.protected.length;
    shift = end - entity.end;
    return { start, end, category: category(entities[index]?.type ?? entity.type), title: typeName(entity.type) };
  });
  showMarked(result, safe?.protected_text ?? "", replaced);

  summary.classList.remove("error");
  const countries = (found?.countries_detected ?? []).slice(0, 3);
  const places = countries.map(({ code, confidence }) => `${countryName(code)} ${percent(confidence)}`);
  summary.textContent = empty
    ? "Paste a text to see what is in it."
    : `${entities.length} found${places.length > 0 ? ` · looks like ${places.join(", ")}` : ""}`;
  note.textContent =
    mode === "hash" || mode === "tokenize" ? "The key was made for this page and goes with it." : "";
  copy.disabled = empty;
  copy.textContent = "Copy";
  markCurrent();
}

function setText(value: string): void {
  text.value = value;
  refresh();
}

/** Selects a finding in the text. */
function select({ start, end }: DetectedEntity): void {
  text.focus();
  text.setSelectionRange(start, end);
}

/** Points out the finding in which the cursor stands. */
function markCurrent(): void {
  const at = document.activeElement === text ? text.selectionStart : -1;
  for (const [index, { start, end }] of entities.entries()) {
    const current = start <= at && at <= end;
    findings.children[index]?.toggleAttribute("data-current", current);
    marks.querySelectorAll("mark")[index]?.toggleAttribute("data-current", current);
  }
}

async function copyResult(): Promise<void> {
  // the page ends its copy of a text with a line break of its own
  const protectedText = (result.textContent ?? "").slice(0, -1);
  try {
    await navigator.clipboard.writeText(protectedText);
    copy.textContent = "Copied";
  } catch {
    // without the right to write, or on a page without TLS: leave it selected
    getSelection()?.selectAllChildren(result);
    copy.textContent = "Press Ctrl+C";
  }
}

function listDetectors(): void {
  const all = detectors();
  for (const { entity_type, category } of all.detectors) categories.set(entity_type, category);
  const regions = [...new Set(all.detectors.map(({ region }) => region))].filter((region) => /^[A-Z]{2}$/.test(region));
  const named = regions.filter((region) => region !== "EU").map((code) => [countryName(code), code] as const);
  named.sort(([a], [b]) => a.localeCompare(b));
  find<HTMLSelectElement>("country").append(...named.map(([name, code]) => new Option(name, code)));
  find("about").textContent =
    `${all.count} detectors, compiled to WebAssembly and run in this page. It needs no connection once it is loaded.`;
}

function category(type: string): string {
  return categories.get(type) ?? "personal";
}

function find<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id) ?? document.querySelector(`[name="${id}"]`);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found as T;
}
