// Written by the build: the sizes of the WebAssembly that pages download, in bytes.
export const SIZES: { readonly textveil: number; readonly names: number };
