"""Each client's reaction to an error: its class for it, and another attempt where that can help."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from . import upstream
from .case import EMAIL, LIMITS, TEXT, GatewayTest
from .clients import Clients
from .test_providers import AT_ONCE, LATER

HELLO = upstream.whole(upstream.message("hello"))


def objects(status):
    """A provider that has something against the request, and says it."""
    return upstream.whole(lambda request: {"error": {"message": f"no: {upstream.prompt(request)}"}}, status)


class RefusalTest(Clients, GatewayTest):
    """Each client in its turn."""

    def model(self, *answers):
        return self.provider(*answers, provider_type="anthropic")

    def logged(self, error):
        """Counts the requests of this workspace that were rejected so, according to the log."""
        lines = (self.service.folder / "serve.log").read_text().splitlines()
        return sum(f'"workspace":"{self.workspace}"' in line and f'"error":"{error}"' in line for line in lines)

    def test_what_a_provider_objects_to(self):
        """They read what it says, with their own values in it."""
        for status in (400, 404, 409, 413, 422):
            self.model(objects(status))
            self.each(status, lambda refusal: self.assertIn(f"no: {TEXT}", str(refusal)))

    def test_an_unknown_model(self):
        provider = self.model(HELLO)
        self.each(404, model="some-other-model")
        self.assertEqual(provider.requests, [])

    def test_the_limit_of_a_workspace(self):
        """The headers state the wait, for clients of this service and for those of OpenAI."""

        def check(refusal):
            headers = refusal.headers
            seconds = int(headers["retry-after"])
            self.assertIn(seconds, range(1, 61))
            self.assertAlmostEqual(int(headers["x-ratelimit-reset"]), time.time() + seconds, delta=10)
            want = {
                "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-limit-requests": "1",
                "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": f"{seconds}s",
            }
            self.assertEqual({name: headers[name] for name in want}, want)

        self.model(HELLO)
        self.configure(rate_limits=LIMITS | {"requests_per_minute": 1})
        self.each(429, check)

    def test_the_limit_of_a_provider(self):
        self.model(upstream.fails(429, headers=LATER))
        self.each(429, lambda refusal: self.assertEqual(refusal.headers["retry-after"], "6"))

    def test_a_provider_at_fault(self):
        """The words of its message are its own."""
        for status in (500, 503, 529):
            self.model(upstream.fails(status, f"cannot serve {EMAIL}", LATER))
            self.each(502, lambda refusal: self.assertNotIn(EMAIL, str(refusal)))

    def test_no_provider(self):
        """No other attempt would help, and no client makes one."""
        self.each(503)
        # a line is written when its answer has left
        self.assertTrue(upstream.settled(lambda: self.logged("no_provider") >= len(self.NAMES)))
        for client in self.NAMES:
            with self.subTest(client):
                before = self.logged("no_provider")
                self.refusal(client, retries=2)
                self.assertTrue(upstream.settled(lambda: self.logged("no_provider") > before))
                self.assertEqual(self.logged("no_provider"), before + 1)

    def test_another_attempt(self):
        """A temporary fault is retried: by the gateway while it may wait for it, then by the client."""
        for fault, attempts in {
            upstream.fails(503, headers=LATER): 1,
            upstream.fails(529, headers=LATER): 1,
            upstream.fails(500, headers=AT_ONCE): 3,
            upstream.fails(429, headers=AT_ONCE): 3,
        }.items():
            for client in self.NAMES:
                with self.subTest(client, attempts=attempts):
                    provider = self.model(*[fault] * attempts, HELLO)
                    self.assertEqual(self.answer(client, retries=1), "hello")
                    self.assertEqual(len(provider.requests), attempts + 1)

    def test_a_burst(self):
        """A request without a permit in time is rejected, repeated, and accepted when there is a permit."""
        freed = threading.Event()
        self.addCleanup(freed.set)
        provider = self.model(upstream.held(freed, HELLO), HELLO)
        self.configure(rate_limits=LIMITS | {"burst": 1})
        with ThreadPoolExecutor(1 + len(self.NAMES)) as pool:
            first = pool.submit(self.ask, "hello")
            self.assertTrue(upstream.settled(lambda: provider.requests))
            others = [pool.submit(self.answer, client, retries=4) for client in self.NAMES]
            self.assertTrue(upstream.settled(lambda: self.logged("rate_limit_exceeded") >= len(others), 30))
            self.assertEqual(len(provider.requests), 1)
            freed.set()
            self.assertEqual([other.result() for other in others], ["hello"] * len(others))
            self.assertEqual(first.result()["choices"][0]["message"]["content"], "hello")
