// Personal data for the tests: specimens of issuers and of standards, nobody's.

import assert from "node:assert/strict";

export const SECRETS = ["44051401359", "jan.novak@example.cz", "DE89370400440532013000"];
export const TEXT = `Order 4711: PESEL ${SECRETS[0]}, mail ${SECRETS[1]}, IBAN ${SECRETS[2]}, room B-12`;

/** Checks the received form of TEXT: everything but the personal data. */
export function assertProtected(received) {
  assert.deepEqual(SECRETS.filter((secret) => received.includes(secret)), [], received);
  for (const part of ["Order 4711: PESEL ", ", mail ", ", IBAN ", ", room B-12"]) assert.ok(received.includes(part), received);
}
