// The request behind an action, to be run in a shell.

import type { Call } from "../request.js";
import { asCurl } from "../request.js";
import { CopyButton } from "./copy.js";

export function AsCurl({ call, name = "As curl" }: { call: Call<unknown>; name?: string }) {
  const command = asCurl(call, location.origin);
  return (
    <details class="curl">
      <summary>{name}</summary>
      <pre tabindex={0}>{command}</pre>
      <CopyButton text={command} />
    </details>
  );
}
