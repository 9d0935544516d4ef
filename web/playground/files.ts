// Files: a small one is opened in the editor; all others are protected by a worker, one by one.

import { signal } from "@preact/signals";
import { TextveilError } from "textveil";
import { openWorker, type WorkerProtector } from "textveil/worker";
import { formatOfName, isWhole } from "../../bindings-js/js/format.js";
import { type PageKey, pageKey, type ShownMode } from "./analysis.js";
import { findsNames } from "./lexicons.js";
import { operators } from "./operators.js";
import { protectedName } from "./protected-name.js";
import { mode, options, rejectedValues, setText, typesOff } from "./state.js";

/** A larger file goes to the worker, and is not shown. */
const OPENED_BYTES = 200_000;

/** Whether a file has a structure that the editor knows nothing of, and the worker keeps. */
export function isStructured({ name }: File): boolean {
  return formatOfName(name) !== undefined;
}

/** The file types that the dialog offers. Others can be dropped. */
export const TYPES_OPENED = ".txt,.text,.md,.markdown,.csv,.tsv,.json,.ndjson,.jsonl,.sql,.yaml,.yml,.toml,.ini,.env,.ipynb,.vcf,.ics,.srt,.vtt,.html,.htm,.xml,.eml,.docx,.xlsx,.pptx,.odt,.ods,.log,text/*";

/** The protection of one file. */
export interface Job {
  id: number;
  file: File;
  mode: ShownMode;
  state: "waiting" | "running" | "done" | "cancelled" | "no text" | "failed";
  /** Bytes looked at. */
  read: number;
  /** Findings, as far as it has come. */
  found: number;
  result?: { file: File; found: Record<string, number> };
  /** The engine's objection to the choices that the file goes by. */
  message?: string;
}

export const jobs = signal<readonly Job[]>([]);
/** The name of a file that could not be opened as text. */
export const unreadable = signal<string | undefined>(undefined);

const aborts = new Map<number, AbortController>();
let worker: { names: boolean; key: PageKey; opened: Promise<WorkerProtector> } | undefined;
let queue = Promise.resolve();
let lastId = 0;
/** The number of the opened file to show. */
let lastOpened = 0;

/** Opens one small file in the editor; protects larger ones, and several, as files. */
export async function open(files: readonly File[]): Promise<void> {
  unreadable.value = undefined;
  const [only] = files;
  if (files.length === 1 && only !== undefined && only.size <= OPENED_BYTES && !isWhole(formatOfName(only.name))) await openInEditor(only);
  else files.forEach(protectFile);
}

/** Protects the files of a folder, all of them in the worker. Hidden files are no texts of the reader's. */
export function protectFolder(files: readonly File[]): void {
  unreadable.value = undefined;
  files.filter(({ name }) => !name.startsWith(".")).forEach(protectFile);
}

async function openInEditor(file: File): Promise<void> {
  const own = ++lastOpened;
  const text = await decoded(file);
  if (own !== lastOpened) return;
  if (text === undefined) unreadable.value = file.name;
  else setText(text, file);
}

/** Protects a file in the worker, by the choices as they are now. */
export function protectFile(file: File): void {
  const job: Job = { id: ++lastId, file, mode: mode.value, state: "waiting", read: 0, found: 0 };
  const wanted = {
    ...options.value,
    // placeholders are for all types
    ...(job.mode === "placeholder" ? {} : { operators: operators.value }),
    mode: job.mode,
    excludeEntities: [...typesOff.value],
    allowList: [...(options.value.allowList ?? []), ...rejectedValues().map((value) => ({ value }))],
  };
  const abort = new AbortController();
  aborts.set(job.id, abort);
  jobs.value = [...jobs.value, job];
  queue = queue.then(() => run(job, { ...wanted, signal: abort.signal }));
}

export function cancel({ id }: Job): void {
  aborts.get(id)?.abort();
  aborts.delete(id);
  update(id, { state: "cancelled" });
}

export function removeJob({ id }: Job): void {
  jobs.value = jobs.value.filter((job) => job.id !== id);
}

type FileOptions = Parameters<WorkerProtector["file"]>[1] & { signal: AbortSignal };

async function run({ id, file }: Job, wanted: FileOptions): Promise<void> {
  if (wanted.signal.aborted) return;
  update(id, { state: "running" });
  try {
    const result = await (await opened()).file(file, wanted, ({ read, found }) => update(id, { read, found }));
    update(id, { state: "done", read: file.size, result });
  } catch (error) {
    if (wanted.signal.aborted) return;
    if (error instanceof TextveilError && error.code === "not_loaded") endWorker();
    update(id, refusal(error));
  } finally {
    aborts.delete(id);
  }
}

/** The worker, which finds what the page does: another one, if the page has learnt names or another key meanwhile. */
async function opened(): Promise<WorkerProtector> {
  const names = await findsNames();
  const key = pageKey.value;
  if (worker?.names !== names || worker.key !== key) {
    endWorker();
    worker = { names, key, opened: openWorker({ ...key, names }) };
  }
  return worker.opened;
}

/** Lets go of the worker; where it could not be started or has failed, the next file tries another one. */
function endWorker(): void {
  worker?.opened.then(
    (failed) => failed.terminate(),
    () => {},
  );
  worker = undefined;
}

function refusal(error: unknown): Partial<Job> {
  if (!(error instanceof TextveilError)) return { state: "failed" };
  return error.field === "file" ? { state: "no text" } : { state: "failed", message: error.message };
}

function update(id: number, part: Partial<Job>): void {
  jobs.value = jobs.value.map((job) => (job.id === id ? { ...job, ...part } : job));
}

/** The text of a file; undefined if it is not text. No text has a NUL in it, other files mostly do. */
async function decoded(file: File): Promise<string | undefined> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The name under which the result of a job is saved. */
export function resultName({ file, result }: Job): string {
  return protectedName(result?.file.name ?? file.name);
}

/** The same with the folders in which the file is. */
export function resultPath(job: Job): string {
  const folders = job.file.webkitRelativePath.split("/").slice(0, -1);
  return [...folders, resultName(job)].join("/");
}
