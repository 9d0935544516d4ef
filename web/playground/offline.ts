// Writes the service worker of the built page: its list of files, and then `sw.js` as it stands.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const FOLDER = import.meta.dirname;

/** A Vite plugin that emits `sw.js`, which keeps every file of the build for use without a network. */
export function offline(): Plugin {
  return {
    name: "textveil-offline",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const built = Object.values(bundle).map((file) => ({
        name: file.fileName,
        content: file.type === "chunk" ? file.code : file.source,
      }));
      const files = [...built, ...copied("public")].sort((a, b) => a.name.localeCompare(b.name));
      const version = createHash("sha256");
      for (const { name, content } of files) version.update(name).update(content);
      // the page is asked for by its folder
      const list = files.map(({ name }) => (name === "index.html" ? "./" : `./${name}`));
      this.emitFile({
        type: "asset",
        fileName: "sw.js",
        source: [
          `const VERSION = ${JSON.stringify(version.digest("hex").slice(0, 16))};`,
          `const FILES = ${JSON.stringify(list, undefined, 2)};`,
          readFileSync(join(FOLDER, "sw.js"), "utf8"),
        ].join("\n"),
      });
    },
  };
}

/** The files that Vite copies as they are. */
function copied(folder: string): { name: string; content: Buffer }[] {
  const root = join(FOLDER, folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { name: path.slice(root.length + 1), content: readFileSync(path) };
    });
}
