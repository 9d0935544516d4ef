"""The providers behind the gateway: one that does what no mock of a provider does, and aimock.

Both remember what reached them. Ours keeps every byte, answers each test at an address of its own, and
writes its answers by hand, so that they may be cut, compressed, endless or broken anywhere.
"""

import contextlib
import gzip
import http.client
import json
import socket
import struct
import subprocess
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).parent.resolve()


class Received:
    """A request as it arrived."""

    def __init__(self, method, path, headers, body):
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def header(self, name):
        """The values of a header."""
        return [value for sent, value in self.headers if sent.lower() == name]

    @property
    def bytes(self):
        """All of it, as text for a search."""
        lines = [f"{self.method} {self.path}"] + [f"{name}: {value}" for name, value in self.headers]
        return "\n".join(lines) + "\n\n" + self.body.decode("utf-8", "replace")


class Mailbox:
    """One provider: its base URL, what it received, and the answers it gives in turn; the last one stays."""

    def __init__(self, url, answers):
        self.url = url
        self.requests = []
        self._answers = list(answers)
        self._lock = threading.Lock()

    def take(self, request):
        """Keeps the request and gives the answer to it."""
        with self._lock:
            self.requests.append(request)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    @property
    def last(self):
        return self.requests[-1]

    def answer(self, *answers):
        """From now on it gives these answers."""
        with self._lock:
            self._answers = list(answers)


class Handler(BaseHTTPRequestHandler):
    """Finds the mailbox of a path and lets its answer write."""

    protocol_version = "HTTP/1.1"
    # a piece must leave when it is written, else the cuts are not where the test has them
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def body(self):
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def answer(self):
        request = Received(self.command, self.path, list(self.headers.items()), self.body())
        mailbox = self.server.mailbox(request)
        if mailbox is None:
            self.send_error(404)
            return
        self.close_connection = True
        try:
            mailbox.take(request)(self, request)
        except (BrokenPipeError, ConnectionResetError):
            # the gateway had enough
            pass

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def head(self, status, headers):
        self.send_response_only(status)
        for name, value in {"connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def chunk(self, piece):
        """A chunk of an answer whose length was not said."""
        if piece:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()


class Server(ThreadingHTTPServer):
    """A server that many may connect to at once, and that waits for nobody when it is stopped."""

    daemon_threads = True
    request_queue_size = 128


class Upstream:
    """The server of all mailboxes; leave the context and it is stopped."""

    def __init__(self):
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.mailbox = self._mailbox
        self._mailboxes = {}
        #: Requests that belong to no test.
        self.strays = []

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self):
        return self._server.server_port

    def open(self, *answers):
        """A new provider that answers so; it is at fault where it was given no answer."""
        name = f"provider-{len(self._mailboxes) + 1}"
        box = Mailbox(f"http://127.0.0.1:{self.port}/{name}/v1", answers or [fails(500)])
        self._mailboxes[name] = box
        return box

    def _mailbox(self, request):
        box = self._mailboxes.get(request.path.split("/")[1])
        if box is None:
            self.strays.append(request)
        return box

    @property
    def requests(self):
        """Everything that was received."""
        return self.strays + [request for box in self._mailboxes.values() for request in box.requests]


# Answers: each is called with the handler, which it writes to, and the request.


def whole(content, status=200, headers=None):
    """A body at once: bytes, something to be written as JSON, or a function of the request that gives it."""

    def answer(handler, request):
        body = content(request) if callable(content) else content
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.head(status, {"content-type": "application/json", "content-length": len(data)} | (headers or {}))
        handler.wfile.write(data)

    return answer


def fails(status, message="the provider is at fault", headers=None):
    """A refusal in the shape of OpenAI."""
    return whole({"error": {"message": message, "type": "server_error", "code": None}}, status, headers)


