// Reads log lines, JSON or plain text, and writes them without personal data: `node app.mjs | node protect-logs.mjs`.

import { pipeline } from "node:stream/promises";
import { protectTransform } from "textveil/node";

const mode = process.env.MODE ?? "replace"; // with "hash", one person's lines can still be told from another's

// a terminal's Ctrl+C goes to both programs; this one has to stay until the other has said its last words
process.on("SIGINT", () => {});

await pipeline(process.stdin, protectTransform({ format: "ndjson", mode, key: process.env.TEXTVEIL_KEY }), process.stdout);
