import { useState } from "preact/hooks";

/** Copies, and says whether it could, for as long as the text is the same. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState({ of: text, outcome: "" });
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid({ of: text, outcome: "Copied" }),
      // without the right to write, or on a page without TLS
      () => setSaid({ of: text, outcome: "Select it and press Ctrl+C" }),
    );
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">{said.of === text && said.outcome}</span>
    </span>
  );
}
