// What a caller may hand over, beside what the engine itself reads (`types.ts`).

/** A secret that hashes and tokens are made with: at least 16 bytes, as such or in hex. */
export interface KeyOptions {
  /**
   * The same key gives the same hashes and tokens everywhere, and only it turns tokens back.
   *
   * Without one, the package makes a random key when it is first needed. It lives as long as the
   * loaded package (the page, the process) and is never shown, so tokens made with it cannot be
   * turned back later or elsewhere.
   */
  key?: string | Uint8Array | undefined;
  /** Written into each token, so that keys can be replaced; 0 to 31, 0 when absent. */
  keyVersion?: number | undefined;
  /** Older keys, which turn tokens back and make none. Each needs a version of its own. */
  previousKeys?: readonly { key: string | Uint8Array; keyVersion: number }[] | undefined;
}

/** Where the WebAssembly comes from: its address, its bytes, a response with them, or it compiled. */
export type WasmSource = URL | string | Response | BufferSource | WebAssembly.Module;
