// A part of a whole as a bar, with its percentage beside it.

import { percent } from "./i18n/index.js";

export function Meter({ part, label }: { part: number; label: string }) {
  return (
    <span class="confidence" title={label}>
      <span class="meter" style={{ "--part": `${part * 100}%` }} />
      {percent(part)}
    </span>
  );
}
