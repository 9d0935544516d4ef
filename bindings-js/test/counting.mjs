// Counts the objects of the WebAssembly: its glue registers each, and takes it off when it is freed. Imported before the package, so
// that an object which waits for the garbage collector is noticed without one.

const alive = new Set();
const made = {};
const Registry = globalThis.FinalizationRegistry;
globalThis.FinalizationRegistry = class extends Registry {
  register(target, value, token) {
    alive.add(token);
    const { name } = target.constructor;
    made[name] = (made[name] ?? 0) + 1;
    super.register(target, value, token);
  }
  unregister(token) {
    alive.delete(token);
    return super.unregister(token);
  }
};

/** The objects that are not freed, and the number of all by the name of their class, which a minifier would change. */
export { alive, made };
