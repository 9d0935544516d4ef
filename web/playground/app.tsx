// The page as a whole.

import { detectors } from "textveil";
import { ByType } from "./by-type.js";
import { Conversation } from "./conversation.js";
import { Countries } from "./countries.js";
import { DropHint } from "./drop.js";
import { Editor } from "./editor.js";
import { Files } from "./files-panel.js";
import { Findings } from "./findings.js";
import { choose, type Language, language, languages, number, t } from "./i18n/index.js";
import { Options } from "./options.js";
import { openRestore, RestoreDialog } from "./restore.js";
import { Results } from "./result.js";
import { Rules } from "./rules-form.js";
import { CodeDialog, openCode, openShare, ShareDialog } from "./share.js";
import { sideBySide } from "./state.js";
import { Tabs, view } from "./tabs.js";

export function App() {
  return (
    <>
      <a class="skip" href={view.value === "text" ? "#text" : "#view"}>
        {t("skip")}
      </a>
      <Header />
      <main>
        <Tabs />
        <Options withModes={view.value === "text"} />
        <div id="view" role="tabpanel" tabIndex={-1} aria-labelledby={`tab-${view.value}`}>
          {view.value === "text" ? <TextView /> : <ConversationView />}
        </div>
      </main>
      <footer>
        <p id="about">{t("about", { n: number(detectors().count) })}</p>
        {/* in another tab: the text of this page is in its memory only */}
        <p class="links">
          <OtherPage href="/docs/">{t("documentation")}</OtherPage>
          <OtherPage href="/console/">{t("console")}</OtherPage>
          {SOURCE_ADDRESS !== "" && <OtherPage href={SOURCE_ADDRESS}>{t("source")}</OtherPage>}
        </p>
      </footer>
      <RestoreDialog />
      <ShareDialog />
      <CodeDialog />
      <DropHint />
    </>
  );
}

function TextView() {
  return (
    <>
      <div class={sideBySide.value ? "texts compare" : "texts"}>
        <Editor />
        <Results />
      </div>
      <Files />
      <div class="columns">
        <Findings />
        <aside>
          <ByType />
          <Countries />
          <Rules />
        </aside>
      </div>
    </>
  );
}

function ConversationView() {
  return (
    <>
      <Conversation />
      <Rules />
    </>
  );
}

function OtherPage({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

function Header() {
  return (
    <header>
      <h1>
        <Mark />
        Textveil
      </h1>
      <p>
        {t("lead")} <strong>{t("promise")}</strong>
      </p>
      <div class="tools">
        <button type="button" onClick={openRestore}>
          {t("restore")}
        </button>
        <button type="button" onClick={openShare}>
          {t("share")}
        </button>
        <button type="button" onClick={openCode}>
          {t("code")}
        </button>
        <LanguageSelect />
      </div>
    </header>
  );
}

function LanguageSelect() {
  return (
    <label>
      <span class="unseen">{t("language")}</span>
      <select
        name="language"
        value={language.value}
        onChange={({ currentTarget }) => choose(currentTarget.value as Language)}
      >
        {languages.map(({ code, name }) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect x="2" y="7" width="18" height="4" rx="2" />
      <rect class="veil" x="2" y="14" width="28" height="4" rx="2" />
      <rect x="2" y="21" width="12" height="4" rx="2" />
    </svg>
  );
}
