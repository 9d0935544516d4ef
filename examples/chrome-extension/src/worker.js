// The service worker: it holds the engine and the key, and no page sees either.

import { createProtector, init } from "./textveil/esm/slim.js";

const protector = makeProtector();
const verbs = { protect, restore };
let counted = Promise.resolve();

chrome.runtime.onMessage.addListener(({ verb, text }, _sender, answer) => {
  verbs[verb](text).then(
    (text) => answer({ text }),
    (error) => answer({ error: error.message }),
  );
  return true; // the answer comes later
});

async function protect(text) {
  const { mode } = await chrome.storage.sync.get({ mode: "tokenize" });
  const { protectedText, entities } = (await protector).protect(text, { mode });
  await count(entities.length);
  return protectedText;
}

async function restore(text) {
  return (await protector).restore(text).text;
}

async function makeProtector() {
  const wasm = (name) => fetch(chrome.runtime.getURL(`textveil/wasm/${name}_bg.wasm`));
  await init({ wasm: wasm("textveil"), names: wasm("names") });
  return createProtector({ key: await storedKey() });
}

/** The key of this browser. Chrome stops the worker when it idles, so a key in memory would be lost. */
async function storedKey() {
  await chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });
  const { key } = await chrome.storage.local.get("key");
  if (key) return key;
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  await chrome.storage.local.set({ key: made });
  return made;
}

/** Adds to the count that the popup shows, one paste after the other. */
function count(found) {
  counted = counted.then(async () => {
    const { count } = await chrome.storage.local.get({ count: 0 });
    await chrome.storage.local.set({ count: count + found });
  });
  return counted;
}
