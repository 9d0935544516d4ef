// The reference of the npm package: a page for each entry point from the types of its sources.

import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Application } from "typedoc";

import { DOCS, ROOT, all, clear, write } from "./files.mjs";
import { ENTRIES } from "./javascript-entries.mjs";

const SOURCES = join(ROOT, "bindings-js/js");

export async function javascript() {
  clear("reference/javascript");
  const application = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: Object.keys(ENTRIES).map((file) => join(SOURCES, `${file}.ts`)),
    tsconfig: join(ROOT, "bindings-js/tsconfig.json"),
    // the glue of wasm-bindgen is built later and is not part of the interface
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    readme: "none",
    router: "module",
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    classPropertiesFormat: "table",
    typeDeclarationFormat: "table",
    tableColumnSettings: { hideSources: true, hideModifiers: true, hideInherited: true, hideOverrides: true },
    groupOrder: ["Functions", "Variables", "Classes", "Interfaces", "Type Aliases", "References"],
    validation: false,
    logLevel: "Warn",
  });
  const project = await application.convert();
  if (project === undefined) throw new Error("typedoc cannot read the types of the package");
  const folder = join(DOCS, "reference/javascript");
  await application.outputs.writeOutput({ name: "markdown", path: folder }, project);
  // the index is a page that people write
  rmSync(join(folder, "README.md"));
  for (const file of readdirSync(folder)) write(`reference/javascript/${file}`, page(file, readFileSync(join(folder, file), "utf8")));
}

/** A page of typedoc as the site shows it. */
function page(file, text) {
  const [, list] = all(text, /^type EntityType = \n?((?:\s*\| "\w+")+);$/gm, file === "browser.md" ? 1 : 0, "the types of findings")[0] ?? [];
  return (
    text
      .replace(/^# .*/, `# ${ENTRIES[file.replace(".md", "")]}`)
      // several tables of a page have properties of the same name
      .replaceAll(/<a id="property-[^"]*"><\/a> /g, "")
      // hundreds of lines that the reference of detectors has with their meaning
      .replace(list ?? "\0", ' "aadhaar" | … | "zip_code"')
      .replace("A type of the catalogue.", "A type of the catalogue: [all types](../detectors.md).")
  );
}
