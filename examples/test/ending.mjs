// Clean-up after the tests of a file: folders, servers, browsers.

import { after } from "node:test";

const steps = [];

// registered here and not where it is asked for, since a hook that is made within a hook ends with that one
after(async () => {
  for (const step of steps.reverse()) await step();
});

/** Takes this step at the end, before those that were asked for earlier. */
export function atEnd(step) {
  steps.push(step);
}
