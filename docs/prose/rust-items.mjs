// Reads the public items of a Rust crate, with their doc comments.

import { dirname } from "node:path/posix";

import { parser } from "@lezer/rust";

/** The words for an item in a message, by the name of its syntax. */
const KINDS = {
  AssociatedType: "type",
  ConstItem: "constant",
  EnumItem: "enum",
  EnumVariant: "variant",
  FieldDeclaration: "field",
  FunctionItem: "function",
  StaticItem: "static",
  StructItem: "struct",
  TraitItem: "trait",
  TypeItem: "type",
};

/** Syntax that contains the members of an item. */
const BODIES = ["DeclarationList", "FieldDeclarationList", "EnumVariantList"];

/**
 * The items of a crate that other crates can reach: those of its `pub mod`, and those that its `pub use` names.
 *
 * An item is `{ path, line, kind, name, docs, owner }`; a method, a field or a variant has an `owner`. `read` returns the
 * text of a path, or `undefined` if there is no such file. `roots` has the paths of `lib.rs` of other crates by name: their
 * items count where this crate re-exports them.
 */
export function rustItems(read, root, roots = {}) {
  const crate = readModule(read, root, dirname(root));
  const others = Object.entries(roots).map(([name, path]) => [name, readModule(read, path, dirname(path))]);
  const collector = new Collector(crate, Object.fromEntries(others));
  collector.addModule(crate);
  [crate, ...Object.values(collector.crates)].forEach((module) => collector.addMethods(module));
  return [...collector.found.values()];
}

/** A module with its submodules. Those in separate files are in `folder`. */
function readModule(read, path, folder, inline) {
  const text = inline?.text ?? read(path);
  if (text === undefined) return undefined;
  const node = inline?.node ?? parser.parse(text).topNode;
  const module = { path, text, node, items: itemsIn(node, text), modules: new Map() };
  for (const declaration of module.items.filter(({ name }) => name === "ModItem")) {
    const name = nameOf(text, declaration);
    const own = `${folder}/${name}`;
    const body = declaration.getChild("DeclarationList");
    const child = body
      ? readModule(read, path, own, { text, node: body })
      : (readModule(read, `${own}.rs`, own) ?? readModule(read, `${own}/mod.rs`, own));
    if (!child) throw new Error(`${path}: the module ${name} has no file`);
    module.modules.set(name, Object.assign(child, { parent: module, declaration }));
  }
  return module;
}

class Collector {
  /** The items by path and position. */
  found = new Map();

  constructor(crate, crates) {
    this.crate = crate;
    this.crates = crates;
  }

  addModule(module) {
    const { path, text, node, parent, declaration } = module;
    const docs = [declaration ? docsOf(parent.text, declaration) : "", innerDocs(text, node)].filter(Boolean).join("\n\n");
    const name = declaration ? nameOf(parent.text, declaration) : "the crate";
    const line = lineOf(text, node.name === "SourceFile" ? 0 : declaration.from);
    this.found.set(`${path}:${node.from} module`, { path, line, kind: "module", name, docs });
    module.items.filter((item) => isPublic(text, item)).forEach((item) => this.add(module, item));
  }

  add(module, node) {
    if (node.name === "ModItem") {
      this.addModule(module.modules.get(nameOf(module.text, node)));
    } else if (node.name === "UseDeclaration") {
      for (const path of pathsOf(module.text, node)) {
        const named = this.find(module, path.filter((part) => part !== "*"));
        if (named?.item) this.add(named.module, named.item);
        else if (named) this.addModule(named.module);
      }
    } else if (KINDS[node.name]) {
      this.addMembers(module, node, this.addItem(module, node));
    }
  }

  addMembers(module, node, owner) {
    const members = BODIES.flatMap((name) => node.getChildren(name)).flatMap((body) => itemsIn(body, module.text));
    for (const member of members.filter(({ name }) => KINDS[name])) {
      if (node.name === "StructItem" && !isPublic(module.text, member)) continue;
      this.addMembers(module, member, this.addItem(module, member, owner));
    }
  }

  addItem({ path, text }, node, owner) {
    const key = `${path}:${node.from}`;
    const item = { path, line: lineOf(text, node.from), kind: KINDS[node.name], name: nameOf(text, node), docs: docsOf(text, node), owner };
    if (!this.found.has(key)) this.found.set(key, item);
    return this.found.get(key);
  }

