// Reads a `librechat.yaml` on standard input by LibreChat's own schema, and writes what LibreChat reads of it as JSON. A field
// that the schema does not know is left out.
import { configSchema } from "librechat-data-provider";
import { load } from "js-yaml";

let text = "";
for await (const piece of process.stdin) text += piece;
console.log(JSON.stringify(configSchema.parse(load(text))));
