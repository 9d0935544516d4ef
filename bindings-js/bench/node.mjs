// One tool in a process of its own: `node node.mjs ready textveil`, `node node.mjs measure textveil`.

import { measure, ready } from "./measure.mjs";

const [, , what, tool] = process.argv;
const load = () => import(`./tools/${tool}.mjs`);
const figures = what === "ready" ? await ready(load) : await measure((await load()).verbs);
console.log(`\n${JSON.stringify(figures)}`);
process.exit(); // a tool may keep timers
