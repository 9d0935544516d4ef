// The options page: everything that can be chosen, the switch of each chat page, and the way to forget.

import { bind, defaults, setSite } from "./settings.js";

const sites = globalThis.textveilSites;

await bind(document.querySelector("form"));

const { off } = await chrome.storage.sync.get(defaults);
for (const { host, name } of sites) {
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: !off.includes(host) });
  box.dataset.host = host;
  box.addEventListener("change", () => void setSite(host, box.checked));
  const label = document.createElement("label");
  label.append(`${name} (${host})`, box);
  document.getElementById("sites").append(label);
}
chrome.storage.sync.onChanged.addListener(({ off: changed }) => {
  if (!changed) return;
  for (const box of document.querySelectorAll("[data-host]")) box.checked = !changed.newValue.includes(box.dataset.host);
});

document.getElementById("forget").addEventListener("click", async () => {
  const { error } = await chrome.runtime.sendMessage({ verb: "forget", hosts: sites.map(({ host }) => host) });
  document.getElementById("forgotten").textContent = error === undefined ? "All values are forgotten." : `Nothing was forgotten: ${error}`;
});
