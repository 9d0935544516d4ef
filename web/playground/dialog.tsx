// A dialog over the page, with a title and a button that closes it.

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "./i18n/index.js";

interface DialogProps {
  /** Of the title, which names the dialog. */
  id: string;
  title: string;
  isOpen: Signal<boolean>;
  children: ComponentChildren;
}

export function Dialog({ id, title, isOpen, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // after the content is there, which has the element with the focus
  useLayoutEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  const close = () => {
    isOpen.value = false;
  };
  // Escape closes the dialog at once, but `close` may come after the reader has opened the dialog again
  const follow = () => {
    if (dialog.current?.open === false) close();
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={close} onClose={follow}>
      <div class="bar">
        <h2 id={id}>{title}</h2>
        <button type="button" onClick={close}>
          {t("close")}
        </button>
      </div>
      {/* made when it is open: what it shows costs nothing before */}
      {isOpen.value && <div class="dialog-body">{children}</div>}
    </dialog>
  );
}
