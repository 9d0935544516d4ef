// Ranks the hits of the site's search. By the configuration, the search box imports this module instead of MiniSearch: an
// option that is a function would reach the page as text, and the policy of the site forbids to evaluate text.

import MiniSearch from "../../node_modules/minisearch/dist/es/index.js";

/** Words that say nothing about what somebody searches for. */
const STOP_WORDS = new Set("a an and are can do does for from how i in is it my of on or that the this to what where which with".split(" "));

/** Spellings and words of readers, each with the word of the pages. */
const SYNONYMS = new Map(
  Object.entries({
    agents: "cursor copilot",
    allow: "whitelist",
    benchmarks: "performance speed throughput fast",
    deny: "blacklist",
    gdpr: "dsgvo rgpd",
    identity: "oidc sso login",
    kubernetes: "k8s helm",
    licence: "license licenses licensing licences",
    logs: "logging logger loggers bunyan",
    personal: "pii",
    protection: "anonymize anonymise anonymization anonymisation redact redaction",
    tokens: "pseudonymize pseudonymise pseudonymization encrypt encryption",
    types: "typescript",
  }).flatMap(([word, others]) => others.split(" ").map((other) => [other, word])),
);

/** The pages of countries, with an entry for each detector. */
const DETECTORS = /^\/docs\/reference\/detectors\//;

/**
 * Weights of pages whose headings are names from a list, by the beginning of their address: without them, the hundreds of
 * detectors and types would come before the pages that explain something.
 */
const WEIGHTS = [
  [DETECTORS, 0.1],
  [/^\/docs\/reference\/javascript\//, 0.25],
  [/^\/docs\/(?:architecture|design\/\w+|upgrade|reference\/cli|reference\/rest)(?:#|$)/, 0.4],
];

/** The factor of a page's own heading over the headings within a page. */
const PAGE = 1.5;

/** The options of a search, for every query. */
const OPTIONS = {
  boost: { title: 4, text: 1, titles: 1 },
  // of short words, another letter makes another word
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  prefix: (term) => term.length > 2,
  processTerm(term) {
    const word = term.toLowerCase();
    return STOP_WORDS.has(word) ? null : (SYNONYMS.get(word) ?? word);
  },
};

/** The weight of a heading with this address for a query, by the headings above it. */
function weight(query, address, above) {
  // somebody searches for this detector by its name
  if (DETECTORS.test(address) && address.endsWith(`#${query.trim().toLowerCase().replaceAll(/[\s_]+/g, "-")}`)) return 10;
  const [, ofPage] = WEIGHTS.find(([pattern]) => pattern.test(address)) ?? [null, 1];
  return ofPage * (above.length === 0 ? PAGE : 1);
}

/** MiniSearch with the site's options. The build writes the index with a MiniSearch of its own. */
export default class extends MiniSearch {
  static loadJSON(json, options) {
    const index = super.loadJSON(json, options);
    const search = index.search.bind(index);
    index.search = (query) => search(query, { ...OPTIONS, boostDocument: (address, _, { titles }) => weight(query, address, titles) });
    return index;
  }
}
