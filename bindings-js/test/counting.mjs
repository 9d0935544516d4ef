// Counts the objects of the WebAssembly that are not freed: its glue registers each, and takes it off when it is freed.
// Imported before the package, so that an object which waits for the garbage collector is noticed without one.

const alive = new Set();
const Registry = globalThis.FinalizationRegistry;
globalThis.FinalizationRegistry = class extends Registry {
  register(target, value, token) {
    alive.add(token);
    super.register(target, value, token);
  }
  unregister(token) {
    alive.delete(token);
    return super.unregister(token);
  }
};

/** The objects that are not freed. */
export { alive };
