// Moves the scripts that VitePress writes into pages to files of their own: the policy of the site allows none in a page.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SITE = fileURLToPath(new URL("../dist/docs", import.meta.url));
const INLINE = /<script(?<attributes>(?: (?!src=)[\w-]+(?:="[^"]*")?)*)>(?<code>[\s\S]*?)<\/script>/g;

for (const page of readdirSync(SITE, { recursive: true }).filter((name) => name.endsWith(".html"))) {
  const file = join(SITE, page);
  const html = readFileSync(file, "utf8");
  const moved = html.replace(INLINE, (_, attributes, code) => {
    const hash = createHash("sha256").update(code).digest("base64url").replaceAll(/[-_]/g, "0").slice(0, 8);
    writeFileSync(join(SITE, `assets/page.${hash}.js`), code);
    return `<script${attributes} src="/docs/assets/page.${hash}.js"></script>`;
  });
  writeFileSync(file, moved);
}
