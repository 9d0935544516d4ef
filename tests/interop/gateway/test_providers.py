"""Providers that fail, and providers that would make the gateway fail: nothing raw passes, every answer ends."""

import json
import time

from ..support.full import FULL
from ..support.service import Service
from . import case, upstream
from .case import EMAIL, MODEL, PLACEHOLDER, TEXT, GatewayTest, events, found_in, guest
from .clients import Clients


OK = upstream.whole(lambda request: upstream.completion(upstream.prompt(request)))
QUESTION = {"messages": [{"role": "user", "content": TEXT}]}

#: Providers that wish to be asked again at once, or later than the gateway waits.
AT_ONCE = {"retry-after": "0"}
LATER = {"retry-after": "6"}

FALLBACKS = "textveil_gateway_fallbacks_total"


class Fallback:
    """Tests for a provider that gives no answer."""

    def assertFallsBack(self, url):
        """The provider of the fallback gives one, to a request as protected as any, and it is counted."""
        self.route(url)
        fallback = self.provider(OK, route="fallback")
        before = self.metric(FALLBACKS)
        status, headers, answer = self.chat(QUESTION)
        self.assertEqual((status, headers["x-gateway-route"]), (200, "fallback"), answer)
        self.assertEqual(json.loads(answer)["choices"][0]["message"]["content"], TEXT)
        self.assertEqual(len(fallback.requests), 1)
        self.assertUnseen(fallback.last)
        self.assertEqual(self.metric(FALLBACKS, before + 1), before + 1)


class FailureTest(Fallback, GatewayTest):
    """The gateway's reaction to a provider's failure."""

    def test_it_tries_again(self):
        for status in (408, 429, 500, 502, 503, 504):
            with self.subTest(status):
                provider = self.provider(upstream.fails(status), OK)
                got, headers, answer = self.chat(QUESTION)
                self.assertEqual((got, headers["x-gateway-attempts"]), (200, "2"), answer)
                self.assertEqual(len(provider.requests), 2)
                self.assertEqual(*[request.body for request in provider.requests])
                self.assertUnseen(*provider.requests)

    def test_it_does_not_try_again(self):
        """The request is at fault, or the operator's credential; no other attempt would help."""
        for status in (400, 401, 403, 404, 413, 422):
            with self.subTest(status):
                provider = self.provider(upstream.fails(status, f"no: {TEXT}"))
                got, _, answer = self.chat(QUESTION)
                self.assertGreaterEqual(got, 400)
                self.assertNotEqual(got, 401, "the caller's token is right")
                self.assertEqual(len(provider.requests), 1)
                self.assertIn("error", json.loads(answer))

    def test_the_fallback(self):
        primary = self.provider(upstream.fails(503))
        streamed = upstream.stream(upstream.says(upstream.prompt))
        fallback = self.provider(OK, streamed, route="fallback")
        for stream in (False, True):
            with self.subTest(stream=stream):
                status, headers, answer = self.chat(QUESTION | {"model": "primary", "stream": stream})
                self.assertEqual((status, headers["x-gateway-route"]), (200, "fallback"), answer)
        self.assertEqual(primary.requests[0].json["messages"], fallback.requests[0].json["messages"])
        self.assertUnseen(*primary.requests, *fallback.requests)

    def test_what_leads_to_the_fallback(self):
        self.assertFallsBack("http://127.0.0.1:9/v1")
        answers = {"a crash": upstream.hangs_up} | {
            status: upstream.fails(status, headers=AT_ONCE) for status in (408, 429, 500, 502, 503, 504, 529)
        }
        for name, answer in answers.items():
            with self.subTest(name):
                primary = case.UPSTREAM.open(answer)
                self.assertFallsBack(primary.url)
                self.assertEqual(len(primary.requests), 3)
                self.assertUnseen(*primary.requests)

    def test_what_does_not(self):
        """Every provider would reject the request, or this one answers it."""
        fallback = self.provider(OK, route="fallback")
        before = self.metric(FALLBACKS)
        for status, answer in {
            400: upstream.fails(400), 404: upstream.fails(404), 413: upstream.fails(413), 422: upstream.fails(422),
            200: OK,
        }.items():
            with self.subTest(status):
                self.provider(answer)
                self.assertEqual(self.chat(QUESTION)[0], status)
        self.assertEqual((fallback.requests, self.metric(FALLBACKS, before)), ([], before))

    def test_a_pause_that_the_provider_asks_for(self):
        self.provider(upstream.fails(503, headers={"retry-after": "1"}), OK)
        before = time.monotonic()
        status, headers, answer = self.chat(QUESTION)
        self.assertEqual((status, headers["x-gateway-attempts"]), (200, "2"), answer)
        self.assertGreaterEqual(time.monotonic() - before, 1)

    def test_a_pause_that_is_too_long(self):
        """Another provider is asked, or the client is told; this one is not asked again."""
        for status, told in ((429, 429), (503, 502)):
            with self.subTest(status):
                primary = self.provider(upstream.fails(status, headers=LATER))
                got, _, answer = self.chat(QUESTION)
                self.assertEqual(got, told, answer)
                self.assertFallsBack(primary.url)
                self.assertEqual(len(primary.requests), 2)
                self.configure(providers={"fallback": None})

    def test_aimock_in_chaos(self):
        self.route(f"{self.aimock.url}/v1")
        self.addCleanup(self.aimock.chaos)
        self.aimock.fail_once(429)
        self.assertEqual(self.ask(EMAIL)["choices"][0]["message"]["content"], f"You said: {EMAIL}")
        for rate in ("dropRate", "malformedRate", "disconnectRate"):
            with self.subTest(rate):
                self.aimock.chaos(**{rate: 1})
                self.refused(502, "upstream_error")
        self.assertUnseen(*self.aimock.journal())

    if FULL:

        def test_a_deadline(self):
            self.provider(upstream.silent())
            self.refused(504, "upstream_timeout", QUESTION)


