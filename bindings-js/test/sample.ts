// Types that a user's program may rely on; it is compiled, never run.

import {
  type AnyEntityType,
  apply,
  type Category,
  createProtector,
  type DetectedEntity,
  detect,
  detectBatch,
  detectors,
  type DetectOptions,
  type EntityType,
  find,
  type Finding,
  type FindingToApply,
  type Format,
  init,
  initNames,
  type InitOptions,
  type Mode,
  openProtector,
  type ProtectedEntity,
  type ProtectedFile,
  type Protector,
  type ProtectOptions,
  protect,
  protectFetch,
  protectFile,
  protectFormData,
  protectStream,
  type Replaceable,
  restore,
  type SessionStore,
  TextveilError,
  validate,
} from "textveil";
import { init as initSlim, initNames as initSlimNames, initSync } from "textveil/slim";
import { openWorker, type WorkerProtector } from "textveil/worker";

const options: DetectOptions<"ticket" | "badge" | "codename"> = {
  country: undefined,
  privacyPreset: "aggressive",
  entities: ["pesel", "EMAIL_ADDRESS"],
  allowList: [{ value: "a@example.com" }, { regex: "x+" }, { domain: "example.com" }],
  denyList: [{ value: "Project X", type: "codename" }],
  customDetectors: [{ name: "ticket", pattern: "T-[0-9]+", context: ["ticket"], category: "business" }, { name: "badge", shapes: ["d8"], check: { rule: "weighted", weights: [1, 3], modulus: 10 } }],
  explain: true,
};
const entities: DetectedEntity<"ticket" | "badge" | "codename">[] = detect("text", options).entities;
const weights: number[] = entities.flatMap(({ evidence }) => (evidence ?? []).map(({ weight }) => weight));
const birth: string | undefined = entities.at(0)?.metadata?.birthDate;
const sum: number = detectBatch(["a", "b"] as const).totalEntities;

const mode: Mode = "mask";
const key: Uint8Array = new Uint8Array(32);
const found: ProtectedEntity<"ticket" | "badge" | "codename">[] = protect("text", { ...options, mode, key, keyVersion: 1, operators: { iban: { keepLast: 4 } } }).entities;
const back: string = restore("text", { key: "00".repeat(32), previousKeys: [{ key, keyVersion: 0 }] }).text;
const one: boolean = validate("44051401359", "pesel", "PL").valid || validate({ value: "1", entityType: "iban" }).valid;
const category: Category | undefined = detectors("PL").detectors.at(0)?.category;
const protector: Protector = createProtector({ key, mode: "tokenize" });
const stream: ReadableStream<string> = new Blob(["x"]).stream().pipeThrough(protectStream());
const ready: Promise<void>[] = [init(), init({ wasm: new URL("https://example.com/textveil.wasm"), names: false }), initSlim({ wasm: key.slice(), names: false })];
ready.push(initNames(), initNames(new URL("https://example.com/names.wasm")), initSlimNames(key.slice()));
initSync({ wasm: new WebAssembly.Module(key.slice()), names: key.slice() });
const initOptions: InitOptions = { names: new URL("https://example.com/names.wasm") };
ready.push(init(initOptions), initSlim({ wasm: fetch("https://example.com/textveil.wasm"), names: fetch("https://example.com/names.wasm") }));
// @ts-expect-error leaving the names out is said
initSync({ wasm: key.slice() });

const format: Format = "csv";
const table: ReadableStream<string> = new Blob(["x"]).stream().pipeThrough(protectStream({ format, encoding: "windows-1250" }));
async function whatTakesTime(cryptoKey: CryptoKey): Promise<unknown[]> {
  const file: ProtectedFile = await protectFile(new Blob(["x"]), { key: cryptoKey, signal: AbortSignal.abort() }, ({ read, total, found }) => void (read + total + found));
  const form: FormData = await protectFormData(new FormData(), { mode, binary: "pass" });
  const opened: Protector = await openProtector({ key: cryptoKey, session: "case 7" });
  const original: string | undefined = opened.session?.original("0123456789abcdef");
  const worker: WorkerProtector = await openWorker({ key: cryptoKey, wasm: new URL("https://example.com/textveil.wasm"), names: true });
  const either = async (one: Protector | WorkerProtector) => (await one.protect("text", { signal: AbortSignal.abort() })).protectedText;
  const both: string[] = [await either(opened), await either(worker), (await worker.session?.original("x")) ?? ""];
  void both;
  const counts: Record<string, number> = (await worker.file(file.file, { format }, () => {})).found;
  // @ts-expect-error a key of the Web Cryptography API takes time
  createProtector({ key: cryptoKey });
  return [file, form, opened, original, worker, counts];
}
const send: typeof fetch = protectFetch({ fetch, key, restore: true });

