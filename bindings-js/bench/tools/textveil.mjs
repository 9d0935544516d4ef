import { detect, init, protect } from "textveil";

await init();

export const verbs = {
  detect: (text) => detect(text).entities.length,
  protect: (text) => protect(text).protectedText,
};
