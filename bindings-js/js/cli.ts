#!/usr/bin/env node
// The program `textveil` of the package, for Node: verbs of the native program, with its flags and its output.

import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, realpathSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { parse } from "./call.js";
import { formatOfContent } from "./content.js";
import { Decoder } from "./decode.js";
import { detect, detectors, validate } from "./detect.js";
import type { OpenDocument } from "./document.js";
import { documents, type Documents } from "./documents-instance.js";
import { engineOf } from "./engine.js";
import { TextveilError } from "./error.js";
import { extensionWritten, formatOf, knownFormat, type Format } from "./format.js";
import { call } from "./instance.js";
import { keysOf, type KeySource } from "./keys.js";
import type { KeyOptions, ProtectOptions } from "./options.js";
import { loadAllFromPackage } from "./package-wasm.js";
import { TokenMap } from "./session.js";
import type { DetectedEntity, DetectOptions, Operator } from "./types.js";

/** Exit statuses, those of the native program. */
const DONE = 0;
const FOUND = 1;
const FAILED = 2;
const SKIPPED = 3;

/** A fault of the command line, of a file or of a document; its message is for the terminal. */
class Fault extends Error {}

const OF_INPUT = { format: { type: "string" }, encoding: { type: "string" }, "allow-skipped": { type: "boolean" }, quiet: { type: "boolean", short: "q" } } as const;
const OF_OUTPUT = { output: { type: "string", short: "o" }, "in-place": { type: "boolean", short: "i" } } as const;
const OF_KEYS = { "key-file": { type: "string" } } as const;
const OF_DETECTION = {
  country: { type: "string" },
  language: { type: "string" },
  preset: { type: "string" },
  entities: { type: "string", multiple: true },
  "exclude-entities": { type: "string", multiple: true },
  "min-confidence": { type: "string" },
  allow: { type: "string", multiple: true },
  "allow-regex": { type: "string", multiple: true },
  "allow-domain": { type: "string", multiple: true },
  deny: { type: "string", multiple: true },
  "custom-detector": { type: "string", multiple: true },
  "offset-unit": { type: "string" },
  explain: { type: "boolean" },
  options: { type: "string" },
} as const;
const OF_PROTECTION = {
  mode: { type: "string" },
  operator: { type: "string", multiple: true },
  policies: { type: "string" },
  "default-action": { type: "string" },
} as const;
const OF_REPORT = { check: { type: "boolean" }, json: { type: "boolean" } } as const;

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

interface Verb {
  usage: string;
  about: string;
  flags: NonNullable<ParseArgsConfig["options"]>;
  run(values: Values, paths: string[]): number;
}

const VERBS: Record<string, Verb> = {
  detect: {
    usage: "detect [OPTIONS] [PATH]...",
    about: "Find personal data in plain text: files, folders or standard input",
    flags: { ...OF_INPUT, ...OF_REPORT, ...OF_DETECTION },
    run: runDetect,
  },
  protect: {
    usage: "protect [OPTIONS] [PATH]...",
    about: "Replace personal data in files, folders or standard input",
    flags: { ...OF_INPUT, ...OF_OUTPUT, check: OF_REPORT.check, ...OF_PROTECTION, ...OF_KEYS, ...OF_DETECTION },
    run: runProtect,
  },
  restore: {
    usage: "restore [OPTIONS] [PATH]...",
    about: "Restore the originals of the tokens of `protect --mode tokenize` in plain text",
    flags: { ...OF_INPUT, ...OF_OUTPUT, ...OF_KEYS },
    run: runRestore,
  },
  validate: {
    usage: "validate [OPTIONS] <TYPE> <VALUE>",
    about: "Validate a value: exit status 0 if it is valid, 1 if it is not",
    flags: { country: { type: "string" }, json: { type: "boolean" } },
    run: runValidate,
  },
  detectors: {
    usage: "detectors [OPTIONS]",
    about: "List what can be found",
    flags: { country: { type: "string" }, json: { type: "boolean" } },
    run: runDetectors,
  },
};

/* Documents. */

interface Source {
  /** Undefined for standard input. */
  path: string | undefined;
  /** The path of the result inside a folder. */
  inside: string;
  format: Format;
  /** Whether neither the caller nor its name tells the format, so its content may. */
  isUnnamed: boolean;
  /** Whether it was found in a folder, and not named. */
  isFound: boolean;
}

interface Sources {
  all: Source[];
  /** The problems of paths that cannot be read. */
  failed: string[];
}

