// The extension's own part of the page: the review, and messages. It is in a closed shadow tree, which the page cannot
// read.

/* exported panel */

const panel = (() => {
  const STYLE = [
    ":host { all: initial; }",
    "dialog, .message { box-sizing: border-box; width: min(36rem, calc(100vw - 2rem)); padding: 1.25rem; border: 1px solid light-dark(#dedbd2, #323846); border-radius: 12px; background: light-dark(#fff, #1c2029); color: light-dark(#1d2433, #e7eaf0); font: 15px/1.5 system-ui, sans-serif; color-scheme: light dark; }",
    "dialog::backdrop { background: rgb(10 14 22 / .55); }",
    "h2 { margin: 0 0 .25rem; font-size: 1.0625rem; }",
    "p { margin: 0; }",
    ".soft { color: light-dark(#5d6578, #9ba4b5); font-size: .875rem; }",
    "ul { max-height: 45vh; margin: .75rem 0; padding: 0; overflow: auto; list-style: none; border: 1px solid light-dark(#dedbd2, #323846); border-radius: 8px; }",
    "li + li { border-top: 1px solid light-dark(#dedbd2, #323846); }",
    "label { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; align-items: center; gap: .75rem; padding: .5rem .75rem; cursor: pointer; }",
    "input { width: 1.125rem; height: 1.125rem; margin: 0; accent-color: light-dark(#b35c00, #f2a83b); }",
    ".value { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere; }",
    ".type { padding: 0 .5rem; border-radius: 1rem; background: light-dark(#e3d9ff, #48378a); color: light-dark(#5b3cc4, #d5caff); font-size: .8125rem; }",
    ".actions { display: flex; flex-wrap: wrap; gap: .5rem; }",
    "button { padding: .375rem .875rem; border: 1px solid light-dark(#8b8d92, #6a7183); border-radius: 8px; background: none; color: inherit; font: inherit; font-size: .9375rem; cursor: pointer; }",
    "button.primary { border-color: transparent; background: light-dark(#b35c00, #f2a83b); color: light-dark(#fff, #1d1404); font-weight: 600; }",
    ":focus-visible { outline: 2px solid light-dark(#b35c00, #f2a83b); outline-offset: 2px; }",
    ".message { position: fixed; right: 1rem; bottom: 1rem; z-index: 2147483647; width: auto; max-width: 26rem; }",
  ].join("\n");

  /** Returns a function that gives a closed shadow tree of the page, which is made at its first call. */
  function closedTree(name, style) {
    let tree;
    return () => {
      if (tree === undefined) {
        tree = document.createElement(name).attachShadow({ mode: "closed" });
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(style);
        tree.adoptedStyleSheets = [sheet];
      }
      // a page that draws itself anew may have removed it
      if (!tree.host.isConnected) document.documentElement.append(tree.host);
      return tree;
    };
  }

  const shadow = closedTree("textveil-panel", STYLE);

  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /**
   * Asks which findings are protected.
   *
   * @param verb what the page does next: "Paste" or "Send"
   * @returns the findings to protect; undefined where the user stops
   */
  function review(findings, verb) {
    const boxes = findings.map(() => element("input", { type: "checkbox", checked: true }));
    const rows = findings.map(({ original, type }, index) =>
      element(
        "li",
        {},
        element(
          "label",
          {},
          boxes[index],
          element("span", { className: "value", textContent: original }),
          element("span", { className: "type", textContent: type.replaceAll("_", " ") }),
        ),
      ),
    );
    const title = element("h2", { id: "title", textContent: `${verb}: ${findings.length} ${findings.length === 1 ? "finding" : "findings"}` });
    const confirm = element("button", { className: "primary", type: "button", textContent: `${verb} protected`, autofocus: true });
    const stop = element("button", { type: "button", textContent: "Cancel" });
    const dialog = element(
      "dialog",
      {},
      title,
      element("p", { className: "soft", textContent: "Ticked findings are replaced before the page has them." }),
      element("ul", {}, ...rows),
      element("div", { className: "actions" }, confirm, stop),
    );
    dialog.setAttribute("aria-labelledby", "title");
    // the page has keys of its own
    for (const kind of ["keydown", "keyup", "keypress"]) dialog.addEventListener(kind, (event) => event.stopPropagation());
    shadow().append(dialog);
    dialog.showModal();
    return new Promise((done) => {
      const close = (chosen) => {
        dialog.remove();
        done(chosen);
      };
      confirm.addEventListener("click", () => close(findings.filter((_, index) => boxes[index].checked)));
      stop.addEventListener("click", () => close(undefined));
      dialog.addEventListener("cancel", () => close(undefined));
    });
  }

  /** Says why something was not done. */
  function say(text) {
    const message = element("p", { className: "message", role: "alert", textContent: `Textveil: ${text}` });
    shadow().append(message);
    setTimeout(() => message.remove(), 12_000);
  }

  return { review, say, element, shadow, closedTree };
})();