class BreakerTest(GatewayTest):
    """A provider that keeps failing is left alone for a while."""

    def setUp(self):
        super().setUp()
        self.answers = [upstream.fails(503, headers=AT_ONCE)]
        self.primary = self.provider(lambda *request: self.answers[-1](*request))

    def is_open(self):
        """As the metrics tell."""
        provider = self.admin("GET", "config", self.workspace)["providers"]["primary"]["provider"]
        return self.metric(f'textveil_gateway_breaker_open{{provider="{provider}"}}')

    def passed_over(self):
        """The answer to the first request with which the provider is not asked any more."""
        for _ in range(30):
            before = len(self.primary.requests)
            answer = self.chat(QUESTION)
            # it may close in between
            if len(self.primary.requests) == before and self.is_open():
                return answer
        self.fail(f"it was asked {len(self.primary.requests)} times")

    def test_it_opens(self):
        status, headers, answer = self.passed_over()
        self.assertEqual((status, json.loads(answer)["error"]["type"]), (503, "no_provider"))
        self.assertEqual(headers["x-should-retry"], "false")

    def test_the_fallback_while_it_is_open(self):
        before = self.metric(FALLBACKS)
        fallback = self.provider(OK, route="fallback")
        status, headers, answer = self.passed_over()
        self.assertEqual((status, headers["x-gateway-route"]), (200, "fallback"), answer)
        self.assertEqual(self.metric(FALLBACKS, before + len(fallback.requests)), before + len(fallback.requests))

    if FULL:

        def test_it_closes(self):
            """A half minute later at most the provider is asked again, and kept if it answers."""
            self.passed_over()
            asked = len(self.primary.requests)
            self.answers.append(OK)
            self.assertTrue(upstream.settled(lambda: not self.is_open(), 40))
            for _ in range(3):
                self.assertEqual(self.ask(TEXT)["choices"][0]["message"]["content"], TEXT)
            self.assertEqual(len(self.primary.requests), asked + 3)


class DeadlineTest(Clients, Fallback, GatewayTest):
    """Providers that take too long, at a service that does not wait for long."""

    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(setattr, case, "SERVICE", case.SERVICE)
        case.SERVICE = cls.enterClassContext(
            Service(access_log=True, upstream_deadlines="connect=1,first_byte=2", **case.PROVIDER_KEYS)
        )

    def tearDown(self):
        self.assertNothingKept()

    def test_no_answer(self):
        """The provider may be at work on it, so it is not asked again."""
        provider = self.provider(upstream.silent(), provider_type="anthropic")
        self.each(504)
        self.assertEqual(len(provider.requests), len(self.NAMES))

    def test_silence_in_an_answer(self):
        provider = self.provider(upstream.begins(b'{"id": "'))
        self.refused(504, "upstream_timeout")
        self.assertEqual(len(provider.requests), 1)
        self.policy("MASK", direction="output")
        said = upstream.event(upstream.chunk({"content": guest(5)[0][:-3]}))
        self.provider(upstream.begins(said, "text/event-stream"))
        answer = self.stream("hello").decode()
        self.assertNotIn("@", answer)
        self.assertIn('"code":"upstream_timeout"', answer)
        self.assertTrue(answer.endswith("data: [DONE]\n\n"), answer)

    def test_no_connection(self):
        with upstream.unattended() as url:
            self.route(url)
            self.refused(504, "upstream_timeout")

    def test_the_fallback(self):
        primary = case.UPSTREAM.open(upstream.silent())
        self.assertFallsBack(primary.url)
        self.assertEqual(len(primary.requests), 1)
        with upstream.unattended() as url:
            self.assertFallsBack(url)


