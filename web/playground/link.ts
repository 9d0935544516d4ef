// A link to the page with its settings in the fragment, which browsers do not send to a server.

import { type Settings, takeSettings, withoutValues } from "./settings.js";
import { setText } from "./state.js";

/** The content of a link: settings, and the text if the reader wants it. */
interface Linked {
  settings: Settings;
  text?: string;
}

/** Names the encoding, so that a later one is told apart. */
const PREFIX = "#v1.";

/** The address of this page with the settings; with the values of the lists and the text if `text` is given. */
export function linkTo(settings: Settings, text?: string): string {
  const linked: Linked = text === undefined ? { settings: withoutValues(settings) } : { settings, text };
  return new URL(`./${PREFIX}${encoded(JSON.stringify(linked))}`, location.href).href;
}

/**
 * Takes the settings of the address of this page. A link with a text is removed from the address, which the history of
 * the browser keeps.
 *
 * @returns whether the link had a text
 */
export function takeLink(): boolean {
  const linked = linkedIn(location.hash);
  if (linked === undefined || takeSettings(linked.settings) !== undefined) return false;
  if (typeof linked.text !== "string") return false;
  history.replaceState(null, "", new URL("./", location.href));
  setText(linked.text);
  return true;
}

function linkedIn(fragment: string): Partial<Linked> | undefined {
  if (!fragment.startsWith(PREFIX)) return undefined;
  try {
    const linked: unknown = JSON.parse(decoded(fragment.slice(PREFIX.length)));
    return typeof linked === "object" && linked !== null ? linked : undefined;
  } catch {
    // not a link of this page
    return undefined;
  }
}

/** base64url of the text in UTF-8. */
function encoded(text: string): string {
  let letters = "";
  for (const byte of new TextEncoder().encode(text)) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decoded(text: string): string {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
}
