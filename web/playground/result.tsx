// The protected text, in one mode or in all of them side by side.

import { useRef } from "preact/hooks";
import { save } from "../ui/download.js";
import { type Analysis, MODES, type ShownMode } from "./analysis.js";
import { CopyButton } from "./copy-button.js";
import { t } from "./i18n/index.js";
import { KEY_FILE, keyFile } from "./key.js";
import { type Mark, Marked } from "./marks.js";
import { typeName } from "./names.js";
import { protectedName } from "./protected-name.js";
import { analysis, category, isDone, isProtected, mode, opened, sideBySide } from "./state.js";

export function Results() {
  const shown = sideBySide.value ? MODES : [mode.value];
  return (
    <div class={sideBySide.value ? "results compare" : "results"}>
      {shown.map((name) => (
        <Result key={name} mode={name} />
      ))}
    </div>
  );
}

function Result({ mode }: { mode: ShownMode }) {
  const output = useRef<HTMLPreElement>(null);
  const title = `result-title-${mode}`;
  const isReady = analysis.value.modes.includes(mode);
  const { text, marks } = isReady ? protectedText(analysis.value, mode) : { text: "", marks: [] };
  const isEmpty = text === "" || !isDone.value;

  const download = () => save(new Blob([text], { type: "text/plain" }), protectedName(opened.value?.name));
  return (
    <section class="pane" aria-labelledby={title}>
      <div class="bar">
        <h2 id={title}>{sideBySide.value ? t(mode) : t("protected")}</h2>
        <button type="button" disabled={isEmpty} onClick={download}>
          {t("download")}
        </button>
        <CopyButton text={text} label={t("copy")} disabled={isEmpty} source={() => output.current} />
      </div>
      <pre ref={output} id={`result-${mode}`} class="result" tabIndex={0} role="group" aria-labelledby={title}>
        <Marked text={text} marks={marks} />
      </pre>
      {(mode === "hash" || mode === "tokenize") && (
        <div class="note pane-note actions">
          <p>{t("keyNote")}</p>
          <button type="button" onClick={() => save(keyFile(), KEY_FILE)}>
            {t("saveKey")}
          </button>
        </div>
      )}
      {mode === "placeholder" && <p class="note pane-note">{t("placeholderNote")}</p>}
    </section>
  );
}

/** The text with the findings replaced, and the places of the replacements in it. */
function protectedText({ text, findings }: Analysis, mode: ShownMode): { text: string; marks: Mark[] } {
  let result = "";
  let at = 0;
  const marks: Mark[] = [];
  for (const finding of findings.filter(isProtected)) {
    const { start, end, type, replacements } = finding;
    result += text.slice(at, start);
    const replacement = replacements[mode];
    // rather nothing than a finding that somebody takes for protected
    if (replacement === undefined) throw new Error(`the engine has not protected a finding of type ${type}`);
    const from = result.length;
    result += replacement;
    marks.push({ start: from, end: result.length, category: category(type), title: typeName(type), of: start });
    at = end;
  }
  return { text: result + text.slice(at), marks };
}
