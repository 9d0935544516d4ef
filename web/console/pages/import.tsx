// Importing: a file is compared with what there is, and sent once a person has seen what changes.

import { useState } from "preact/hooks";
import { exportConfiguration, importConfiguration } from "../api.js";
import { parseDocument, type Preview, previewOf } from "../import-preview.js";
import { Segments } from "../parts/controls.js";
import { AsCurl } from "../parts/curl.js";
import { focusPage } from "../parts/focus.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { useLoad } from "../parts/load.js";
import { announce } from "../parts/notice.js";
import { useSending } from "../parts/saving.js";
import { Table } from "../parts/table.js";
import { ApiError, send } from "../request.js";
import type { Export, ImportDocument, ImportMode } from "../types.js";

/** Largest file that is read: above this the service would reject it anyway. */
const MAX_BYTES = 5_000_000;

export function Import() {
  const [file, setFile] = useState<File>();
  const read = useLoad(() => readImport(file), [file]);
  // a report about a file before this one says nothing of it
  const ready = read.data?.file === file ? read.data : undefined;
  const [mode, setMode] = useState<ImportMode>("merge");
  const { isSending, refusal, run, forget } = useSending();
  const [round, setRound] = useState(0);

  const choose = (chosen: File | undefined) => {
    setFile(chosen);
    forget();
  };
  const submit = async () => {
    if (!ready) return;
    const { policies } = await send(importConfiguration(ready.document, mode));
    announce(`The file is imported. Policies: ${policies.added} added, ${policies.replaced} replaced, ${policies.removed} removed.`);
    setFile(undefined);
    // a field for a file is emptied by making it anew, and the button is off now
    setRound((before) => before + 1);
    focusPage();
  };

  return (
    <section class="panel" aria-labelledby="import-title">
      <h2 id="import-title">Import</h2>
      <Form label="Import" refusal={refusal ?? read.error} onSubmit={() => run(submit)}>
        <div class="field" key={round}>
          <label for="import-file">File</label>
          <input
            id="import-file"
            type="file"
            accept="application/json,.json"
            onChange={(event) => choose(event.currentTarget.files?.[0])}
          />
        </div>
        <Segments
          legend="Entries missing from the file"
          options={[
            ["merge", "keep"],
            ["replace", "delete"],
          ]}
          value={mode}
          onChange={setMode}
        />
        {ready && <Changes preview={previewOf(ready.current, ready.document, mode)} />}
        <FormRefusal />
        <div class="actions">
          <SubmitButton isSending={isSending} disabled={!ready}>
            Import
          </SubmitButton>
        </div>
      </Form>
      {ready && <AsCurl call={importConfiguration(ready.document, mode)} />}
    </section>
  );
}

interface ReadImport {
  file: File;
  document: ImportDocument;
  /** The present records, for the comparison. */
  current: Export;
}

async function readImport(file: File | undefined): Promise<ReadImport | undefined> {
  if (!file) return undefined;
  if (file.size > MAX_BYTES) throw new ApiError(0, "this file is too large");
  const text = await file.text().catch(() => {
    throw new ApiError(0, "this file cannot be read");
  });
  return { file, document: parseDocument(text), current: await send(exportConfiguration()) };
}

function Changes({ preview: { fields, added, replaced, removed } }: { preview: Preview }) {
  const count = fields.length + added.length + replaced.length + removed.length;
  return (
    <div class="preview" role="region" aria-label="Changes">
      <p role="status">
        {count === 0 ? "Nothing changes." : `${count} ${count === 1 ? "change" : "changes"}, if you import the file:`}
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
      <Names title="New policies" names={added} />
      <Names title="Replaced policies" names={replaced} />
      <Names title="Removed policies" names={removed} />
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
