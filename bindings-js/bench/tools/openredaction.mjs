import { OpenRedaction } from "@openredaction/core";

const redactor = new OpenRedaction();

export const verbs = { protect: async (text) => (await redactor.detect(text)).redacted };
