// One instance for `import` and `require`, as node.mjs. OpenCode takes the default, which has the options of `opencode.json`.
import { protectSessions } from "./cjs/opencode.js";

export { protectSessions };
export default protectSessions();
