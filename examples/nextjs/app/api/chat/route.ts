// Passes a chat on to a language model, which sees tokens; the reply has the real values again.

import { createProtector } from "textveil";

export const runtime = "nodejs";

// the same key in every process and after every restart; otherwise the tokens in a reply could not be restored
const protector = createProtector({ mode: "tokenize", key: process.env.TEXTVEIL_KEY });
const ask = protector.fetch();

export async function POST(request: Request) {
  const { messages } = await request.json();
  const answer = await ask(`${process.env.MODEL_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.MODEL_KEY}` },
    body: JSON.stringify({ model: process.env.MODEL, messages }),
  });
  if (!answer.ok) return Response.json({ error: "the model did not answer" }, { status: 502 });
  const { choices } = await answer.json();
  return Response.json({ reply: protector.restore(choices[0].message.content).text });
}
