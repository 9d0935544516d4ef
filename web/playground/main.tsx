// Loads the engine and the titles of types, shows the page, loads what finds names, and keeps its files for use without a network.

import { render } from "preact";
import { init } from "textveil";
import { App } from "./app.js";
import { acceptDrops } from "./drop.js";
import { t } from "./i18n/index.js";
import { loadLexicons } from "./lexicons.js";
import { takeLink } from "./link.js";
import { loadTitles } from "./names.js";
import { showSample } from "./sample.js";
import { watch } from "./state.js";

const root = document.getElementById("app") as HTMLElement;

root.textContent = t("loading");
try {
  await Promise.all([init({ names: false }), loadTitles()]);
  root.replaceChildren();
  if (!takeLink()) showSample("");
  watch();
  acceptDrops();
  render(<App />, root);
  loadLexicons();
} catch (error) {
  root.textContent = t("cannotLoad");
  throw error;
}

// a page served for development has no service worker; where none is allowed, the page needs a network
if (import.meta.env.PROD) await navigator.serviceWorker?.register("./sw.js").catch(() => {});