const findings: Finding<"ticket" | "badge" | "codename">[] = find("text", options);
const own: FindingToApply = { type: "codename", start: 0, end: 4 };
const applied: string = apply("text", [...findings, own, ...found], { mode: "placeholder" }).protectedText;
const callbacks: ProtectOptions = {
  mode: "placeholder",
  keep: ({ type, original }: Replaceable) => type === "pesel" && original !== "",
  replace: ({ confidence }) => (confidence < 0.5 ? "?" : undefined),
};
const known: EntityType = "pesel";
const types: AnyEntityType[] = [known, "PERSON", "codename", ...findings.map(({ type }) => type)];
const store: SessionStore[] = [new Map<string, string>(), { get: async () => null, set: async () => {}, delete: async () => {} }];
async function placeholders(answer: Response): Promise<Response> {
  const kept: Protector = await openProtector({ session: "case 7", store: store[0], ...callbacks });
  const { signal } = new AbortController();
  const restored: ReadableStream<string> = new Blob(["x"]).stream().pipeThrough(kept.restoreStream({ signal, encoding: "utf-8" }));
  void restored;
  return kept.restoreResponse(answer);
}
// @ts-expect-error a type that the catalogue does not have
const unknown: EntityType = "pesell";
for (const entity of detect("text").entities) {
  const date: string | undefined = entity.metadata?.birthDate;
  // @ts-expect-error a type that the catalogue does not have
  if (entity.type === "pesl") continue;
  if (entity.type === "pesel") {
    const gender: "female" | "male" | undefined = entity.metadata?.gender;
    // @ts-expect-error a fact that a finding of this type does not have
    const street: string = entity.metadata?.street ?? 1;
    void [gender, street];
  }
  // @ts-expect-error a fact that no finding has
  void [date, entity.metadata?.brithDate];
}
for (const { type } of protect("text", { customDetectors: [{ name: "ticket", pattern: "T-[0-9]+" }] }).entities) {
  // @ts-expect-error neither a type of the catalogue nor one of the caller
  void [type === "ticket", type === "pesel", type === "tickets"];
}
const ours = createProtector({ denyList: [{ value: "Project X", type: "codename" }], replace: ({ type }) => (type === "codename" ? "X" : undefined) });
// @ts-expect-error neither a type of the catalogue nor one of the caller
void (ours.find("text")[0]?.type === "codenam");
void (ours.find("text", { customDetectors: [{ name: "ticket", pattern: "T-[0-9]+" }] })[0]?.type === "ticket");
const loose: DetectOptions<string> = { customDetectors: [{ name: String(1), pattern: "x" }] };
void (detect("text", loose).entities[0]?.type === "anything");
// @ts-expect-error a name of the HTTP API
detect("text", { min_confidence: 0.5 });
// @ts-expect-error an option is absent, and not null
detect("text", { country: null });
// @ts-expect-error a finding has a place
apply("text", [{ type: "codename" }]);
// @ts-expect-error a callback decides at once
protect("text", { replace: async () => "x" });

try {
  protector.protect("text", { mode: "hash" });
} catch (error) {
  if (error instanceof TextveilError && error.code === "invalid_request") {
    const field: string | undefined = error.field;
    void field;
  }
}

// @ts-expect-error an unknown mode
protect("text", { mode: "shred" });
// @ts-expect-error an unknown option
detect("text", { presets: "balanced" });
// @ts-expect-error a text is a string
detect(1);
// @ts-expect-error an unknown format
protectStream({ format: "pdf" });

void [weights, birth, sum, found, back, one, category, stream, ready, table, send, whatTakesTime, applied, types, placeholders, unknown];
