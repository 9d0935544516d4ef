// The title of a type, with its language where that is not the page's.

import { typeTitle } from "./names.js";

export function TypeTitle({ type, class: className }: { type: string; class: string }) {
  const { text, lang } = typeTitle(type);
  return (
    <span class={className} lang={lang}>
      {text}
    </span>
  );
}
