"""`openai`, the client of OpenAI in Node, with another base URL and nothing else: see openai.mjs."""

import json

from . import upstream
from .case import EMAIL, MODEL, PESEL, TEXT, GatewayTest
from .clients import QUESTION, NodeClient
from .test_openai import TOOL

SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "reply",
        "strict": True,
        "schema": {
            "type": "object", "properties": {"reply": {"type": "string"}}, "required": ["reply"],
            "additionalProperties": False,
        },
    },
}


class OpenAINodeTest(NodeClient, GatewayTest):
    """The usual calls of a user of the client. aimock echoes its input."""

    def with_echo(self, call, **more):
        """Returns the result of a call with a provider that echoes its input; it sees no canary."""
        self.route(f"{self.aimock.url}/v1")
        outcome = self.use(call, {"model": MODEL, "messages": QUESTION} | more)
        self.assertNotIn("error", outcome)
        self.assertUnseen(*self.aimock.journal())
        return outcome

    def test_chat(self):
        outcome = self.with_echo("chat")
        self.assertEqual(outcome["message"]["content"], f"You said: {TEXT}")
        self.assertEqual(outcome["finish"], "stop")
        self.assertGreater(outcome["usage"]["total_tokens"], 0)

    def test_stream(self):
        outcome = self.with_echo("stream")
        self.assertEqual(outcome["said"], f"You said: {TEXT}")
        self.assertEqual(outcome["message"]["content"], f"You said: {TEXT}")

    def test_a_tool_call(self):
        for call in ("chat", "stream"):
            with self.subTest(call):
                outcome = self.with_echo(call, tools=[TOOL])
                (made,) = outcome["message"]["tool_calls"]
                self.assertEqual(json.loads(made["function"]["arguments"]), {"query": TEXT})
                self.assertEqual(outcome["finish"], "tool_calls")

    def test_a_json_schema(self):
        for call in ("chat", "stream"):
            with self.subTest(call):
                outcome = self.with_echo(call, response_format=SCHEMA)
                self.assertEqual(json.loads(outcome["message"]["content"]), {"reply": TEXT})

    def test_responses(self):
        provider = self.provider(upstream.whole(lambda request: upstream.response(upstream.asked(request))))
        outcome = self.use("response", {"model": MODEL, "instructions": f"You work for {EMAIL}.", "input": TEXT})
        self.assertEqual(outcome["said"], TEXT)
        self.assertUnseen(*provider.requests)
        provider = self.provider(upstream.stream(upstream.responds(upstream.asked, 3)))
        outcome = self.use("responseStream", {"model": MODEL, "input": TEXT})
        self.assertEqual(outcome["said"], TEXT)
        self.assertEqual(outcome["output"][0]["content"][0]["text"], TEXT)
        self.assertUnseen(*provider.requests)

    def test_structured_responses_and_calls_of_tools(self):
        provider = self.provider(upstream.whole(
            lambda request: upstream.response(json.dumps({"reply": upstream.asked(request)}))
        ))
        form = {"type": "json_schema"} | SCHEMA["json_schema"]
        outcome = self.use("parsedResponse", {"model": MODEL, "input": TEXT, "text": {"format": form}})
        self.assertEqual(outcome["parsed"], {"reply": TEXT})
        self.assertUnseen(*provider.requests)
        self.provider(upstream.whole(lambda request: upstream.response(
            "", type="function_call", id="fc_mock", call_id="c", name="look_up", status="completed",
            arguments=json.dumps({"query": upstream.asked(request)}),
        )))
        tool = {"type": "function", "strict": False} | TOOL["function"]
        (call,) = self.use("response", {"model": MODEL, "input": TEXT, "tools": [tool]})["output"]
        self.assertEqual(json.loads(call["arguments"]), {"query": TEXT})

    def test_models_and_embeddings(self):
        self.route(f"{self.aimock.url}/v1")
        self.assertIn(MODEL, self.use("models")["models"])
        (size,) = self.use("embeddings", {"model": MODEL, "input": TEXT})["sizes"]
        self.assertGreater(size, 1)
        self.assertUnseen(*self.aimock.journal())

    def test_refusals(self):
        self.policy("BLOCK", entity_types=["pesel"])
        self.provider(upstream.whole(upstream.completion("hello")))
        cases = [
            ("AuthenticationError", 401, {"apiKey": "not-a-token"}),
            ("PermissionDeniedError", 403, {}),
            ("BadRequestError", 400, {"body": {"model": MODEL, "messages": "none"}}),
        ]
        for name, status, options in cases:
            with self.subTest(name):
                outcome = self.use("chat", **options)
                self.assertEqual((outcome["error"]["class"], outcome["error"]["status"]), (name, status))
                self.assertEqual(outcome["statuses"], [status])
                self.assertNotIn(PESEL, json.dumps(outcome))

    def test_it_does_not_try_again_where_that_would_not_help(self):
        outcome = self.use("chat", maxRetries=2)
        self.assertEqual((outcome["error"]["status"], outcome["error"]["type"]), (503, "no_provider"))
        self.assertEqual(outcome["statuses"], [503])

    def test_an_error_in_the_middle_of_a_stream(self):
        content = lambda request: upstream.says(upstream.prompt)(request)[:-2]
        self.provider(upstream.stream(content, end=False))
        outcome = self.use("stream")
        self.assertEqual(outcome["error"]["class"], "APIError")
        self.assertEqual(outcome["error"]["type"], "upstream_error")
