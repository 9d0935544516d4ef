// The verbs of a protector, called one by one: the same body for a protector of the page, of a worker and of Node.

const TEXT = "🙂 PESEL 44051401359, mail jan.novak@example.cz";
const KEY = "000102030405060708090a0b0c0d0e0f";

/** The result of `contract`, the same for every protector. */
export const EXPECTED = {
  detect: ["pesel", "email"],
  find: ["pesel 9-20", "email 27-47"],
  protect: "🙂 PESEL [[PESEL_1]], mail [[EMAIL_2]]",
  apply: "🙂 PESEL 44051401359, mail [[EMAIL_2]]",
  restore: [TEXT, 2, 0],
  modes: ["🙂 PESEL ***********, mail ********************", TEXT],
  file: ["a.csv", "mail,n\n[[EMAIL_2]],1\n", { email: 1 }, 1],
  form: ["[[EMAIL_2]]", "a.txt", "mail [[EMAIL_2]]"],
  value: { mail: ["[[EMAIL_2]]", 7], error: "no [[EMAIL_2]]" },
  stream: 'mail,n\r\n"[[EMAIL_2]]",1\r\n',
  restoreStream: TEXT,
  responses: [
    '{"reply":"to jan.novak@example.cz"}',
    '{"a":"44051401359"}\n{"b":"[[NAME_9]]"}\n',
    "jan.novak@example.cz",
    "[[EMAIL_2]]",
  ],
  sent: [
    '{"mail": "[[EMAIL_2]]"}',
    "mail=%5B%5BEMAIL_2%5D%5D",
    "[[EMAIL_2]]",
    "to [[EMAIL_2]]",
    "a [[EMAIL_2]] b",
    '{"mail": "[[EMAIL_2]]"}',
    "jan.novak@example.cz",
  ],
  session: [2, "jan.novak@example.cz", undefined, 0, "[[EMAIL_2]]"],
  none: undefined,
  refused: [
    "invalid_request entites",
    "invalid_request mode",
    "invalid_request findings",
    "invalid_request key",
    "invalid_request file",
    "invalid_request form",
    "invalid_request mode",
    "invalid_request encoding",
    "invalid_request format",
    "invalid_request stream",
    "invalid_request encoding",
    "invalid_request response",
    "invalid_request body",
    "invalid_request stream",
  ],
  aborted: Array(13).fill("stopped"),
  left: [0, 0, 0, 0, 0],
};

const cut = (text, size = 4) => text.match(new RegExp(`[^]{1,${size}}`, "gu"));

/** A stream of these pieces, also where `ReadableStream.from` is not there. */
function streamOf(pieces) {
  const rest = [...pieces];
  return new ReadableStream({ pull: (controller) => (rest.length > 0 ? controller.enqueue(rest.shift()) : controller.close()) });
}

async function joined(stream) {
  const reader = stream.getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  return text;
}

/** Why a call is rejected: it throws, it gives a promise, or its stream fails. */
async function why(call) {
  try {
    const given = await call();
    if (given instanceof ReadableStream) await joined(given);
    return "nothing";
  } catch (error) {
    return error?.code === undefined || typeof error.code === "number" ? (error?.message ?? String(error)) : `${error.code} ${error.field}`;
  }
}

/**
 * Calls each verb.
 *
 * @param open gives a protector with these options
 * @param alive gives how many objects of the WebAssembly are there
 */
