// Imitations of the chat pages: each has what the extension relies on, in its own way, and records what reaches it.

/** The script of all pages: they record every event, and put a message and an answer into the conversation. */
const COMMON = `
  window.heard = "";
  window.sent = [];
  for (const kind of ["paste", "drop"]) {
    addEventListener(kind, (event) => { heard += (event.clipboardData ?? event.dataTransfer).getData("text/plain"); }, true);
  }
  addEventListener("input", (event) => { heard += event.target.value ?? event.target.innerText; }, true);
  function send(text) {
    if (text.trim() === "") return;
    sent.push(text);
    for (const [role, said] of [["user", text], ["assistant", "You wrote: " + text]]) {
      const turn = document.createElement("article");
      turn.dataset.role = role;
      turn.append(said);
      document.querySelector("main").append(turn);
    }
  }
`;

const page = (title, body, script) => `<!doctype html><html lang="en"><title>${title}</title>
  <style>[contenteditable], textarea { display: block; width: 30rem; min-height: 3rem; border: 1px solid }</style>
  <main></main>${body}<script>${COMMON}${script}</script></html>`;

/** By host: the page, and how one types and sends there. */
export const CHATS = {
  "chatgpt.com": page(
    "ChatGPT",
    `<form><div id="prompt-textarea" contenteditable="true"><p></p></div><button type="button" data-testid="send-button">Send</button></form>`,
    `const editor = document.getElementById("prompt-textarea");
     const go = () => { send(editor.innerText); editor.innerHTML = "<p></p>"; };
     editor.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); go(); } });
     document.querySelector("button").addEventListener("click", go);`,
  ),
  // its button is there only while there is something to send
  "claude.ai": page(
    "Claude",
    `<fieldset><div class="ProseMirror" contenteditable="true"></div></fieldset>`,
    `const editor = document.querySelector(".ProseMirror");
     const go = () => { send(editor.innerText); editor.innerText = ""; draw(); };
     const draw = () => {
       document.querySelector("button")?.remove();
       if (editor.innerText.trim() === "") return;
       const button = document.createElement("button");
       button.type = "button";
       button.setAttribute("aria-label", "Send message");
       button.addEventListener("click", go);
       document.querySelector("fieldset").append(button);
     };
     editor.addEventListener("input", draw);
     editor.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); go(); } });`,
  ),
  "gemini.google.com": page(
    "Gemini",
    `<rich-textarea><div class="ql-editor" contenteditable="true"></div></rich-textarea><button class="send-button"><i>Send</i></button>`,
    `const editor = document.querySelector(".ql-editor");
     const go = () => { send(editor.innerText); editor.innerText = ""; };
     document.querySelector("button").addEventListener("click", go);
     editor.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); go(); } });`,
  ),
  // a form, which the key submits
  "copilot.microsoft.com": page(
    "Copilot",
    `<form><textarea id="userInput"></textarea><button aria-label="Submit message">Send</button></form>`,
    `const editor = document.getElementById("userInput");
     const form = document.querySelector("form");
     form.addEventListener("submit", (event) => { event.preventDefault(); send(editor.value); editor.value = ""; });
     editor.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); } });`,
  ),
};

/** The element in which one types. */
export const EDITOR = '[contenteditable="true"], textarea';
/** The button that sends. */
export const SEND = "button";
