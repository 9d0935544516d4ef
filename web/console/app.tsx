// The frame around the pages: who is signed in, which workspace, and where to go.

import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { Audit } from "./pages/audit.js";
import { Detectors } from "./pages/detectors.js";
import { Keys } from "./pages/keys.js";
import { Lists } from "./pages/lists.js";
import { Overview } from "./pages/overview.js";
import { Policies } from "./pages/policies.js";
import { Providers } from "./pages/providers.js";
import { Routing } from "./pages/routing.js";
import { SignIn } from "./pages/sign-in.js";
import { Test } from "./pages/test.js";
import { Transfer } from "./pages/transfer.js";
import { Usage } from "./pages/usage.js";
import { Verification } from "./pages/verification.js";
import { focusPage } from "./parts/focus.js";
import { Needs } from "./parts/needs.js";
import { Announcer } from "./parts/notice.js";
import { Session } from "./parts/session-bar.js";
import { place } from "./router.js";
import { type Credential, CREDENTIAL_NAMES, expired, isSignedIn, tokens, userWorkspace, workspace } from "./session.js";

interface PageEntry {
  path: string;
  title: string;
  /** The credential that opens it; the overview shows what each one opens. */
  needs?: Credential;
  Page: FunctionComponent;
}

const PAGES: [PageEntry, ...PageEntry[]] = [
  { path: "overview", title: "Overview", Page: Overview },
  { path: "policies", title: "Policies", needs: "service", Page: Policies },
  { path: "routing", title: "Routing", needs: "service", Page: Routing },
  { path: "providers", title: "LLM providers", needs: "user", Page: Providers },
  { path: "test", title: "Test", needs: "service", Page: Test },
  { path: "audit", title: "Audit", needs: "service", Page: Audit },
  { path: "verification", title: "Verification", needs: "service", Page: Verification },
  { path: "usage", title: "Usage", needs: "service", Page: Usage },
  { path: "detectors", title: "Custom detectors", needs: "key", Page: Detectors },
  { path: "lists", title: "Allow and deny lists", needs: "key", Page: Lists },
  { path: "keys", title: "API keys", needs: "user", Page: Keys },
  { path: "transfer", title: "Export and import", needs: "service", Page: Transfer },
];

export function App() {
  // a rejected token leaves its page in sight, which then asks for another one
  const isOpen = isSignedIn.value || Object.keys(expired.value).length > 0;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the page
      </a>
      <header class="top">
        <p class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect x="2" y="7" width="18" height="4" rx="2" />
            <rect class="veil" x="2" y="14" width="28" height="4" rx="2" />
            <rect x="2" y="21" width="12" height="4" rx="2" />
          </svg>
          Textveil <span>console</span>
        </p>
        {/* in another tab: the tokens of this page are in its memory only */}
        <a href="/docs/" target="_blank" rel="noreferrer">
          Documentation
        </a>
        {isOpen && <Session />}
      </header>
      {isOpen ? <Frame /> : <SignIn />}
    </>
  );
}

function Frame() {
  const entry = PAGES.find(({ path }) => path === place.value[0]) ?? PAGES[0];
  const { path, title, needs, Page } = entry;
  useEffect(() => {
    document.title = `${title} – Textveil console`;
    // on narrow screens the list of pages scrolls
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    // a control that has just appeared in the page may have taken the focus already
    if (!document.querySelector("main")?.contains(document.activeElement)) focusPage();
  }, [place.value, tokens.value]);
  // a page belongs to a workspace: with another one it starts anew
  const owner = ownerOf(needs);
  return (
    <div class="frame">
      <div class="side">
        <nav aria-label="Pages">
          <ul>
            {PAGES.map((page) => (
              <li key={page.path}>
                <a href={`#/${page.path}`} aria-current={page.path === path ? "page" : undefined}>
                  {page.title}
                  {page.needs && !tokens.value[page.needs] && <Locked credential={page.needs} />}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Announcer />
      </div>
      <main id="main">
        <div class="page-head">
          <h1 tabindex={-1}>{title}</h1>
          {owner ? (
            <p class="soft owner">
              of workspace <b>{owner}</b>
            </p>
          ) : (
            needs === "key" && <p class="soft owner">of the workspace of the API key</p>
          )}
        </div>
        {needs ? (
          <Needs credential={needs}>
            <Page key={owner} />
          </Needs>
        ) : (
          <Page key={owner} />
        )}
      </main>
    </div>
  );
}

/** The workspace that a page is about; an API key does not say its own. */
function ownerOf(needs: Credential | undefined): string | undefined {
  if (needs === "key") return undefined;
  return needs === "user" ? userWorkspace.value : workspace.value;
}

function Locked({ credential }: { credential: Credential }) {
  return (
    <span class="locked" title={`Needs: ${CREDENTIAL_NAMES[credential]}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4 7V5a4 4 0 0 1 8 0v2h1v7H3V7zm2 0h4V5a2 2 0 0 0-4 0z" />
      </svg>
      <span class="unseen">Needs: {CREDENTIAL_NAMES[credential]}</span>
    </span>
  );
}

/** The address belongs to the pages, so the link moves the focus only. */
function skip(event: Event): void {
  event.preventDefault();
  focusPage();
}
