"""`textveil proxy` between clients with their own credentials and mocked providers: SDKs, and Claude Code as a program."""

import http.client
import json
import os
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import anthropic
import openai

from ..support.service import Proxy
from . import case, upstream
from .case import EMAIL, PESEL, PLACEHOLDER, TEXT, GatewayTest
from .clients import QUESTION, NodeClient

MODEL = "claude-sonnet-4-6"
KEY = "sk-own-key-of-a-test"

CLAUDE = Path(__file__).resolve().parents[1] / "node_modules/@anthropic-ai/claude-code/cli.js"


def told(request):
    """Returns the text of the last message to the model, or the result of a tool there."""
    content = request.json["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(block.get("text") or text_of(block.get("content")) for block in content)


def text_of(content):
    return content if isinstance(content, str) else "".join(block["text"] for block in content or [])


def said(text):
    """The block of a streamed message that says a text, a few characters an event."""
    return {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in upstream.pieces(text, 3)]


def anthropic_echo(request):
    """Answers as Anthropic does, whole or in parts, with what was said."""
    text = told(request)
    if request.json.get("stream"):
        return upstream.stream(lambda _: upstream.messages([said(text)]))
    return upstream.whole(upstream.message(text))


def openai_echo(request):
    """Answers as OpenAI does, with what was said."""
    if request.path.endswith("/models"):
        return upstream.whole({"object": "list", "data": [{"id": "gpt-9", "object": "model", "created": 1, "owned_by": "o"}]})
    if request.path.endswith("/embeddings"):
        vector = {"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return upstream.whole({"object": "list", "model": "m", "data": [vector], "usage": usage})
    if request.path.endswith("/responses"):
        text = upstream.asked(request)
        answer = upstream.stream(upstream.responds(text, 3)) if request.json.get("stream") else None
        return answer or upstream.whole(upstream.response(text))
    text = told(request)
    return upstream.stream(upstream.says(text)) if request.json.get("stream") else upstream.whole(upstream.completion(text))


def by(answers):
    """An answer that a function of the request chooses."""
    return lambda handler, request: answers(request)(handler, request)


def proxy(**providers):
    """A proxy to these providers, with the compiled gateway of the running service."""
    return Proxy(case.SERVICE.folder / ".textveil/cache", **providers)


class ProxyTest(NodeClient, GatewayTest):
    """One proxy for all tests here."""

    @classmethod
    def setUpClass(cls):
        cls.openai = case.UPSTREAM.open(by(openai_echo))
        cls.anthropic = case.UPSTREAM.open(by(anthropic_echo))
        cls.proxy = cls.enterClassContext(proxy(openai=cls.openai.url, anthropic=cls.anthropic.url))

    def setUp(self):
        self.openai.requests.clear()
        self.anthropic.requests.clear()

    @property
    def service(self):
        return self.proxy

    @property
    def token(self):
        return KEY

    @property
    def headers(self):
        return {}

    def assertProtected(self, provider, number=1):
        """Fails if the provider got a value, or a credential that is not the caller's."""
        self.assertEqual(len(provider.requests), number)
        self.assertUnseen(*provider.requests)
        for request in provider.requests:
            keys = request.header("authorization") + request.header("x-api-key")
            self.assertEqual([key.removeprefix("Bearer ") for key in keys], [KEY])


class OpenAIProxyTest(ProxyTest):
    """`openai` in Python and in Node, with the base URL and their own key."""

    def client(self):
        client = openai.OpenAI(base_url=f"{self.proxy.url}/v1", api_key=KEY, max_retries=0)
        self.addCleanup(client.close)
        return client

    def test_chats(self):
        client = self.client()
        answer = client.chat.completions.create(model="openai/gpt-9", messages=QUESTION)
        self.assertEqual(answer.choices[0].message.content, TEXT)
        stream = client.chat.completions.create(model="gpt-9", messages=QUESTION, stream=True)
        pieces = [chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices]
        self.assertEqual("".join(pieces), TEXT)
        self.assertProtected(self.openai, 2)
        self.assertEqual(self.openai.requests[0].json["model"], "openai/gpt-9")

    def test_responses(self):
        client = self.client()
        self.assertEqual(client.responses.create(model="gpt-9", input=TEXT).output_text, TEXT)
        with client.responses.stream(model="gpt-9", input=TEXT) as stream:
            pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
        self.assertEqual("".join(pieces), TEXT)
        self.assertProtected(self.openai, 2)

    def test_embeddings_and_models(self):
        client = self.client()
        self.assertEqual(client.embeddings.create(model="m", input=TEXT).data[0].embedding, [0.5, 0.25])
        self.assertEqual([model.id for model in client.models.list()], ["gpt-9"])
        self.assertProtected(self.openai, 2)

    def test_node(self):
        self.assertEqual(self.use("chat")["message"]["content"], TEXT)
        self.assertEqual(self.use("stream")["said"], TEXT)
        self.assertEqual(self.use("responseStream", {"model": "gpt-9", "input": TEXT})["said"], TEXT)
        self.assertEqual(self.use("models")["models"], ["gpt-9"])
        self.assertProtected(self.openai, 4)

    def test_other_endpoints_are_not_forwarded(self):
        for call in (
            lambda: self.client().files.list(), lambda: self.client().moderations.create(input=TEXT),
            lambda: self.client().get("/conversations/c", cast_to=object),
        ):
            with self.assertRaises(openai.APIStatusError) as refused:
                call()
            self.assertEqual(refused.exception.status_code, 501)
        self.assertEqual(self.openai.requests, [])


class AnthropicProxyTest(ProxyTest):
    """`anthropic` in Python, and requests of pages."""

    def client(self, **key):
        client = anthropic.Anthropic(base_url=self.proxy.url, max_retries=0, **key or {"api_key": KEY})
        self.addCleanup(client.close)
        return client

    def test_messages(self):
        client = self.client()
        answer = client.messages.create(model=MODEL, max_tokens=64, messages=QUESTION)
        self.assertEqual(answer.content[0].text, TEXT)
        with self.client(auth_token=KEY).messages.stream(model=MODEL, max_tokens=64, messages=QUESTION) as stream:
            self.assertEqual("".join(stream.text_stream), TEXT)
        self.assertProtected(self.anthropic, 2)

    def test_a_rejected_key(self):
        """Clients renew a credential at the status of the provider."""
        self.anthropic.answer(upstream.whole({"type": "error", "error": {"type": "authentication_error", "message": "no"}}, 401))
        self.addCleanup(self.anthropic.answer, by(anthropic_echo))
        with self.assertRaises(anthropic.AuthenticationError):
            self.client().messages.create(model=MODEL, max_tokens=64, messages=QUESTION)
        self.assertEqual(len(self.anthropic.requests), 1)

    def test_count_of_tokens(self):
        provider = case.UPSTREAM.open(upstream.whole({"input_tokens": 7}))
        with proxy(anthropic=provider.url) as started:
            client = anthropic.Anthropic(base_url=started.url, api_key=KEY)
            count = client.messages.count_tokens(model=MODEL, messages=QUESTION)
            client.close()
        self.assertEqual(count.input_tokens, 7)
        self.assertProtected(provider)

    def test_a_page_is_rejected(self):
        """As a browser sends it: `no-cors` from another page, and by a name of the page's own for this machine."""
        address = urllib.parse.urlsplit(self.proxy.url)
        body = json.dumps({"model": MODEL, "max_tokens": 9, "messages": QUESTION})
        key = {"X-Api-Key": KEY, "Content-Type": "application/json"}
        simple = {"Content-Type": "text/plain", "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
        for headers in (
            simple, key | {"Origin": "null"}, key | {"Origin": self.proxy.url}, key | {"Sec-Fetch-Site": "same-origin"},
            key | {"Host": f"evil.example:{address.port}"}, key | {"Host": "localhost.evil.example"},
        ):
            with self.subTest(headers):
                connection = http.client.HTTPConnection(address.hostname, address.port)
                connection.request("POST", "/v1/messages", body, headers)
                answer = connection.getresponse()
                self.assertEqual(answer.status, 403, answer.read())
                # without these a browser shows the answer to no page
                self.assertNotIn("access-control-allow-origin", answer.headers)
                connection.request("OPTIONS", "/v1/messages", None, {"Origin": "https://evil.example"})
                self.assertEqual(connection.getresponse().status, 405)
                connection.close()
        self.assertEqual(self.anthropic.requests, [])


class ClaudeCodeTest(ProxyTest):
    """Claude Code as a program, with the lines that the proxy prints."""

    def claude(self, prompt, *flags):
        """Returns the result of a prompt, and the folder that it worked in."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="textveil-claude-")))
        (folder / "work").mkdir()
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_MODEL": MODEL,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1", "NO_PROXY": "*", **self.proxy.exports,
        }
        done = subprocess.run(
            ["node", CLAUDE, "-p", prompt, "--output-format", "json", *flags], cwd=folder / "work", env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout), folder / "work"

    def test_a_prompt(self):
        self.anthropic.answer(by(anthropic_echo))
        outcome, _ = self.claude(f"Repeat this: {TEXT}")
        self.assertFalse(outcome["is_error"], outcome)
        self.assertIn(TEXT, outcome["result"])
        self.assertUnseen(*self.anthropic.requests)
        request = self.anthropic.last
        self.assertEqual((request.json["model"], request.json["stream"]), (MODEL, True))
        self.assertIsInstance(request.json["system"], list)
        # Anthropic compares this with its own
        self.assertRegex(" ".join(block["text"] for block in request.json["system"]), "You are (a )?Claude ")
        self.assertIn("claude-code-20250219", request.header("anthropic-beta")[0])
        self.assertEqual(request.header("x-api-key"), [KEY])

    def test_tools(self):
        """The model has placeholders only; the file that it writes and what it reads there have the values."""

        def answer(request):
            asked = request.json
            if not any(tool["name"] == "Write" for tool in asked.get("tools", [])):
                return anthropic_echo(request)
            results = [
                block for turn in asked["messages"] if isinstance(turn["content"], list)
                for block in turn["content"] if block["type"] == "tool_result"
            ]
            if len(results) == 2:
                return upstream.stream(lambda _: upstream.messages([said(text_of(results[1]["content"]))]))
            name, path = ("Write", "out.txt") if not results else ("Read", "out.txt")
            use = {"file_path": str(Path(folder_of(asked)) / path)}
            if not results:
                # the last ones of their types: instructions may have others
                seen = {one.rpartition("_")[0]: one for one in PLACEHOLDER.findall(told(request))}
                use["content"] = f"{seen['[[EMAIL']} and {seen['[[PESEL']}"
            start = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": name, "input": {}}
            deltas = [
                {"type": "input_json_delta", "partial_json": piece} for piece in upstream.pieces(json.dumps(use), 5)
            ]
            return upstream.stream(lambda _: upstream.messages([(start, deltas)], "tool_use"))

        def folder_of(asked):
            (line,) = {
                line for block in asked["system"] for line in block["text"].splitlines() if "working directory:" in line
            }
            return line.rpartition(": ")[2].strip()

        self.anthropic.answer(by(answer))
        flags = ["--permission-mode", "acceptEdits", "--allowedTools", "Read,Write"]
        outcome, folder = self.claude(f"Write the e-mail {EMAIL} and the PESEL {PESEL} into out.txt, then read it.", *flags)
        self.assertFalse(outcome["is_error"], outcome)
        self.assertEqual((folder / "out.txt").read_text(), f"{EMAIL} and {PESEL}")
        self.assertIn(EMAIL, outcome["result"])
        self.assertUnseen(*self.anthropic.requests)
        self.assertGreaterEqual(len(self.anthropic.requests), 3)
