// Saving what a page has made.

/** The time after which the browser has begun with a download. */
const BEGUN_MS = 10_000;

/** Saves `content` as a file of the reader's. */
export function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), BEGUN_MS);
}
