"""The traces of the tests: no canary may be in a log, a store, a metric or a provider's hands."""

import json

from . import case
from .case import GatewayTest


class Traces(GatewayTest):
    """Runs behind all other tests."""

    def setUp(self):
        """Keeps the journal."""

    def test_the_search_finds_what_it_looks_for(self):
        """Else it would find nothing in whatever it is shown."""
        at = len(case.CARD) // 2
        for text in (
            case.TEXT,
            case.EMAIL.replace("@", "\\u0040"),
            case.EMAIL.replace("@", "%40"),
            case.IBAN.replace(" ", "-"),
            f'{{"a": "{case.CARD[:at]}", "b": {{"c": ["{case.CARD[at:]}"]}}}}',
            f'{{"arguments": "{{\\"to\\": \\"{case.PESEL}\\"}}"}}',
        ):
            with self.subTest(text):
                self.assertNotEqual(case.found_in(text), [])
        self.assertEqual(case.found_in('{"content": "[[EMAIL_x7k2qd3maba]]"}'), [])

    def test_the_providers_saw_nothing(self):
        self.assertUnseen(*case.UPSTREAM.requests, *case.AIMOCK.requests)

    def test_the_credentials_of_callers_went_nowhere(self):
        secrets = [self.token, case.SERVICE.user_token_key]
        journal = json.dumps(case.AIMOCK.requests)
        for received in [journal, *(request.bytes for request in case.UPSTREAM.requests)]:
            self.assertFalse([secret for secret in secrets if secret in received])

    def test_the_service_kept_nothing(self):
        self.assertNothingKept()
