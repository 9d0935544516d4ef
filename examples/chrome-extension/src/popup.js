// The popup: the switch of the page in front, and what is changed often.

import { bind, defaults, setSite } from "./settings.js";

await bind(document.querySelector("form"));

const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
// only a chat page answers
const host = await chrome.tabs.sendMessage(tab.id, "which site").catch(() => undefined);
if (host !== undefined) {
  const here = document.getElementById("here");
  const box = here.querySelector("input");
  here.querySelector("b").textContent = host;
  box.checked = !(await chrome.storage.sync.get(defaults)).off.includes(host);
  box.addEventListener("change", () => void setSite(host, box.checked));
  here.hidden = false;
  document.getElementById("elsewhere").hidden = true;
}

const count = document.getElementById("count");
count.value = (await chrome.storage.local.get({ count: 0 })).count;
chrome.storage.local.onChanged.addListener(({ count: changed }) => {
  if (changed) count.value = changed.newValue;
});

document.getElementById("options").addEventListener("click", () => void chrome.runtime.openOptionsPage());
