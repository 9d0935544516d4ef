// A dialog that restores the originals of this page's tokens.

import { computed, signal } from "@preact/signals";
import { protector } from "./analysis.js";
import { Dialog } from "./dialog.js";
import { count, t } from "./i18n/index.js";

const restoring = signal(false);

const tokens = signal("");
const restored = computed(() => (tokens.value === "" ? undefined : protector().restore(tokens.value)));

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

function counts({ restored, unknown }: { restored: number; unknown: number }): string {
  return [count("restoredCount", restored), ...(unknown > 0 ? [count("unknownCount", unknown)] : [])].join(" · ");
}
