"""The base of the tests of the gateway."""

import json
import re
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from . import upstream

#: The running service, the two kinds of provider, while the tests run.
SERVICE = None
UPSTREAM = None
AIMOCK = None

#: The workspace of a client that names none.
DEFAULT_WORKSPACE = "default"

#: Names the workspace, for clients that may send a header.
WORKSPACE_HEADER = "X-Workspace-Id"

MODEL = "mock-1"

#: The gateway's credentials for providers that ask for a key.
PROVIDER_KEYS = {
    f"{name}_api_key": f"{name}-key-of-the-operator" for name in ("openai", "azure_openai", "anthropic", "mistral")
}

CARD = "4111111111111111"
EMAIL = "zofie@example.cz"
IBAN = "DE89 3704 0044 0532 0130 00"
PESEL = "44051401359"
PHONE = "+420 601 123 456"

#: Text with every one of them, after characters of two and four bytes.
TEXT = f"🦀 Žofie: PESEL {PESEL}, {EMAIL}, tel. {PHONE}, IBAN {IBAN}, card {CARD}"

#: Values that a provider must never see, nor a log or a store hold. Tests add theirs.
CANARIES = {CARD, EMAIL, IBAN, PESEL, PHONE}

PLACEHOLDER = re.compile(r"\[\[[A-Z][A-Z0-9_]*_[a-z0-9]+\]\]")

#: More requests a minute than any test makes.
LIMITS = {"requests_per_minute": 100_000, "burst": 1_000}


def canary(value):
    """Makes the value one that must not be seen."""
    CANARIES.add(value)
    return value


def guest(number):
    """The values of one of many people; no other number has any of them."""
    card = f"400000000{number:06d}"
    doubled = sum(sum(divmod(int(digit) * (2 - at % 2), 10)) for at, digit in enumerate(card))
    bban = f"37040044{number:010d}"
    check = 98 - int(f"{bban}131400") % 97
    return [
        canary(f"guest-{number:06d}@example.cz"),
        canary(f"{card}{-doubled % 10}"),
        canary(f"DE{check:02d}{bban}"),
    ]


def squeezed(text):
    """Letters and digits only: what is left of a value however it is written."""
    return re.sub(r"[\W_]+", "", text).lower()


def unescaped(text):
    """The text without the escapes of JSON and of URLs, also nested ones."""
    for _ in range(3):
        text = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text)
        text = urllib.parse.unquote(text)
    return text


def found_in(text):
    """The canaries that a text shows: as they are, escaped, or spread over the strings of its JSON."""
    views = [squeezed(unescaped(text))]
    for body in {text, text.partition("\n\n")[2]}:
        try:
            strings = list(upstream.texts(json.loads(body)))
        except ValueError:
            continue
        views += [squeezed(unescaped("".join(strings))), squeezed(unescaped("".join(reversed(strings))))]
    return sorted(value for value in CANARIES if any(squeezed(value) in view for view in views))


