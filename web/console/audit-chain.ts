// The links of audit records: each names the code of the record before it in its chain, and a signed head names the last.

import type { AuditHead, AuditRecord } from "./types.js";

/** The code that the first record of a chain names. */
const NO_RECORD = /^0+$/;

/** A chain, as far as its records are kept. */
export interface Chain {
  chain: number;
  /** Numbers of the first and of the last record. */
  first: number;
  last: number;
}

export interface ChainCheck {
  chains: Chain[];
  /** The faults, in sentences. */
  faults: string[];
}

/** Checks every link, and that the records of `head` are there. The codes themselves need the key of the workspace. */
export function checkChains(records: readonly AuditRecord[], head: AuditHead): ChainCheck {
  const byChain = new Map<number, AuditRecord[]>();
  for (const record of records) byChain.set(record.chain, [...(byChain.get(record.chain) ?? []), record]);
  const faults: string[] = [];
  const chains = [...byChain]
    .sort(([one], [other]) => one - other)
    .map(([chain, own]) => {
      const ordered = own.sort((one, other) => one.sequence - other.sequence);
      faults.push(...brokenLinks(chain, ordered));
      return { chain, first: ordered[0]?.sequence ?? 0, last: ordered.at(-1)?.sequence ?? 0 };
    });
  for (const [name, { sequence, hash }] of Object.entries(head.head.chains)) {
    const own = byChain.get(Number(name));
    const record = own?.find((one) => one.sequence === sequence);
    if (own === undefined) faults.push(`Chain ${name} is missing; the head has it up to record ${sequence}.`);
    else if (record === undefined) {
      // retention deletes the oldest records
      const isOld = own.every((one) => one.sequence > sequence);
      if (!isOld) faults.push(`Chain ${name} ends before record ${sequence}, which the head names.`);
    } else if (record.hash !== hash) faults.push(`Record ${sequence} of chain ${name} differs from the one in the head.`);
  }
  return { chains, faults };
}

function brokenLinks(chain: number, records: readonly AuditRecord[]): string[] {
  const faults: string[] = [];
  for (const [index, record] of records.entries()) {
    const before = records[index - 1];
    if (before === undefined) {
      if (record.sequence === 1 && !NO_RECORD.test(record.previous)) faults.push(`Record 1 of chain ${chain} names a record before it.`);
    } else if (record.sequence !== before.sequence + 1) {
      faults.push(`Chain ${chain} lacks the records between ${before.sequence} and ${record.sequence}.`);
    } else if (record.previous !== before.hash) {
      faults.push(`Record ${record.sequence} of chain ${chain} does not name the record before it.`);
    }
  }
  return faults;
}

/** The head in a file; undefined if the file is not a head. */
export function headIn(text: string): AuditHead | undefined {
  try {
    const { head, signature } = JSON.parse(text) as Partial<AuditHead>;
    const isHead = typeof signature === "string" && typeof head?.chains === "object" && head.chains !== null;
    return isHead ? { head, signature } : undefined;
  } catch {
    return undefined;
  }
}
