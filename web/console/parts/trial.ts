// A call that is tried while its body is typed.

import { useEffect, useState } from "preact/hooks";
import { type ApiError, type Call, send } from "../request.js";
import { asApiError } from "./load.js";

/** Pause in typing after which a call is tried, in milliseconds. */
const PAUSE = 300;

export interface Trial<Answer> {
  answer?: Answer;
  error?: ApiError;
}

/**
 * Tries the call when it, or what it depends on at the service, has been the same for a moment. An answer that is
 * overtaken is dropped.
 */
export function useTrial<Answer>(call: Call<Answer>, isReady: boolean, stored?: unknown): Trial<Answer> {
  const [result, setResult] = useState<Trial<Answer>>({});
  useEffect(() => {
    let isLatest = true;
    const show = (next: Trial<Answer>) => {
      if (isLatest) setResult(next);
    };
    const timer = setTimeout(() => {
      if (!isReady) return show({});
      send(call).then(
        (answer) => show({ answer }),
        (error: unknown) => show({ error: asApiError(error) }),
      );
    }, PAUSE);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [call.path, JSON.stringify(call.body), isReady, stored]);
  return result;
}
