// Tests of the manifests of the examples.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

const EXAMPLES = join(import.meta.dirname, "..");
const read = (...path) => readFileSync(join(EXAMPLES, ...path), "utf8");
const { devDependencies: installed } = JSON.parse(read("package.json"));
const examples = readdirSync(EXAMPLES).filter((name) => !name.startsWith(".") && existsSync(join(EXAMPLES, name, "package.json")));
const { version } = JSON.parse(read("../dist/npm/package.json"));

describe("each example", () => {
  for (const example of examples) {
    test(`${example} is described, and tested with what it asks for`, () => {
      assert.match(read(example, "README.md"), /^# /);
      assert.ok(read("README.md").includes(`(${example}/)`), "it is not in the table of examples/README.md");
      assert.ok(existsSync(join(EXAMPLES, `test/${example}.test.mjs`)));

      const { dependencies, devDependencies } = JSON.parse(read(example, "package.json"));
      // wrangler, which runs the worker for a user, would bring what the tests have in a smaller form
      const { wrangler: _, ...asked } = { ...dependencies, ...devDependencies };
      for (const [name, range] of Object.entries(asked)) {
        assert.equal(range, `^${name === "textveil" ? version : installed[name]}`, name);
      }
    });
  }
});
