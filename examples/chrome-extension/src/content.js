// In the page: what is pasted goes through the extension first, and tokens that are copied come back.

const TOKEN = /\btok_[a-z]{2}_\w+/;
const settings = { on: true };

chrome.storage.sync.get(settings).then((stored) => Object.assign(settings, stored));
chrome.storage.sync.onChanged.addListener(({ on }) => {
  if (on) settings.on = on.newValue;
});

// before any listener of the page, which would else read the clipboard as it is
window.addEventListener("paste", (event) => void protectPaste(event), { capture: true });
window.addEventListener("copy", (event) => void restoreCopy(event), { capture: true });

async function protectPaste(event) {
  const text = textOf(event.clipboardData);
  if (!settings.on || text === "") return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const field = document.activeElement;
  try {
    const protectedText = await ask("protect", text);
    field.focus();
    // deprecated, and still the only way to insert that editors notice and that can be undone
    document.execCommand("insertText", false, protectedText);
  } catch (error) {
    alert(`Textveil pasted nothing: ${error.message}`);
  }
}

/** What a program copied as HTML alone is read by the page, too. */
function textOf(clipboard) {
  const html = clipboard.getData("text/html");
  return clipboard.getData("text/plain") || new DOMParser().parseFromString(html, "text/html").body.textContent;
}

async function restoreCopy(event) {
  const text = selected();
  // a page that only says that something was copied gets nothing
  if (!settings.on || !event.isTrusted || !TOKEN.test(text)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  try {
    await navigator.clipboard.writeText(await ask("restore", text));
  } catch (error) {
    alert(`Textveil copied nothing: ${error.message}`);
  }
}

function selected() {
  const { value, selectionStart, selectionEnd } = document.activeElement;
  return value === undefined ? String(getSelection()) : value.slice(selectionStart, selectionEnd);
}

async function ask(verb, text) {
  const answer = await chrome.runtime.sendMessage({ verb, text });
  if (answer.error) throw new Error(answer.error);
  return answer.text;
}
