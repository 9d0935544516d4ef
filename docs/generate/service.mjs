// The variables, scopes and metrics of the service, from its manifests and sources.

import { all, code, plain, source, table, write } from "./files.mjs";

/** A list as code that may wrap behind its commas. */
const breakable = (value) => `<code>${value.replaceAll(",", ",<wbr>")}</code>`;

/** The variables of a manifest of Spin, each with the comment above it. */
function variables(manifest) {
  const [, section] = source(manifest).split("\n[variables]\n");
  const rows = [];
  let comment = [];
  for (const line of section.split("\n\n[[")[0].split("\n")) {
    if (line.startsWith("#")) {
      comment.push(line.slice(1).trim());
      continue;
    }
    const [, name, settings] = line.match(/^(\w+) = \{(.*)\}$/) ?? [];
    if (!name) continue;
    // one comment may precede several variables of one kind
    if (comment.length) rows.comment = comment.join(" ");
    const value = settings.match(/default = "([^"]*)"/)?.[1];
    const kind = settings.includes("required = true") ? "required" : value === "" ? "empty" : breakable(value);
    // a comment may precede several variables
    if (comment.length) rows.push({ names: [], kind, comment: comment.join(" ") });
    rows.at(-1).names.push(code(name) + (settings.includes("secret = true") ? " (secret)" : ""));
    comment = [];
  }
  if (rows.length < 3) throw new Error(`${manifest} has too few variables`);
  return table(
    ["variable", "default", "meaning"],
    rows.map(({ names, kind, comment }) => [names.join(", "), kind, plain(comment)]),
  );
}

export function configuration() {
  write(".generated/variables.md", variables("spin.toml"));
  write(".generated/variables-stateless.md", variables("spin-app/stateless/spin.toml"));
  const module = source("spin-app/middleware/src/config.rs");
  const rows = all(module, /^\/\/! \| (`textveil_\w+`) \| (.*) \| (.*) \|$/gm, 6, "variables of the middleware");
  write(".generated/variables-middleware.md", table(["variable", "value", "default"], rows.map(([, ...cells]) => cells)));
}

export function scopes() {
  const module = source("spin-app/service/src/scope.rs");
  const rows = all(module, /\/\/\/ (.*)\n {4}#\[serde\(rename = "([a-z.]+)"\)\]/g, 11, "scopes");
  write(".generated/scopes.md", table(["scope", "right"], rows.map(([, meaning, name]) => [code(name), plain(meaning)])));
}

/** The names of the metric families that one function shows. */
const FAMILY = /family\((?:\w+, )?(?:text, )?"(textveil_\w+)", "(\w+)", "([^"]+)"\)/g;

export function metrics() {
  const module = source("spin-app/service/src/usage/metrics.rs").split("#[cfg(test)]")[0];
  const [, body] = module.split("mod families {");
  const families = body.split("\n}\n")[0];
  const times = families.match(/static TIMES[^=]*= \[([^\]]*)\]/)[1];
  const declared = all(families, /static (\w+): \(&str, &str\) =\s*\(\s*"(textveil_\w+)",\s*"([^"]+)",?\s*\)/g, 12, "families");
  const rows = declared.map(([, name, family, help]) => [family, times.includes(`&${name}`) ? "histogram" : "counter", help]);
  for (const [, name, kind, help] of module.matchAll(FAMILY)) rows.push([name, kind, help]);
  // families whose name is a variable in front of the call
  for (const [, name, rest] of module.matchAll(/let name = "(textveil_\w+)";([\s\S]*?)family\(text, name, /g)) {
    const after = module.slice(module.indexOf(`"${name}"`) + rest.length);
    const [, kind, help] = after.match(/family\(text, name, "(\w+)", "([^"]+)"\)/);
    rows.push([name, kind, help]);
  }
  const names = new Set([...module.matchAll(/"(textveil_[a-z_]+)/g)].map(([, name]) => name));
  const missing = [...names].filter((name) => !rows.some(([known]) => name === known));
  if (missing.length) throw new Error(`metrics without a row: ${missing}`);
  rows.sort(([one], [other]) => one.localeCompare(other));
  write(".generated/metrics.md", table(["metric", "type", "meaning"], rows.map(([name, kind, help]) => [code(name), kind, plain(help)])));
}
