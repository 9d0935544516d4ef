// Express middleware that protects what the body parsers before it have read.

import { protectStream, protectValue } from "textveil";

/**
 * Protects `request.body`, and with `responses` also what is sent by `response.send` and `response.json`.
 * The other options are those of `protect`. Unsupported content is rejected with 415.
 */
export function protectBody({ responses = false, ...options } = {}) {
  return async (request, response, next) => {
    if (responses) protectResponse(response, next, options);
    request.body = await protectParsed(request, options);
    next();
  };
}

async function protectParsed({ body, headers }, options) {
  if (typeof body === "string") return protectText(body, "text", options);
  const isParsed = body !== undefined && !Buffer.isBuffer(body);
  if (isParsed) return protectValue(body, options);
  const isEmpty = headers["transfer-encoding"] === undefined && !(Number(headers["content-length"]) > 0);
  if (isEmpty) return body;
  throw Object.assign(new Error("the body is of a type that cannot be protected"), { status: 415 });
}

function protectResponse(response, next, options) {
  const send = response.send.bind(response);
  // objects come here again as JSON; what is no text, such as a picture, is sent as it is
  response.send = (body) => {
    if (typeof body !== "string") return send(body);
    protectText(body, formatOf(response.get("content-type")), options).then(send, next);
    return response;
  };
}

function formatOf(type = "text/html") {
  if (/\bjson\b/.test(type)) return "json";
  return /\bhtml\b/.test(type) ? "html" : "text";
}

async function protectText(text, format, options) {
  let protectedText = "";
  for await (const piece of new Blob([text]).stream().pipeThrough(protectStream({ ...options, format }))) protectedText += piece;
  return protectedText;
}
