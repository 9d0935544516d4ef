import { defineConfig } from "vite";

export default defineConfig({
  // served at any path; everything but the page itself lies below app/
  base: "./",
  build: {
    outDir: "../../dist/console",
    assetsDir: "app",
    emptyOutDir: true,
    target: "es2022",
    // the page's policy allows no data: addresses, and one script needs no preloading
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
