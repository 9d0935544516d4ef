// A language model with OpenAI's interface. It answers every chat in the same words, whole or as a stream.

import { createServer } from "node:http";

/** The answer, cut as a stream has it: within placeholders. */
const PIECES = ["Dear [[NA", "ME_1]], we wrote to [[EMAIL_", "2]]."];

/** Starts the model. `asked` has the bodies of its requests. */
export async function openModel() {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push(body);
    const answer = { id: "chatcmpl-1", created: 1, model: "gpt-4o-mini" };
    if (!JSON.parse(body).stream) {
      const message = { role: "assistant", content: PIECES.join("") };
      response.setHeader("content-type", "application/json");
      return void response.end(JSON.stringify({ ...answer, object: "chat.completion", choices: [{ index: 0, finish_reason: "stop", message }] }));
    }
    response.setHeader("content-type", "text/event-stream");
    for (const content of PIECES) {
      const choices = [{ index: 0, finish_reason: null, delta: { content } }];
      response.write(`data: ${JSON.stringify({ ...answer, object: "chat.completion.chunk", choices })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => server.close(resolve));
  return { address: `http://127.0.0.1:${server.address().port}/v1`, asked, close };
}
