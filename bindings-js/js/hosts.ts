// The hosts to which restored values may go: those that the caller wrote, and those that the options name.

/** Most hosts that are remembered of one conversation. */
const MAX_HOSTS = 1_024;

/** Hosts whose addresses may contain a restored value. */
export class Hosts {
  readonly #callers = new Set<string>();
  readonly #given: readonly string[];

  /** @param given hosts of the options; `*.` at the start allows all subdomains */
  constructor(given: readonly string[] = []) {
    this.#given = given;
  }

  /** Remembers the hosts in a text that the caller wrote: those of URLs, of `www.` names and before a path. */
  read(text: string): void {
    for (let at = text.indexOf("/"); at >= 0; at = text.indexOf("/", at + 1)) {
      const [before, behind] = [text.slice(Math.max(0, at - 300), at), text.slice(at + 1, at + 300)];
      if (before.endsWith(":") && behind.startsWith("/")) this.#add(authorityAt(behind.replace(/^\/+/, "")));
      else {
        // `example.com/path`
        const name = hostAtEnd(before);
        if (isNamedHost(name.split(":")[0] ?? "")) this.#add(name);
      }
    }
    for (let at = text.indexOf("www."); at >= 0; at = text.indexOf("www.", at + 1)) this.#add(authorityAt(text.slice(at, at + 300)));
  }

  /** Whether a host, as `hostOf` gives it, may receive a value. */
  allow(host: string): boolean {
    return this.#callers.has(host) || this.#given.some((known) => (known.startsWith("*.") ? host.endsWith(known.slice(1)) : host === known));
  }

  #add(authority: string): void {
    const host = this.#callers.size < MAX_HOSTS ? hostOf(authority) : undefined;
    if (host !== undefined) this.#callers.add(host);
  }
}

/** Returns the authority at the start of a caller's text. */
function authorityAt(text: string): string {
  return text.replace(/[\s/\\?#<>"'`()[\]{}|,;][^]*$/, "").replace(/[.:!*_]+$/, "");
}

/** Returns the host of an authority such as `user@example.com:8080`; undefined if it is invalid. */
export function hostOf(authority: string): string | undefined {
  if (authority === "") return undefined;
  try {
    const host = new URL(`https://${authority}/`).hostname.replace(/\.+$/, "");
    return host === "" ? undefined : host;
  } catch {
    return undefined;
  }
}

/** Returns the letters of a host and its port at the end of a text. */
export function hostAtEnd(text: string): string {
  let from = text.length;
  while (from > 0) {
    const size = from > 1 && /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(from - 2, from)) ? 2 : 1;
    const letter = text.slice(from - size, from);
    if (letter !== ":" && !isHostLetter(letter)) break;
    from -= size;
  }
  return text.slice(from);
}

/** Whether a host name may contain a character. */
export function isHostLetter(letter: string): boolean {
  return /[\p{L}\p{N}._-]/u.test(letter);
}

/** Whether a text looks like the name of a host with a domain, or like an address of four numbers. */
export function isNamedHost(text: string): boolean {
  const name = text.slice(text.lastIndexOf("@") + 1).replace(/\.+$/, "");
  const dot = name.lastIndexOf(".");
  if (dot <= 0 || !/^[\p{L}\p{N}._-]+$/u.test(name)) return false;
  const last = name.slice(dot + 1);
  const parts = name.split(".");
  const isAddress = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
  return /^\p{L}{2,}$/u.test(last) || last.startsWith("xn--") || isAddress;
}
