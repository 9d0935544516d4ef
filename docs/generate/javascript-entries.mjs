/** The entry points of the npm package, by the file of their types. `textveil` of browsers is that of Node, and more. */
export const ENTRIES = {
  browser: "textveil",
  inline: "textveil/inline",
  worker: "textveil/worker",
  react: "textveil/react",
  ai: "textveil/ai",
  langchain: "textveil/langchain",
  opencode: "textveil/opencode",
  pino: "textveil/pino",
  winston: "textveil/winston",
  sentry: "textveil/sentry",
  otel: "textveil/otel",
  transform: "textveil/node",
  slim: "textveil/slim",
};