def stream(content, cuts=None, framing=lambda events: b"".join(events), headers=None, end=True):
    """Server-sent events, in pieces.

    `content` gives the events (see `chunks` and `messages`), `framing` joins them, `cuts` says where the
    bytes are cut, `end` whether the answer comes to its end or is torn off.
    """

    def answer(handler, request):
        data = framing(content(request))
        offsets = cuts(data) if callable(cuts) else cuts or []
        handler.head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"} | (headers or {}))
        bounds = [0, *sorted(offset for offset in offsets if 0 < offset < len(data)), len(data)]
        for start, stop in zip(bounds, bounds[1:]):
            handler.chunk(data[start:stop])
        if end:
            handler.wfile.write(b"0\r\n\r\n")
        else:
            tear_off(handler.connection)

    return answer


def tear_off(connection):
    """Ends the connection as a crash does: with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.shutdown(socket.SHUT_RD)
    connection.close()


def compressed(content, content_type="application/json", status=200):
    """A compressed answer, whatever was asked for."""

    def answer(handler, request):
        data = content(request)
        data = gzip.compress(data if isinstance(data, bytes) else json.dumps(data).encode())
        headers = {"content-type": content_type, "content-encoding": "gzip", "content-length": len(data)}
        handler.head(status, headers)
        handler.wfile.write(data)

    return answer


def redirects(to, status=307):
    """A redirection; what follows it would arrive there."""
    return lambda handler, _: handler.head(status, {"location": to, "content-length": 0})


def endless(event, most=64 * 1024 * 1024):
    """The same event again and again until the gateway hangs up."""

    def answer(handler, _):
        handler.head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        for _ in range(most // len(event)):
            handler.chunk(event)

    return answer


def hangs_up(handler, _):
    """No answer, but an end as of a crash."""
    tear_off(handler.connection)


def held(until, then):
    """Another answer, when the event has come."""

    def answer(handler, request):
        until.wait(60)
        then(handler, request)

    return answer


def silent(seconds=600):
    """No answer, until the gateway hangs up."""

    def answer(handler, _):
        handler.connection.settimeout(seconds)
        handler.connection.recv(1)

    return answer


def begins(piece, content_type="application/json"):
    """The beginning of an answer, and nothing more until the gateway hangs up."""

    def answer(handler, request):
        handler.head(200, {"content-type": content_type, "transfer-encoding": "chunked"})
        handler.chunk(piece)
        silent()(handler, request)

    return answer


def relay(address):
    """Returns the answer of another server to the same request, as it comes."""

    def answer(handler, request):
        to = http.client.HTTPConnection(address, timeout=600)
        path = "/" + request.path.split("/", 2)[2]
        to.request(request.method, path, request.body, {"content-type": "application/json"})
        got = to.getresponse()
        handler.head(got.status, {"content-type": got.getheader("content-type"), "transfer-encoding": "chunked"})
        while piece := got.read1():
            handler.chunk(piece)
        handler.wfile.write(b"0\r\n\r\n")
        to.close()

    return answer


@contextlib.contextmanager
def unattended():
    """The address of a server that takes no connection: its queue is full, and nobody works it off."""
    with contextlib.ExitStack() as sockets:
        server = sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(2):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


# Texts of a model.


def texts(value):
    """Every string of a JSON value, in order."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(item)


