// The settings, which go to every page at once by way of the storage.

/** The settings until the user chooses. */
export const defaults = {
  /** The replacement of a finding: `placeholder`, `tokenize`, `replace` or `mask`. */
  mode: "placeholder",
  /** The preset of detection. */
  preset: "balanced",
  /** Whether findings are reviewed before they are replaced. */
  review: true,
  /** Whether messages are inspected when they are sent, too. */
  send: true,
  /** Whether restored values are shown over their placeholders. */
  show: true,
  /** Hosts on which the extension does nothing. */
  off: [],
};

/** Binds the controls of a page, which have the names of settings, to the storage. */
export async function bind(form) {
  const show = (settings) => {
    for (const [name, value] of Object.entries(settings)) {
      const control = form.elements[name];
      if (control?.type === "checkbox") control.checked = value;
      else if (control) control.value = value;
    }
  };
  show(await chrome.storage.sync.get(defaults));
  form.addEventListener("change", ({ target }) => {
    if (Object.hasOwn(defaults, target.name)) {
      void chrome.storage.sync.set({ [target.name]: target.type === "checkbox" ? target.checked : target.value });
    }
  });
  chrome.storage.sync.onChanged.addListener((changes) => {
    show(Object.fromEntries(Object.entries(changes).map(([name, { newValue }]) => [name, newValue])));
  });
}

/** Switches the extension on or off for a host. */
export async function setSite(host, isOn) {
  const { off } = await chrome.storage.sync.get(defaults);
  const others = off.filter((one) => one !== host);
  await chrome.storage.sync.set({ off: isOn ? others : [...others, host] });
}
