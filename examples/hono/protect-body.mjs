// Hono middleware that protects bodies while they are being read.

import { HTTPException } from "hono/http-exception";
import { protectFormData, protectStream } from "textveil";

const FORM = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/;

/**
 * Protects the body of the request, and with `responses` also that of the response. The other options are
 * those of `protect`. A request that cannot be inspected is rejected with 415; such a response, a picture for
 * one, is passed on.
 */
export function protectBody({ responses = false, ...options } = {}) {
  return async (context, next) => {
    if (context.req.raw.body) context.req.raw = await protectRequest(context.req.raw, options);
    await next();
    if (responses && context.res.body) context.res = protectResponse(context.res, options);
  };
}

async function protectRequest(request, options) {
  const type = request.headers.get("content-type") ?? "text/plain";
  const headers = withoutLength(request);
  if (FORM.test(type)) {
    headers.delete("content-type"); // the new body has a boundary of its own
    return new Request(request, { headers, body: await protectFormData(await request.formData(), options) });
  }
  const format = formatOf(type);
  if (!format) throw new HTTPException(415, { message: "the body is of a type that cannot be protected" });
  return new Request(request, { headers, body: protectBytes(request.body, format, options), duplex: "half" });
}

function protectResponse(response, options) {
  const format = formatOf(response.headers.get("content-type") ?? "");
  if (!format) return response;
  return new Response(protectBytes(response.body, format, options), { status: response.status, headers: withoutLength(response) });
}

function protectBytes(body, format, options) {
  return body.pipeThrough(protectStream({ ...options, format })).pipeThrough(new TextEncoderStream());
}

function withoutLength({ headers }) {
  const kept = new Headers(headers);
  kept.delete("content-length");
  return kept;
}

function formatOf(type) {
  const [name] = type.toLowerCase().split(";");
  if (/\b(?:ndjson|jsonl)\b/.test(name)) return "ndjson";
  if (/\bjson\b/.test(name)) return "json";
  if (name === "text/html") return "html";
  if (name === "text/csv") return "csv";
  return name.startsWith("text/") ? "text" : undefined;
}
