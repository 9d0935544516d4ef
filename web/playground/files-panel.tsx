// The files that are being protected, and those that have been.

import { signal } from "@preact/signals";
import { save } from "../ui/download.js";
import { archiveOf } from "./archive.js";
import { cancel, type Job, jobs, removeJob, resultName, resultPath } from "./files.js";
import { passFocusOn } from "./focus.js";
import { count, number, percent, size, t } from "./i18n/index.js";
import { category } from "./state.js";
import { TypeTitle } from "./type-title.js";

export function Files() {
  if (jobs.value.length === 0) return null;
  return (
    <section class="pane files" aria-labelledby="files-title">
      <div class="bar">
        <h2 id="files-title">{t("files")}</h2>
        <button
          type="button"
          disabled={packing.value || !jobs.value.some(({ result }) => result !== undefined)}
          aria-busy={packing.value}
          onClick={() => void downloadAll()}
        >
          {t("downloadAll")}
        </button>
      </div>
      <ul id="files">
        {jobs.value.map((job) => (
          <FileItem key={job.id} job={job} />
        ))}
      </ul>
      <p class="note pane-note">
        {t("filesNote")}
        {jobs.value.some(({ mode }) => mode === "placeholder") && ` ${t("placeholderFilesNote")}`}
      </p>
    </section>
  );
}

/** Whether an archive is being written. */
const packing = signal(false);

/** Saves the results as one file: browsers ask before a page saves several. */
async function downloadAll(): Promise<void> {
  const done = jobs.value.flatMap((job) => (job.result === undefined ? [] : [{ name: resultPath(job), file: job.result.file }]));
  packing.value = true;
  try {
    save(await archiveOf(done), "textveil-files.zip");
  } finally {
    packing.value = false;
  }
}

function FileItem({ job }: { job: Job }) {
  const { file, mode, state, read, result } = job;
  const isOver = state !== "waiting" && state !== "running";
  return (
    <li data-state={state}>
      <p class="file-name">
        <strong>{file.name}</strong>{" "}
        <span class="note">
          {size(file.size)} · {t(mode)}
        </span>
      </p>
      {state === "running" && (
        <progress aria-label={t("progressOf", { name: file.name })} value={read} max={Math.max(file.size, 1)} />
      )}
      {/* the engine speaks English */}
      <p class="file-state" role="status" lang={job.message === undefined ? undefined : "en"}>
        {stateText(job)}
      </p>
      {result !== undefined && <FoundTypes found={result.found} />}
      <div class="actions">
        {result !== undefined && (
          <button type="button" class="primary" onClick={() => save(result.file, resultName(job))}>
            {t("download")}
          </button>
        )}
        {isOver ? (
          <button type="button" onClick={({ currentTarget }) => remove(job, currentTarget)}>
            {t("remove")}
          </button>
        ) : (
          <button type="button" onClick={() => cancel(job)}>
            {t("cancel")}
          </button>
        )}
      </div>
    </li>
  );
}

function remove(job: Job, button: Element): void {
  passFocusOn(button, "#files > li", document.getElementById("text"));
  removeJob(job);
}

function stateText({ file, state, read, found, result, message }: Job): string {
  switch (state) {
    case "waiting":
      return t("waiting");
    case "running":
      return `${percent(file.size === 0 ? 0 : read / file.size)} · ${count("found", found)}`;
    case "done":
      return `${t("done")} · ${count("found", Object.values(result?.found ?? {}).reduce((sum, n) => sum + n, 0))}`;
    case "cancelled":
      return t("cancelled");
    case "no text":
      return t("notText", { name: file.name });
    case "failed":
      return message ?? t("failed");
  }
}

function FoundTypes({ found }: { found: Record<string, number> }) {
  // protection has another name for one type than detection
  const counts = Object.entries(found).map(([type, n]) => [type === "phone" ? "phone_number" : type, n] as const);
  return (
    <ul class="types">
      {counts
        .sort(([, a], [, b]) => b - a)
        .map(([type, n]) => (
          <li key={type} class="chip" data-category={category(type)}>
            <TypeTitle class="chip-name" type={type} /> <span class="count">{number(n)}</span>
          </li>
        ))}
    </ul>
  );
}
