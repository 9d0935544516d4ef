// A part that opens, whose inside is made only when it is open.

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

export function Details({ isOpen, children }: { isOpen: Signal<boolean>; children: ComponentChildren }) {
  return (
    <details
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      {children}
    </details>
  );
}
