// The texts of a page by their role: label, button, hint, placeholder, option, toast or status.

import { parse } from "@babel/parser";

/** Roles by the element or the component around a text. */
const ELEMENTS = {
  Check: "label",
  OtherPage: "label",
  StateBadge: "option",
  SubmitButton: "button",
  a: "label",
  button: "button",
  caption: "label",
  dt: "label",
  figcaption: "label",
  h1: "label",
  h2: "label",
  h3: "label",
  label: "label",
  legend: "label",
  option: "option",
  p: "hint",
  summary: "label",
  th: "label",
};

/** Roles by the property of a component, or the key of an object. */
const PROPERTIES = {
  add: "button",
  "aria-label": "label",
  heads: "label",
  hint: "hint",
  label: "label",
  legend: "label",
  note: "hint",
  options: "option",
  placeholder: "placeholder",
  question: "hint",
  title: "label",
  verb: "button",
};

/** Classes of paragraphs that are states, such as a count, and no sentences. */
const STATES = /\b(?:brand|conditions|empty|otherwise|owner|role|state|wrong)\b/;

/** Most combinations of the alternatives of one text. */
const MOST_VARIANTS = 16;

/** A part of a text that is known at run time only. */
const UNKNOWN = "x";

/**
 * Returns the texts of a source, each with its line, its role and its variants: a text with alternatives has several. A text
 * of a message file is a call with the message's key, and has `key` in place of variants.
 */
