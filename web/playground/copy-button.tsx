// A button that copies a text, and says whether it could for as long as the text is the same.

import { useSignal } from "@preact/signals";
import { t } from "./i18n/index.js";

interface CopyProps {
  text: string;
  label: string;
  disabled?: boolean;
  /** Selected where the page may not copy. */
  source: () => HTMLElement | null;
}

export function CopyButton({ text, label, disabled = false, source }: CopyProps) {
  const copied = useSignal<{ text: string; byHand: boolean } | undefined>(undefined);
  const copy = async () => {
    copied.value = { text, byHand: !(await copyText(text, source())) };
  };
  const said = copied.value?.text !== text ? label : copied.value.byHand ? t("copyByHand") : t("copied");
  return (
    <button type="button" class="primary copy" disabled={disabled} onClick={() => void copy()}>
      {said}
    </button>
  );
}

/** Copies a text; without the right to, as on a page without TLS, leaves `source` selected. */
async function copyText(text: string, source: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement) source.select();
    else if (source !== null) getSelection()?.selectAllChildren(source);
    return false;
  }
}
