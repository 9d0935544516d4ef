// Data that a page reads from the service when it is opened, and again when it asks for it.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../request.js";

export interface Loaded<Data> {
  data: Data | undefined;
  error: ApiError | undefined;
  reload: () => Promise<void>;
  /** Shows what is known already, until the next load. */
  replace: (data: Data) => void;
}

/** Loads anew whenever `dependencies` change; an answer that is overtaken by a later one is dropped. */
export function useLoad<Data>(load: () => Promise<Data>, dependencies: unknown[]): Loaded<Data> {
  const [state, setState] = useState<{ data?: Data; error?: ApiError }>({});
  const latest = useRef(0);

  const reload = useCallback(async () => {
    const turn = ++latest.current;
    const next = await load().then(
      (data) => ({ data }),
      (error: unknown) => ({ error: asApiError(error) }),
    );
    if (turn === latest.current) setState(next);
  }, dependencies);

  const replace = useCallback((data: Data) => {
    latest.current++;
    setState({ data });
  }, []);

  useEffect(() => {
    void reload();
    return () => {
      latest.current++;
    };
  }, [reload]);

  return { data: state.data, error: state.error, reload, replace };
}

/** Any failure as one that can be shown; defects of the page itself are not caught. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