def prompt(request):
    """Returns the prompt of the model: the text of the last message."""
    content = request.json["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def completion(content=None, model="mock-1", **message):
    """A chat completion as OpenAI writes it."""
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    answer = {"role": "assistant", "content": content, "refusal": None} | message
    return {
        "id": "chatcmpl-mock", "object": "chat.completion", "created": 1_700_000_000, "model": model,
        "choices": [{"index": 0, "message": answer, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
    }


def event(payload, name=None):
    """An event of a stream."""
    data = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode()


def chunk(delta, finish=None, index=0):
    """A chunk of a chat completion as OpenAI writes it."""
    choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "mock-1",
        "choices": [choice],
    }


def chunks(deltas, finish="stop"):
    """The events of a streamed chat completion with these deltas."""
    first = chunk({"role": "assistant", "content": ""})
    events = [first, *(chunk(delta) for delta in deltas), chunk({}, finish)]
    return [event(payload) for payload in events] + [event("[DONE]")]


def response(text, **item):
    """A response as OpenAI writes it: a message that says the text, or another item."""
    message = {
        "type": "message", "id": "msg_mock", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
    }
    return {
        "id": "resp_mock", "object": "response", "created_at": 1_700_000_000, "status": "completed", "model": "mock-1",
        "output": [item or message], "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
        "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0,
        "usage": {
            "input_tokens": 5, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 12,
        },
    }


def responds(text, size=4):
    """The events of a response that says something, a few characters an event; functions are asked for it."""

    def content(request):
        said = text(request) if callable(text) else text
        whole = response(said)
        (message,) = whole["output"]
        at = {"item_id": message["id"], "output_index": 0, "content_index": 0}
        (part,) = message["content"]
        empty = part | {"text": ""}
        events = [
            {"type": "response.created", "response": whole | {"output": [], "status": "in_progress"}},
            {"type": "response.output_item.added", "output_index": 0, "item": message | {"content": [], "status": "in_progress"}},
            {"type": "response.content_part.added", "part": empty} | at,
            *({"type": "response.output_text.delta", "delta": piece, "logprobs": []} | at for piece in pieces(said, size)),
            {"type": "response.output_text.done", "text": said, "logprobs": []} | at,
            {"type": "response.content_part.done", "part": part} | at,
            {"type": "response.output_item.done", "output_index": 0, "item": message},
            {"type": "response.completed", "response": whole},
        ]
        return [event(one | {"sequence_number": number}, one["type"]) for number, one in enumerate(events)]

    return content


def asked(request):
    """Returns the input of a request for a response, or the text of its last item."""
    said = request.json["input"]
    if not isinstance(said, str):
        said = said[-1].get("content", said[-1].get("output"))
    return said if isinstance(said, str) else "".join(part.get("text", "") for part in said)


def pieces(text, size):
    """The text in pieces of so many characters."""
    return [text[at:at + size] for at in range(0, len(text), size)]


def says(text, size=4):
    """The events of a model that says something, a few characters an event; functions are asked for it."""

    def content(request):
        said = text(request) if callable(text) else text
        return chunks([{"content": piece} for piece in pieces(said, size)])

    return content


def message(text, **more):
    """A message as Anthropic writes it."""
    content = text if isinstance(text, list) else [{"type": "text", "text": text}]
    return {
        "id": "msg_mock", "type": "message", "role": "assistant", "model": "mock-1", "content": content,
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 7},
    } | more


def messages(blocks, stop="end_turn"):
    """The events of a streamed message: of each block its start and its deltas."""
    start = message([]) | {"stop_reason": None}
    events = [{"type": "message_start", "message": start}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": stop, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}}, {"type": "message_stop"}]
    return [event(payload, payload["type"]) for payload in events]


class Aimock:
    """aimock in a process of its own: see aimock.mjs. Leave the context and it is stopped."""

    def __init__(self):
        self._process = subprocess.Popen(
            ["node", HERE / "aimock.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError("aimock did not start; its npm package is missing or its fixtures are wrong")
        #: The requests received before the journal was emptied.
        self._earlier = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()

    def _control(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/__aimock{path}", data, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    @property
    def requests(self):
        """Everything that was received."""
        return self._earlier + self.journal()

    def journal(self):
        """Returns the requests received since it was emptied."""
        return self._control("/journal")

    def empty_journal(self):
        """So that the next test sees its own requests only."""
        self._earlier += self.journal()
        self._control("/reset/journal", {})

    def fail_once(self, status):
        """The next request is rejected with this status."""
        self._control("/error", {"status": status, "body": {"message": "queued by a test"}})

    def chaos(self, **rates):
        """From now on so many of the requests go wrong."""
        self._control("/chaos", rates)


def settled(condition, seconds=10):
    """Whether something comes true, for what happens behind an answer."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()
