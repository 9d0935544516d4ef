// The reference of the command line, from what the program says of itself: `node generate/cli.mjs PROGRAM` writes it.

import { execFileSync } from "node:child_process";

import { write } from "./files.mjs";

const ask = (program, words) =>
  execFileSync(program, [...words, "--help"], { encoding: "utf8", env: { PATH: process.env.PATH, COLUMNS: "100", NO_COLOR: "1" } });

/** The commands of a help text, `help` left out. */
function commands(help) {
  const [, list = ""] = help.match(/\nCommands:\n([\s\S]*?)\n\n/) ?? [];
  return [...list.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name).filter((name) => name !== "help");
}

/** The page. */
export function page(program) {
  const section = (words) => {
    const help = ask(program, words).trimEnd();
    const title = words.length ? `## textveil ${words.join(" ")}\n\n` : "";
    const own = `${title}\`\`\`text\n${help}\n\`\`\`\n`;
    return [own, ...commands(help).map((name) => section([...words, name]))].flat().join("\n");
  };
  const head = "# Command line\n\nThe output of `textveil --help` and the help of each command. A test compares it with the program.\n";
  return `${head}\n${section([])}`;
}

if (process.argv[1] === import.meta.filename) write("reference/cli.md", page(process.argv[2]));