class GatewayTest(unittest.TestCase):
    """A test against the running gateway."""

    maxDiff = None

    @property
    def service(self):
        return SERVICE

    @property
    def aimock(self):
        return AIMOCK

    @property
    def token(self):
        return SERVICE.service_token

    @property
    def headers(self):
        """Returns the headers of a client in this test's workspace."""
        return {WORKSPACE_HEADER: self.workspace}

    @property
    def workspace(self):
        """The workspace of this test."""
        return self.id().replace("test_", "")[-60:]

    def setUp(self):
        AIMOCK.empty_journal()

    def provider(self, *answers, provider_type="openai_compatible", route="primary", workspace=None, **config):
        """A provider that answers so, as a route of this test's workspace."""
        mailbox = UPSTREAM.open(*answers)
        self.route(mailbox.url, provider_type, route, workspace or self.workspace, **config)
        return mailbox

    def route(
        self, base_url, provider_type="openai_compatible", route="primary", workspace=None, model=MODEL, **config
    ):
        """Makes a provider and a route to it."""
        workspace = workspace or self.workspace
        keyless = provider_type in ("openai_compatible", "ollama", "vllm")
        record = {
            "provider_type": provider_type, "display_name": f"{route} of {workspace}", "base_url": base_url,
            "default_model": model, "allowed_models": [model], "supports_streaming": True, "priority": 1,
            "is_platform_default": False,
        }
        if keyless:
            record["credential_source"] = "none"
        else:
            key = f"${{{provider_type.upper()}_API_KEY}}"
            record |= {"credential_source": "env_placeholder", "env_placeholder": key}
        made = SERVICE.post("/api/v1/llm-providers", SERVICE.user_token(workspace, "enterprise"), record)
        routes = self.admin("GET", "config", workspace)["providers"]
        routes[route] = {"provider": made["id"], "model": model}
        self.configure(workspace, providers=routes, rate_limits=LIMITS, **config)

    def configure(self, workspace=None, **changes):
        return self.admin("PUT", "config", workspace or self.workspace, changes)

    def policy(self, action, workspace=None, **condition):
        """A policy that decides so where the condition holds."""
        record = {"name": f"{action} in a test", "priority": 100, "action": action, "conditions": [condition]}
        return self.admin("POST", "policies", workspace or self.workspace, record)

    def admin(self, method, path, workspace, body=None):
        """A request to the administration, which must be granted."""
        address = f"/api/v1/gateway/{path}?{urllib.parse.urlencode({'workspace_id': workspace})}"
        status, _, answer = self.send(method, address, body, {"X-Service-Token": self.token})
        self.assertIn(status, (200, 201), answer)
        return json.loads(answer)

    def send(self, method, path, body=None, headers=None):
        """A request by hand: status, headers and body of its answer."""
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"} | (headers or {})
        request = urllib.request.Request(SERVICE.url + path, data, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.headers, refusal.read()

    def chat(self, body, headers=None, path="/v1/chat/completions"):
        """A chat request by hand, in this test's workspace."""
        body = body if isinstance(body, bytes) else {"model": MODEL} | body
        sent = {"Authorization": f"Bearer {self.token}"} | self.headers | (headers or {})
        return self.send("POST", path, body, sent)

    def ask(self, text, **more):
        """The parsed answer to a question that must be answered."""
        headers = more.pop("headers", None)
        status, _, answer = self.chat({"messages": [{"role": "user", "content": text}], **more}, headers)
        self.assertEqual(status, 200, answer)
        return json.loads(answer)

    def stream(self, text, **more):
        """The bytes of the streamed answer to a question."""
        status, headers, answer = self.chat({"messages": [{"role": "user", "content": text}], "stream": True, **more})
        self.assertEqual(status, 200, answer)
        self.assertTrue(headers["content-type"].startswith("text/event-stream"), headers["content-type"])
        return answer

    def refused(self, status, kind, body=None, **request):
        """The error of a request that must be rejected with this status and type."""
        if body is None:
            body = {"messages": [{"role": "user", "content": "hello"}]}
        got, headers, answer = self.chat(body, **request)
        self.assertEqual(got, status, answer)
        error = json.loads(answer)["error"]
        self.assertTrue({"message", "type", "param", "code"} <= set(error), error)
        self.assertEqual(error["type"], kind)
        return error, headers

    def metrics(self, shows=None):
        """The lines of `/metrics` once they show what is awaited; as they are after a minute."""
        if shows is None:
            # counters are written when an answer has left, and nothing tells when all of them are
            time.sleep(0.5)
        end = time.monotonic() + 60
        while True:
            status, _, text = self.send("GET", "/metrics", headers={"X-Service-Token": self.token})
            self.assertEqual(status, 200)
            lines = text.decode().splitlines()
            if shows is None or shows(lines) or time.monotonic() > end:
                return lines
            time.sleep(0.05)

    def metric(self, name, awaited=None):
        """The sum of a family of counters, once it is `awaited`."""

        def total(lines):
            return sum(int(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))

        return total(self.metrics(None if awaited is None else lambda lines: total(lines) == awaited))

    def assertUnseen(self, *requests):
        """Fails if a provider received a part of a canary."""
        for request in requests:
            text = request.bytes if isinstance(request, upstream.Received) else json.dumps(request)
            self.assertEqual(found_in(text), [], text)

    def assertNothingKept(self, *others):
        """Fails if a log, a metric or a store of the service, or one of these files, has a part of a canary."""
        (SERVICE.folder / "metrics").write_text("\n".join(self.metrics()))
        # the compiled components are code; everything else is what the service wrote
        files = [path for path in SERVICE.folder.rglob("*") if path.is_file() and "cache" not in path.parts]
        names = {path.name for path in files}
        self.assertTrue({"serve.log", "metrics"} <= names and (others or "sqlite_key_value.db" in names), names)
        log = (SERVICE.folder / "serve.log").read_text()
        self.assertTrue('"workspace"' in log, "the log has no line about a request")
        for path in [*files, *others]:
            with self.subTest(path.name):
                text = path.read_bytes().decode("utf-8", "replace")
                self.assertEqual(found_in(text), [])


def together(number, work):
    """Runs the work so many times at once, each with its number; gives what it returned or raised."""
    outcomes = [None] * number
    start = threading.Barrier(number)

    def run(at):
        start.wait()
        try:
            outcomes[at] = work(at)
        except Exception as failure:  # the test shows it
            outcomes[at] = failure

    threads = [threading.Thread(target=run, args=(at,)) for at in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def events(answer):
    """The payloads of a streamed answer, without its end mark."""
    lines = re.split(rb"\r\n|\r|\n", answer)
    payloads = [line[5:].strip() for line in lines if line.startswith(b"data:")]
    return [json.loads(payload) for payload in payloads if payload != b"[DONE]"]


def said(answer, index=0):
    """Returns the text of a streamed chat completion."""
    choices = [choice for payload in events(answer) for choice in payload.get("choices", ())]
    return "".join(choice["delta"].get("content") or "" for choice in choices if choice.get("index", 0) == index)
