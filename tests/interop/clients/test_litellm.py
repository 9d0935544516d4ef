"""LiteLLM's guardrail for Presidio, with the service in Presidio's place."""

import asyncio
import json
import tempfile

import litellm
from litellm.caching.caching import DualCache
from litellm.exceptions import BlockedPiiEntityError, GuardrailRaisedException
from litellm.proxy._types import UserAPIKeyAuth
from litellm.proxy.guardrails.guardrail_hooks.presidio import _OPTIONAL_PresidioPIIMasking as Guardrail
from litellm.types.guardrails import GuardrailEventHooks, PiiAction, PiiEntityType

from .case import EMAIL, PHONE, ClientTest

TEXT = f"🦀 write to {EMAIL} or call {PHONE}"


class LiteLLMTest(ClientTest):
    """Tests of a proxy: of a message before a model sees it, and of the answer before the caller does."""

    def guard(self, *conversation, url=None, **options):
        """Runs coroutines with a guardrail, one after the other, as the proxy's hooks run."""
        async def run():
            base = url or self.service.url_with(self.service.key())
            guardrail = Guardrail(
                guardrail_name="presidio", event_hook=GuardrailEventHooks.pre_call, default_on=True,
                presidio_analyzer_api_base=base, presidio_anonymizer_api_base=base, **options,
            )
            try:
                return [await step(guardrail) for step in conversation]
            finally:
                await guardrail._close_http_session()

        return asyncio.run(run())

    @staticmethod
    def ask(*contents):
        return {"model": "any", "messages": [{"role": "user", "content": content} for content in contents], "metadata": {}}

    @staticmethod
    def before(data):
        return lambda guardrail: guardrail.async_pre_call_hook(UserAPIKeyAuth(), DualCache(), data, "completion")

    @staticmethod
    def after(data, answer):
        def hook(guardrail):
            message = litellm.Message(role="assistant", content=answer())
            response = litellm.ModelResponse(choices=[litellm.Choices(message=message)])
            return guardrail.async_post_call_success_hook(data, UserAPIKeyAuth(), response)

        return hook

    def test_a_message_is_masked(self):
        data = self.ask(TEXT, "nothing", [{"type": "text", "text": EMAIL}])
        [masked] = self.guard(self.before(data))
        contents = [message["content"] for message in masked["messages"]]
        self.assertEqual(
            contents,
            ["🦀 write to <EMAIL_ADDRESS> or call <PHONE_NUMBER>", "nothing", [{"type": "text", "text": "<EMAIL_ADDRESS>"}]],
        )

    def test_a_message_is_masked_without_a_key_where_a_workspace_is_open(self):
        data = self.ask(EMAIL)
        [masked] = self.guard(self.before(data), url=self.service.url)
        self.assertEqual(masked["messages"][0]["content"], "<EMAIL_ADDRESS>")

    def test_an_answer_is_unmasked(self):
        data = self.ask(TEXT)

        def answer():
            # the answer of a model that takes the placeholders for names
            return "Sent: " + data["messages"][0]["content"]

        masked, response = self.guard(self.before(data), self.after(data, answer), output_parse_pii=True)
        content = masked["messages"][0]["content"]
        self.assertRegex(content, r"^🦀 write to <EMAIL_ADDRESS_\d> or call <PHONE_NUMBER_\d>$")
        self.assertEqual(response.choices[0].message.content, f"Sent: {TEXT}")

    def test_an_answer_is_masked(self):
        data = self.ask("who is it?")
        [response] = self.guard(self.after(data, lambda: f"it is {EMAIL}"), apply_to_output=True)
        self.assertEqual(response.choices[0].message.content, "it is <EMAIL_ADDRESS>")

    def test_what_is_configured_is_looked_for_and_nothing_else(self):
        # a name is what nothing here finds; Presidio's users configure it all the same
        config = {PiiEntityType.EMAIL_ADDRESS: PiiAction.MASK, PiiEntityType.PERSON: PiiAction.MASK}
        [masked] = self.guard(self.before(self.ask(TEXT)), pii_entities_config=config)
        self.assertEqual(masked["messages"][0]["content"], f"🦀 write to <EMAIL_ADDRESS> or call {PHONE}")

    def test_what_is_to_be_blocked_is_blocked(self):
        config = {PiiEntityType.EMAIL_ADDRESS: PiiAction.BLOCK, PiiEntityType.PHONE_NUMBER: PiiAction.MASK}
        with self.assertRaises(BlockedPiiEntityError) as blocked:
            self.guard(self.before(self.ask(TEXT)), pii_entities_config=config)
        self.assertEqual(blocked.exception.entity_type, "EMAIL_ADDRESS")

    def test_scores_are_thresholds(self):
        for threshold, want in [(0.5, "<EMAIL_ADDRESS>"), (1.01, EMAIL)]:
            with self.subTest(threshold):
                thresholds = {PiiEntityType.EMAIL_ADDRESS: threshold}
                [masked] = self.guard(self.before(self.ask(EMAIL)), presidio_score_thresholds=thresholds)
                self.assertEqual(masked["messages"][0]["content"], want)

    def test_recognizers_of_the_proxys_own(self):
        recognizers = [
            {
                "name": "Staff",
                "supported_language": "en",
                "supported_entity": "STAFF_NUMBER",
                "patterns": [{"name": "staff number", "regex": "EMP-[0-9]{4}", "score": 0.85}],
            }
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(recognizers, file)
            file.flush()
            [masked] = self.guard(self.before(self.ask("ask EMP-1234")), presidio_ad_hoc_recognizers=file.name)
        self.assertEqual(masked["messages"][0]["content"], "ask <STAFF_NUMBER>")

    def test_a_text_longer_than_the_limit_is_analyzed_in_pieces(self):
        words = "word " * 20_000
        data = self.ask(f"{EMAIL} {words}{EMAIL}")
        [masked] = self.guard(self.before(data), presidio_analyze_chunk_size_bytes=50_000)
        self.assertEqual(masked["messages"][0]["content"], f"<EMAIL_ADDRESS> {words}<EMAIL_ADDRESS>")

    def test_a_text_longer_than_the_limit_is_never_let_through(self):
        data = self.ask("word " * 20_000 + EMAIL)
        with self.assertRaises(GuardrailRaisedException):
            self.guard(self.before(data), output_parse_pii=True)

    def test_a_wrong_key_lets_nothing_through(self):
        with self.assertRaises(Exception) as refused:
            self.guard(self.before(self.ask(TEXT)), url=self.service.url_with("wrong"), output_parse_pii=True)
        self.assertIn("401", str(refused.exception))
        self.assertNotIn(EMAIL, str(refused.exception))
