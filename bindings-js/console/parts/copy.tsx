import { useState } from "preact/hooks";

/** Copies, and says whether it could. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied"),
      // without the right to write, or on a page without TLS
      () => setSaid("Select it and press Ctrl+C"),
    );
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}
