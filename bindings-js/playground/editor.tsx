// The text: an area to write in that lies over its own marks.

import { computed, signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { isStructured, open, protectFile, TYPES_OPENED, unreadable } from "./files.js";
import { t } from "./i18n/index.js";
import { Marked } from "./marks.js";
import { carriedOver } from "./places.js";
import { SAMPLE } from "./sample.js";
import { analysis, category, isProtected, opened, setText, text } from "./state.js";

/** The findings as they stand in the text, also while it is ahead of what has been looked at. */
const places = computed(() => carriedOver(analysis.value.findings, analysis.value.text, text.value));

/** Where the cursor stands, or -1 where it is elsewhere. */
const cursor = signal(-1);

/** Where the finding begins in which the cursor stands. */
export const current = computed(
  () => places.value.find(({ start, end }) => start <= cursor.value && cursor.value <= end)?.start,
);

const area = (): HTMLTextAreaElement => document.getElementById("text") as HTMLTextAreaElement;

/** Selects a finding in the text and brings it into sight. */
export function showInText({ start, end }: { start: number; end: number }): void {
  area().focus({ preventScroll: true });
  area().setSelectionRange(start, end);
  const index = places.value.findIndex((place) => place.start === start);
  document.querySelectorAll("#marks mark")[index]?.scrollIntoView({ block: "center" });
}

document.addEventListener("selectionchange", () => {
  cursor.value = document.activeElement === area() ? area().selectionStart : -1;
});

export function Editor() {
  return (
    <section class="pane" aria-labelledby="text-title">
      <div class="bar">
        <h2 id="text-title">{t("yourText")}</h2>
        <OpenButton />
        <button type="button" onClick={() => setText(SAMPLE)}>
          {t("example")}
        </button>
        <button type="button" onClick={() => setText("")} disabled={text.value === ""}>
          {t("clear")}
        </button>
      </div>
      <div class="editor">
        <Marks />
        <textarea
          id="text"
          aria-labelledby="text-title"
          aria-describedby="summary"
          placeholder={t("placeholder")}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={text.value}
          onInput={(event) => setText(event.currentTarget.value, opened.value)}
        />
      </div>
      <FileNote />
    </section>
  );
}

function Marks() {
  const marks = places.value.map((finding) => ({
    start: finding.start,
    end: finding.end,
    category: category(finding.type),
    off: !isProtected(finding),
    current: finding.start === current.value,
  }));
  return (
    <pre id="marks" aria-hidden="true">
      <Marked text={text.value} marks={marks} />
    </pre>
  );
}

function OpenButton() {
  const input = useRef<HTMLInputElement>(null);
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
    </>
  );
}

/** What there is to say of the file that was opened, or could not be. */
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
