// An application that logs more than it should.

import pino from "pino";

const logger = pino();

logger.info({ order: 4711, customer: { mail: "jan.novak@example.cz", pesel: "44051401359" } }, "order received");
logger.warn({ order: 4711 }, "refund to DE89370400440532013000 failed, trying again");
logger.info({ order: 4711, room: "B-12" }, "order packed");
