// A pino transport: pino runs it in a thread of its own, so that the application need not wait for it.

import pino from "pino";
import { protectTransform } from "textveil/node";

/**
 * Writes to the file `destination`, or to the standard output. The other options are those of `protect`, except
 * `$context` and `pinoWillSendConfig`, which pino adds.
 */
export default function protectLogs({ destination = 1, $context, pinoWillSendConfig, ...options }) {
  const protecting = protectTransform({ format: "ndjson", ...options });
  protecting.pipe(pino.destination({ dest: destination, sync: true }));
  return protecting;
}
