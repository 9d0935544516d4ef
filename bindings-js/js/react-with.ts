// React: a hook and a text area, made with the loading of an entry point.

import {
  createElement,
  forwardRef,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type ForwardRefExoticComponent,
  type RefAttributes,
  type TextareaHTMLAttributes,
} from "react";
import type { Finding, InitOptions, OpenProtectorOptions } from "./options.js";
import { openProtector, type Protector } from "./protector.js";
import type { ProtectResponse } from "./types.js";

/** Options of `useProtect`: those of `init` and of `openProtector`. */
export interface UseProtectOptions<Custom extends string = never> extends OpenProtectorOptions<Custom>, InitOptions {}

/** A protector of this page or of a worker. */
export type AnyProtector = Protector | (Protector<"later"> & { terminate(): void });

/** The result of `useProtect`: nothing yet, a protector, or the reason for its absence. */
export type Protecting<P extends AnyProtector = Protector> =
  | { protector: undefined; error: undefined }
  | { protector: P; error: undefined }
  | { protector: undefined; error: unknown };

/** `useProtect` of `textveil/react`. */
export interface UseProtect {
  <Custom extends string = never>(options?: UseProtectOptions<Custom>): Protecting<Protector<"now", Custom>>;
  <P extends AnyProtector>(open: () => P | Promise<P>): Protecting<P>;
}

/** The properties of a text area, except those that would control its text. */
export interface ProtectedTextareaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "value" | "children"> {
  /** The options of protection, as in `useProtect`; read when it is mounted. */
  options?: UseProtectOptions | undefined;
  /** Is told what is found, soon after the text has changed. */
  onFindings?: ((findings: Finding[]) => void) | undefined;
  /** Is told what a form gets, each time its data are read. */
  onProtected?: ((response: ProtectResponse) => void) | undefined;
  /** Is told why protection cannot be loaded, or why a text cannot be protected. */
  onProtectError?: ((error: unknown) => void) | undefined;
  /** The message of the browser if a form is sent before protection is loaded. */
  notReadyMessage?: string | undefined;
}

/** `ProtectedTextarea` of `textveil/react`. */
export type ProtectedTextarea = ForwardRefExoticComponent<ProtectedTextareaProps & RefAttributes<HTMLTextAreaElement>>;

/** The pause in typing after which a text is searched, in milliseconds: less than a pause between words. */
const REST = 150;
const NOT_READY = "Protection of personal data is not ready. Try again in a moment.";
const NOTHING = { protector: undefined, error: undefined } as const;

/** Makes the hook and the text area over this `init`. @internal */
export function reactWith(init: (options?: InitOptions) => Promise<void>): { useProtect: UseProtect; ProtectedTextarea: ProtectedTextarea } {
  async function opened({ wasm, names, documents, ...options }: UseProtectOptions): Promise<Protector> {
    await init({ wasm, names, documents });
    return openProtector(options);
  }

  function useProtect<P extends AnyProtector>(given: UseProtectOptions | (() => P | Promise<P>) = {}): Protecting<P> {
    const first = useRef(given);
    const [state, setState] = useState<Protecting<P>>(NOTHING);
    useEffect(() => {
      let isMounted = true;
      const { current } = first;
      // without a function it is one of this page
      const own = async () => (await opened(current as UseProtectOptions)) as unknown as P;
      const opening = Promise.resolve().then(typeof current === "function" ? current : own);
      opening.then(
        (protector) => isMounted && setState({ protector, error: undefined }),
        (error: unknown) => isMounted && setState({ protector: undefined, error }),
      );
      return () => {
        isMounted = false;
        setState(NOTHING);
        // one that is still being opened ends when it is there
        opening.then((protector) => "terminate" in protector && protector.terminate(), () => {});
      };
    }, []);
    return state;
  }

  const ProtectedTextarea: ProtectedTextarea = forwardRef(function ProtectedTextarea(props, ref) {
    const { name, options, onFindings, onProtected, onProtectError, notReadyMessage = NOT_READY, onInput, ...rest } = props;
    const area = useRef<HTMLTextAreaElement>(null);
    useImperativeHandle(ref, () => area.current as HTMLTextAreaElement, []);
    const { protector, error } = useProtect(options) as Protecting;
    // the listeners are those of the last rendering
    const current = useRef({ name, onFindings, onProtected, onProtectError, protector });
    useEffect(() => {
      current.current = { name, onFindings, onProtected, onProtectError, protector };
    });
    useEffect(() => {
      area.current?.setCustomValidity(protector === undefined ? notReadyMessage : "");
    }, [protector, notReadyMessage]);
    useEffect(() => {
      if (error !== undefined) current.current.onProtectError?.(error);
    }, [error]);

    // it has no name of its own, so that a form which is sent too early has no text of it
    useEffect(() => {
      const root = area.current?.getRootNode();
      const append = (event: Event) => {
        const { current: element } = area;
        const { name: field, protector: ready, onProtected: tell, onProtectError: fail } = current.current;
        if (!(event instanceof FormDataEvent) || element === null || event.target !== element.form) return;
        if (field === undefined || ready === undefined || element.matches(":disabled")) return;
        if (element.value === "") return event.formData.append(field, "");
        try {
          const response = ready.protect(element.value);
          event.formData.append(field, response.protectedText);
          tell?.(response);
        } catch (thrown) {
          fail?.(thrown);
        }
      };
      root?.addEventListener("formdata", append);
      return () => root?.removeEventListener("formdata", append);
    }, []);

    const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
    const look = () => {
      clearTimeout(timer.current);
      if (current.current.onFindings === undefined) return;
      timer.current = setTimeout(() => {
        const { onFindings: tell, onProtectError: fail, protector: ready } = current.current;
        const text = area.current?.value ?? "";
        if (ready === undefined) return;
        try {
          tell?.(text === "" ? [] : ready.find(text));
        } catch (thrown) {
          fail?.(thrown);
        }
      }, REST);
    };
    useEffect(() => {
      // the text that was written before protection was loaded
      if (protector !== undefined) look();
      return () => clearTimeout(timer.current);
    }, [protector]);

    return createElement("textarea", {
      ...rest,
      ref: area,
      onInput: (event) => {
        onInput?.(event);
        look();
      },
    });
  });
  ProtectedTextarea.displayName = "ProtectedTextarea";

  return { useProtect: useProtect as UseProtect, ProtectedTextarea };
}
