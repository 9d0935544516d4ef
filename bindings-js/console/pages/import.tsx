// Importing: a file is compared with what there is, and sent once a person has seen what changes.

import { useState } from "preact/hooks";
import { exportConfiguration, importConfiguration } from "../api.js";
import { parseDocument, type Preview, previewOf } from "../import-preview.js";
import { Segments } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { Form, FormRefusal } from "../parts/form.js";
import { asApiError, useLoad } from "../parts/load.js";
import { announce, Refused } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { ApiError, send } from "../request.js";
import type { ImportDocument, ImportMode } from "../types.js";

/** Largest file that is read: above this the service would refuse it anyway. */
const MAX_BYTES = 5_000_000;

export function Import() {
  const current = useLoad(() => send(exportConfiguration()), []);
  const [document, setDocument] = useState<ImportDocument>();
  const [mode, setMode] = useState<ImportMode>("merge");
  const [error, setError] = useState<ApiError>();
  const [round, setRound] = useState(0);

  const read = async (file: File | undefined) => {
    setDocument(undefined);
    setError(undefined);
    if (!file) return;
    try {
      if (file.size > MAX_BYTES) throw new Error("This file is too large.");
      setDocument(parseDocument(await file.text()));
      // what it is compared with is what there is now
      await current.reload();
    } catch (problem) {
      setError(new ApiError(0, (problem as Error).message.replace(/\.$/, "")));
    }
  };
  const submit = async () => {
    if (!document) return;
    try {
      const { policies } = await send(importConfiguration(document, mode));
      announce(`Imported. Policies: ${policies.added} added, ${policies.replaced} replaced, ${policies.removed} removed.`);
      setDocument(undefined);
      setError(undefined);
      // a field for a file is emptied by making it anew
      setRound(round + 1);
      await current.reload();
    } catch (refusal) {
      setError(asApiError(refusal));
    }
  };

  return (
    <section class="panel" aria-labelledby="import-title">
      <h2 id="import-title">Import</h2>
      <Refused error={current.error} />
      <Form label="Import" refusal={error} onSubmit={() => void submit()}>
        <div class="field" key={round}>
          <label for="import-file">File</label>
          <input
            id="import-file"
            type="file"
            accept="application/json,.json"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
        </div>
        <Segments
          legend="What is there and not in the file"
          options={[
            ["merge", "stays"],
            ["replace", "goes"],
          ]}
          value={mode}
          onChange={setMode}
        />
        {document && current.data && <Changes preview={previewOf(current.data, document, mode)} />}
        <FormRefusal />
        <div class="actions">
          <button type="submit" class="primary" disabled={!document}>
            Import
          </button>
        </div>
      </Form>
      {document && <AsCurl call={importConfiguration(document, mode)} />}
    </section>
  );
}

function Changes({ preview: { fields, added, replaced, removed } }: { preview: Preview }) {
  const count = fields.length + added.length + replaced.length + removed.length;
  return (
    <div class="preview" role="region" aria-label="What changes">
      <p role="status">
        {count === 0 ? "Nothing changes." : `${count} ${count === 1 ? "change" : "changes"}, if you import it:`}
      </p>
      {fields.length > 0 && (
        <Table title="Changes of the configuration" heads={["Field", "Now", "Then"]}>
          {fields.map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">
                <code>{field}</code>
              </th>
              <td>{before}</td>
              <td>{after}</td>
            </tr>
          ))}
        </Table>
      )}
      <Names title="Policies that are added" names={added} />
      <Names title="Policies that are replaced" names={replaced} />
      <Names title="Policies that are removed" names={removed} />
    </div>
  );
}

function Names({ title, names }: { title: string; names: string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="names">
        {names.map((name, index) => (
          <li key={index}>{name}</li>
        ))}
      </ul>
    </>
  );
}
