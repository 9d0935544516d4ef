// The content of the form is protected in the page. Only the result is sent.

import { init, protectFormData } from "textveil";

const form = document.querySelector("form");
const output = document.querySelector("output");
const loaded = init(); // while the form is being filled in

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await loaded;
    const body = await protectFormData(new FormData(form));
    const answer = await fetch("/upload", { method: "POST", body });
    output.value = await answer.text();
  } catch (error) {
    output.value = `Nothing was sent: ${error.message}`;
  }
});
