// IndexedDB: texts by name, each encrypted under a key of this origin that cannot be taken out of the browser.

import { TextveilError } from "./error.js";
import type { SessionStore } from "./options.js";

const DATABASE = "textveil";
const KEYS = "keys";
const SESSIONS = "sessions";
const ALGORITHM = { name: "AES-GCM", length: 256 };

interface Sealed {
  iv: Uint8Array<ArrayBuffer>;
  data: ArrayBuffer;
}

/** Keeps sessions in this origin's IndexedDB. */
export const indexedDbStore: SessionStore = { get: read, set: write, delete: discard };

/** The text of this name; undefined if it is absent. */
function read(name: string): Promise<string | undefined> {
  return within(async (database) => {
    const sealed = await done<Sealed | undefined>(store(database, SESSIONS, "readonly").get(name));
    if (sealed === undefined) return undefined;
    const key = await keyOf(database);
    const opened = await crypto.subtle.decrypt(cipher(name, sealed.iv), key, sealed.data);
    return new TextDecoder().decode(opened);
  });
}

/** Writes the text of this name, over the one that is there. */
function write(name: string, text: string): Promise<void> {
  return within(async (database) => {
    const key = await keyOf(database);
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const data = await crypto.subtle.encrypt(cipher(name, iv), key, new TextEncoder().encode(text));
    await written(store(database, SESSIONS, "readwrite").put({ iv, data } satisfies Sealed, name));
  });
}

/** Removes the text of this name. */
function discard(name: string): Promise<void> {
  return within(async (database) => {
    await written(store(database, SESSIONS, "readwrite").delete(name));
  });
}

/** The name is sealed too, so that one text cannot be put in another's place. */
function cipher(name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: ALGORITHM.name, iv, additionalData: new TextEncoder().encode(name) };
}

/** The key of this origin, made when it is first needed. Of two tabs that make one, the first to write it wins. */
async function keyOf(database: IDBDatabase): Promise<CryptoKey> {
  const known = await done<CryptoKey | undefined>(store(database, KEYS, "readonly").get(1));
  if (known !== undefined) return known;
  const made = await crypto.subtle.generateKey(ALGORITHM, false, ["encrypt", "decrypt"]);
  try {
    await written(store(database, KEYS, "readwrite").add(made, 1));
    return made;
  } catch {
    return keyOf(database);
  }
}

async function within<T>(work: (database: IDBDatabase) => Promise<T>): Promise<T> {
  if (typeof indexedDB === "undefined") {
    throw new TextveilError("invalid_request", "session can be kept where there is IndexedDB only; give a `store`", "session");
  }
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(KEYS);
    request.result.createObjectStore(SESSIONS);
  };
  const database = await done(request);
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

function store(database: IDBDatabase, name: string, mode: IDBTransactionMode): IDBObjectStore {
  return database.transaction(name, mode).objectStore(name);
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("IndexedDB failed"));
  });
}

/** Resolves when the transaction is complete: after its request alone, a worker that ends would abort it. */
function written({ transaction }: IDBRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    if (transaction === null) return resolve();
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("IndexedDB failed"));
  });
}