export async function contract(open, alive) {
  const protector = await open({ mode: "placeholder" });
  const other = await open({ key: KEY, mode: "tokenize" });
  const bytes = (text) => new TextEncoder().encode(text);
  const out = {};

  const { entities } = await protector.detect(TEXT);
  out.detect = entities.map(({ type }) => type);
  const findings = await protector.find(TEXT);
  out.find = findings.map(({ type, start, end }) => `${type} ${start}-${end}`);
  out.protect = (await protector.protect(TEXT)).protectedText;
  out.apply = (await protector.apply(TEXT, findings.slice(1))).protectedText;
  const restored = await protector.restore(out.protect);
  out.restore = [restored.text, restored.restored, restored.unknown];
  out.modes = [(await other.protect(TEXT, { mode: "mask" })).protectedText, (await other.restore((await other.protect(TEXT)).protectedText)).text];

  let progress;
  const table = new File(["mail,n\njan.novak@example.cz,1\n"], "a.csv");
  const { file, found } = await protector.file(table, {}, ({ read, total }) => (progress = read / total));
  out.file = [file.name, await file.text(), found, progress];

  const form = () => {
    const made = new FormData();
    made.append("mail", "jan.novak@example.cz");
    made.append("file", new File(["mail jan.novak@example.cz"], "a.txt"));
    return made;
  };
  const safe = await protector.formData(form());
  out.form = [safe.get("mail"), safe.get("file").name, await safe.get("file").text()];

  const value = { mail: ["jan.novak@example.cz", 7], error: new Error("no jan.novak@example.cz") };
  const { mail, error } = await protector.value(value);
  out.value = { mail, error: error.message };

  const rows = 'mail,n\r\n"jan.novak@example.cz",1\r\n';
  out.stream = await joined(streamOf(cut(rows).map((part, at) => (at % 2 ? part : bytes(part)))).pipeThrough(protector.stream({ format: "csv" })));
  out.restoreStream = await joined(streamOf(cut(out.protect)).pipeThrough(protector.restoreStream()));

  const event = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const answer = (body, type) => new Response(streamOf(cut(body, 7).map(bytes)), { headers: { "content-type": type } });
  out.responses = [
    await protector.restoreResponse(answer('{"reply":"to [[EMAIL_2]]"}', "application/json")).text(),
    await protector.restoreResponse(answer('{"a":"[[PESEL_1]]"}\n{"b":"[[NAME_9]]"}\n', "application/x-ndjson")).text(),
    (await protector.restoreResponse(answer(cut("[[EMAIL_2]]", 3).map(event).join(""), "text/event-stream")).text())
      .split("\n\n")
      .filter((one) => one !== "")
      .map((one) => JSON.parse(one.slice(6)).choices[0].delta.content)
      .join(""),
    await protector.restoreResponse(answer("[[EMAIL_2]]", "image/png")).text(),
  ];

  const sent = [];
  const echo = async (_, { body }) => {
    sent.push(body instanceof FormData ? body.get("mail") : await new Response(body).text());
    return new Response(sent.at(-1), { headers: { "content-type": "text/plain" } });
  };
  const post = async (body, type, own) => {
    const init = { method: "POST", body, ...(type === undefined ? {} : { headers: { "content-type": type } }), ...own };
    return (await protector.fetch({ fetch: echo })("https://example.com/", init)).text();
  };
  await post('{"mail": "jan.novak@example.cz"}', "application/json");
  await post(new URLSearchParams({ mail: "jan.novak@example.cz" }));
  await post(form());
  await post(bytes("to jan.novak@example.cz"), "text/plain");
  await post(streamOf(cut("a jan.novak@example.cz b").map(bytes)), "text/plain");
  const back = await post(new Blob(['{"mail": "jan.novak@example.cz"}'], { type: "application/json" }));
  out.sent = [...sent, JSON.parse(back).mail];

  const { session } = protector;
  out.session = [await session.size, await session.original("[[EMAIL_2]]"), await session.original("[[NAME_1]]")];
  await session.clear();
  out.session.push(await session.size, (await protector.restore("[[EMAIL_2]]")).text);
  out.none = other.session;

  const streamed = (make, ...pieces) => why(() => streamOf(pieces).pipeThrough(make()));
  const send = (body, own) => protector.fetch({ fetch: echo })("https://example.com/", { method: "POST", body, ...own });
  out.refused = [
    await why(() => protector.detect("x", { entites: [] })),
    await why(() => protector.protect("x", { mode: "shred" })),
    await why(() => protector.apply("x", "y")),
    await why(() => protector.restore("x", { key: "00" })),
    await why(() => protector.file("x")),
    await why(() => protector.formData("x")),
    await why(() => protector.value("x", { mode: "shred" })),
    await streamed(() => protector.stream({ encoding: "utf-9" }), "x"),
    await streamed(() => protector.stream({ format: "pdf" }), "x"),
    await streamed(() => protector.stream(), Uint8Array.of(255)),
    await streamed(() => protector.restoreStream({ encoding: "utf-9" }), "x"),
    await why(() => protector.restoreResponse("x")),
    await why(() => send(new Blob(["x"], { type: "image/png" }))),
    await why(async () => protector.restoreResponse(new Response(Uint8Array.of(255, 65), { headers: { "content-type": "text/plain" } })).body),
  ];

  const signal = AbortSignal.abort(new Error("stopped"));
  out.aborted = [
    await why(() => protector.detect(TEXT, { signal })),
    await why(() => protector.find(TEXT, { signal })),
    await why(() => protector.protect(TEXT, { signal })),
    await why(() => protector.apply(TEXT, findings, { signal })),
    await why(() => protector.restore(TEXT, { signal })),
    await why(() => protector.file(table, { signal })),
    await why(() => protector.formData(form(), { signal })),
    await why(() => protector.value(value, { signal })),
    await streamed(() => protector.stream({ signal }), "x"),
    await streamed(() => protector.restoreStream({ signal }), "x"),
    await why(() => protector.restoreResponse(answer("x", "text/plain"), { signal }).body),
    await why(() => send("x", { signal })),
    await why(() => send(streamOf(["x"]), { signal })),
  ];

  // in flight: each has begun, and nothing of it is left
  const long = "PESEL 44051401359\n".repeat(2_000);
  const left = async (work) => {
    const before = await alive();
    const controller = new AbortController();
    await work(controller);
    let now = await alive();
    for (let tries = 0; now > before && tries < 200; tries += 1) {
      await new Promise((done) => setTimeout(done, 10));
      now = await alive();
    }
    return now - before;
  };
  const begun = async ({ readable, writable }) => {
    const writer = writable.getWriter();
    writer.write(long).catch(() => {});
    writer.closed.catch(() => {});
    const reader = readable.getReader();
    await reader.read();
    return { reader, writer };
  };
  out.left = [
    await left(async () => (await begun(other.stream())).reader.cancel("enough")),
    await left(async () => (await begun(other.stream())).writer.abort("enough")),
    await left(async (controller) => {
      const { reader } = await begun(other.stream({ signal: controller.signal }));
      controller.abort();
      await reader.read().catch(() => {});
    }),
    await left(async (controller) => {
      const large = new Blob(Array(40).fill(long));
      await other.file(large, { signal: controller.signal }, () => controller.abort()).catch(() => {});
    }),
    await left(async (controller) => {
      const body = streamOf(Array(40).fill(new TextEncoder().encode(long)));
      const read = async (_, { body: safe }) => {
        await safe.getReader().read();
        controller.abort();
        return new Response("");
      };
      const init = { method: "POST", body, duplex: "half", signal: controller.signal, headers: { "content-type": "text/plain" } };
      await other.fetch({ fetch: read })("https://example.com/", init).catch(() => {});
    }),
  ];
  return out;
}
