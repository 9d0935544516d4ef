// Calls of the API: every call is a value first, so that it can be shown before it is sent.

import { type Credential, CREDENTIAL_NAMES, expire, type Tokens, tokens } from "./session.js";

export type Query = Record<string, string | number | undefined>;

export interface Call<Answer> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query. */
  path: string;
  /** The token that it needs. */
  credential: Credential;
  body?: unknown;
  /** Never there; it tells the compiler what comes back. */
  answer?: Answer;
}

/** A refusal of the service, or of the network. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The field at fault, such as `rate_limits.burst`. */
    readonly field?: string,
  ) {
    super(message);
  }
}

/** The header of each credential, and what precedes the secret in it. */
const HEADERS: Record<Credential, readonly [header: string, scheme: string]> = {
  service: ["X-Service-Token", ""],
  user: ["Authorization", "Bearer "],
  key: ["X-API-Key", ""],
};

export async function send<Answer>(call: Call<Answer>, signedIn: Tokens = tokens.value): Promise<Answer> {
  const headers: Record<string, string> = {};
  const token = signedIn[call.credential];
  // signed out while other calls were in flight
  if (token === undefined) throw new ApiError(401, `the ${CREDENTIAL_NAMES[call.credential]} is missing; sign in`);
  const [header, scheme] = HEADERS[call.credential];
  headers[header] = scheme + token;
  const request: RequestInit = { method: call.method, headers, cache: "no-store", credentials: "omit" };
  if (call.body !== undefined) {
    headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(call.body);
  }
  const response = await reach(call.path, request);
  if (response.ok) return read<Answer>(response);
  const refusal = await refusalOf(response, call.credential);
  if (response.status === 401 && tokens.value[call.credential] === signedIn[call.credential]) {
    expire(call.credential);
  }
  throw refusal;
}

/** Asks for what is open to everybody. */
export async function ask<Answer>(path: string): Promise<Answer> {
  const response = await reach(path, { cache: "no-store", credentials: "omit" });
  if (response.ok) return read<Answer>(response);
  throw new ApiError(response.status, `the service answered ${response.status}`);
}

function reach(path: string, request: RequestInit): Promise<Response> {
  return fetch(path, request).catch(() => {
    throw new ApiError(0, "the service does not answer; try again");
  });
}

async function read<Answer>(response: Response): Promise<Answer> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return (isJson ? await response.json() : await response.text()) as Answer;
}

async function refusalOf(response: Response, credential: Credential): Promise<ApiError> {
  if (response.status === 401) {
    return new ApiError(401, `the ${CREDENTIAL_NAMES[credential]} was not accepted`);
  }
  try {
    const { error } = (await response.json()) as { error: { message: string; details?: { field?: string } } };
    return new ApiError(response.status, error.message, error.details?.field);
  } catch {
    return new ApiError(response.status, `the service answered ${response.status}`);
  }
}

const CURL_HEADERS: Record<Credential, string> = {
  service: '-H "X-Service-Token: $TEXTVEIL_SERVICE_TOKEN"',
  user: '-H "Authorization: Bearer $TEXTVEIL_USER_TOKEN"',
  key: '-H "X-API-Key: $TEXTVEIL_API_KEY"',
};

/** The call as a shell command, with the token's variable in place of the token. */
export function asCurl({ method, path, credential, body }: Call<unknown>, origin: string): string {
  const words = [`curl ${quoted(origin + path)}`];
  if (method !== "GET") words.push(`-X ${method}`);
  words.push(CURL_HEADERS[credential]);
  if (body !== undefined) {
    words.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body, null, 2))}`);
  }
  return words.join(" \\\n  ");
}

/** A word that no shell reads anything into. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
