// Restored values over the page: each lies highlighted over its placeholder, in a closed shadow tree. The page keeps the
// placeholder, and its scripts cannot read the value.

/* exported restored */

const restored = (() => {
  /** Placeholders and tokens as the package writes them. */
  const REPLACEMENT = /\[\[[A-Z0-9_]+_\d+\]\]|\btok_[a-z]{2}_[a-z0-9_]+/g;
  const STYLE = `
    :host { all: initial; }
    span {
      position: fixed;
      box-sizing: border-box;
      overflow: hidden;
      padding: 0 .125em;
      border-radius: 4px;
      background: #ffe08a;
      color: #1d1404;
      text-overflow: ellipsis;
      white-space: nowrap;
      z-index: 2147483646;
    }
    span:is(:hover, :focus-visible) { width: max-content !important; max-width: 60vw; overflow: visible; white-space: normal; z-index: 2147483647; outline: 2px solid #b35c00; }
  `;
  /** The smallest letters of a value, as a part of those around it. */
  const SMALLEST = 0.7;
  /** Measures texts. */
  const pen = document.createElement("canvas").getContext("2d");
  /** The values of replacements; null for one that is not of this page. */
  const known = new Map();
  const shadow = panel.closedTree("textveil-restored", STYLE);
  let isPlanned = false;
  let askOriginals;
  let isShown = false;

  /** Begins to show values; `ask` gives the originals of replacements. */
  function start(ask, isOn) {
    askOriginals = ask;
    isShown = isOn;
    new MutationObserver(plan).observe(document.documentElement, { childList: true, characterData: true, subtree: true });
    for (const kind of ["scroll", "resize"]) addEventListener(kind, plan, { capture: true, passive: true });
    plan();
  }

  /** Shows nothing any more, or everything again. */
  function refresh(isOn) {
    isShown = isOn;
    learn();
  }

  function plan() {
    if (isPlanned || askOriginals === undefined) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      void paint();
    });
  }

  async function paint() {
    if (!isShown) return shadow().replaceChildren();
    const places = placesIn(document.body);
    const unknown = [...new Set(places.map(({ text }) => text))].filter((text) => !known.has(text));
    if (unknown.length > 0) {
      // asked once, whatever becomes of it
      for (const text of unknown) known.set(text, null);
      for (const [index, original] of (await askOriginals(unknown)).entries()) known.set(unknown[index], original);
      return plan();
    }
    const shown = places.flatMap(({ range, text }) => {
      const original = known.get(text);
      const box = range.getBoundingClientRect();
      const isInSight = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
      return original === null || !isInSight ? [] : [{ range, original, box }];
    });
    const labels = [...shadow().children];
    // those that are there stay, and the focus with them
    for (const [index, value] of shown.entries()) put(labels[index] ?? shadow().appendChild(panel.element("span", { tabIndex: 0 })), value);
    for (const label of labels.slice(shown.length)) label.remove();
  }

  /** A value that is protected later has the same placeholder as one that was unknown. */
  function learn() {
    for (const [text, original] of known) if (original === null) known.delete(text);
    plan();
  }

  function placesIn(root) {
    if (!root) return [];
    const places = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement?.closest("script, style, textarea, [contenteditable=true]") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { index, 0: text } of node.data.matchAll(REPLACEMENT)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + text.length);
        places.push({ range, text });
      }
    }
    return places;
  }

  /** Puts a label over its placeholder. */
  function put(label, { range, original, box }) {
    const { fontSize, fontFamily } = getComputedStyle(range.startContainer.parentElement);
    const size = Number.parseFloat(fontSize);
    // smaller letters for a value that is longer than its placeholder; the rest is seen when it is pointed at
    pen.font = `${size}px ${fontFamily}`;
    const fits = box.width / (pen.measureText(original).width + size / 4);
    if (label.textContent !== original) label.textContent = original;
    Object.assign(label.style, {
      left: `${box.left}px`,
      top: `${box.top}px`,
      width: `${box.width}px`,
      minHeight: `${box.height}px`,
      lineHeight: `${box.height}px`,
      fontSize: `${size * Math.max(SMALLEST, Math.min(1, fits))}px`,
      fontFamily,
    });
  }

  return { start, refresh, learn, REPLACEMENT };
})();
