// The popup, and the options page: settings go to every page at once by way of the storage.

const on = document.getElementById("on");
const mode = document.getElementById("mode");
const count = document.getElementById("count");

const settings = await chrome.storage.sync.get({ on: true, mode: "tokenize" });
on.checked = settings.on;
mode.value = settings.mode;
count.value = (await chrome.storage.local.get({ count: 0 })).count;

on.addEventListener("change", () => chrome.storage.sync.set({ on: on.checked }));
mode.addEventListener("change", () => chrome.storage.sync.set({ mode: mode.value }));
chrome.storage.local.onChanged.addListener(({ count: changed }) => {
  if (changed) count.value = changed.newValue;
});