function sourcesOf(paths: string[], values: Values): Sources {
  const given = values["format"] === undefined ? undefined : knownFormat(values["format"] as Format);
  const all: Source[] = [];
  const failed: string[] = [];
  const add = (path: string | undefined, inside: string, isFound: boolean): void => {
    const told = given ?? formatOf(path === undefined ? "" : basename(path), "");
    const format = told ?? "text";
    const extension = extensionWritten(format);
    all.push({ path, inside: extension === undefined ? inside : `${inside}.${extension}`, format, isUnnamed: told === undefined, isFound });
  };
  const walk = (folder: string, path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const own = join(path, entry.name);
      if (entry.isDirectory() && entry.name !== ".git") walk(folder, own);
      else if (entry.isFile()) add(own, relative(folder, own), true);
    }
  };
  for (const path of paths.length === 0 ? ["-"] : paths) {
    try {
      if (path === "-") add(undefined, "stdin", false);
      else if (stats(path).isDirectory()) walk(path, path);
      else add(path, basename(path), false);
    } catch (error) {
      failed.push(messageOf(error));
    }
  }
  return { all, failed };
}

function stats(path: string): ReturnType<typeof statSync> & object {
  try {
    return statSync(path) as ReturnType<typeof statSync> & object;
  } catch (error) {
    throw new Fault(`cannot read ${path}: ${systemReason(error)}`);
  }
}

function nameOf({ path, inside }: Source): string {
  return path ?? inside;
}

/** The number of bytes that are read at once, and of those in which a zero byte tells that a file is not text. */
const PIECE = 1 << 16;
const PEEK = 8 << 10;

interface Opened {
  /** In the format in which it is read. */
  source: Source;
  pieces: Iterable<Uint8Array>;
}

/** A document in pieces, or the reason why a file of a folder is skipped. */
function opened(source: Source): Opened | string {
  const file = source.path === undefined ? 0 : openSync(source.path, "r");
  const first = readPiece(file);
  const reason = refusal(first.subarray(0, PEEK), source);
  if (reason !== undefined) {
    if (file !== 0) closeSync(file);
    if (source.isFound) return reason;
    throw new Fault(reason);
  }
  const pieces = (function* () {
    try {
      for (let piece = first; piece.length > 0; piece = readPiece(file)) yield piece;
    } finally {
      if (file !== 0) closeSync(file);
    }
  })();
  return { source: source.isUnnamed ? { ...source, format: formatOfContent(first) } : source, pieces };
}

/** Why a file cannot be read, by its first bytes; undefined if it may be. The decoder rejects zero bytes of a named file. */
function refusal(start: Uint8Array, { format, isFound }: Source): string | undefined {
  // the module is loaded
  const unread = (documents() as Documents).unread(start);
  const isPackage = extensionWritten(format) !== undefined;
  if (unread !== undefined) return isPackage && start[0] === 0x50 && start[1] === 0x4b ? undefined : unread;
  const hasMark = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  return !isFound || isPackage || hasMark || !start.includes(0) ? undefined : "the file has a zero byte, which text does not have";
}

