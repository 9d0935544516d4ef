// Written by the build: the WebAssembly that is compiled for speed, in base64.
export const textveil: string;
export const names: string;
export const documents: string;
