import { defineConfig } from "vite";
import { offline } from "./offline.ts";

const built = (path: string) => new URL(`../../dist/npm/esm/${path}`, import.meta.url).pathname;

export default defineConfig({
  // served at any path; everything but the page itself and its service worker lies below app/
  base: "./",
  resolve: {
    alias: [
      { find: /^textveil\/names$/, replacement: built("names.js") },
      { find: /^textveil\/worker$/, replacement: built("worker.js") },
      { find: /^textveil$/, replacement: built("browser.js") },
    ],
  },
  worker: { format: "es" },
  plugins: [offline()],
  build: {
    outDir: "../../dist/playground",
    assetsDir: "app",
    emptyOutDir: true,
    target: "es2022",
    // the page's policy allows no data: addresses, and one script needs no preloading
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
