// Loads the engine and the titles of types, shows the page, loads what finds names, and keeps its files for use without a network.

import { render } from "preact";
import { init } from "textveil";
import { App, Mark } from "./app.js";
import { acceptDrops } from "./drop.js";
import { followPointer } from "./hover.js";
import { t } from "./i18n/index.js";
import { loadLexicons } from "./lexicons.js";
import { takeLink } from "./link.js";
import { loadTitles } from "./names.js";
import { showSample } from "./sample.js";
import { watch } from "./state.js";

/** The page while it has no more than a message. */
function Message({ text }: { text: string }) {
  return (
    <main class="message">
      <h1>
        <Mark />
        Textveil
      </h1>
      <p role="status">{text}</p>
    </main>
  );
}

const root = document.getElementById("app") as HTMLElement;

render(<Message text={t("loading")} />, root);
try {
  await Promise.all([init({ names: false }), loadTitles()]);
  if (!takeLink()) showSample("");
  watch();
  acceptDrops();
  followPointer();
  render(<App />, root);
  loadLexicons();
} catch (error) {
  render(<Message text={t("cannotLoad")} />, root);
  throw error;
}

// a page served for development has no service worker; where none is allowed, the page needs a network
if (import.meta.env.PROD) await navigator.serviceWorker?.register("./sw.js").catch(() => {});
