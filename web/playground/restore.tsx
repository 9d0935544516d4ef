// A dialog that restores the originals of this page's tokens.

import { computed, signal } from "@preact/signals";
import type { RestoreCounts } from "textveil";
import { restored as restoredText } from "./analysis.js";
import { Dialog } from "./dialog.js";
import { count, t } from "./i18n/index.js";

const restoring = signal(false);

const tokens = signal("");
const restored = computed(() => (tokens.value === "" ? undefined : restoredText(tokens.value)));

export function openRestore(): void {
  restoring.value = true;
}

export function RestoreDialog() {
  return (
    <Dialog id="restore-title" title={t("restoreTitle")} isOpen={restoring}>
      <p class="note">{t("restoreNote")}</p>
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

/** Says how many replacements were restored, and how many were not. */
export function counts({ restored, unknown, withheld }: RestoreCounts, of: "restoredCount" | "restoredValues" = "restoredCount"): string {
  const said = [count(of, restored)];
  if (unknown > 0) said.push(count("unknownCount", unknown));
  if (withheld > 0) said.push(count("withheldCount", withheld));
  return said.join(" · ");
}
