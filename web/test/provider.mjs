// An LLM provider on this machine, which speaks as OpenAI does and repeats what it is told.

import { createServer } from "node:http";

export async function startProvider() {
  let asked = 0;
  const server = createServer(async (request, response) => {
    asked++;
    let text = "";
    for await (const chunk of request) text += chunk;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(request.url.endsWith("/models") ? MODELS : completion(JSON.parse(text))));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${server.address().port}/v1`,
    /** Requests so far. */
    asked: () => asked,
    stop: () => new Promise((done) => server.close(done) && server.closeAllConnections()),
  };
}

const MODELS = { object: "list", data: [{ id: "parrot", object: "model" }] };

function completion({ messages }) {
  const message = { role: "assistant", content: messages.at(-1).content };
  return {
    id: "1",
    object: "chat.completion",
    created: 0,
    model: "parrot",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
