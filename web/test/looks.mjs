// The looks in which the tests see each state of a page.

import { FULL } from "../../bindings-js/test/browser.mjs";

const THEMES = ["light", "dark"];
const WIDTHS = [360, 800, 1280];

/**
 * Returns the themes and widths for the state of this number: all of them in a full run, otherwise so that each state has
 * every width and both themes, and each theme has every width in one state of two.
 */
export function looks(state) {
  const all = WIDTHS.flatMap((width, at) => THEMES.map((theme, of) => ({ width, theme, isOfPairs: (state + at + of) % 2 === 0 })));
  return all.filter(({ isOfPairs }) => FULL || isOfPairs);
}
