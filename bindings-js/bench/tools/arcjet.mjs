import { redact } from "@arcjet/redact";

export const verbs = { protect: async (text) => (await redact(text))[0] };
