// The key of the page as a file, which the programs read too: `textveil restore --key-file FILE`.

import { type PageKey, pageKey } from "./analysis.js";

/** The name of the file. */
export const KEY_FILE = "textveil.key";

/** The key in the form of the programs: its version and its bytes. */
export function keyFile(): Blob {
  const { key, keyVersion } = pageKey.value;
  const hex = Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return new Blob([`${keyVersion}:${hex}\n`], { type: "text/plain" });
}

/** Makes the first key of a file that of the page. Returns whether the file has one. */
export async function openKey(file: File): Promise<boolean> {
  const key = file.size <= LONGEST_BYTES ? keyIn(await file.text()) : undefined;
  if (key !== undefined) pageKey.value = key;
  return key !== undefined;
}

/** No file of keys is longer. */
const LONGEST_BYTES = 10_000;

function keyIn(text: string): PageKey | undefined {
  const line = text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
  // at least 16 bytes, and a version of one byte
  const [, version, hex] = /^(\d{1,3}):((?:[0-9a-f]{2}){16,1024})$/i.exec(line.trim()) ?? [];
  if (hex === undefined || Number(version) > 255) return undefined;
  return { key: Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)), keyVersion: Number(version) };
}
