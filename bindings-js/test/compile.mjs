// Compiles blocks of JavaScript with `tsc --strict`, as the lines of a user's program.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { NODE_MODULES } from "./project.mjs";

/** The packages that blocks import, and the types of Node. */
const LINKED = ["@langchain", "@langfuse", "@opencode-ai", "@opentelemetry", "@sentry", "@types", "ai", "express", "fastify", "hono", "openai", "pino", "react", "winston"];

/** Links the packages that blocks import into a project. */
export function link(project) {
  for (const name of LINKED) {
    const path = join(project, "node_modules", name);
    if (!existsSync(path)) symlinkSync(join(NODE_MODULES, name), path);
  }
}

/**
 * Compiles blocks in a project that has the package, all at once.
 *
 * A block is TypeScript; one that has types in comments is JavaScript, which is checked as strictly.
 *
 * @param blocks each with the name that its errors have, its code, and whether it is JSX
 * @returns the errors, one a line
 */
export function compileErrors(project, blocks) {
  const folder = join(project, "compiled");
  mkdirSync(folder);
  link(project);
  const names = new Map();
  for (const [index, { name, code, isJsx }] of blocks.entries()) {
    const hasTypes = /@(?:type|param)\b/.test(code);
    const file = `block${index}.${isJsx ? "tsx" : hasTypes ? "mjs" : "mts"}`;
    names.set(file, name);
    writeFileSync(join(folder, file), `${code}\nexport {};\n`);
  }
  // the guide of the AI SDK has any model in a file of its own
  writeFileSync(join(folder, "provider.d.ts"), 'export declare const provider: import("ai").LanguageModel & object;\n');
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    module: "nodenext",
    lib: ["es2022", "dom", "dom.iterable"],
    jsx: "react-jsx",
    types: ["node"],
    allowJs: true,
    checkJs: true,
    skipLibCheck: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const { status, stdout } = spawnSync(process.execPath, [join(NODE_MODULES, "typescript/bin/tsc"), "-p", folder, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  const errors = stdout.split("\n").filter((line) => line !== "");
  if (status !== 0 && errors.length === 0) errors.push(`tsc ended with ${status} in ${dirname(folder)}`);
  return errors.map((line) => line.replace(/^block\d+\.\w+/, (file) => names.get(file) ?? file));
}
