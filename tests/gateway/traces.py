"""What the tests left behind: no canary may be in a log, a store, a metric or a provider's hands."""

import case
from case import GatewayTest


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
        self.assertEqual(case.found_in('{"content": "[[EMAIL_x7k2qd3mab]]"}'), [])

    def test_the_providers_saw_nothing(self):
        self.assertUnseen(*case.UPSTREAM.requests, *case.AIMOCK.requests)

    def test_the_credentials_of_callers_went_nowhere(self):
        secrets = [self.token, case.SERVICE.user_token_key]
        for request in case.UPSTREAM.requests:
            self.assertFalse([secret for secret in secrets if secret in request.bytes], request.path)

    def test_the_service_kept_nothing(self):
        service = case.SERVICE
        status, _, metrics = self.send("GET", "/metrics")
        self.assertEqual(status, 200)
        (service.folder / "metrics").write_bytes(metrics)
        # the compiled components are code; everything else is what the service wrote
        files = [path for path in service.folder.rglob("*") if path.is_file() and "cache" not in path.parts]
        names = {path.name for path in files}
        self.assertTrue({"serve.log", "metrics", "sqlite_key_value.db"} <= names, names)
        log = (service.folder / "serve.log").read_text()
        self.assertTrue('"workspace"' in log, "the log has no line about a request")
        for path in files:
            with self.subTest(path.name):
                text = path.read_bytes().decode("utf-8", "replace")
                self.assertEqual(case.found_in(text), [])
