// WebAssembly that is part of a script, in base64.

/** The bytes of what the build wrote. */
export function bytes(base64: string): Uint8Array<ArrayBuffer> {
  if (typeof Buffer !== "undefined") return Uint8Array.from(Buffer.from(base64, "base64"));
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
