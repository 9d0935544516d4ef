"""The requests that a provider receives: every string is protected, in every place; the caller's headers are absent."""

import json
import threading
import urllib.error
from concurrent.futures import ThreadPoolExecutor

from . import upstream
from .case import (
    CARD, EMAIL, IBAN, LIMITS, MODEL, PESEL, PHONE, PLACEHOLDER, TEXT, GatewayTest, canary, found_in,
)

ECHO = upstream.whole(lambda request: upstream.completion(f"You said: {upstream.prompt(request)}"))
HELLO = {"role": "user", "content": "hello"}


def call(arguments, name="look_up"):
    """A turn of the assistant that calls a tool."""
    called = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [called]}


def tool(**function):
    return {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}} | function}


#: Every place of a request that may contain a string.
PLACES = {
    "user": {"messages": [{"role": "user", "content": TEXT}]},
    "system": {"messages": [{"role": "system", "content": TEXT}, HELLO]},
    "developer": {"messages": [{"role": "developer", "content": TEXT}, HELLO]},
    "assistant": {"messages": [HELLO, {"role": "assistant", "content": TEXT}, HELLO]},
    "refusal": {"messages": [HELLO, {"role": "assistant", "content": None, "refusal": TEXT}, HELLO]},
    "name": {"messages": [HELLO | {"name": EMAIL}]},
    "part": {"messages": [{"role": "user", "content": [{"type": "text", "text": TEXT}]}]},
    "system part": {"messages": [{"role": "system", "content": [{"type": "text", "text": TEXT}]}, HELLO]},
    "arguments": {"messages": [HELLO, call(json.dumps({"to": [TEXT]})), {
        "role": "tool", "tool_call_id": "call_1", "content": "done",
    }]},
    "escaped arguments": {"messages": [HELLO, call('{"to": "zofie\\u0040example.cz", "n": 1e2}'), {
        "role": "tool", "tool_call_id": "call_1", "content": "done",
    }]},
    "arguments that are no JSON": {"messages": [HELLO, call(f'{{"to": "{EMAIL}"'), {
        "role": "tool", "tool_call_id": "call_1", "content": "done",
    }]},
    "key of arguments": {"messages": [HELLO, call(json.dumps({EMAIL: 1})), {
        "role": "tool", "tool_call_id": "call_1", "content": "done",
    }]},
    "JSON in JSON": {"messages": [HELLO, call(json.dumps({"body": json.dumps({"to": EMAIL, "pesel": PESEL})})), {
        "role": "tool", "tool_call_id": "call_1", "content": "done",
    }]},
    "result": {"messages": [HELLO, call("{}"), {"role": "tool", "tool_call_id": "call_1", "content": TEXT}]},
    "JSON result": {"messages": [HELLO, call("{}"), {
        "role": "tool", "tool_call_id": "call_1", "content": json.dumps([{"phone": PHONE}, {"card": CARD}]),
    }]},
    "function call": {"messages": [HELLO, {
        "role": "assistant", "content": None,
        "function_call": {"name": "look_up", "arguments": json.dumps({"to": EMAIL})},
    }, {"role": "function", "name": "look_up", "content": TEXT}]},
    "description": {"messages": [HELLO], "tools": [tool(description=TEXT)]},
    "description of a parameter": {"messages": [HELLO], "tools": [tool(parameters={
        "type": "object", "properties": {"to": {"type": "string", "description": TEXT}},
    })]},
    "examples of a schema": {"messages": [HELLO], "tools": [tool(parameters={
        "type": "object", "properties": {"to": {"type": "string", "examples": [EMAIL], "default": EMAIL}},
    })]},
    "description of a schema": {"messages": [HELLO], "response_format": {"type": "json_schema", "json_schema": {
        "name": "answer", "description": TEXT, "schema": {"type": "object", "title": EMAIL},
    }}},
    "user field": {"messages": [HELLO], "user": EMAIL},
    "metadata": {"messages": [HELLO], "metadata": {"case": TEXT}},
    "prediction": {"messages": [HELLO], "prediction": {"type": "content", "content": TEXT}},
    "stop": {"messages": [HELLO], "stop": ["###", EMAIL]},
    "unknown key": {"messages": [HELLO], "session_note": TEXT},
    "unknown key at a depth": {"messages": [HELLO], "extra": {"a": [{"b": {"c": [TEXT]}}]}},
    "number": {"messages": [HELLO], "extra": {"pesel": int(PESEL), "card": int(CARD)}},
    "unknown key itself": {"messages": [HELLO], "extra": {EMAIL: {"x": 1}}},
}