function readPiece(file: number): Uint8Array {
  const buffer = new Uint8Array(PIECE);
  for (;;) {
    try {
      return buffer.subarray(0, readSync(file, buffer, 0, PIECE, null));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "EOF") return buffer.subarray(0, 0);
      // a terminal or a pipe that has nothing yet
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function wholeText(pieces: Iterable<Uint8Array>, encoding: string | undefined): string {
  const decoder = new Decoder(encoding, "file");
  let text = "";
  for (const piece of pieces) text += decoder.push(piece);
  return text + decoder.finish();
}

/** Passes each document to `work`. One that fails or is skipped is reported, and the others are read. Gives the exit status. */
function each(sources: Sources, values: Values, work: (source: Source, pieces: Iterable<Uint8Array>) => void): number {
  let [failed, skipped] = [sources.failed.length, 0];
  const note = (line: string): void => {
    if (values["quiet"] !== true) process.stderr.write(`${line}\n`);
  };
  for (const problem of sources.failed) process.stderr.write(`error: ${problem}\n`);
  for (const source of sources.all) {
    try {
      const document = opened(source);
      if (typeof document === "string") {
        skipped += 1;
        note(`skipped: ${nameOf(source)}: ${document}`);
      } else work(document.source, document.pieces);
    } catch (error) {
      if (isClosedOutput(error)) throw error;
      failed += 1;
      process.stderr.write(`error: ${nameOf(source)}: ${messageOf(error)}\n`);
    }
  }
  if (skipped > 0) note(`${skipped} ${skipped === 1 ? "file was" : "files were"} skipped and may have personal data`);
  if (failed > 0) throw new Fault(`${failed} of ${sources.all.length + sources.failed.length} documents failed`);
  return skipped > 0 && values["allow-skipped"] !== true ? SKIPPED : DONE;
}

/* Destinations. */

type Target = { kind: "standard" } | { kind: "file"; path: string } | { kind: "folder"; path: string } | { kind: "in place" };

function targetOf(values: Values, { all: sources }: Sources): Target {
  const output = values["output"] as string | undefined;
  if (values["in-place"] === true) {
    if (output !== undefined) throw new Fault("--output cannot be used with --in-place");
    if (sources.some(({ path }) => path === undefined)) throw new Fault("--in-place needs files; standard input has no place");
    if (sources.some(({ format }) => extensionWritten(format) !== undefined)) throw new Fault("of an Office document, the text comes out: say --output FOLDER instead of --in-place");
    return { kind: "in place" };
  }
  if (output === undefined) {
    if (sources.length > 1) throw new Fault(`${sources.length} documents need --output FOLDER or --in-place`);
    return { kind: "standard" };
  }
  const known = statSync(output, { throwIfNoEntry: false });
  const isFolder = known?.isDirectory() === true || /[/\\]$/.test(output);
  if (sources.length === 1 && !isFolder && sources.every(({ isFound }) => !isFound)) return { kind: "file", path: output };
  if (known !== undefined && !known.isDirectory()) throw new Fault(`--output ${output} is a file; several documents need a folder`);
  const twice = sources.map(({ inside }) => inside).sort().find((inside, at, all) => inside === all[at + 1]);
  if (twice !== undefined) throw new Fault(`two documents would be written to ${join(output, twice)}; run them apart`);
  return { kind: "folder", path: output };
}

/** Writes a document: a file appears when it is complete, and one with the same content stays. */
function written(target: Target, source: Source, texts: Iterable<string>): void {
  if (target.kind === "standard") {
    for (const text of texts) print(text);
    return;
  }
  const path = target.kind === "file" ? target.path : target.kind === "folder" ? join(target.path, source.inside) : realpathSync(source.path ?? "");
  mkdirSync(dirname(path), { recursive: true });
  const known = statSync(path, { throwIfNoEntry: false });
  const temporary = join(dirname(path), `.textveil-${process.pid}-${basename(path)}`);
  const file = openSync(temporary, "wx", known?.mode ?? 0o666);
  try {
    for (const text of texts) writeSync(file, text);
    closeSync(file);
    if (known?.isFile() === true && readFileSync(path).equals(readFileSync(temporary))) rmSync(temporary);
    else renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Writes to the standard output, and waits for a reader that is slow. */
function print(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/* Options. */

const list = (value: Values[string]): string[] => (value === undefined ? [] : ([value].flat() as string[]));
const ofCommas = (value: Values[string]): string[] => list(value).flatMap((one) => one.split(","));

function detectionOf(values: Values): DetectOptions<string> {
  // a file of options is for both verbs
  const { mode: _mode, operators: _operators, policies: _policies, defaultAction: _action, ...file } = optionsIn(values["options"] as string | undefined) as ProtectOptions<string>;
  const minimum = values["min-confidence"];
  const given: DetectOptions<string> = {
    country: (values["country"] as string | undefined) ?? file.country,
    language: (values["language"] as string | undefined) ?? file.language,
    privacyPreset: (values["preset"] as DetectOptions["privacyPreset"]) ?? file.privacyPreset,
    minConfidence: minimum === undefined ? file.minConfidence : Number(minimum),
    entities: [...(file.entities ?? []), ...ofCommas(values["entities"])],
    excludeEntities: [...(file.excludeEntities ?? []), ...ofCommas(values["exclude-entities"])],
    allowList: [
      ...(file.allowList ?? []),
      ...list(values["allow"]).map((value) => ({ value })),
      ...list(values["allow-regex"]).map((regex) => ({ regex })),
      ...list(values["allow-domain"]).map((domain) => ({ domain })),
    ],
    denyList: [...(file.denyList ?? []), ...list(values["deny"]).map(denyRule)],
    customDetectors: [...(file.customDetectors ?? []), ...list(values["custom-detector"]).map(customDetector)],
    explain: values["explain"] === true || file.explain,
  };
  return { ...file, ...given };
}

function protectionOf(values: Values): ProtectOptions<string> {
  const file = optionsIn(values["options"] as string | undefined) as ProtectOptions<string>;
  const policies = values["policies"] === undefined ? undefined : policiesIn(values["policies"] as string);
  return {
    ...detectionOf(values),
    mode: (values["mode"] as ProtectOptions["mode"]) ?? file.mode ?? "replace",
    operators: { ...file.operators, ...Object.fromEntries(list(values["operator"]).map(operator)) },
    policies: policies ?? file.policies,
    defaultAction: (values["default-action"] as ProtectOptions["defaultAction"]) ?? file.defaultAction,
  };
}

function optionsIn(path: string | undefined): object {
  return path === undefined ? {} : (camel(jsonIn(path)) as object);
}

function policiesIn(path: string): NonNullable<ProtectOptions["policies"]> {
  const json = jsonIn(path);
  const policies = camel(Array.isArray(json) ? json : (json as { policies?: unknown }).policies ?? []) as NonNullable<ProtectOptions["policies"]>;
  if (policies.length === 0) throw new Fault(`${path} has no policies`);
  return policies;
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(fileText(path)) as unknown;
  } catch (error) {
    // the parser's message may quote the file
    throw error instanceof Fault ? error : new Fault(`${path} is not valid JSON`);
  }
}

function fileText(path: string, what = ""): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Fault(`cannot read ${what}${path}: ${systemReason(error)}`);
  }
}

function denyRule(text: string): { value: string; type?: string } {
  const [, type, value] = /^([a-z0-9_]*)=(.*)$/s.exec(text) ?? [];
  const rule = value === undefined ? { value: text } : { value, ...(type ? { type } : {}) };
  if (rule.value === "") throw new Fault("--deny: the text is missing");
  return rule;
}

function customDetector(text: string): { name: string; pattern: string } {
  const at = text.indexOf("=");
  if (at < 0) throw new Fault("--custom-detector: a name, `=` and a pattern are needed");
  return { name: text.slice(0, at), pattern: text.slice(at + 1) };
}

function operator(text: string): [string, Operator] {
  const [, type, rest] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (type === undefined || rest === undefined) throw new Fault("--operator: a type, `=` and a mode are needed");
  const [mode = "", ...settings] = rest.split(",");
  const made: Record<string, unknown> = { mode };
  for (const setting of settings) {
    const [name = "", value = ""] = setting.split(/=(.*)/s);
    if (!["mask_char", "keep_first", "keep_last", "new_value"].includes(name)) {
      throw new Fault("--operator: the settings are mask_char, keep_first, keep_last and new_value");
    }
    made[camelWord(name)] = name.startsWith("keep_") ? Number(value) : value;
  }
  return [type, made as unknown as Operator];
}

/** The keys of a file that `textveil key-file new` of the native program makes: the current one is the first. */
function keysIn(values: Values): KeyOptions | undefined {
  const path = (values["key-file"] as string | undefined) ?? process.env["TEXTVEIL_KEY_FILE"];
  if (path === undefined || path === "") return undefined;
  const text = fileText(path, "the key file ");
  const { mode } = stats(path);
  if (process.platform !== "win32" && (Number(mode) & 0o077) !== 0) throw new Fault(`others may read the key file ${path}; say \`chmod 600 ${path}\``);
  const lines = text.split("\n").map((line, at) => [line.trim(), at + 1] as const);
  const keys = lines.filter(([line]) => line !== "" && !line.startsWith("#")).map(([line, number]) => {
    const [, version, key] = /^(\d+):([0-9a-fA-F]+)$/.exec(line) ?? [];
    if (version === undefined || key === undefined) throw new Fault(`key file ${path}, line ${number}: is no VERSION:HEX`);
    return { key, keyVersion: Number(version) };
  });
  const [current, ...previousKeys] = keys;
  if (current === undefined) throw new Fault(`key file ${path} has no key; make one with \`textveil key-file new\``);
  return { ...current, previousKeys };
}

function requireKey({ mode, operators = {}, policies = [], defaultAction }: ProtectOptions<string>, keys: KeyOptions | undefined): void {
  const isKeyed = (one: string | undefined): boolean => one === "hash" || one === "tokenize";
  const actions = mode === "policy" ? [...policies.map(({ action }) => action), defaultAction] : [];
  const isNeeded = [mode, ...Object.values(operators).map((one) => one.mode), ...actions.map((action) => action?.toLowerCase())].some(isKeyed);
  if (isNeeded && keys === undefined) {
    throw new Fault("hash and tokenize need a key: make one with `textveil key-file new textveil.key` and say --key-file textveil.key; keep that file, tokens can only be restored with it");
  }
}

/* Verbs. */

function runDetect(values: Values, paths: string[]): number {
  const sources = sourcesOf(paths, values);
  const options = detectionOf(values);
  let found = 0;
  const done = each(sources, values, (source, pieces) => {
    if (source.format !== "text") throw new Fault(`the places of findings in ${source.format} need the native program; --format text reads it as plain text`);
    const text = wholeText(pieces, values["encoding"] as string | undefined);
    if (values["json"] === true) {
      const unit = (values["offset-unit"] as DetectOptions["offsetUnit"]) ?? options.offsetUnit ?? "code_point";
      const answer = detect(text, { ...options, offsetUnit: unit });
      found += answer.entities.length;
      print(`${JSON.stringify(snake({ ...(source.path === undefined ? {} : { path: source.path }), text, ...answer }))}\n`);
    } else {
      const { entities } = detect(text, { ...options, offsetUnit: "utf16" });
      found += entities.length;
      print(listed(source, text, entities, values["check"] === true));
    }
  });
  return values["check"] === true && found > 0 ? FOUND : done;
}

/** A line for each finding: `path:line:column: type country confidence text`. */
function listed(source: Source, text: string, entities: readonly DetectedEntity<string>[], isCheck: boolean): string {
  let out = "";
  let [at, line, column] = [0, 1, 1];
  for (const { start, type, country, confidence, original, evidence = [] } of entities) {
    for (const character of text.slice(at, start)) [line, column] = character === "\n" ? [line + 1, 1] : [line, column + 1];
    at = start;
    const shown = isCheck ? "" : ` ${original.replaceAll(/[\r\n]/g, " ")}`;
    out += `${nameOf(source)}:${line}:${column}: ${type} ${country?.toUpperCase() ?? "-"} ${confidence.toFixed(2)}${shown}\n`;
    for (const { weight, signal } of evidence) out += `    ${weight < 0 ? "" : "+"}${weight.toFixed(2)} ${signal}\n`;
  }
  return out;
}

function runProtect(values: Values, paths: string[]): number {
  const sources = sourcesOf(paths, values);
  const target = targetOf(values, sources);
  const options = protectionOf(values);
  const keys = keysIn(values);
  requireKey(options, keys);
  const engine = engineOf(keysOf(keys ?? {}), options, new TokenMap(false));
  let found = 0;
  const done = each(sources, values, (source, pieces) => {
    const encoding = values["encoding"] as string | undefined;
    // the readers of documents are loaded
    const document = engine.document(source.format, {}, { encoding, field: "file" }) as OpenDocument;
    try {
      written(target, source, protectedPieces(document, pieces));
      found += Object.values(document.found()).reduce((sum, count) => sum + count, 0);
    } finally {
      document.free();
    }
  });
  return values["check"] === true && found > 0 ? FOUND : done;
}

function* protectedPieces(document: OpenDocument, pieces: Iterable<Uint8Array>): Generator<string> {
  for (const piece of pieces) yield document.push(piece);
  yield document.finish();
}

function runRestore(values: Values, paths: string[]): number {
  const sources = sourcesOf(paths, values);
  const target = targetOf(values, sources);
  const keys = keysIn(values);
  if (keys === undefined) throw new Fault("restore needs the key that the tokens were made with: say --key-file FILE");
  const source = keysOf(keys);
  return each(sources, values, (document, pieces) => {
    if (document.format !== "text") throw new Fault(`restoring ${document.format} needs the native program; --format text reads it as plain text`);
    const { text, unknown } = restored(source, wholeText(pieces, values["encoding"] as string | undefined));
    written(target, document, [text]);
    if (unknown > 0) process.stderr.write(`${nameOf(document)}: ${unknown} tokens stay: of another key, changed, or none\n`);
  });
}

/** Restores tokens wherever they are: the reader of this terminal has the key, and no page shows the text. */
function restored(keys: KeySource, text: string): { text: string; unknown: number } {
  let out = "";
  let [at, unknown] = [0, 0];
  for (const [start, end, original] of parse<[number, number, string | null][]>(call(() => keys().tokens(text)))) {
    if (original === null) unknown += 1;
    else {
      out += text.slice(at, start) + original;
      at = end;
    }
  }
  return { text: out + text.slice(at), unknown };
}

function runValidate(values: Values, [type, given, ...more]: string[]): number {
  if (type === undefined || given === undefined || more.length > 0) throw new Fault("validate needs a type and a value: textveil validate pesel 44051401359");
  const value = given === "-" ? (readFileSync(0, "utf8").split(/\r?\n/)[0] ?? "") : given;
  const verdict = validate(value, type, values["country"] as string | undefined);
  if (values["json"] === true) print(`${JSON.stringify(snake({ value, ...verdict }))}\n`);
  else {
    const facts = Object.entries(verdict.metadata).map(([name, fact]) => ` ${snakeWord(name)}=${String(fact)}`);
    print(`${verdict.valid ? "valid" : "not valid"} ${verdict.entityType}${facts.join("")}\n`);
  }
  return verdict.valid ? DONE : FOUND;
}

function runDetectors(values: Values): number {
  const all = detectors(values["country"] as string | undefined);
  if (values["json"] === true) print(`${JSON.stringify(snake(all))}\n`);
  else print(all.detectors.map(({ region, entityType, category, description }) => `${region.padEnd(7)} ${entityType.padEnd(28)} ${category.padEnd(11)} ${description}\n`).join(""));
  return DONE;
}

/* Names of the service, which files and JSON have. */

const snakeWord = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelWord = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** An answer with the names of the service; facts that are absent are null there. */
function snake(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snake);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => {
    const isEmpty = name === "metadata" && Object.keys(item as object).length === 0;
    return [snakeWord(name), isEmpty && "start" in value ? null : snake(item)];
  });
  return Object.fromEntries(entries);
}

