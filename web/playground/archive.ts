// Several files as one: a ZIP archive, written piece by piece.

import { Zip, ZipDeflate } from "fflate";

/** Size of the pieces in which a file is read, in bytes. */
const PIECE = 1 << 18;

/** A file of an archive, and its name there. */
export interface Entry {
  name: string;
  file: Blob;
}

/** Makes an archive; of files with the same name, the later ones have a number. */
export async function archiveOf(entries: readonly Entry[]): Promise<Blob> {
  const parts: Blob[] = [];
  const zip = new Zip();
  const ended = new Promise<void>((done, fail) => {
    zip.ondata = (error, part, isLast) => {
      if (error) return fail(error);
      // browsers keep large blobs on disk
      parts.push(new Blob([part as Uint8Array<ArrayBuffer>]));
      if (isLast) done();
    };
  });
  const names = new Set<string>();
  for (const { name, file } of entries) {
    const entry = new ZipDeflate(unique(name, names));
    zip.add(entry);
    for (let at = 0; at < file.size; at += PIECE) entry.push(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
    entry.push(new Uint8Array(0), true);
  }
  zip.end();
  await ended;
  return new Blob(parts, { type: "application/zip" });
}

/** A name that no other entry has: `a (2).txt`. */
function unique(name: string, names: Set<string>): string {
  const [, stem = name, extension = ""] = /^(.*?)(\.[^./]*)?$/s.exec(name) ?? [];
  let free = name;
  for (let n = 2; names.has(free); n++) free = `${stem} (${n})${extension}`;
  names.add(free);
  return free;
}
