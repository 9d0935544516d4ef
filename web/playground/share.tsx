// Two dialogs: a link and a file with the settings, and the same settings as a program.

import { signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { save } from "../ui/download.js";
import { CopyButton } from "./copy-button.js";
import { Dialog } from "./dialog.js";
import { t } from "./i18n/index.js";
import { linkTo } from "./link.js";
import { settings, takeSettings } from "./settings.js";
import { languagesOf, type SnippetLanguage, snippet } from "./snippets.js";
import { text } from "./state.js";
import { view } from "./tabs.js";

const sharing = signal(false);
const coding = signal(false);

export function openShare(): void {
  sharing.value = true;
}

export function openCode(): void {
  coding.value = true;
}

export function ShareDialog() {
  return (
    <Dialog id="share-title" title={t("shareTitle")} isOpen={sharing}>
      <Link />
      <SettingsFile />
    </Dialog>
  );
}

function Link() {
  const isWithText = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  const link = linkTo(settings.value, isWithText.value ? text.value : undefined);
  return (
    <>
      <p class="note">{t("shareNote")}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={isWithText.value}
          onChange={({ currentTarget }) => {
            isWithText.value = currentTarget.checked;
          }}
        />
        <span>{t("withText")}</span>
      </label>
      <p class="note">{t("withTextNote")}</p>
      <div class="link-row">
        <label class="field">
          <span>{t("link")}</span>
          <input ref={field} id="link" readOnly value={link} />
        </label>
        <CopyButton text={link} label={t("copyLink")} source={() => field.current} />
      </div>
    </>
  );
}

function SettingsFile() {
  const refusal = useSignal<string | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const download = () => {
    const json = `${JSON.stringify(settings.value, undefined, 2)}\n`;
    save(new Blob([json], { type: "application/json" }), "textveil-settings.json");
  };
  const open = async (file: File | undefined) => {
    if (file === undefined) return;
    refusal.value = takeSettings(parsed(await file.text()));
  };
  return (
    <div class="field">
      <h3>{t("settingsFile")}</h3>
      <p class="note">{t("settingsNote")}</p>
      <div class="actions">
        <button type="button" onClick={download}>
          {t("downloadSettings")}
        </button>
        <button type="button" onClick={() => input.current?.click()}>
          {t("openSettings")}
        </button>
      </div>
      <input
        ref={input}
        id="settings-file"
        type="file"
        hidden
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          void open(currentTarget.files?.[0]);
          currentTarget.value = "";
        }}
      />
      {refusal.value !== undefined && (
        <p class="error" role="alert">
          {t("settingsRejected")} <span lang="en">{refusal.value}</span>
        </p>
      )}
    </div>
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export function CodeDialog() {
  const chosen = useSignal<SnippetLanguage>("JavaScript");
  const output = useRef<HTMLPreElement>(null);
  const of = view.value === "conversation" || settings.value.mode === "placeholder" ? "prompt" : "text";
  const languages = languagesOf(of);
  const language = languages.includes(chosen.value) ? chosen.value : "JavaScript";
  const code = snippet(language, settings.value, of);
  return (
    <Dialog id="code-title" title={t("codeTitle")} isOpen={coding}>
      <fieldset class="segments">
        <legend class="unseen">{t("codeTitle")}</legend>
        {languages.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="code"
              value={name}
              checked={language === name}
              onChange={() => {
                chosen.value = name;
              }}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <pre ref={output} id="code" class="result" tabIndex={0} role="group" aria-label={language}>
        {code}
      </pre>
      <div class="actions">
        <CopyButton text={code} label={t("copyCode")} source={() => output.current} />
        <p class="note">{t(of === "prompt" ? "codePromptNote" : "codeNote")}</p>
      </div>
    </Dialog>
  );
}
