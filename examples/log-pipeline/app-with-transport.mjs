// The same, with the logger set up so that nothing unprotected leaves the process.

import pino from "pino";

const target = new URL("./pino-transport.mjs", import.meta.url).href;
const logger = pino({ transport: { target, options: { mode: "mask" } } });

logger.info({ order: 4711, customer: { mail: "jan.novak@example.cz", pesel: "44051401359" } }, "order received");
logger.warn({ order: 4711 }, "refund to DE89370400440532013000 failed, trying again");
logger.info({ order: 4711, room: "B-12" }, "order packed");
