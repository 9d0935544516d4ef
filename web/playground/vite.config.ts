import { readFileSync } from "node:fs";
import { defineConfig } from "vite";
import { typeTitles } from "./catalogue.ts";
import { offline } from "./offline.ts";

const built = (path: string) => new URL(`../../dist/npm/esm/${path}`, import.meta.url).pathname;

/** The address of the package's source; empty before the first release, which names it. */
const { repository } = JSON.parse(readFileSync(new URL("../../bindings-js/js/package.json", import.meta.url), "utf8")) as {
  repository?: { url: string };
};
const source = repository?.url.replace(/^git\+/, "").replace(/\.git$/, "") ?? "";

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
  define: { SOURCE_ADDRESS: JSON.stringify(source) },
  plugins: [typeTitles(), offline()],
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
