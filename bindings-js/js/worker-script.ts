// The script of the worker that `openWorker` starts.

import { init, openProtector, TextveilError, type Protector } from "./browser.js";
import type { Answer, Ask, Call } from "./worker-messages.js";

const scope = self as unknown as { onmessage: (event: MessageEvent<Call>) => void; postMessage(answer: Answer): void };
const running = new Map<number, AbortController>();
let protector: Protector | undefined;

scope.onmessage = ({ data: { id, ask } }) => void answer(id, ask);

async function answer(id: number, ask: Ask): Promise<void> {
  try {
    scope.postMessage({ id, value: await value(id, ask) });
  } catch (error) {
    const { code, message, field, details } = error instanceof TextveilError ? error : defect(ask, error);
    scope.postMessage({ id, refusal: { code, message, field, details } });
  }
}

async function value(id: number, ask: Ask): Promise<unknown> {
  switch (ask.verb) {
    case "open":
      await init({ wasm: ask.wasm, names: ask.names });
      protector = await openProtector(ask.options);
      return undefined;
    case "detect":
      return opened().detect(ask.text, ask.options);
    case "protect":
      return opened().protect(ask.text, ask.options);
    case "apply":
      return opened().apply(ask.text, ask.findings, ask.options);
    case "restore":
      return opened().restore(ask.text);
    case "file": {
      const controller = new AbortController();
      running.set(id, controller);
      try {
        const options = { ...ask.options, signal: controller.signal };
        return await opened().file(ask.file, options, (progress) => scope.postMessage({ id, progress }));
      } finally {
        running.delete(id);
      }
    }
    case "abort":
      running.get(id)?.abort();
      return undefined;
  }
}

function opened(): Protector {
  if (protector !== undefined) return protector;
  throw new TextveilError("not_loaded", "the worker is not open; call `openWorker` first");
}

function defect({ verb }: Ask, cause: unknown): TextveilError {
  const what = cause instanceof Error ? cause.name : "an error";
  if (verb === "open") return new TextveilError("not_loaded", `the WebAssembly could not be loaded in the worker: ${what}`);
  return new TextveilError("internal_error", `the worker failed at \`${verb}\`: ${what}`);
}
