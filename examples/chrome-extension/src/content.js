// In the page: what is pasted, dropped or sent goes through the extension first, and copies have the values again.

const site = siteOf(location.hostname);
const settings = { mode: "placeholder", review: true, send: true, show: true, off: [] };
/** The text that the user sent as it is, or protected: it passes without another question. */
let passed;
/** Whether what follows is the page's own event, sent again. */
let isPassing = false;
/** Whether a question is open: what the user does meanwhile waits for it. */
let isAsking = false;

const isOn = () => site !== undefined && !settings.off.includes(site.host);
const isPlaced = () => isOn() && settings.show;

chrome.storage.sync.get(settings).then((stored) => {
  Object.assign(settings, stored);
  restored.start((replacements) => ask("originals", { replacements }), isPlaced());
});
chrome.storage.sync.onChanged.addListener((changes) => {
  for (const [name, { newValue }] of Object.entries(changes)) settings[name] = newValue;
  restored.refresh(isPlaced());
});
chrome.runtime.onMessage.addListener((_question, _sender, answer) => answer(site?.host));

// before any listener of the page, which would else have what is pasted or sent
addEventListener("paste", (event) => take(event, event.clipboardData), { capture: true });
addEventListener("drop", (event) => take(event, event.dataTransfer), { capture: true });
addEventListener("copy", (event) => void restoreCopy(event), { capture: true });
addEventListener("keydown", (event) => {
  const isSending = event.key === "Enter" && !event.shiftKey && !event.isComposing;
  if (isSending && editorOf(event.target)) guard(event, editorOf(event.target));
}, { capture: true });
addEventListener("click", (event) => {
  const button = site && event.target.closest?.(site.send);
  if (button) guard(event, document.querySelector(site.editor));
}, { capture: true });
addEventListener("submit", (event) => guard(event, event.target.querySelector(site?.editor ?? "textarea")), { capture: true });

/** The element in which one types, around or at a place of the page. */
function editorOf(target) {
  return site === undefined ? null : (target.closest?.(site.editor) ?? null);
}

function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Takes a paste or a drop of text; files are the page's. */
function take(event, data) {
  if (!isOn() || !event.isTrusted) return;
  const text = textOf(data);
  const field = event.type === "drop" ? event.target.closest?.("textarea, input, [contenteditable=true]") : document.activeElement;
  if (text === "" || !field) return;
  stop(event);
  if (isAsking) return;
  const selection = event.type === "drop" ? placeOf(event, field) : selectionIn(field);
  void during(async () => {
    const safe = await protectedText(text, "Paste");
    if (safe === undefined) return;
    insert(field, safe, selection);
  }, "pasted nothing");
}

/** Returns the copied text; also of a program that copies HTML alone, as the page reads it. */
function textOf(data) {
  const html = data.getData("text/html");
  return data.getData("text/plain") || new DOMParser().parseFromString(html, "text/html").body.textContent;
}

/** Keeps a message until what it has was reviewed; sends it again then. */
function guard(event, editor) {
  if (isPassing || !isOn() || !settings.send || !editor) return;
  const text = contentOf(editor);
  if (text.trim() === "" || text === passed) return;
  stop(event);
  if (isAsking) return;
  void during(async () => {
    const safe = await protectedText(text, "Send");
    if (safe === undefined) return;
    if (safe !== text) insert(editor, safe, "all");
    passed = contentOf(editor);
    // the page learns of its new text first
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    sendAgain(event, editor);
  }, "sent nothing");
}

/** The button is the common control of pages; if it is absent, the key that was pressed. */
function sendAgain(event, editor) {
  isPassing = true;
  try {
    const button = document.querySelector(site.send);
    if (event.type === "submit") event.target.requestSubmit(event.submitter);
    else if (button && !button.disabled) button.click();
    else editor.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", keyCode: 13, bubbles: true, cancelable: true }));
  } finally {
    isPassing = false;
  }
}

async function during(work, failure) {
  isAsking = true;
  try {
    await work();
  } catch (error) {
    panel.say(`${failure}: ${error.message}`);
  } finally {
    isAsking = false;
  }
}

/** The text with what the user protects of it; undefined where the user stops. */
async function protectedText(text, verb) {
  const findings = await ask("find", { text });
  if (findings.length === 0) return text;
  const chosen = settings.review ? await panel.review(findings, verb) : findings;
  if (chosen === undefined) return undefined;
  if (chosen.length === 0) return text;
  const safe = await ask("apply", { text, findings: chosen });
  restored.learn();
  return safe;
}

function contentOf(editor) {
  return editor.value ?? editor.innerText;
}

function selectionIn(field) {
  if (field.value !== undefined) return [field.selectionStart, field.selectionEnd];
  const selection = getSelection();
  return selection.rangeCount > 0 ? selection.getRangeAt(0).cloneRange() : "all";
}

/** Returns the place of a drop; the end of the field if the browser does not tell. */
function placeOf({ clientX, clientY }, field) {
  if (field.value !== undefined) {
    const position = document.caretPositionFromPoint?.(clientX, clientY);
    const at = position?.offsetNode === field ? position.offset : field.value.length;
    return [at, at];
  }
  const range = document.caretRangeFromPoint(clientX, clientY);
  if (range !== null && field.contains(range.startContainer)) return range;
  const end = document.createRange();
  end.selectNodeContents(field);
  end.collapse(false);
  return end;
}

function insert(field, text, selection) {
  field.focus();
  if (selection === "all" && field.value !== undefined) field.select();
  else if (field.value !== undefined) field.setSelectionRange(...selection);
  else if (selection === "all") getSelection().selectAllChildren(field);
  else {
    getSelection().removeAllRanges();
    getSelection().addRange(selection);
  }
  // deprecated, and still the only way to insert that editors notice and that can be undone
  document.execCommand("insertText", false, text);
}

async function restoreCopy(event) {
  const text = selectedText();
  // a page that only says that something was copied gets nothing
  if (!isOn() || !event.isTrusted || text.search(restored.REPLACEMENT) < 0) return;
  stop(event);
  try {
    await navigator.clipboard.writeText(await ask("restore", { text }));
  } catch (error) {
    panel.say(`copied nothing: ${error.message}`);
  }
}

function selectedText() {
  const { value, selectionStart, selectionEnd } = document.activeElement ?? {};
  return value === undefined ? String(getSelection()) : value.slice(selectionStart, selectionEnd);
}

async function ask(verb, question) {
  const { answer, error } = await chrome.runtime.sendMessage({ verb, ...question });
  if (error !== undefined) throw new Error(error);
  return answer;
}
