// One call of `openai`, the client of OpenAI in Node. The task comes as JSON on standard input; the
// result leaves as JSON on standard output.
import OpenAI from "openai";

const calls = {
  async chat(client, body) {
    const answer = await client.chat.completions.create(body);
    return { message: answer.choices[0].message, finish: answer.choices[0].finish_reason, usage: answer.usage };
  },
  async stream(client, body) {
    const stream = client.chat.completions.stream(body);
    let said = "";
    stream.on("content", (delta) => (said += delta));
    const answer = await stream.finalChatCompletion();
    return { said, message: answer.choices[0].message, finish: answer.choices[0].finish_reason };
  },
  async response(client, body) {
    const answer = await client.responses.create(body);
    return { said: answer.output_text, output: answer.output };
  },
  async parsedResponse(client, body) {
    return { parsed: (await client.responses.parse(body)).output_parsed };
  },
  async responseStream(client, body) {
    const stream = client.responses.stream(body);
    let said = "";
    stream.on("response.output_text.delta", (event) => (said += event.delta));
    const answer = await stream.finalResponse();
    return { said, output: answer.output };
  },
  async models(client) {
    return { models: (await client.models.list()).data.map((model) => model.id) };
  },
  async embeddings(client, body) {
    return { sizes: (await client.embeddings.create(body)).data.map((item) => item.embedding.length) };
  },
};

let input = "";
for await (const piece of process.stdin) input += piece;
const { call, body, ...options } = JSON.parse(input);
const statuses = [];
const client = new OpenAI({
  ...options,
  fetch: async (...request) => {
    const answer = await fetch(...request);
    statuses.push(answer.status);
    return answer;
  },
});
let outcome;
try {
  outcome = await calls[call](client, body);
} catch (error) {
  const { status, headers, code, param, type, message } = error;
  const shown = Object.fromEntries(headers ?? []);
  outcome = { error: { class: error.constructor.name, status, headers: shown, code, param, type, message } };
}
console.log(JSON.stringify({ ...outcome, statuses }));
