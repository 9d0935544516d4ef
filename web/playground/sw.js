// The service worker: keeps the files of this page, so that it opens without a network.
// The build writes VERSION and FILES above. It answers for those files and for nothing else: no
// other address of this origin is touched, and nothing that a page sends or reads is stored.

const PREFIX = "textveil-page-";
const CACHE = PREFIX + VERSION;
const PAGE = new URL("./", self.registration.scope).href;
const OWN = new Set(FILES.map((file) => new URL(file, self.registration.scope).href));

self.addEventListener("install", (event) => {
  // past the browser's own cache, so that a version is never put together from two
  const fresh = [...OWN].map((url) => new Request(url, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldVersions().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { method } = event.request;
  const url = event.request.url.split("#", 1)[0];
  if (method !== "GET" || !OWN.has(url)) return;
  event.respondWith(url === PAGE ? pageFirst(event.request) : keptFirst(event.request));
});

async function dropOldVersions() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The page names its files by their content, so a newer page brings its own. */
async function pageFirst(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request, { cacheName: CACHE });
    if (kept === undefined) throw error;
    return kept;
  }
}

async function keptFirst(request) {
  return (await caches.match(request, { cacheName: CACHE })) ?? fetch(request);
}
