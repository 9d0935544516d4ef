// One call of `ChatOpenAI` of `@langchain/openai`, which n8n and LibreChat use. The task comes as JSON on standard input; the
// result leaves as JSON on standard output.
import { ChatOpenAI } from "@langchain/openai";

let input = "";
for await (const piece of process.stdin) input += piece;
const { text, tools, isStreamed, ...fields } = JSON.parse(input);
const model = new ChatOpenAI(fields);
const bound = tools === undefined ? model : model.bindTools(tools);
let message;
if (isStreamed) for await (const chunk of await bound.stream(text)) message = message === undefined ? chunk : message.concat(chunk);
else message = await bound.invoke(text);
console.log(JSON.stringify({ said: message.text, calls: message.tool_calls }));
