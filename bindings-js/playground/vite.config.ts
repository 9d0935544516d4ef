import { defineConfig } from "vite";

export default defineConfig({
  // served at any path, and from a folder that a person opens
  base: "./",
  resolve: { alias: { textveil: new URL("../../dist/npm/esm/browser.js", import.meta.url).pathname } },
  build: {
    outDir: "../../dist/playground",
    emptyOutDir: true,
    target: "es2022",
    // the page's policy allows no data: addresses, and one script needs no preloading
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
