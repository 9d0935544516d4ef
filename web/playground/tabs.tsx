// The two views of the page: texts and files, and a conversation with a language model.

import { signal } from "@preact/signals";
import { t } from "./i18n/index.js";

const VIEWS = ["text", "conversation"] as const;
export type View = (typeof VIEWS)[number];

export const view = signal<View>("text");

const TITLES = { text: "viewText", conversation: "viewConversation" } as const;

/** Arrow keys change the view, as in the tabs of other programs; Tab leads to what is in it. */
export function Tabs() {
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const to = by === undefined ? undefined : VIEWS[(VIEWS.indexOf(view.value) + by + VIEWS.length) % VIEWS.length];
    if (to === undefined) return;
    event.preventDefault();
    view.value = to;
    document.getElementById(`tab-${to}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={t("views")} onKeyDown={onKeyDown}>
      {VIEWS.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={view.value === name}
          aria-controls="view"
          tabIndex={view.value === name ? 0 : -1}
          onClick={() => {
            view.value = name;
          }}
        >
          {t(TITLES[name])}
        </button>
      ))}
    </div>
  );
}
