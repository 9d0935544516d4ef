// The package as a user has it: `npm pack`, then `npm install`, once for each build of it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "dist/npm");
const CACHE = join(ROOT, "node_modules/.cache/textveil");
/** The prefix of a folder that is not complete. */
const MADE = "made-";

/**
 * Returns a project with the package installed, for copies of it: its folder, the file that `npm pack` made, and what is
 * in that. It takes two seconds of a processor, and each file of tests needs one.
 */
export function installed() {
  if (!existsSync(join(PACKAGE, "package.json"))) {
    throw new Error("dist/npm/ is not there; run `cargo xtask build --only npm` first");
  }
  const stamp = stampOf(PACKAGE);
  const folder = join(CACHE, stamp);
  if (!existsSync(folder)) install(folder);
  const { filename, files } = JSON.parse(readFileSync(join(folder, "packed.json"), "utf8"));
  return { folder: join(folder, "project"), tarball: join(folder, filename), files: files.map(({ path }) => path).sort() };
}

/** Installs the package beside the folder and moves it there, so that a process sees it whole or not at all. */
function install(folder) {
  mkdirSync(CACHE, { recursive: true });
  const old = readdirSync(CACHE).filter((name) => !name.startsWith(MADE));
  for (const name of old) rmSync(join(CACHE, name), { recursive: true, force: true });
  const made = mkdtempSync(join(CACHE, MADE));
  const project = join(made, "project");
  mkdirSync(project);
  const npm = (cwd, ...words) => execFileSync("npm", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const [packed] = JSON.parse(npm(made, "pack", PACKAGE, "--json"));
  writeFileSync(join(made, "packed.json"), JSON.stringify(packed));
  writeFileSync(join(project, "package.json"), '{ "name": "user", "private": true }');
  npm(project, "install", join("..", packed.filename), "--offline", "--no-audit", "--no-fund", "--no-package-lock");
  try {
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // another suite was faster
    if (!existsSync(folder)) throw error;
  }
}

/** Returns a name for the content of a folder: of the paths, sizes and times of its files. */
function stampOf(folder) {
  const hash = createHash("sha256");
  for (const path of readdirSync(folder, { recursive: true }).sort()) {
    const { size, mtimeMs } = statSync(join(folder, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}
