import type { NextConfig } from "next";

const config: NextConfig = {
  // the package reads its WebAssembly from its own folder, which a bundle of the server does not have
  serverExternalPackages: ["textveil"],
};

export default config;
