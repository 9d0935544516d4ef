// The text: an area to write in that lies over its own marks.

import { computed, signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isStructured, open, protectFile, protectFolder, TYPES_OPENED, unreadable } from "./files.js";
import { countryName, language, t } from "./i18n/index.js";
import { Marked, placeOnScreen } from "./marks.js";
import { typeName } from "./names.js";
import { carriedOver } from "./places.js";
import { step, underReview } from "./review.js";
import { SAMPLES, showSample, shownSample } from "./sample.js";
import { analysis, category, isProtected, opened, setText, text } from "./state.js";

/** The findings at their places in the text, also while it is ahead of the inspected one. */
const places = computed(() => carriedOver(analysis.value.findings, analysis.value.text, text.value));

/** The place of the cursor, or -1 if it is elsewhere. */
const cursor = signal(-1);

/** The finding in which the cursor stands. */
const atCursor = computed(() => places.value.find(({ start, end }) => start <= cursor.value && cursor.value <= end));

/** The start of the finding at the cursor, or else of the one under review. */
export const current = computed(() => (atCursor.value ?? underReview.value)?.start);

const area = (): HTMLTextAreaElement => document.getElementById("text") as HTMLTextAreaElement;

/** Selects a finding in the text and brings it into sight. */
export function showInText({ start, end }: { start: number; end: number }): void {
  area().focus({ preventScroll: true });
  area().setSelectionRange(start, end);
  scrollToMark({ start });
  area().closest(".editor")?.scrollIntoView({ block: "nearest" });
}

/** Brings a finding into sight within the text, and leaves the page where it is. */
export function scrollToMark({ start }: { start: number }): void {
  const marked = document.getElementById("marks");
  const editor = marked?.closest<HTMLElement>(".editor");
  if (!marked || !editor) return;
  // a text that is being typed in has its marks elsewhere for a moment
  const place = placeOnScreen(marked, start);
  if (place === undefined) return;
  const offset = place.top - editor.getBoundingClientRect().top;
  if (offset < 0 || offset > editor.clientHeight - 32) editor.scrollTop += offset - editor.clientHeight / 2;
}

/** F8 leads from anywhere to the next finding, as in editors to the next problem; with Shift to the one before. */
addEventListener("keydown", (event) => {
  if (event.key !== "F8" || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  step(event.shiftKey ? -1 : 1, cursor.value);
});

document.addEventListener("selectionchange", () => {
  cursor.value = document.activeElement === area() ? area().selectionStart : -1;
});

/** Removes the text. The focus is where the next one is written. */
function clear(): void {
  // the browser brings the cursor into sight, and the end of a long text goes with it
  area().setSelectionRange(0, 0);
  area().focus();
  setText("");
}

export function Editor() {
  return (
    <section class="pane" aria-labelledby="text-title">
      <div class="bar">
        <h2 id="text-title">{t("yourText")}</h2>
        <OpenButton />
        <SampleSelect />
        <button type="button" onClick={clear} disabled={text.value === ""}>
          {t("clear")}
        </button>
      </div>
      <div class="editor">
        <Marks />
        <textarea
          id="text"
          aria-labelledby="text-title"
          aria-describedby="summary"
          placeholder={t("emptyText")}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={text.value}
          onInput={(event) => setText(event.currentTarget.value, opened.value)}
        />
      </div>
      {/* the marks lie below the text, where no screen reader finds them */}
      <p id="at-cursor" class="unseen" role="status">
        {atCursor.value && t(isProtected(atCursor.value) ? "hereProtected" : "hereLeft", { type: typeName(atCursor.value.type) })}
      </p>
      <FileNote />
    </section>
  );
}

/** Examples by country. */
function SampleSelect() {
  const countries = Object.keys(SAMPLES)
    .map((code) => [countryName(code), code] as const)
    .sort(([a], [b]) => a.localeCompare(b, language.value));
  return (
    <label>
      <span class="unseen">{t("example")}</span>
      <select
        name="example"
        value={shownSample() ?? "none"}
        onChange={({ currentTarget }) => showSample(currentTarget.value)}
      >
        <option value="none" disabled hidden>
          {t("example")}
        </option>
        <option value="">{t("severalCountries")}</option>
        {countries.map(([name, code]) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Marks() {
  const marks = places.value.map((finding) => ({
    start: finding.start,
    end: finding.end,
    category: category(finding.type),
    off: !isProtected(finding),
    current: finding.start === current.value,
    of: finding.start,
  }));
  return (
    <pre id="marks" aria-hidden="true">
      <Marked text={text.value} marks={marks} />
    </pre>
  );
}

function OpenButton() {
  const input = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {t("openFile")}
      </button>
      <input
        ref={input}
        id="file"
        type="file"
        multiple
        hidden
        accept={TYPES_OPENED}
        onChange={({ currentTarget }) => {
          void open([...(currentTarget.files ?? [])]);
          // so that the same file can be chosen again
          currentTarget.value = "";
        }}
      />
      <button type="button" onClick={() => folder.current?.click()}>
        {t("openFolder")}
      </button>
      <input
        ref={folder}
        id="folder"
        type="file"
        // the typings do not have it
        {...{ webkitdirectory: true }}
        multiple
        hidden
        onChange={({ currentTarget }) => {
          protectFolder([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/** The note about the file that was opened, or could not be. */
function FileNote() {
  const file = opened.value;
  if (unreadable.value !== undefined) {
    return (
      <p class="file-note error" role="alert">
        {t("notText", { name: unreadable.value })}
      </p>
    );
  }
  if (file === undefined) return null;
  if (!isStructured(file)) return <p class="file-note">{file.name}</p>;
  return (
    <p class="file-note">
      <span>{t("plainText", { name: file.name })}</span>
      <button type="button" onClick={() => protectFile(file)}>
        {t("keepStructure")}
      </button>
    </p>
  );
}