class HostileTest(GatewayTest):
    """A provider's answer cannot be trusted either."""

    def test_a_compressed_answer_is_not_passed_on_unseen(self):
        """It is rejected, or read like any other; it must not be asked for."""
        other = guest(2)[0]
        said = lambda request: upstream.completion(f"{upstream.prompt(request)} {other}")
        provider = self.provider(upstream.compressed(said))
        status, headers, answer = self.chat(QUESTION)
        self.assertIn(status, (200, 502))
        self.assertIsNone(headers["content-encoding"])
        if status == 200:
            content = json.loads(answer)["choices"][0]["message"]["content"]
            self.assertIn(TEXT, content)
            self.assertNotIn(other, content)
        self.assertIn(provider.last.header("accept-encoding"), ([], ["identity"]))
        events = upstream.says(upstream.prompt)
        self.provider(upstream.compressed(lambda request: b"".join(events(request)), "text/event-stream"))
        status, headers, answer = self.chat(QUESTION | {"stream": True})
        self.assertIn(status, (200, 502))
        self.assertFalse(answer.startswith(b"\x1f\x8b"))
        self.assertNotRegex(answer.decode(), PLACEHOLDER)

    def test_a_compressed_refusal_is_not_passed_on_unseen(self):
        """A policy hides third-party data in a refusal; a refusal that cannot be read is not passed on."""
        self.policy("MASK", direction="output")
        other = guest(4)[0]
        said = lambda request: {"error": {"message": f"no: {upstream.prompt(request)} {other}"}}
        for status in (400, 404, 422):
            with self.subTest(status):
                self.provider(upstream.whole(said, status))
                got, _, answer = self.chat(QUESTION)
                message = json.loads(answer)["error"]["message"]
                self.assertEqual((got, message[:len(TEXT) + 4]), (status, f"no: {TEXT}"))
                self.assertNotIn(other, message)
                self.provider(upstream.compressed(said, status=status))
                got, headers, answer = self.chat(QUESTION)
                self.assertIn(got, (status, 502))
                self.assertIsNone(headers["content-encoding"])
                self.assertEqual(found_in(json.loads(answer)["error"]["message"].replace(TEXT, "")), [])
                self.assertNotRegex(answer.decode(), PLACEHOLDER)

    def test_a_redirection_is_not_followed(self):
        elsewhere = self.provider(OK, route="fallback", workspace="elsewhere")
        for status in (301, 302, 303, 307, 308):
            with self.subTest(status):
                self.provider(upstream.redirects(f"{elsewhere.url}/chat/completions", status))
                _, headers = self.refused(502, "upstream_error", QUESTION)
                self.assertIsNone(headers["location"])
        self.assertEqual(elsewhere.requests, [])

    def test_what_is_no_chat_completion(self):
        answers = {
            "HTML": upstream.whole(b"<html>busy</html>", headers={"content-type": "text/html"}),
            "not JSON": upstream.whole(b'{"choices": ['),
            "not UTF-8": upstream.whole(b'{"choices": "\xff"}'),
            "a string": upstream.whole("hello"),
            "nothing": upstream.whole(b""),
            "no content": lambda handler, _: handler.head(204, {}),
        }
        for name, answer in answers.items():
            with self.subTest(name):
                self.provider(answer)
                self.refused(502, "upstream_error", QUESTION)

    def broken_stream(self, content, **options):
        """The text of a stream that goes wrong; it must say so, and end."""
        self.provider(upstream.stream(content, **options))
        status, _, answer = self.chat(QUESTION | {"stream": True})
        text = answer.decode()
        if status == 200:
            self.assertIn("error", events(answer)[-1], text[-500:])
            self.assertTrue(text.rstrip().endswith("data: [DONE]"), text[-100:])
        else:
            self.assertEqual(status, 502, text)
        self.assertNotRegex(text, PLACEHOLDER)
        return text

    def test_a_stream_that_goes_wrong(self):
        hello = upstream.says("hello, this is a longer text ")
        echo = upstream.says(upstream.prompt)
        error = upstream.event({"error": {"message": "overloaded"}})
        torn = {
            "between events": lambda request: echo(request)[:-2],
            "in an event": lambda request: [b"".join(echo(request))[:-200]],
        }
        for name, content in torn.items():
            with self.subTest(name):
                self.broken_stream(content, end=False)
        wrong = {"not JSON": b"data: {\n\n", "not UTF-8": b'data: {"choices": "\xff"}\n\n', "an error": error}
        for name, event in wrong.items():
            with self.subTest(name):
                self.broken_stream(lambda request: hello(request)[:3] + [event])

    def test_what_was_held_back_when_a_stream_breaks_off(self):
        """The beginning of an entity must not come out because no more of it will."""
        other = guest(3)[1]
        self.policy("MASK", direction="output")
        text = self.broken_stream(
            lambda request: upstream.says(f"Their card is {other}", 1)(request)[:-2], end=False
        )
        self.assertEqual(found_in(text), [])

    def test_an_endless_answer(self):
        """It is cut off with an error, not with the memory of the machine."""
        # long events: the time that one takes is not what is tested
        endless = upstream.endless(upstream.event(upstream.chunk({"content": "again and again " * 4096})))
        self.provider(endless)
        status, _, answer = self.chat(QUESTION | {"stream": True})
        self.assertIn("error", events(answer)[-1] if status == 200 else json.loads(answer))

    def test_an_endless_event(self):
        self.provider(upstream.endless(b"data: " + b"a" * 65536))
        status, _, answer = self.chat(QUESTION | {"stream": True})
        self.assertIn("error", events(answer)[-1] if status == 200 else json.loads(answer))

    def test_an_answer_that_is_too_large(self):
        self.provider(upstream.whole(lambda _: upstream.completion("a" * 40 * 1024 * 1024)))
        self.refused(502, "upstream_error", QUESTION)

    def test_headers_of_the_provider_stay_there(self):
        secret = {"set-cookie": "session=1", "server": "secret/1", "x-internal": EMAIL, "openai-organization": "org"}
        self.provider(upstream.whole(upstream.completion("hello"), headers=secret))
        _, headers, _ = self.chat(QUESTION)
        for name in secret:
            self.assertIsNone(headers[name], name)


