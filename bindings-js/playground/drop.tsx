// Files that are dropped anywhere on the page.

import { signal } from "@preact/signals";
import { open } from "./files.js";
import { t } from "./i18n/index.js";

const dragging = signal(false);

/** Takes what is dropped; text that is dragged within the page stays the browser's business. */
export function acceptDrops(): void {
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    dragging.value = true;
  });
  addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) dragging.value = false;
  });
  addEventListener("drop", (event) => {
    dragging.value = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void open(files);
  });
}

/** Says over the page that what is dragged may be dropped. */
export function DropHint() {
  return dragging.value ? <div class="drop">{t("dropHere")}</div> : null;
}
