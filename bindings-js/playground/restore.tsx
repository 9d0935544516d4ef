// A dialog that turns tokens of this page's key back.

import { computed, signal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { protector } from "./analysis.js";
import { count, t } from "./i18n/index.js";

const restoring = signal(false);

const tokens = signal("");
const restored = computed(() => (tokens.value === "" ? undefined : protector().restore(tokens.value)));

export function openRestore(): void {
  restoring.value = true;
}

export function RestoreDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useSignalEffect(() => {
    if (restoring.value) dialog.current?.showModal();
    else dialog.current?.close();
  });
  const close = () => {
    restoring.value = false;
  };
  return (
    <dialog ref={dialog} aria-labelledby="restore-title" onClose={close}>
      <div class="bar">
        <h2 id="restore-title">{t("restoreTitle")}</h2>
        <button type="button" onClick={close}>
          {t("close")}
        </button>
      </div>
      <div class="dialog-body">
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
      </div>
    </dialog>
  );
}

function counts({ restored, unknown }: { restored: number; unknown: number }): string {
  return [count("restoredCount", restored), ...(unknown > 0 ? [count("unknownCount", unknown)] : [])].join(" · ");
}
