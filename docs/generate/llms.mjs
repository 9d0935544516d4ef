// The index of the site for language models (llmstxt.org): a line for each page, with its address and its first sentence.

import config from "../.vitepress/config.mjs";
import { source, write } from "./files.mjs";

/** The first sentence of a page, as text; nothing where it begins with a table or code. */
function firstSentence(page) {
  const [, paragraph = ""] = page.match(/^# .*\n\n(?![|`#<:!-])((?:.+\n)+)/m) ?? [];
  const [sentence] = paragraph.replaceAll("\n", " ").split(/(?<=[.:])\s/);
  return sentence.trim().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/:$/, ".");
}

/** The address of a page of the sidebar. */
const address = (link) => config.base + link.slice(1);

/** Pages of an item of the sidebar. Types of the package are on pages of their own, which are generated. */
function lines({ text, link, items }) {
  if (items) return items.flatMap(lines);
  if (link.startsWith("/reference/javascript/")) return [`- [${text}](${address(link)})`];
  const about = firstSentence(source(`docs${link}.md`));
  return [`- [${text}](${address(link)})${about && `: ${about}`}`];
}

export function llms() {
  const groups = config.themeConfig.sidebar.map((group) => `## ${group.text}\n\n${lines(group).join("\n")}\n`);
  write("public/llms.txt", `# ${config.title}\n\n> ${firstSentence(source("docs/index.md"))}\n\n${groups.join("\n")}`);
}
