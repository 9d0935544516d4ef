// A dialog that restores the originals of this page's tokens.

import { computed, signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { RestoreCounts } from "textveil";
import { restored as restoredText } from "./analysis.js";
import { Dialog } from "./dialog.js";
import { count, t } from "./i18n/index.js";
import { openKey } from "./key.js";

const restoring = signal(false);

const tokens = signal("");
/** Whether the file that was chosen last has a key. */
const keyIsOpened = signal<boolean | undefined>(undefined);
const restored = computed(() => (tokens.value === "" ? undefined : restoredText(tokens.value)));

export function openRestore(): void {
  restoring.value = true;
}

export function RestoreDialog() {
  return (
    <Dialog id="restore-title" title={t("restoreTitle")} isOpen={restoring}>
      <p class="note">{t("restoreNote")}</p>
      <KeyButton />
      <label class="field">
        <span>{t("restoreText")}</span>
        <textarea
          id="tokens"
          rows={6}
          autofocus
          spellcheck={false}
          value={tokens.value}
          onInput={({ currentTarget }) => {
            tokens.value = currentTarget.value;
          }}
        />
      </label>
      <div class="field">
        <span id="restored-title">{t("restored")}</span>
        <pre id="restored" class="result" tabIndex={0} role="group" aria-labelledby="restored-title">
          {restored.value?.text}
        </pre>
      </div>
      <p id="restored-count" class="note" role="status">
        {restored.value && counts(restored.value)}
      </p>
    </Dialog>
  );
}

/** Takes a key that was saved before. */
function KeyButton() {
  const input = useRef<HTMLInputElement>(null);
  const open = async (file: File | undefined) => {
    if (file !== undefined) keyIsOpened.value = await openKey(file);
  };
  return (
    <div class="actions">
      <button type="button" onClick={() => input.current?.click()}>
        {t("openKey")}
      </button>
      <input
        ref={input}
        id="key-file"
        type="file"
        hidden
        accept=".key,text/plain"
        onChange={({ currentTarget }) => {
          void open(currentTarget.files?.[0]);
          currentTarget.value = "";
        }}
      />
      <p class="note" role="status">
        {keyIsOpened.value !== undefined && t(keyIsOpened.value ? "keyOpened" : "noKey")}
      </p>
    </div>
  );
}

/** Says how many replacements were restored, and how many were not. */
export function counts({ restored, unknown, withheld }: RestoreCounts, of: "restoredCount" | "restoredValues" = "restoredCount"): string {
  const said = [count(of, restored)];
  if (unknown > 0) said.push(count("unknownCount", unknown));
  if (withheld > 0) said.push(count("withheldCount", withheld));
  return said.join(" · ");
}
