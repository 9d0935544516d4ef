// Saving: what is typed beside what it was before, sent once, and not lost without a question.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../request.js";
import { leave, useUnsaved } from "../router.js";
import { isSame } from "../same.js";
import { asApiError } from "./load.js";

/** Returns the state of a form that began with values. */
export function useDraft<Draft extends object>(begin: () => Draft) {
  const [first] = useState(begin);
  const [draft, setDraft] = useState(first);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  return { draft, set, isEdited: !isSame(draft, first) };
}

export interface Sending {
  isSending: boolean;
  /** Why the last task failed. */
  refusal: ApiError | undefined;
  /** Begins a task, unless another one is under way. */
  run: (task: () => Promise<void>) => void;
  /** Shows the last refusal no longer. */
  forget: () => void;
}

export function useSending(): Sending {
  const [isSending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<ApiError>();
  // a second click may come before the page is drawn anew
  const isUnderWay = useRef(false);
  const forget = () => setRefusal(undefined);
  const run = (task: () => Promise<void>) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending(true);
    forget();
    void task()
      .catch((error: unknown) => setRefusal(asApiError(error)))
      .finally(() => {
        isUnderWay.current = false;
        setSending(false);
      });
  };
  return { isSending, refusal, run, forget };
}

/** For a form with an address of its own: leaving it asks while it is edited, and once saved it goes on to `path`. */
export function useSaving(path: string, isEdited: boolean) {
  const { isSending, refusal, run } = useSending();
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  useUnsaved(isEdited);
  const save = (task: () => Promise<void>) =>
    run(async () => {
      await task();
      // a user who opened another page meanwhile stays there
      if (isOpen.current) leave(path);
    });
  return { isSending, refusal, save };
}