export function pageTexts(text) {
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript", "jsx"], attachComment: false });
  const found = [];
  const named = program.body.flatMap(({ declarations = [] }) => declarations).filter(({ init }) => init?.type === "StringLiteral");
  const constants = new Map(named.map(({ id, init }) => [id.name, init.value]));
  const variantsOf = (node, isWhole = false) => variants(node, constants, isWhole);
  const add = (node, role, all) => {
    const own = [...new Set(all.map(plain))].filter((one) => /\p{L}{2}/u.test(one.replaceAll(/`[^`]*`/g, "")));
    if (own.length > 0) found.push({ line: node.loc.start.line, role, variants: own });
  };
  const visit = (node, role) => {
    if (Array.isArray(node)) return node.forEach((child) => visit(child, role));
    if (typeof node?.type !== "string" || /^TS/.test(node.type)) return undefined;
    const key = messageOf(node);
    if (key !== undefined) found.push({ line: node.loc.start.line, role, key });
    if (node.type === "JSXElement") return element(node, role);
    if (node.type === "CallExpression" && node.callee.name === "announce") add(node, "toast", variantsOf(node.arguments[0]));
    if (node.type === "ObjectProperty" && PROPERTIES[node.key.name]) property(node.value, node.key.name, "");
    if (node.type === "ArrayExpression") pairs(node);
    return Object.values(node).forEach((child) => visit(child, role));
  };
  // the label and the explanation of each pair in a list: entries of tables, options, figures
  const pairs = ({ elements }) => {
    for (const { elements: [first, second] } of elements.filter((one) => one?.type === "ArrayExpression")) {
      if (first?.type === "StringLiteral" && /^\p{Lu}\p{Ll}/u.test(first.value)) add(first, "label", [first.value]);
      else if (second) add(second, "option", variantsOf(second));
    }
  };
  const property = (value, name, tag) => {
    const role = isOfButton(name, tag) ? "button" : PROPERTIES[name];
    const inner = value?.type === "JSXExpressionContainer" ? value.expression : value;
    // the entries of a list of options are pairs
    if (name === "options") return;
    const texts = inner?.type === "ArrayExpression" ? inner.elements : [inner];
    for (const one of texts) if (one) add(one, role, variantsOf(one));
  };
  const element = (node, outer) => {
    const tag = node.openingElement.name.name;
    const attributes = Object.fromEntries(node.openingElement.attributes.map((one) => [one.name?.name, one.value]));
    for (const [name, value] of Object.entries(attributes)) {
      // a tooltip
      if (value && name === "title" && /^[a-z]/.test(tag)) add(value, "status", variantsOf(value));
      else if (value && PROPERTIES[name]) property(value, name, tag);
      else if (value && name === "name" && ["AsCurl", "Fact"].includes(tag)) add(value, "label", variantsOf(value));
      visit(value, isOfButton(name, tag) ? "button" : (PROPERTIES[name] ?? outer));
    }
    const isState = attributes.role?.value === "status" || STATES.test(attributes.class?.value ?? "");
    // a link in a sentence is a part of it
    const own = tag === "a" && outer ? undefined : ELEMENTS[tag];
    const role = own === "hint" && isState ? "status" : own;
    if (role) add(node, role, variantsOf(node, true));
    else if (node.children.some((child) => child.type === "JSXText" && child.value.trim()) && !outer) add(node, "status", variantsOf(node, true));
    visit(node.children, role ?? outer);
  };
  visit(program);
  return found;
}

/** Whether a property is the text of a button. */
const isOfButton = (name, tag) => (name === "aria-label" && tag === "button") || (name === "label" && tag === "CopyButton");

/** The key of a message, where a node is a call that looks it up. */
function messageOf({ type, callee, arguments: [first] = [] }) {
  const isCall = type === "CallExpression" && ["t", "count"].includes(callee.name);
  return isCall && first?.type === "StringLiteral" ? first.value : undefined;
}

/** The texts that an expression or an element may have. `constants` are the strings with a name in its source. */
function variants(node, constants, isWhole = false) {
  const of = (inner) => variants(inner, constants);
  switch (node?.type) {
    case "StringLiteral":
      return [node.value];
    case "Identifier":
      return [constants.get(node.name) ?? UNKNOWN];
    case "TemplateLiteral":
      return [node.quasis.map(({ value }) => value.cooked).join(UNKNOWN)];
    case "JSXText":
      return [node.value];
    case "JSXExpressionContainer":
      return of(node.expression);
    case "ConditionalExpression":
      return [...of(node.consequent), ...of(node.alternate)];
    case "LogicalExpression":
      return node.operator === "&&" ? ["", ...of(node.right)] : [...of(node.left), ...of(node.right)];
    case "JSXEmptyExpression":
      return [""];
    case "JSXFragment":
      return joined(node.children, constants);
    case "JSXElement": {
      const tag = node.openingElement.name.name;
      if (tag === "code") return ["`code`"];
      // an inner element with a role of its own is a text of its own, and so is the mark of a change
      if (!isWhole && ((ELEMENTS[tag] && tag !== "a") || isMark(node))) return [""];
      return /^[A-Z]/.test(tag) && node.children.length === 0 ? [UNKNOWN] : joined(node.children, constants);
    }
    default:
      return [UNKNOWN];
  }
}

const isMark = ({ openingElement }) => openingElement.attributes.some(({ name, value }) => name?.name === "class" && /^(?:changed|note)$/.test(value?.value));

function joined(children, constants) {
  let all = [""];
  for (const child of children) {
    const next = variants(child, constants);
    all = all.flatMap((start) => next.map((end) => start + end)).slice(0, MOST_VARIANTS);
  }
  return all;
}

const plain = (text) => text.replaceAll(/\s+/g, " ").trim();

/** The messages of a file of messages, with the line of each: `key: "text"`, or a text for each plural form. */
export function messages(text) {
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript"], attachComment: false });
  const declared = program.body.flatMap(({ declaration }) => declaration?.declarations ?? []);
  const found = new Map();
  for (const { key, value, loc } of declared[0].init.properties) {
    const forms = value.type === "ObjectExpression" ? value.properties.map((form) => form.value) : [value];
    found.set(key.name, { line: loc.start.line, variants: forms.map((form) => plain(form.value.replaceAll(/\{\w+\}/g, UNKNOWN))) });
  }
  return found;
}