#: Values that may be rejected instead: with a placeholder there it may mean something else.
REFUSABLE = {"number", "unknown key itself", "key of arguments"}


class RequestTest(GatewayTest):
    """One request, its provider, and what that saw of it."""

    def test_every_place(self):
        provider = self.provider(ECHO)
        for place, body in PLACES.items():
            with self.subTest(place):
                before = len(provider.requests)
                status, headers, answer = self.chat(body)
                if status != 200 and place in REFUSABLE:
                    self.assertIn(status, (400, 403, 503), answer)
                    self.assertEqual(len(provider.requests), before)
                    continue
                self.assertEqual(status, 200, answer)
                self.assertUnseen(provider.last)
                self.assertEqual(headers["x-privacy-action"].upper(), "MASK")
                self.assertTrue(headers["x-privacy-entities"], headers)

    def test_a_value_has_one_placeholder_however_it_is_written(self):
        provider = self.provider(ECHO)
        self.ask(f"{IBAN} and {IBAN.replace(' ', '')}, {PHONE} and {PHONE.replace(' ', '')}, {EMAIL} and {EMAIL}")
        seen = PLACEHOLDER.findall(upstream.prompt(provider.last))
        self.assertEqual(len(seen), 6, seen)
        self.assertEqual([seen[0], seen[2], seen[4]], [seen[1], seen[3], seen[5]])
        self.assertEqual(len(set(seen)), 3)

    def test_what_already_looks_like_a_placeholder(self):
        """It is the caller's text: sent as it is or escaped, it comes back as it was."""
        provider = self.provider(ECHO)
        literal = "[[EMAIL_x7k2qd3maba]] and [[EMAIL_]] and [["
        answer = self.ask(f"{literal} {EMAIL}")
        self.assertEqual(answer["choices"][0]["message"]["content"], f"You said: {literal} {EMAIL}")
        self.assertUnseen(provider.last)

    def test_a_placeholder_means_nothing_to_who_did_not_send_its_value(self):
        """Of another workspace, or of an earlier request: nothing to restore it from."""
        provider = self.provider(ECHO)
        self.ask(EMAIL)
        placeholder = PLACEHOLDER.search(upstream.prompt(provider.last))[0]
        for workspace in (self.workspace, "another-workspace"):
            with self.subTest(workspace):
                self.provider(ECHO, workspace=workspace)
                _, _, answer = self.chat(
                    {"messages": [{"role": "user", "content": f"What is {placeholder}?"}]},
                    headers={name: workspace for name in self.headers},
                )
                self.assertNotIn(EMAIL.encode(), answer)

    def test_placeholders_differ_between_workspaces(self):
        """Else one customer could tell what another one sends."""
        seen = []
        for workspace in (f"{self.workspace[:40]}-a", f"{self.workspace[:40]}-b"):
            provider = self.provider(ECHO, workspace=workspace)
            self.ask(EMAIL, headers={name: workspace for name in self.headers})
            seen.append(PLACEHOLDER.search(upstream.prompt(provider.last))[0])
        self.assertNotEqual(*seen)

    def test_enumerations_and_constants_of_schemas_are_protected(self):
        """A model answers with the placeholder of a constant, and the application gets the constant."""
        addresses = ["sales@example.com", "help@example.com", "boss@example.com"]
        to = {"type": "string", "enum": addresses[:2]}
        parameters = {"type": "object", "properties": {"to": to, "cc": {"const": addresses[2]}}}

        def answer(request):
            asked = request.json["tools"][0]["function"]["parameters"]["properties"]
            arguments = {"to": asked["to"]["enum"][1], "cc": asked["cc"]["const"]}
            return upstream.completion(tool_calls=call(json.dumps(arguments))["tool_calls"])

        provider = self.provider(upstream.whole(answer))
        said = self.ask("hello", tools=[tool(parameters=parameters)])
        sent = provider.last.body.decode()
        self.assertEqual([address for address in addresses if address in sent], [])
        (called,) = said["choices"][0]["message"]["tool_calls"]
        self.assertEqual(json.loads(called["function"]["arguments"]), {"to": addresses[1], "cc": addresses[2]})

    def test_the_rest_is_as_it_was_sent(self):
        provider = self.provider(ECHO)
        body = {
            "model": MODEL, "messages": [HELLO], "temperature": 0.1, "top_p": 1, "seed": 7, "max_tokens": 50,
            "logit_bias": {"50256": -100}, "tools": [tool(description="Looks up.", strict=True)],
            "tool_choice": {"type": "function", "function": {"name": "look_up"}}, "stop": ["\n\n"], "n": 1,
            "vendor": {"deep": [1, 1.5e300, True, None, "žluťoučký 🦀"]},
        }
        self.chat(body)
        self.assertEqual(provider.last.json, body)

    def test_what_is_the_callers_own(self):
        provider = self.provider(ECHO)
        sent = {
            "X-Api-Key": self.token, "Cookie": f"session={EMAIL}", "X-Forwarded-For": "192.0.2.7",
            "User-Agent": f"client of {EMAIL}", "Referer": f"https://example.com/{PESEL}", "X-Stainless-Lang": "python",
            "OpenAI-Organization": "org-of-the-caller", "X-Session-Id": EMAIL,
        }
        status, _, answer = self.chat({"messages": [HELLO]}, headers=sent)
        self.assertEqual(status, 200, answer)
        self.assertUnseen(provider.last)
        self.assertNotIn(self.token, provider.last.bytes)
        for name in ("authorization", "x-api-key", "cookie", "x-service-token", "x-forwarded-for", "referer"):
            self.assertEqual(provider.last.header(name), [], name)
        (length,) = provider.last.header("content-length")
        self.assertEqual(int(length), len(provider.last.body), "many a provider reads no chunked request")

    def test_credentials_of_the_operator(self):
        for kind in ("openai", "mistral"):
            with self.subTest(kind):
                workspace = f"{self.workspace[:40]}-{kind}"
                provider = self.provider(ECHO, provider_type=kind, workspace=workspace)
                self.ask("hello", headers={name: workspace for name in self.headers})
                self.assertEqual(provider.last.header("authorization"), [f"Bearer {kind}-key-of-the-operator"])

    def test_each_way_to_show_the_token(self):
        self.provider(ECHO)
        cases = [
            ({"Authorization": f"Bearer {self.token}"}, 200),
            ({"X-Api-Key": self.token}, 200),
            ({"X-Service-Token": self.token}, 200),
            ({}, 401),
            ({"Authorization": f"Bearer {self.service.key()}"}, 401),
            ({"Authorization": f"Bearer {self.service.user_token(self.workspace, 'enterprise')}"}, 401),
        ]
        for sent, want in cases:
            with self.subTest(list(sent)):
                body = {"model": MODEL, "messages": [HELLO]}
                status, _, _ = self.send("POST", "/v1/chat/completions", body, self.headers | sent)
                self.assertEqual(status, want)

    def test_the_privacy_object(self):
        provider = self.provider(ECHO)
        question = [{"role": "user", "content": TEXT}]
        kept = self.ask(TEXT, privacy={"restore": False})
        self.assertNotIn("privacy", provider.last.json)
        self.assertEqual(len(PLACEHOLDER.findall(kept["choices"][0]["message"]["content"])), 5)
        before = len(provider.requests)
        status, _, answer = self.chat({"messages": question, "privacy": {"dry_run": True}})
        self.assertEqual(status, 200, answer)
        self.assertEqual(len(provider.requests), before, "a dry run sends nothing")
        error, _ = self.refused(400, "invalid_request_error", {"messages": question, "privacy": {"country": 5}})
        self.assertEqual(error["param"], "privacy.country")

    def test_what_cannot_be_seen_is_not_sent(self):
        provider = self.provider(ECHO)
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
        audio = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
        file = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}}
        parts = {"image": image, "audio": audio, "file": file, "unknown": {"type": "hologram", "data": "AAAA"}}
        for name, part in parts.items():
            with self.subTest(name):
                body = {"messages": [{"role": "user", "content": [part]}]}
                _, headers = self.refused(503, "privacy_check_failed", body)
                self.assertEqual(headers["x-should-retry"], "false")
        bodies = {
            "not JSON": b'{"messages": [',
            "not UTF-8": b'{"model": "mock-1", "messages": [{"role": "user", "content": "\xff"}]}',
            "two of one key": b'{"model":"mock-1","messages":[],"messages":[{"role":"user","content":"hello"}]}',
            "a list": b"[]",
            "nothing": b"",
        }
        for name, body in bodies.items():
            with self.subTest(name):
                self.refused(400, "invalid_request_error", body)
        for encoding in ("gzip", "br"):
            with self.subTest(encoding):
                status, _, _ = self.chat(b"\x1f\x8b\x08\x00", headers={"Content-Encoding": encoding})
                self.assertIn(status, (400, 415))
        self.assertEqual(provider.requests, [])

    def test_a_body_that_is_too_large(self):
        provider = self.provider(ECHO)
        try:
            status, _, _ = self.chat({"messages": [{"role": "user", "content": "a" * 17 * 1024 * 1024}]})
            self.assertEqual(status, 413)
        except urllib.error.URLError as broken_off:
            # the service need not read all of a request that it has rejected
            self.assertIsInstance(broken_off.reason, ConnectionError)
        self.assertEqual(provider.requests, [])

    def test_the_headers_of_an_answer(self):
        self.provider(ECHO)
        _, headers, _ = self.chat(
            {"messages": [{"role": "user", "content": f"{EMAIL}, {IBAN}, {canary('karel@example.cz')}"}]},
            headers={"X-Request-Id": "chosen-by-the-caller"},
        )
        want = {
            "x-request-id": "chosen-by-the-caller", "x-gateway-route": "primary", "x-gateway-model": MODEL,
            "x-gateway-attempts": "1", "x-privacy-action": "MASK", "x-privacy-entities": "EMAIL=2,IBAN=1",
        }
        self.assertEqual({name: headers[name] for name in want}, want)
        self.assertEqual(len(headers), len(set(name.lower() for name in headers)), "each header occurs once")
        for name in (
            "x-gateway-provider", "x-gateway-overhead-ms", "x-ratelimit-limit", "x-ratelimit-remaining",
            "x-ratelimit-reset", "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
        ):
            self.assertTrue(headers[name], name)

    def test_the_limit_of_a_workspace(self):
        self.provider(ECHO)
        self.configure(rate_limits={"requests_per_minute": 3, "burst": 3})
        # a new minute may begin in between
        answers = [self.chat({"messages": [HELLO]}) for _ in range(8)]
        statuses = [status for status, _, _ in answers]
        self.assertIn(429, statuses)
        _, headers, answer = answers[statuses.index(429)]
        self.assertGreaterEqual(int(headers["retry-after"]), 0)
        self.assertEqual(json.loads(answer)["error"]["code"], "rate_limit_exceeded")

    def test_more_at_once_than_a_workspace_may(self):
        """They wait for a permit, and are rejected if none becomes free; nothing of those is sent."""
        freed = threading.Event()
        self.addCleanup(freed.set)
        provider = self.provider(upstream.held(freed, ECHO))
        self.configure(rate_limits=LIMITS | {"burst": 2})
        with ThreadPoolExecutor(5) as pool:
            held = [pool.submit(self.ask, "hello") for _ in range(2)]
            self.assertTrue(upstream.settled(lambda: len(provider.requests) == 2))
            for error, headers in pool.map(lambda _: self.refused(429, "rate_limit_error"), range(3)):
                self.assertEqual(error["code"], "rate_limit_exceeded")
                self.assertEqual((headers["retry-after"], headers["x-ratelimit-limit"]), ("1", "100000"))
            self.assertEqual(len(provider.requests), 2)
            freed.set()
            for answer in held:
                self.assertEqual(answer.result()["choices"][0]["message"]["content"], "You said: hello")

    def test_a_burst(self):
        """Quick requests are all answered, one after the other."""
        self.provider(ECHO)
        self.configure(rate_limits=LIMITS | {"burst": 1})
        with ThreadPoolExecutor(8) as pool:
            for answer in pool.map(self.ask, [EMAIL] * 8):
                self.assertEqual(answer["choices"][0]["message"]["content"], f"You said: {EMAIL}")

    def test_the_audit(self):
        self.provider(ECHO)
        self.chat({"messages": [{"role": "user", "content": TEXT}]}, headers={"X-Request-Id": "an-audited-request"})

        def records():
            return [
                record for record in self.admin("GET", "audit", self.workspace)["records"]
                if record.get("request_id") == "an-audited-request"
            ]

        self.assertTrue(upstream.settled(records), "no record of the request")
        self.assertIn("EMAIL", json.dumps(records()).upper())

    def test_the_chain_of_the_audit(self):
        self.provider(ECHO)
        for _ in range(3):
            self.ask(EMAIL)
        verified = self.service.textveil("audit", "verify", "--json", "--workspace", self.workspace)
        self.assertEqual(verified.returncode, 0, verified.stderr)
        self.assertGreaterEqual(sum(chain["records"] for chain in json.loads(verified.stdout)["chains"]), 3)
        self.assertEqual(found_in(verified.stdout + verified.stderr), [])

    def test_what_was_not_looked_at_is_flagged(self):
        provider = self.provider(ECHO, streaming={"fail_closed": False})
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
        question = {"messages": [{"role": "user", "content": [image, {"type": "text", "text": EMAIL}]}]}
        before = self.metric("textveil_gateway_bypasses_total")
        status, headers, answer = self.chat(question, headers={"X-Request-Id": "a-bypass"})
        self.assertEqual((status, headers["x-privacy-action"]), (200, "BYPASS"), answer)
        # the parts that can be inspected are protected all the same
        self.assertUnseen(provider.last)
        self.assertEqual(self.metric("textveil_gateway_bypasses_total", before + 1), before + 1)
        (record,) = [
            record for record in self.admin("GET", "audit", self.workspace)["records"]
            if record.get("request_id") == "a-bypass"
        ]
        self.assertIs(record["bypassed"], True)

    def test_the_metrics(self):
        self.provider(upstream.whole(lambda request: upstream.completion(
            f"{upstream.prompt(request)} [[EMAIL_abcdefghij]] {canary('model@example.cz')}"
        )))
        self.ask(EMAIL)
        self.policy("BLOCK", entity_types=["iban"])
        self.chat({"messages": [{"role": "user", "content": IBAN}]})
        awaited = {
            'textveil_gateway_requests_total{endpoint="chat_completions",outcome="ok"}',
            'textveil_gateway_requests_total{endpoint="chat_completions",outcome="blocked"}',
            'textveil_gateway_entities_total{type="email",action="MASK",direction="input"}',
            'textveil_gateway_entities_total{type="email",action="FLAG",direction="output"}',
            'textveil_gateway_restores_total{outcome="ok"}',
            'textveil_gateway_restores_total{outcome="unknown"}',
            'textveil_gateway_blocks_total{direction="input"}',
            'textveil_gateway_failures_total{code="policy_violation"}',
            'textveil_gateway_overhead_seconds_count{}',
            'textveil_gateway_upstream_seconds_count{provider="openai_compatible"}',
        }

        def missing(lines):
            return awaited - {line.rsplit(" ", 1)[0] for line in lines}

        lines = self.metrics(lambda lines: not missing(lines))
        self.assertEqual(set(), missing(lines))
