// React in browsers: the WebAssembly is loaded as `init` does.
"use client";

import { init } from "./browser.js";
import { reactWith, type ProtectedTextarea as Textarea, type UseProtect } from "./react-with.js";

export type { AnyProtector, ProtectedTextareaProps, Protecting, UseProtect, UseProtectOptions } from "./react-with.js";

const made = reactWith(init);

/**
 * Opens a protector for a component.
 *
 * It is undefined while it is loaded, and ends with the component. Options are read when the component is mounted. A
 * function opens any other protector, such as one of a worker.
 *
 * @example
 * function Preview() {
 *   const { protector, error } = useProtect({ mode: "mask" });
 *   if (error) return "Texts cannot be protected.";
 *   return protector ? protector.protect("Dear Emily Carter").protectedText : "…";
 * }
 * const inWorker = () => useProtect(async () => (await import("textveil/worker")).openWorker({ mode: "mask" }));
 * [typeof Preview, typeof inWorker]; // ["function", "function"]
 */
export const useProtect: UseProtect = made.useProtect;

/**
 * Renders a text area whose form gets the protected text.
 *
 * The typed text stays in the page: the area has no name of its own. It is uncontrolled: its text is in the document,
 * and typing renders nothing. Until protection is loaded, the browser's validation holds the form back; a form that
 * is read nevertheless has no text of the area.
 *
 * @example
 * const field = createElement(ProtectedTextarea, { name: "message", options: { mode: "mask" } });
 * field.props.name; // "message"
 */
export const ProtectedTextarea: Textarea = made.ProtectedTextarea;
