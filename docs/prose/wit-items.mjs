// Reads the items of a WIT file, with their doc comments.

const TOKEN = /\/\/\/ ?(?<docs>.*)|\/\/.*|(?<word>%?[a-z][\w-]*)|(?<sign>->|[^\s\w])/g;
/** Declarations of an item with a name. */
const NAMED = ["package", "interface", "world", "resource", "record", "variant", "enum", "flags", "type"];
/** Declarations that refer to items. */
const REFERENCES = ["use", "import", "export", "include"];
/** The words for a member in a message, by the item that it belongs to. */
const MEMBERS = { record: "field", variant: "case", enum: "case", flags: "flag", interface: "function", resource: "method", world: "function" };

/** The items of a WIT file, as `rustItems` returns those of a crate. */
export function witItems(path, text) {
  const found = [];
  // the kinds of the items around a token
  const blocks = [];
  // the next word is the `first` of a declaration, its `name` or a `later` one
  let [next, kind, depth, docs] = ["first", "", 0, []];
  const add = (own, name, at) => {
    const line = text.slice(0, at).split("\n").length;
    found.push({ path, line, kind: own, name: name.replace("%", ""), docs: docs.join("\n") });
    [next, docs] = ["later", []];
  };
  for (const { index, groups } of text.matchAll(TOKEN)) {
    const { word, sign } = groups;
    const isReference = REFERENCES.includes(kind);
    if (groups.docs !== undefined) docs.push(groups.docs);
    else if (word && next === "name") add(kind, word, index);
    else if (word && next === "first") {
      kind = [...NAMED, ...REFERENCES].includes(word) ? word : "";
      if (kind) next = NAMED.includes(kind) ? "name" : "later";
      else add(MEMBERS[blocks.at(-1)], word, index);
    } else if ("(<".includes(sign)) depth += 1;
    else if (")>".includes(sign)) depth -= 1;
    else if (sign === "{" && !isReference) {
      blocks.push(kind);
      next = "first";
    } else if (sign === "}" && !isReference) {
      blocks.pop();
      next = "first";
    } else if (depth === 0 && (sign === ";" || (sign === "," && !isReference))) [next, kind] = ["first", ""];
  }
  return found;
}
