import { render } from "preact";
import { App } from "./app.js";
import { resume } from "./identity-provider.js";

resume();

const root = document.getElementById("console");
if (root) render(<App />, root);
