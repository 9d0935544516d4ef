// Written by the build: the WebAssembly that pages download, compressed by gzip, in base64.
export const textveil: string;
export const names: string;
export const documents: string;
