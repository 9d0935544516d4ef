// aimock with a model that says back what it is told, so that a placeholder goes the whole way round.
// Prints its address; ends when its standard input does.
import { LLMock } from "@copilotkit/aimock";

const text = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
const last = (request) => request.messages.at(-1);
// embeddings come without messages; aimock has its own answer to them
const when = (predicate) => ({
  match: { endpoint: "chat", predicate: (request) => request.messages.length > 0 && predicate(request) },
});

// It cuts by UTF-16 units, even in the middle of a character. The length of the text before is a multiple of
// the chunk size, so that the first character of the tests' text stays whole.
const mock = new LLMock({ host: "127.0.0.1", port: 0, journalMaxEntries: 0, chunkSize: 5 });
mock.addFixtures([
  {
    ...when((request) => last(request).role === "tool"),
    response: (request) => ({ content: `The tool said: ${text(last(request).content)}` }),
  },
  {
    ...when((request) => request.tools?.length > 0),
    response: (request) => ({
      toolCalls: [
        {
          id: "call_mock",
          name: request.tools[0].function.name,
          arguments: JSON.stringify({ query: text(last(request).content) }),
        },
      ],
    }),
  },
  {
    ...when((request) => request.response_format?.type === "json_schema"),
    response: (request) => ({ content: JSON.stringify({ reply: text(last(request).content) }) }),
  },
  {
    ...when(() => true),
    response: (request) => ({ content: `You said: ${text(last(request).content)}` }),
  },
]);

process.stdin.on("end", () => process.exit()).resume();
console.log(await mock.start());
