"""`fastpii-connect`, the public client of this API, as it comes from PyPI."""

import asyncio
import socket
import time
import unittest.mock

import fastpii_connect
from fastpii_connect import AsyncFastPII, FastPIIClient

from .case import EMAIL, PESEL, PHONE, TEXT, ClientTest


class FastPIITest(ClientTest):
    """The usual calls of a user of the client. Each answer passes the client's own models."""

    def client(self, key=None, **options):
        client = FastPIIClient(api_key=key or self.service.key(), base_url=self.service.url, **options)
        self.addCleanup(client.close)
        return client

    def refused_for_rate(self, call):
        """The refusal of the second request of a minute; a new minute may begin in between."""
        for _ in range(3):
            try:
                call()
            except fastpii_connect.RateLimitError as refused:
                return refused
        self.fail("no request was refused")

    def test_detect(self):
        answer = self.client().detect(TEXT, language="pl", privacy_preset="balanced")
        self.assertEqual(answer.text, TEXT)
        self.assertEqual((answer.privacy_preset, answer.api_version), ("balanced", "v1"))
        self.assertEqual([found.type for found in answer.entities], ["pesel", "email", "phone_number"])
        for found in answer.entities:
            self.assertEqual(TEXT[found.start:found.end], found.original)
        pesel, email, phone = answer.entities
        self.assertEqual((pesel.country, pesel.validated), ("PL", True))
        self.assertEqual((pesel.metadata["birth_date"], pesel.metadata["gender"]), ("1944-05-14", "male"))
        self.assertEqual(email.metadata["normalized"], EMAIL)
        self.assertEqual((phone.metadata["e164"], phone.metadata["line_type"]), ("+420601123456", "mobile"))
        self.assertIn("PL", [country.code for country in answer.countries_detected])

    def test_detect_with_a_country(self):
        answer = self.client().detect(TEXT, country="CZ")
        self.assertEqual([country.code for country in answer.countries_detected], ["CZ"])

    def test_detect_finds_nothing(self):
        self.assertEqual(self.client().detect("nothing to see here").entities, [])

    def test_detect_batch(self):
        answer = self.client().detect_batch([TEXT, "nothing", EMAIL])
        self.assertEqual([len(result.entities) for result in answer.results], [3, 0, 1])
        self.assertEqual(answer.total_entities, 4)

    def test_a_full_batch_of_full_texts(self):
        text = f"{EMAIL} ".ljust(50_000, "é")
        answer = self.client().detect_batch([text] * 50)
        self.assertEqual(answer.total_entities, 50)

    def test_protect_in_every_mode(self):
        client = self.client()
        expected = {
            "replace": r"^🦀 Žofie: PESEL \[REDACTED\], \[REDACTED\], tel. \[REDACTED\]$",
            "mask": r"^🦀 Žofie: PESEL \*{11}, \*{16}, tel. \*{16}$",
            "hash": r"^🦀 Žofie: PESEL [0-9a-f]{16}, [0-9a-f]{16}, tel. [0-9a-f]{16}$",
            "tokenize": r"^🦀 Žofie: PESEL tok_pl_pesel_\w+, tok_xx_email_\w+, tel. tok_cz_phone_\w+$",
        }
        for mode, pattern in expected.items():
            with self.subTest(mode):
                answer = client.protect(TEXT, mode=mode)
                self.assertRegex(answer.protected_text, pattern)
                self.assertEqual((answer.original_text, answer.protection_mode), (TEXT, mode))
                self.assertEqual([found.type for found in answer.entities], ["pesel", "email", "phone"])
                self.assertEqual([found.country for found in answer.entities], ["pl", None, "cz"])
                for found in answer.entities:
                    self.assertEqual(TEXT[found.start:found.end], found.original)
                    self.assertIn(found.protected, answer.protected_text)
                self.assertEqual(client.protect(TEXT, mode=mode).protected_text, answer.protected_text)

    def test_protect_batch(self):
        answer = self.client().protect_batch([PESEL, "nothing", EMAIL], mode="mask")
        self.assertEqual([result.protected_text for result in answer.results], ["*" * 11, "nothing", "*" * 16])
        self.assertEqual(answer.total_entities, 2)

    def test_validate(self):
        client = self.client()
        right = client.validate(PESEL, "pesel", country="PL")
        self.assertTrue(right.valid)
        self.assertEqual(right.metadata["birth_date"], "1944-05-14")
        self.assertFalse(client.validate("44051401358", "pesel").valid)
        self.assertTrue(client.validate(PHONE, "phone_number").valid)

    def test_list_detectors(self):
        client = self.client()
        everywhere, polish = client.list_detectors(), client.list_detectors(country="PL")
        self.assertEqual(everywhere.count, len(everywhere.detectors))
        self.assertEqual({detector.region for detector in polish.detectors}, {"PL"})
        self.assertIn("pesel", [detector.name for detector in polish.detectors])
        self.assertLess(polish.count, everywhere.count)

    def test_health(self):
        health = self.client().health()
        self.assertEqual(health.status, "healthy")
        self.assertTrue(health.version and health.environment)

    def test_a_session_collects_countries(self):
        session = self.client().create_session("conversation")
        session.detect(TEXT)
        session.protect(f"call {PHONE}", mode="tokenize")
        self.assertEqual(session.message_count, 2)
        self.assertTrue({"PL", "CZ"} <= {code.upper() for code in session.countries}, session.countries)

    def test_the_asynchronous_client(self):
        async def use():
            async with AsyncFastPII(api_key=self.service.key(), base_url=self.service.url) as client:
                return await asyncio.gather(
                    client.detect(TEXT), client.protect(TEXT, mode="mask"), client.health(),
                    client.detect_batch([TEXT]), client.list_detectors(country="PL"),
                )

        detected, protected, health, batch, detectors = asyncio.run(use())
        self.assertEqual((len(detected.entities), len(protected.entities)), (3, 3))
        self.assertEqual((health.status, batch.total_entities), ("healthy", 3))
        self.assertGreater(detectors.count, 0)

    def test_a_wrong_key_is_an_authentication_error(self):
        revoked = "fpk_" + "0" * 43
        for key in [revoked, "no key at all"]:
            with self.subTest(key), self.assertRaises(fastpii_connect.AuthenticationError) as refused:
                self.client(key=key).detect(TEXT)
            self.assertIn("API key", refused.exception.message)
            self.assertRegex(refused.exception.request_id, "^fpi_[0-9a-f]{16}$")

    def test_a_wrong_value_is_a_validation_error(self):
        client = self.client()
        calls = {
            "entity_type": lambda: client.validate("1", "no_such_type"),
            "texts[1]": lambda: client.detect_batch(["fine", ""]),
            # the client rejects these itself, where one lets it
            "mode": lambda: client._request("POST", "/api/v1/protect", json={"text": "a", "mode": "shred"}),
            "text": lambda: client._request("POST", "/api/v1/detect", json={"text": "a" * 50_001}),
        }
        for field, call in calls.items():
            with self.subTest(field), self.assertRaises(fastpii_connect.ValidationError) as refused:
                call()
            self.assertEqual(refused.exception.status_code, 400)
            self.assertTrue(refused.exception.message.startswith(field), refused.exception.message)

    def test_mode_policy_needs_another_plan(self):
        request = {"text": TEXT, "mode": "policy"}
        with self.assertRaises(fastpii_connect.ValidationError) as refused:
            self.client()._request("POST", "/api/v1/protect", json=request)
        self.assertEqual(refused.exception.status_code, 400)
        for word in ["Enterprise", "replace", "mask", "hash", "tokenize"]:
            self.assertIn(word, refused.exception.message)
        enterprise = self.client(key=self.service.key(plan="enterprise"))
        answer = enterprise._request("POST", "/api/v1/protect", json=request).json()
        self.assertEqual(answer["protection_mode"], "policy")
        self.assertNotIn(PESEL, answer["protected_text"])

    def test_a_policy_that_blocks_is_a_policy_violation(self):
        client = self.client(key=self.service.key(plan="enterprise"))
        policy = {"name": "no identity numbers", "action": "BLOCK", "conditions": [{"entity_types": ["pesel"]}]}
        request = {"text": TEXT, "mode": "policy", "policies": [policy]}
        with self.assertRaises(fastpii_connect.PolicyViolationError) as refused:
            client._request("POST", "/api/v1/protect", json=request)
        self.assertNotIn(PESEL, str(refused.exception))

    def test_a_path_that_is_not_there_is_not_found(self):
        with self.assertRaises(fastpii_connect.NotFoundError):
            self.client()._request("GET", "/api/v1/nowhere")

    def test_a_used_up_quota(self):
        limits = {"requests_per_month": 1, "requests_per_minute": 100}
        client = self.client(key=self.service.key(workspace="frugal", limits=limits))
        client.health()
        with self.assertRaises(fastpii_connect.QuotaExceededError) as refused:
            client.health()
        self.assertIn("monthly quota", refused.exception.message)

    def test_the_rate_limit_says_how_long_to_wait(self):
        client = self.client(key=self.service.key(limits={"requests_per_minute": 1}))
        refused = self.refused_for_rate(lambda: client.detect("nothing"))
        self.assertTrue(1 <= refused.retry_after <= 60, refused.retry_after)
        self.assertIn(f"retry in {refused.retry_after} seconds", refused.message)

    def test_a_read_is_tried_again_after_the_wait_that_was_asked_for(self):
        client = self.client(key=self.service.key(limits={"requests_per_minute": 1}), max_retries=2)
        # waits of up to a minute count as waited
        with unittest.mock.patch("fastpii_connect.client.time.sleep") as sleep:
            refused = self.refused_for_rate(client.health)
        waits = [call.args[0] for call in sleep.call_args_list]
        self.assertEqual(len(waits), 2)
        self.assertEqual(waits, [float(refused.retry_after)] * 2)

    def test_a_retry_succeeds(self):
        """A request that is still sending its body has the only place of the key, until the client waits."""
        key = self.service.key(limits={"requests_per_minute": 100, "concurrent_requests": 1})
        client = self.client(key=key)
        host, port = self.service.address.split(":")
        slow = socket.create_connection((host, int(port)))
        self.addCleanup(slow.close)
        body = b'{"text": "nothing"}'
        head = f"POST /api/v1/detect HTTP/1.1\r\nHost: {host}\r\nX-API-Key: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
        slow.sendall(head.encode() + body[:5])
        # the place is taken when somebody else does not get one
        waits, sleep = [], time.sleep

        def finish_and_sleep(seconds):
            waits.append(seconds)
            slow.sendall(body[5:])
            self.assertIn(b" 200 ", slow.recv(64))
            sleep(seconds)

        with unittest.mock.patch("fastpii_connect.client.time.sleep", finish_and_sleep):
            sleep(0.5)
            self.assertEqual(client.health().status, "healthy")
        self.assertEqual(waits, [1.0])

    def test_nobody_there_is_a_connection_error(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}"
            client = FastPIIClient(api_key="fpk_x", base_url=url, max_retries=0)
            self.addCleanup(client.close)
            with self.assertRaises(fastpii_connect.ConnectionError):
                client.health()