/** Options with the names of the package. Types, which name operators, have no capitals. */
function camel(value: unknown, isKeyedByCaller = false): unknown {
  if (Array.isArray(value)) return value.map((item) => camel(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [isKeyedByCaller ? name : camelWord(name), camel(item, /^(?:operators|lengths)$/.test(name))]));
}

/* The program. */

function usage(): string {
  const verbs = Object.entries(VERBS).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}\n`);
  return `Finds personal data in text, validates it and protects it. Nothing leaves this machine.\n\nUsage: textveil <COMMAND> [OPTIONS]\n\nCommands:\n${verbs.join("")}\n\`textveil <COMMAND> --help\` lists the options. The native program has more: the service, key files, audit.\n\nExit status: 0 done; 1 something was found (with --check) or a value is not valid; 2 an error; 3 files of a folder were skipped, since their formats are not read (unless --allow-skipped)\n`;
}

function help({ usage: line, about, flags }: Verb): string {
  const names = Object.entries(flags).map(([name, { type, multiple, short }]) => {
    const letter = short === undefined ? "    " : `-${short}, `;
    return `  ${letter}--${name}${type === "string" ? " <VALUE>" : ""}${multiple === true ? "   (may be repeated)" : ""}\n`;
  });
  return `${about}\n\nUsage: textveil ${line}\n\nOptions, as the native program has them:\n${names.join("")}`;
}