  /** The module, and the item in it, of a path such as `crate::api::error::Error`. Nothing for crates of others. */
  find(module, [first, ...rest]) {
    if (first === undefined) return { module };
    if (first === "crate") return this.find(this.crate, rest);
    if (first === "super") return this.find(module.parent, rest);
    if (first === "self") return this.find(module, rest);
    if (module.modules.has(first)) return this.find(module.modules.get(first), rest);
    const item = module.items.find((known) => KINDS[known.name] && nameOf(module.text, known) === first);
    if (item) return { module, item };
    const uses = module.items.filter(({ name }) => name === "UseDeclaration").flatMap((use) => pathsOf(module.text, use));
    const used = uses.find((path) => path.length > 1 && path.at(-1) === first);
    if (used) return this.find(module, [...used, ...rest]);
    return this.crates[first] && this.find(this.crates[first], rest);
  }

  /** Adds the public functions and constants of the types that were found. */
  addMethods(module) {
    const types = [...this.found.values()].filter(({ kind }) => kind === "struct" || kind === "enum");
    for (const block of module.items.filter(({ name }) => name === "ImplItem")) {
      const name = /^impl\b(?:<.*?>)?\s*(?:\w+::)*(\w+)/s.exec(module.text.slice(block.from, block.to))?.[1];
      const isHere = module.items.some((item) => KINDS[item.name] && nameOf(module.text, item) === name);
      const owner = types.find((type) => type.name === name && (!isHere || type.path === module.path));
      if (!owner || block.getChild("for")) continue;
      const methods = itemsIn(block.getChild("DeclarationList"), module.text).filter((item) => KINDS[item.name] && isPublic(module.text, item));
      methods.forEach((method) => this.addItem(module, method, owner));
    }
    module.modules.forEach((child) => this.addMethods(child));
  }
}

/** The items in a node, without those of tests. */
function itemsIn(node, text) {
  const found = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    const isTest = child.getChildren("Attribute").some(({ from, to }) => text.slice(from, to) === "#[cfg(test)]");
    if (child.name !== "AttributeItem") found.push(child);
    else if (!isTest) found.push(...itemsIn(child, text));
  }
  return found;
}

const isPublic = (text, node) => {
  const visibility = node.getChild("Vis");
  return visibility !== null && text.slice(visibility.from, visibility.to) === "pub";
};

/** Returns the name of an item; `undefined` for a node without a name. */
function nameOf(text, node) {
  const names = ["FieldIdentifier", "BoundIdentifier", "TypeIdentifier", "Identifier"].map((name) => node.getChild(name));
  const name = names.find(Boolean);
  return name && text.slice(name.from, name.to);
}

/** The paths of a `use`, each as a list of its parts. */
function pathsOf(text, node) {
  const expand = (tree) => {
    const [, prefix, list] = /^(.*?)\{(.*)\}$/s.exec(tree) ?? [];
    if (list === undefined) return [tree.replace(/\s+as\s+\w+$/, "")];
    const parts = list.match(/(?:[^,{}]|\{(?:[^{}]|\{[^{}]*\})*\})+/g) ?? [];
    return parts.map((part) => part.trim()).filter(Boolean).flatMap((part) => expand(part).map((path) => prefix + path));
  };
  const tree = text.slice(node.getChild("use").to, node.to - 1).trim();
  return expand(tree).map((path) => path.replace(/::self$/, "").split("::").filter(Boolean));
}

const lineOf = (text, at) => text.slice(0, at).split("\n").length;

/** The text of the doc comment before an item. */
function docsOf(text, node) {
  const lines = [];
  let [item, at] = [node, node.prevSibling];
  for (;;) {
    if (at === null && item.parent?.name === "AttributeItem") [item, at] = [item.parent, item.parent.prevSibling];
    if (at?.name !== "LineComment" && at?.name !== "Attribute") return lines.join("\n");
    const source = text.slice(at.from, at.to);
    if (/^\/\/\/(?!\/)/.test(source)) lines.unshift(source.replace(/^\/\/\/ ?/, ""));
    at = at.prevSibling;
  }
}

/** The text of the doc comment in a module. */
function innerDocs(text, node) {
  const lines = node.getChildren("LineComment").map(({ from, to }) => text.slice(from, to));
  return lines.filter((line) => line.startsWith("//!")).map((line) => line.replace(/^\/\/! ?/, "")).join("\n");
}
