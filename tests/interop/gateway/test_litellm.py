"""`litellm`, which speaks to the gateway as it does to OpenAI and to Anthropic."""

import asyncio
import json

import litellm
import openai

from . import upstream
from .case import MODEL, PESEL, TEXT, GatewayTest
from .clients import QUESTION
from .test_openai import TOOL, Echo


class LiteLLMTest(GatewayTest):
    """The usual calls of a user of the client."""

    def options(self, **more):
        return {
            "model": f"openai/{MODEL}", "api_base": f"{self.service.url}/v1", "api_key": self.token,
            "extra_headers": self.headers, "messages": QUESTION, "max_retries": 0, **more,
        }

    def complete(self, **more):
        return litellm.completion(**self.options(**more))

    def echo(self):
        self.route(f"{self.aimock.url}/v1")

    def test_chat(self):
        self.echo()
        answer = self.complete()
        self.assertEqual(answer.choices[0].message.content, f"You said: {TEXT}")
        self.assertUnseen(*self.aimock.journal())

    def test_the_asynchronous_client(self):
        self.echo()
        answer = asyncio.run(litellm.acompletion(**self.options()))
        self.assertEqual(answer.choices[0].message.content, f"You said: {TEXT}")

    def test_stream(self):
        self.echo()
        chunks = list(self.complete(stream=True))
        said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
        self.assertEqual(said, f"You said: {TEXT}")
        self.assertUnseen(*self.aimock.journal())

    def test_a_tool_call(self):
        self.echo()
        whole = self.complete(tools=[TOOL])
        streamed = litellm.stream_chunk_builder(list(self.complete(tools=[TOOL], stream=True)))
        for answer in (whole, streamed):
            (call,) = answer.choices[0].message.tool_calls
            self.assertEqual(json.loads(call.function.arguments), {"query": TEXT})

    def test_a_json_schema(self):
        self.echo()
        whole = self.complete(response_format=Echo)
        streamed = litellm.stream_chunk_builder(list(self.complete(response_format=Echo, stream=True)))
        for answer in (whole, streamed):
            self.assertEqual(Echo.model_validate_json(answer.choices[0].message.content), Echo(reply=TEXT))
        for entry in self.aimock.journal():
            self.assertUnseen(entry)
            self.assertEqual(entry["body"]["response_format"]["json_schema"]["schema"]["title"], "Echo")

    def test_messages_of_anthropic(self):
        def told(request):
            content = request.json["messages"][-1]["content"]
            return content if isinstance(content, str) else "".join(part["text"] for part in content)

        def content(request):
            deltas = [{"type": "text_delta", "text": piece} for piece in upstream.pieces(told(request), 3)]
            return upstream.messages([({"type": "text", "text": ""}, deltas)])

        provider = self.provider(
            upstream.whole(lambda request: upstream.message(told(request))), upstream.stream(content),
            provider_type="anthropic",
        )
        options = {"model": f"anthropic/{MODEL}", "api_base": self.service.url, "max_tokens": 64}
        answer = self.complete(**options)
        self.assertEqual(answer.choices[0].message.content, TEXT)
        chunks = list(self.complete(stream=True, **options))
        self.assertEqual("".join(chunk.choices[0].delta.content or "" for chunk in chunks), TEXT)
        self.assertUnseen(*provider.requests)

    def test_embeddings(self):
        self.echo()
        answer = litellm.embedding(
            model=f"openai/{MODEL}", input=[TEXT], api_base=f"{self.service.url}/v1", api_key=self.token,
            extra_headers=self.headers,
        )
        self.assertGreater(len(answer.data[0]["embedding"]), 1)
        self.assertUnseen(*self.aimock.journal())

    def test_refusals(self):
        self.provider(upstream.fails(500))
        with self.assertRaises(litellm.AuthenticationError):
            self.complete(api_key="not-a-token")
        with self.assertRaises(litellm.BadRequestError):
            self.complete(messages=[])
        with self.assertRaises(litellm.BadGatewayError) as refused:
            self.complete()
        self.assertEqual(refused.exception.status_code, 502)
        self.policy("BLOCK", entity_types=["pesel"])
        with self.assertRaises(litellm.APIError) as refused:
            self.complete()
        self.assertEqual(refused.exception.status_code, 403)
        self.assertNotIn(PESEL, str(refused.exception))

    def test_an_error_in_the_middle_of_a_stream(self):
        content = lambda request: upstream.says(upstream.prompt)(request)[:-2]
        self.provider(upstream.stream(content, end=False))
        with self.assertRaises(openai.APIError):
            list(self.complete(stream=True))
