// The check of the audit: links between records, the signed head, and the command that checks the codes.

import { useState } from "preact/hooks";
import { save } from "../../ui/download.js";
import { getAuditHead } from "../api.js";
import { type ChainCheck, checkChains, headIn } from "../audit-chain.js";
import { CHECKED, everyRecord } from "../audit-records.js";
import { CopyButton } from "../parts/copy.js";
import { AsCurl } from "../parts/curl.js";
import { announce, Refused } from "../parts/notice.js";
import { useSending } from "../parts/saving.js";
import { Table } from "../parts/table.js";
import { send } from "../request.js";
import { workspace } from "../session.js";
import type { AuditHead } from "../types.js";

export function Verification() {
  return (
    <>
      <p class="lead">
        Each record names the one before it, and a signed head names the last ones. A record that was changed, removed or
        inserted breaks a link.
      </p>
      <div class="stack">
        <Links />
        <Head />
        <OnTheMachine />
      </div>
    </>
  );
}

interface Checked extends ChainCheck {
  records: number;
  isAll: boolean;
}

function Links() {
  const { isSending, refusal, run } = useSending();
  const [saved, setSaved] = useState<{ name: string; head: AuditHead | undefined }>();
  const [read, setRead] = useState(0);
  const [result, setResult] = useState<Checked>();
  const check = async () => {
    setRead(0);
    setResult(undefined);
    // before the records: those that are added meanwhile are no fault
    const head = saved?.head ?? (await send(getAuditHead()));
    const { records, isAll } = await everyRecord(setRead);
    setResult({ ...checkChains(records, isAll ? head : withoutChains(head)), records: records.length, isAll });
  };
  const choose = async (file: File | undefined) => {
    setResult(undefined);
    setSaved(file && { name: file.name, head: headIn(await file.text()) });
  };
  const isWrong = saved !== undefined && saved.head === undefined;
  return (
    <section class="panel results" aria-labelledby="links-title">
      <h2 id="links-title">Links</h2>
      <div class="field">
        <label for="saved-head">Saved head (optional)</label>
        <input
          id="saved-head"
          type="file"
          accept=".json,application/json"
          aria-describedby="saved-head-hint"
          aria-invalid={isWrong ? "true" : undefined}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
        <p id="saved-head-hint" class={isWrong ? "wrong" : "hint"}>
          {isWrong ? `${saved.name} is not a signed head.` : "Leave empty for the current head."}
        </p>
      </div>
      <div class="actions">
        <button type="button" class="primary" disabled={isWrong} aria-disabled={isSending ? "true" : undefined} onClick={() => run(check)}>
          Check the records
        </button>
      </div>
      <Refused error={refusal} />
      <div role="status">
        {isSending && <p class="note state">{read} records read</p>}
        {result && <Verdict result={result} />}
      </div>
      {result && result.chains.length > 0 && (
        <Table title="Chains" heads={["Chain", "First record", "Last record"]}>
          {result.chains.map(({ chain, first, last }) => (
            <tr key={chain}>
              <th scope="row">{chain}</th>
              <td>{first === 1 ? "1" : `${first}: older ones were deleted`}</td>
              <td>{last}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

/** Of records that are not all there, the oldest chains may be missing. */
function withoutChains({ head, signature }: AuditHead): AuditHead {
  return { head: { ...head, chains: {} }, signature };
}

function Verdict({ result: { records, chains, faults, isAll } }: { result: Checked }) {
  const read = `${records} ${records === 1 ? "record" : "records"} in ${chains.length} ${chains.length === 1 ? "chain" : "chains"}`;
  return (
    <>
      <p class={faults.length > 0 ? "wrong" : ""}>
        {faults.length === 0 ? `${read}: every link is right.` : `${read}: ${faults.length === 1 ? "1 fault" : `${faults.length} faults`}.`}
      </p>
      {!isAll && <p class="note">Only the newest {CHECKED} records were read, so the head was not compared.</p>}
      {faults.length > 0 && (
        <ul class="faults" aria-label="Faults">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Head() {
  const { refusal, run } = useSending();
  const download = async () => {
    const head = await send(getAuditHead());
    const file = new Blob([`${JSON.stringify(head, null, 2)}\n`], { type: "application/json" });
    save(file, `textveil-audit-head-${head.head.workspace_id}-${head.head.at.slice(0, 10)}.json`);
    announce("The signed head is saved.");
  };
  return (
    <section class="panel" aria-labelledby="head-title">
      <h2 id="head-title">Signed head</h2>
      <p class="soft">
        It names the last record of every chain. Keep one elsewhere each day: records that are removed later are missed then,
        even a whole chain.
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => run(download)}>
          Download the head
        </button>
      </div>
      <Refused error={refusal} />
      <AsCurl call={getAuditHead()} />
    </section>
  );
}

function OnTheMachine() {
  const command = `textveil audit verify --workspace ${workspace.value} --head head.json`;
  return (
    <section class="panel results" aria-labelledby="machine-title">
      <h2 id="machine-title">Codes</h2>
      <p class="soft">
        The codes of records need the secrets of the service. Check them on the machine of the service, with a saved head:
      </p>
      <pre class="command" tabindex={0}>
        {command}
      </pre>
      <CopyButton text={command} />
    </section>
  );
}