class ModelTest(GatewayTest):
    """The choice of the provider, and the request to it."""

    def test_every_type_of_provider(self):
        azure = f"/openai/deployments/{MODEL}/chat/completions?api-version="
        for provider_type, base, path, credentials in (
            ("openai", "/v1", "/v1/chat/completions", {"authorization": "Bearer openai-key-of-the-operator"}),
            ("openai_compatible", "/v1", "/v1/chat/completions", {}),
            ("azure_openai", "", azure, {"api-key": "azure_openai-key-of-the-operator"}),
            ("mistral", "/v1", "/v1/chat/completions", {"authorization": "Bearer mistral-key-of-the-operator"}),
            ("ollama", "", "/v1/chat/completions", {}),
            ("vllm", "", "/v1/chat/completions", {}),
        ):
            with self.subTest(provider_type):
                mailbox = case.UPSTREAM.open(OK)
                root = mailbox.url.removesuffix("/v1")
                self.route(root + base, provider_type)
                status, _, answer = self.chat(QUESTION)
                self.assertEqual(status, 200, answer)
                self.assertEqual(json.loads(answer)["choices"][0]["message"]["content"], TEXT)
                self.assertIn(path, mailbox.last.path)
                for header in ("authorization", "api-key", "x-api-key"):
                    want = [credentials[header]] if header in credentials else []
                    self.assertEqual(mailbox.last.header(header), want)
                self.assertUnseen(mailbox.last)

    def test_a_route_by_its_name(self):
        primary, fallback = self.provider(OK), self.provider(OK, route="fallback")
        for model, provider in (("primary", primary), ("fallback", fallback)):
            with self.subTest(model):
                _, headers, _ = self.chat(QUESTION | {"model": model})
                self.assertEqual(headers["x-gateway-route"], model)
                self.assertEqual(provider.last.json["model"], MODEL)
