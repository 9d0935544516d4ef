// An empty project with the package installed.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { installed } from "./installed.mjs";

export const ROOT = join(import.meta.dirname, "../..");
/** The native program, which `TEXTVEIL` in the environment names. */
export const PROGRAM = process.env.TEXTVEIL ?? join(ROOT, "dist/textveil");
/** The libraries for the tests of the package and the pages. */
export const NODE_MODULES = join(ROOT, "node_modules");

/** Makes the project; it goes when the tests of the file are done. */
export function project() {
  const { folder: user, tarball, files } = installed();
  const folder = mkdtempSync(join(tmpdir(), "textveil-npm-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(user, folder, { recursive: true });
  // outside the workspace, a program finds the package only by its own exports map
  return {
    folder,
    files,
    /** The file that `npm pack` made. */
    tarball,
    manifest: JSON.parse(readFileSync(join(folder, "node_modules/textveil/package.json"), "utf8")),

    /** Copies a file or a folder of test/ into the project. */
    add(path, as = path) {
      cpSync(join(import.meta.dirname, path), join(folder, as), { recursive: true });
      return join(folder, as);
    },

    /** Imports a module in this process. */
    import(specifier = "textveil") {
      const file = join(folder, `${specifier.replaceAll("/", "-")}.mjs`);
      writeFileSync(file, `export * from ${JSON.stringify(specifier)};\n`);
      return import(pathToFileURL(file).href);
    },

    /** Runs a program and returns its output. Its name ends in .mjs or .cjs. */
    run(name, source, flags = [], words = []) {
      writeFileSync(join(folder, name), source);
      return execFileSync(process.execPath, [...flags, name, ...words], { cwd: folder, encoding: "utf8" }).trim();
    },
  };
}
