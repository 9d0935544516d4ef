// Configuration and policies as a file, and back.

import { save } from "../../ui/download.js";
import { exportConfiguration } from "../api.js";
import { AsCurl } from "../parts/curl.js";
import { announce, Refused } from "../parts/notice.js";
import { useSending } from "../parts/saving.js";
import { send } from "../request.js";
import type { Export } from "../types.js";
import { Import } from "./import.js";

export function Transfer() {
  return (
    <>
      <p class="lead">One JSON file contains routes, limits and policies, but no credentials.</p>
      <div class="stack">
        <ExportPanel />
        <Import />
      </div>
    </>
  );
}

function ExportPanel() {
  const { refusal, run } = useSending();
  const download = async () => {
    const exported = await send(exportConfiguration());
    saveExport(exported);
    announce(`The configuration is exported. Policies: ${exported.policies.length}.`);
  };
  return (
    <section class="panel" aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      <Refused error={refusal} />
      <div class="actions">
        <button type="button" class="primary" onClick={() => run(download)}>
          Download
        </button>
      </div>
      <AsCurl call={exportConfiguration()} />
    </section>
  );
}

function saveExport(exported: Export): void {
  const file = new Blob([`${JSON.stringify(exported, null, 2)}\n`], { type: "application/json" });
  save(file, `textveil-${exported.workspace_id}-${exported.exported_at.slice(0, 10)}.json`);
}
