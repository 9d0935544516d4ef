// The script of the worker that `openWorker` starts.

import { init, openProtector, TextveilError, type Protector } from "./browser.js";
import { partsOf, type Parts } from "./protector.js";
import type { Work } from "./stream.js";
import { protectJson } from "./value.js";
import { receivedBody, receivedForm, sentBody, type Answer, type Ask, type Call } from "./worker-messages.js";

const scope = self as unknown as { onmessage: (event: MessageEvent<Call>) => void; postMessage(answer: Answer): void };
/** Calls that have not begun. Each waits for a turn, so that what aborts it is read first. */
const waiting: Call[] = [];
const turns = new MessageChannel();
const running = new Map<number, AbortController>();
const works = new Map<number, Work>();
let protector: Protector | undefined;

scope.onmessage = ({ data }) => {
  if (data.ask.verb === "abort") return abort(data.id);
  waiting.push(data);
  turns.port2.postMessage(undefined);
};
turns.port1.onmessage = () => {
  const call = waiting.shift();
  if (call !== undefined) void answer(call);
};

function abort(id: number): void {
  const at = waiting.findIndex((call) => call.id === id);
  if (at >= 0) waiting.splice(at, 1);
  running.get(id)?.abort();
}

async function answer({ id, ask }: Call): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    scope.postMessage({ id, value: await value(id, ask, controller.signal) });
  } catch (error) {
    const { code, message, field, details } = error instanceof TextveilError ? error : defect(ask, error);
    scope.postMessage({ id, refusal: { code, message, field, details } });
  } finally {
    running.delete(id);
  }
}

async function value(id: number, ask: Ask, signal: AbortSignal): Promise<unknown> {
  switch (ask.verb) {
    case "open":
      await init({ wasm: ask.wasm, names: ask.names, documents: ask.documents });
      protector = await openProtector(ask.options);
      // whether there is one
      return protector.session !== undefined;
    case "detect":
      return opened().detect(ask.text, ask.options);
    case "protect":
      return opened().protect(ask.text, ask.options);
    case "apply":
      return opened().apply(ask.text, ask.findings, ask.options);
    case "restore":
      return opened().restore(ask.text);
    case "file":
      return opened().file(ask.file, { ...ask.options, signal }, (progress) => scope.postMessage({ id, progress }));
    case "value":
      return protectJson(parts().engine, ask.json, ask.options);
    case "formData":
      return [...(await opened().formData(receivedForm(ask.form), { ...ask.options, signal }))];
    case "body":
      return sentBody(await parts().body(receivedBody(ask.body), ask.type, ask.options, signal));
    case "protecting":
      works.set(id, parts().protecting(ask.options));
      return undefined;
    case "restoring":
      works.set(id, parts().restoring(ask.kind, ask.encoding));
      return undefined;
    case "push":
      return works.get(ask.work)?.push(ask.piece);
    case "finish":
      return works.get(ask.work)?.finish();
    case "free":
      works.get(ask.work)?.free();
      works.delete(ask.work);
      return undefined;
    case "session":
      return ask.what === "size" ? opened().session?.size : opened().session?.[ask.what]();
    case "original":
      return opened().session?.original(ask.replacement);
    case "abort":
      return undefined;
  }
}

function opened(): Protector {
  if (protector !== undefined) return protector;
  throw new TextveilError("not_loaded", "the worker is not open; call `openWorker` first");
}

function parts(): Parts {
  return partsOf(opened()) as Parts;
}

function defect({ verb }: Ask, cause: unknown): TextveilError {
  const what = cause instanceof Error ? cause.name : "an error";
  if (verb === "open") return new TextveilError("not_loaded", `the WebAssembly could not be loaded in the worker: ${what}`);
  return new TextveilError("internal_error", `the worker failed at \`${verb}\`: ${what}`);
}
