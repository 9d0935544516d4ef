// The service worker: it holds the engine, and for each chat page a session with its own key. No page sees either.

import { init, openProtector } from "./textveil/esm/slim.js";
import { defaults } from "./settings.js";

const loaded = load();
/** By host: a value is restored only on the page where it was protected. */
const protectors = new Map();
let counted = Promise.resolve();

/** The requests of content scripts, for the page that they are in. */
const ofPages = {
  async find(protector, { text }) {
    const { preset } = await chrome.storage.sync.get(defaults);
    const found = protector.find(text, { privacyPreset: preset });
    return found.map(({ type, original, start, end, country }) => ({ type, original, start, end, country }));
  },

  async apply(protector, { text, findings }) {
    const { mode } = await chrome.storage.sync.get(defaults);
    const { protectedText } = protector.apply(text, findings, { mode });
    await protector.session.keep();
    await count(findings.length);
    return protectedText;
  },

  async restore(protector, { text }) {
    return protector.restore(text).text;
  },

  async originals(protector, { replacements }) {
    return replacements.map((replacement) => {
      const { text, restored } = protector.restore(replacement);
      return restored > 0 ? text : null;
    });
  },
};

chrome.runtime.onMessage.addListener((question, sender, answer) => {
  respond(question, sender).then(
    (result) => answer({ answer: result }),
    (error) => answer({ error: error.message }),
  );
  return true; // the answer comes later
});

async function respond(question, { origin, tab }) {
  if (question.verb === "forget" && origin === location.origin) return forget(question.hosts);
  if (tab === undefined || !Object.hasOwn(ofPages, question.verb)) throw new Error("not a question of a chat page");
  return ofPages[question.verb](await protectorOf(new URL(origin).host), question);
}

/** The session is kept encrypted in this browser: Chrome stops the worker when it idles. */
function protectorOf(host) {
  if (!protectors.has(host)) {
    const opened = loaded.then(() => openProtector({ session: host }));
    opened.catch(() => protectors.delete(host));
    protectors.set(host, opened);
  }
  return protectors.get(host);
}

async function forget(hosts) {
  for (const host of hosts) {
    await (await protectorOf(host)).session.forget();
    protectors.delete(host);
  }
}

async function load() {
  const wasm = (name) => fetch(chrome.runtime.getURL(`textveil/wasm/${name}_bg.wasm`));
  await init({ wasm: wasm("textveil"), names: wasm("names") });
}

/** Adds to the count that the popup shows, one after the other. */
function count(found) {
  counted = counted.then(async () => {
    const { count } = await chrome.storage.local.get({ count: 0 });
    await chrome.storage.local.set({ count: count + found });
  });
  return counted;
}
