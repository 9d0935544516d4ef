// Files and folders that are dropped anywhere on the page.

import { signal } from "@preact/signals";
import { open, protectFolder } from "./files.js";
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
    const { files, items } = event.dataTransfer ?? {};
    if (files === undefined || files.length === 0) return;
    event.preventDefault();
    // the entries are gone when the event is over
    const entries = [...(items ?? [])].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
    if (entries.some(({ isDirectory }) => isDirectory)) void openEntries(entries);
    else void open([...files]);
  });
}

async function openEntries(entries: readonly FileSystemEntry[]): Promise<void> {
  const files: File[] = [];
  for (const entry of entries) for await (const file of filesOf(entry)) files.push(file);
  protectFolder(files);
}

/** The files of an entry, those of its folders included. */
async function* filesOf(entry: FileSystemEntry): AsyncGenerator<File> {
  if (entry.isFile) {
    yield await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const read = () => new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
  // a reader gives so many at a time, and none at the end
  for (let some = await read(); some.length > 0; some = await read()) {
    for (const inner of some) yield* filesOf(inner);
  }
}

/** Says over the page that what is dragged may be dropped. */
export function DropHint() {
  return dragging.value ? <div class="drop">{t("dropHere")}</div> : null;
}
