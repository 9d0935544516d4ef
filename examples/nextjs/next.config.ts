import type { NextConfig } from "next";

const config: NextConfig = {
  // the package reads its WebAssembly from its own folder, which a bundle of the server does not have
  serverExternalPackages: ["textveil"],
  // and which is not found by itself when the files of a deployment are gathered
  outputFileTracingIncludes: { "/api/chat": ["node_modules/textveil/wasm/*.wasm"] },
};

export default config;
