// Messages that are said aloud: results of actions, and errors.

import { signal } from "@preact/signals";
import type { ApiError } from "../request.js";

const message = signal("");
/** The number of results that were said: tells the same one twice apart. */
const said = signal(0);
/** The time for which a result is shown, in milliseconds. */
const SHOWN = 5_000;
let timer: ReturnType<typeof setTimeout>;

/** Shows a result and has screen readers say it. */
export function announce(text: string): void {
  clearTimeout(timer);
  // the same text twice is said twice only where it goes in between
  message.value = "";
  requestAnimationFrame(() => {
    message.value = text;
    said.value += 1;
    timer = setTimeout(() => (message.value = ""), SHOWN);
  });
}

function dismiss(): void {
  clearTimeout(timer);
  message.value = "";
}

/** The place of results: beside the list of pages, where no field is. */
export function Announcer() {
  return (
    <div class="announcer" data-said={said.value} onClick={dismiss}>
      <div role="status">{message.value && <p>{message.value}</p>}</div>
      {message.value && (
        <button type="button" class="plain" aria-label="Close the message">
          ✕
        </button>
      )}
    </div>
  );
}

export function Refused({ error }: { error: ApiError | undefined }) {
  if (!error) return null;
  return (
    <p class="refused" role="alert">
      {sentence(error.message)}
    </p>
  );
}

/**
 * The service's messages begin in lower case and have no stop, to go into a program's sentence. The name of
 * a field stays as it is.
 */
export function sentence(text: string): string {
  const isWord = /^[a-z]+[ ,;]/.test(text);
  return `${isWord ? text.charAt(0).toUpperCase() + text.slice(1) : text}.`;
}
