// The chat pages: where one types, and what sends. The options page lists them, too.

/* exported SITES, siteOf */

const SITES = [
  { host: "chatgpt.com", name: "ChatGPT", editor: "#prompt-textarea", send: '[data-testid="send-button"]' },
  { host: "claude.ai", name: "Claude", editor: '[contenteditable="true"]', send: 'button[aria-label^="Send message" i]' },
  { host: "gemini.google.com", name: "Gemini", editor: 'rich-textarea [contenteditable="true"]', send: "button.send-button" },
  { host: "copilot.microsoft.com", name: "Copilot", editor: "textarea", send: 'button[aria-label^="Submit message" i]' },
];

/** The chat page of a host; undefined for any other page. */
function siteOf(host) {
  return SITES.find((site) => site.host === host);
}

// the options page imports the list
globalThis.textveilSites = SITES;
