/** The entry points of the npm package, by the file of their types. `textveil` of browsers is that of Node, and more. */
export const ENTRIES = {
  browser: "textveil",
  inline: "textveil/inline",
  worker: "textveil/worker",
  react: "textveil/react",
  ai: "textveil/ai",
  langchain: "textveil/langchain",
  transform: "textveil/node",
  slim: "textveil/slim",
};
