"""`anthropic`, the client of Anthropic in Python, with another base URL and nothing else."""

import json

import anthropic
import pydantic

from . import upstream
from .case import CARD, EMAIL, IBAN, MODEL, PESEL, PLACEHOLDER, TEXT, GatewayTest
from .clients import QUESTION

TOOL = {
    "name": "look_up",
    "description": f"Looks a person up; ask {EMAIL} when in doubt.",
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
THOUGHT = {"type": "thinking", "thinking": "a thought", "signature": "c2lnbmVkIGJ5IHRoZSBwcm92aWRlcg=="}


class Reply(pydantic.BaseModel):
    reply: str = pydantic.Field(description=f"such as {PESEL}")


def told(request):
    """Returns the last message to the model, or the result of a tool there."""
    content = request.json["messages"][-1]["content"]
    while isinstance(content, list):
        content = content[-1].get("text") or content[-1].get("content")
    return content


class AnthropicTest(GatewayTest):
    """The usual calls of a user of the client."""

    def client(self, **options):
        client = anthropic.Anthropic(**{
            "base_url": self.service.url, "api_key": self.token, "default_headers": self.headers,
            "max_retries": 0, **options,
        })
        self.addCleanup(client.close)
        return client

    def create(self, **more):
        return self.client().messages.create(**{
            "model": MODEL, "max_tokens": 64, "messages": QUESTION, **more,
        })

    def stream(self, **more):
        with self.client().messages.stream(**{
            "model": MODEL, "max_tokens": 64, "messages": QUESTION, **more,
        }) as stream:
            said = "".join(stream.text_stream)
            return said, stream.get_final_message()

    def model(self, *answers):
        return self.provider(*answers, provider_type="anthropic")

    def echo(self):
        return self.model(upstream.whole(lambda request: upstream.message(f"You said: {told(request)}")))

    def echo_stream(self):
        def content(request):
            deltas = [{"type": "text_delta", "text": piece} for piece in upstream.pieces(told(request), 3)]
            return upstream.messages([({"type": "text", "text": ""}, deltas)])

        return self.model(upstream.stream(content))

    def test_chat(self):
        provider = self.echo()
        answer = self.create(system=f"You work for {EMAIL}.", metadata={"user_id": EMAIL})
        self.assertEqual(answer.content[0].text, f"You said: {TEXT}")
        self.assertEqual((answer.type, answer.stop_reason), ("message", "end_turn"))
        self.assertEqual(answer.usage.output_tokens, 7)
        self.assertUnseen(provider.last)
        self.assertTrue(provider.last.path.endswith("/messages"), provider.last.path)
        self.assertEqual(provider.last.header("x-api-key"), ["anthropic-key-of-the-operator"])
        self.assertEqual(len(provider.last.header("anthropic-version")), 1)
        self.assertEqual(len(PLACEHOLDER.findall(provider.last.json["messages"][0]["content"])), 5)

    def test_a_token_as_a_bearer(self):
        self.echo()
        client = self.client(api_key=None, auth_token=self.token)
        answer = client.messages.create(model=MODEL, max_tokens=64, messages=QUESTION)
        self.assertEqual(answer.content[0].text, f"You said: {TEXT}")

    def test_aimock(self):
        self.route(f"{self.aimock.url}/v1", provider_type="openai_compatible")
        self.route(f"{self.aimock.url}/v1", provider_type="anthropic")
        self.assertEqual(self.create().content[0].text, f"You said: {TEXT}")
        said, _ = self.stream()
        self.assertEqual(said, f"You said: {TEXT}")
        self.assertUnseen(*self.aimock.journal())

    def test_blocks(self):
        provider = self.echo()
        answer = self.create(
            system=[{"type": "text", "text": f"Card {CARD}.", "cache_control": {"type": "ephemeral"}}],
            messages=[
                {"role": "user", "content": [{"type": "text", "text": f"Who is {PESEL}?"}]},
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {"query": PESEL}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": IBAN}]},
                ]},
            ],
            tools=[TOOL],
        )
        self.assertIn(IBAN, answer.content[0].text)
        self.assertUnseen(provider.last)
        seen = provider.last.json
        self.assertEqual(seen["system"][0]["cache_control"], {"type": "ephemeral"})
        (asked,) = PLACEHOLDER.findall(seen["messages"][0]["content"][0]["text"])
        self.assertEqual(seen["messages"][1]["content"][0]["input"], {"query": asked})
        self.assertEqual(seen["messages"][2]["content"][0]["tool_use_id"], "toolu_1")

    def test_stream(self):
        provider = self.echo_stream()
        said, message = self.stream()
        self.assertEqual((said, message.content[0].text), (TEXT, TEXT))
        self.assertEqual((message.stop_reason, message.usage.output_tokens), ("end_turn", 7))
        self.assertUnseen(provider.last)

    def test_a_tool_call(self):
        def content(request):
            use = {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {"query": told(request)}}
            return upstream.message([use], stop_reason="tool_use")

        provider = self.model(upstream.whole(content))
        (call,) = self.create(tools=[TOOL]).content
        self.assertEqual((call.id, call.name, call.input), ("toolu_1", "look_up", {"query": TEXT}))
        self.assertUnseen(provider.last)

    def test_a_streamed_tool_call(self):
        def content(request):
            start = {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {}}
            arguments = upstream.pieces(json.dumps({"query": told(request)}), 3)
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in arguments]
            return upstream.messages([(start, deltas)], "tool_use")

        provider = self.model(upstream.stream(content))
        _, message = self.stream(tools=[TOOL])
        (call,) = message.content
        self.assertEqual((call.name, call.input), ("look_up", {"query": TEXT}))
        self.assertUnseen(provider.last)

    def test_a_json_schema(self):
        def reply(request):
            return json.dumps({"reply": told(request)})

        def content(request):
            deltas = [{"type": "text_delta", "text": piece} for piece in upstream.pieces(reply(request), 3)]
            return upstream.messages([({"type": "text", "text": ""}, deltas)])

        provider = self.model(
            upstream.whole(lambda request: upstream.message(reply(request))), upstream.stream(content)
        )
        answer = self.client().messages.parse(
            model=MODEL, max_tokens=64, messages=QUESTION, output_format=Reply
        )
        _, streamed = self.stream(output_format=Reply)
        self.assertEqual((answer.parsed_output, streamed.parsed_output), (Reply(reply=TEXT), Reply(reply=TEXT)))
        for request in provider.requests:
            self.assertUnseen(request)
            (asked,) = request.json["output_config"]["format"]["schema"]["properties"].values()
            self.assertEqual(len(PLACEHOLDER.findall(asked["description"])), 1, asked)

    def test_signed_thoughts_are_untouched(self):
        """Their provider rejects the next turn when a byte of them changes."""
        thought = dict(THOUGHT, thinking=f"what does {PESEL} want?")
        provider = self.model(upstream.whole(upstream.message([THOUGHT, {"type": "text", "text": "Hello."}])))
        first = self.create(thinking={"type": "enabled", "budget_tokens": 1024}, max_tokens=2048)
        self.assertEqual(first.content[0].model_dump(exclude_none=True), THOUGHT)
        turns = [*QUESTION, {"role": "assistant", "content": first.content}, {"role": "user", "content": "And?"}]
        self.create(messages=turns)
        self.assertEqual(provider.last.json["messages"][1]["content"][0], THOUGHT)
        # one with personal data cannot be sent as it is, nor be changed
        turns[1] = {"role": "assistant", "content": [thought, {"type": "text", "text": "Hello."}]}
        try:
            self.create(messages=turns)
        except anthropic.APIStatusError as refused:
            self.assertIn(refused.status_code, (400, 403, 503))
        self.assertUnseen(*provider.requests)

    def test_a_streamed_thought(self):
        def content(request):
            thought = [{"type": "thinking_delta", "thinking": piece} for piece in upstream.pieces("a thought", 2)]
            thought.append({"type": "signature_delta", "signature": THOUGHT["signature"]})
            said = [{"type": "text_delta", "text": piece} for piece in upstream.pieces(told(request), 3)]
            start = {"type": "thinking", "thinking": "", "signature": ""}
            return upstream.messages([(start, thought), ({"type": "text", "text": ""}, said)])

        self.model(upstream.stream(content))
        said, message = self.stream(thinking={"type": "enabled", "budget_tokens": 1024}, max_tokens=2048)
        self.assertEqual(message.content[0].model_dump(exclude_none=True), THOUGHT)
        self.assertEqual(said, TEXT)

    def test_refusals(self):
        provider = self.echo()
        self.policy("BLOCK", entity_types=["credit_card"])
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
        unknown = {"type": "hologram", "data": "iVBORw0KGgo="}
        unseen = anthropic.ServiceUnavailableError, "overloaded_error"
        cases = [
            (anthropic.AuthenticationError, "authentication_error", lambda: self.client(api_key="none").messages.create(
                model=MODEL, max_tokens=64, messages=QUESTION)),
            (anthropic.PermissionDeniedError, "permission_error", self.create),
            (anthropic.BadRequestError, "invalid_request_error", lambda: self.create(messages=[])),
            (*unseen, lambda: self.create(messages=[{"role": "user", "content": [image]}])),
            (*unseen, lambda: self.create(messages=[{"role": "user", "content": [unknown]}])),
        ]
        for kind, name, call in cases:
            with self.subTest(name):
                with self.assertRaises(kind) as refused:
                    call()
                body = refused.exception.body
                self.assertEqual((body["type"], body["error"]["type"]), ("error", name), body)
        self.assertEqual(provider.requests, [])

    def test_count_of_tokens(self):
        provider = self.model(upstream.whole({"input_tokens": 7}))
        count = self.client().messages.count_tokens(model=MODEL, messages=QUESTION, system=EMAIL)
        self.assertEqual(count.input_tokens, 7)
        self.assertTrue(provider.last.path.endswith("/messages/count_tokens"), provider.last.path)
        self.assertUnseen(*provider.requests)

    def test_what_is_not_supported(self):
        provider = self.echo()
        client = self.client()
        calls = {
            "batches": lambda: client.messages.batches.list(),
            "complete": lambda: client.post("/v1/complete", cast_to=object, body={"prompt": TEXT}),
        }
        for name, call in calls.items():
            with self.subTest(name):
                with self.assertRaises(anthropic.InternalServerError) as refused:
                    call()
                self.assertEqual(refused.exception.status_code, 501)
        self.assertEqual(provider.requests, [])

    def test_a_provider_at_fault(self):
        self.model(upstream.whole({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, 529))
        with self.assertRaises(anthropic.InternalServerError) as refused:
            self.create()
        self.assertEqual(refused.exception.status_code, 502)

    def test_an_error_in_the_middle_of_a_stream(self):
        def content(request):
            deltas = [{"type": "text_delta", "text": piece} for piece in upstream.pieces(told(request), 3)]
            return upstream.messages([({"type": "text", "text": ""}, deltas)])[:-3]

        self.model(upstream.stream(content, end=False))
        said = ""
        with self.assertRaises(anthropic.APIError):
            with self.client().messages.stream(model=MODEL, max_tokens=64, messages=QUESTION) as stream:
                for piece in stream.text_stream:
                    said += piece
        self.assertTrue(TEXT.startswith(said), said)