function run([verb, ...words]: string[]): number {
  if (verb === undefined || verb === "help" || verb === "--help" || verb === "-h") {
    print(usage());
    return verb === undefined ? FAILED : DONE;
  }
  if (verb === "--version" || verb === "-V") {
    const { version } = JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8")) as { version: string };
    print(`textveil ${version}\n`);
    return DONE;
  }
  const known = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (known === undefined) throw new Fault(`${verb} is not a command here; there are ${Object.keys(VERBS).join(", ")}`);
  const { values, positionals } = parsed(known, words);
  if (values["help"] === true) {
    print(help(known));
    return DONE;
  }
  loadAllFromPackage();
  return known.run(values, positionals);
}

function parsed({ flags }: Verb, words: string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: words, options: { ...flags, help: { type: "boolean", short: "h" } }, allowPositionals: true }) as { values: Values; positionals: string[] };
  } catch (error) {
    throw new Fault(error instanceof Error ? error.message : String(error));
  }
}

function isClosedOutput(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === "EPIPE";
}

/** The reason that the system gives, without the path. */
function systemReason(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return code === "ENOENT" ? "No such file or directory (os error 2)" : (message ?? code ?? "unknown");
}

function messageOf(error: unknown): string {
  if (error instanceof TextveilError || error instanceof Fault) return error.message;
  return "code" in (error as object) ? systemReason(error) : "the program failed; please report this defect";
}

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  // the reader of the output has seen enough, as `head` does
  if (isClosedOutput(error)) process.exitCode = DONE;
  else {
    process.stderr.write(`error: ${messageOf(error)}\n`);
    process.exitCode = FAILED;
  }
}
