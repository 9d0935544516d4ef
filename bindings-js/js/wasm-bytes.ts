// WebAssembly that is part of a script, in base64.

/** The bytes of what the build wrote. */
export function bytes(base64: string): Uint8Array<ArrayBuffer> {
  if (typeof Buffer !== "undefined") return Uint8Array.from(Buffer.from(base64, "base64"));
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** The module that the build wrote compressed, as a server would send it. */
export function response(base64: string): Response {
  const body = new Blob([bytes(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "content-type": "application/wasm" } });
}
