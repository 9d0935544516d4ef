import { SyncRedactor } from "redact-pii";

const redactor = new SyncRedactor();

export const verbs = { protect: (text) => redactor.redact(text) };
