// Ranks the hits of the site's search. By the configuration, the search box imports this module instead of MiniSearch: an
// option that is a function would reach the page as text, and the policy of the site forbids to evaluate text.

import MiniSearch from "../../node_modules/minisearch/dist/es/index.js";

/** Words that say nothing about what somebody searches for. */
const STOP_WORDS = new Set("a an and are can do does for from how i in is it my of on or that the this to what where which with".split(" "));

/** Spellings and words of readers, each with the word of the pages. */
const SYNONYMS = { k8s: "kubernetes", license: "licence", licenses: "licence", licensing: "licence", dsgvo: "gdpr", rgpd: "gdpr", pii: "personal" };

/** The pages of countries, with an entry for each detector. */
const DETECTORS = /^\/docs\/reference\/detectors\//;

/**
 * Weights of pages whose headings are names from a list, by the beginning of their address: without them, the hundreds of
 * detectors and types would come before the pages that explain something.
 */
const WEIGHTS = [
  [DETECTORS, 0.1],
  [/^\/docs\/reference\/javascript\//, 0.25],
  [/^\/docs\/(?:architecture|upgrade|reference\/cli|reference\/rest)\./, 0.4],
];

/** The factor of a page's own heading over the headings within a page. */
const PAGE = 1.5;

/** The options of a search: they are the same for every query. */
export const OPTIONS = {
  boost: { title: 4, text: 1, titles: 1 },
  // of short words, another letter makes another word
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  prefix: (term) => term.length > 2,
  processTerm(term) {
    const word = term.toLowerCase();
    return STOP_WORDS.has(word) ? null : (SYNONYMS[word] ?? word);
  },
  boostDocument(address, term, { titles }) {
    // somebody searches for this detector by its name
    if (DETECTORS.test(address) && address.endsWith(`#${term}`)) return 10;
    const [, weight] = WEIGHTS.find(([pattern]) => pattern.test(address)) ?? [null, 1];
    return weight * (titles.length === 0 ? PAGE : 1);
  },
};

/** MiniSearch with the site's options. The build writes the index with a MiniSearch of its own. */
export default class extends MiniSearch {
  static loadJSON(json, options) {
    return super.loadJSON(json, { ...options, searchOptions: { ...options.searchOptions, ...OPTIONS } });
  }
}
