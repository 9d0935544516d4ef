// The workspace, the tokens that are signed in, and the way out.

import { useState } from "preact/hooks";
import { mayLeave } from "../router.js";
import {
  CREDENTIAL_NAMES,
  CREDENTIALS,
  openWorkspace,
  signOut,
  tokens,
  userRole,
  visited,
  workspace,
} from "../session.js";

export function Session() {
  return (
    <div class="session">
      <WorkspaceChoice key={workspace.value} />
      <ul class="tokens" aria-label="Credentials in use">
        {CREDENTIALS.map((credential) => (
          <li key={credential} class="badge" data-on={tokens.value[credential] ? "" : undefined}>
            {tokens.value[credential] ? "" : "no "}
            {CREDENTIAL_NAMES[credential]}
            {credential === "user" && userRole.value && ` (${userRole.value})`}
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => mayLeave() && signOut()}>
        Sign out
      </button>
    </div>
  );
}

/** The API has no list of workspaces, so their names are typed; those that were open are offered. */
function WorkspaceChoice() {
  const [name, setName] = useState(workspace.value);
  const choose = (event: Event) => {
    event.preventDefault();
    if (name === workspace.value) return;
    if (mayLeave()) openWorkspace(name);
    else setName(workspace.value);
  };
  return (
    <form class="workspace" onSubmit={choose}>
      <label for="workspace">Workspace</label>
      <input
        id="workspace"
        list="workspaces"
        value={name}
        required
        pattern="[A-Za-z0-9._\-]{1,64}"
        title="1 to 64 letters, digits, dots, hyphens and underscores"
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value.trim())}
      />
      <datalist id="workspaces">
        {visited.value.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {name !== workspace.value && <button type="submit">Open</button>}
    </form>
  );
}
