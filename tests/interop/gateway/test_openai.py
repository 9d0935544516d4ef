"""`openai`, the client of OpenAI in Python, with another base URL and nothing else."""

import asyncio
import json

import openai
import pydantic

from . import upstream
from .case import DEFAULT_WORKSPACE, EMAIL, MODEL, PESEL, PHONE, PLACEHOLDER, TEXT, GatewayTest
from .clients import QUESTION

TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": f"Looks a person up; ask {EMAIL} when in doubt.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": f"such as {PESEL}"}},
            "required": ["query"],
        },
    },
}


class Echo(pydantic.BaseModel):
    reply: str


class OpenAITest(GatewayTest):
    """The usual calls of a user of the client. aimock echoes its input."""

    def setUp(self):
        super().setUp()
        self.route(f"{self.aimock.url}/v1")

    def client(self, **options):
        client = openai.OpenAI(**{
            "base_url": f"{self.service.url}/v1", "api_key": self.token, "default_headers": self.headers,
            "max_retries": 0, **options,
        })
        self.addCleanup(client.close)
        return client

    def seen(self):
        """The body of the only request that the provider got."""
        (entry,) = self.aimock.journal()
        self.assertUnseen(entry)
        return entry["body"]

    def test_chat(self):
        answer = self.client().chat.completions.create(model=MODEL, messages=QUESTION, user=EMAIL)
        self.assertEqual(answer.choices[0].message.content, f"You said: {TEXT}")
        self.assertEqual((answer.object, answer.choices[0].finish_reason), ("chat.completion", "stop"))
        self.assertGreater(answer.usage.total_tokens, 0)
        asked = self.seen()["messages"][0]["content"]
        self.assertEqual(len(PLACEHOLDER.findall(asked)), 5, asked)

    def test_a_route_a_model_and_a_providers_model_name_the_same(self):
        for model in ("primary", MODEL, f"openai_compatible/{MODEL}"):
            with self.subTest(model):
                answer = self.client().chat.completions.create(model=model, messages=QUESTION)
                self.assertEqual(answer.choices[0].message.content, f"You said: {TEXT}")
        self.assertEqual({entry["body"]["model"] for entry in self.aimock.journal()}, {MODEL})

    def test_stream(self):
        stream = self.client().chat.completions.create(
            model=MODEL, messages=QUESTION, stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
        said = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
        self.assertEqual(said, f"You said: {TEXT}")
        self.assertEqual([c.finish_reason for chunk in chunks for c in chunk.choices if c.finish_reason], ["stop"])
        self.assertGreater(chunks[-1].usage.total_tokens, 0)
        self.assertEqual(len({chunk.id for chunk in chunks}), 1)
        self.assertTrue(self.seen()["stream"])

    def test_a_tool_call(self):
        answer = self.client().chat.completions.create(model=MODEL, messages=QUESTION, tools=[TOOL])
        (call,) = answer.choices[0].message.tool_calls
        self.assertEqual(json.loads(call.function.arguments), {"query": TEXT})
        self.assertEqual((call.id, call.function.name), ("call_mock", "look_up"))
        self.assertEqual(answer.choices[0].finish_reason, "tool_calls")
        function = self.seen()["tools"][0]["function"]
        self.assertEqual(len(PLACEHOLDER.findall(function["description"])), 1, function)
        self.assertEqual(len(PLACEHOLDER.findall(json.dumps(function["parameters"]))), 1, function)

    def test_a_streamed_tool_call(self):
        with self.client().chat.completions.stream(model=MODEL, messages=QUESTION, tools=[TOOL]) as stream:
            answer = stream.get_final_completion()
        (call,) = answer.choices[0].message.tool_calls
        self.assertEqual(json.loads(call.function.arguments), {"query": TEXT})
        self.assertEqual((call.id, call.function.name), ("call_mock", "look_up"))
        self.seen()

    def test_the_result_of_a_tool(self):
        call = {"id": "call_1", "type": "function", "function": {
            "name": "look_up", "arguments": json.dumps({"query": PESEL}),
        }}
        answer = self.client().chat.completions.create(model=MODEL, tools=[TOOL], messages=[
            *QUESTION,
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": json.dumps({"found": {"phone": PHONE}})},
        ])
        self.assertEqual(answer.choices[0].message.content, f'The tool said: {{"found": {{"phone": "{PHONE}"}}}}')
        seen = self.seen()["messages"]
        asked = json.loads(seen[1]["tool_calls"][0]["function"]["arguments"])["query"]
        self.assertRegex(asked, PLACEHOLDER)
        self.assertIn(asked, seen[0]["content"], "a value has one placeholder")

    def test_a_json_schema(self):
        answer = self.client().chat.completions.parse(model=MODEL, messages=QUESTION, response_format=Echo)
        self.assertEqual(answer.choices[0].message.parsed, Echo(reply=TEXT))
        self.assertEqual(self.seen()["response_format"]["json_schema"]["schema"]["title"], "Echo")

    def test_a_streamed_json_schema(self):
        with self.client().chat.completions.stream(
            model=MODEL, messages=QUESTION, response_format=Echo
        ) as stream:
            answer = stream.get_final_completion()
        self.assertEqual(answer.choices[0].message.parsed, Echo(reply=TEXT))
        self.seen()

    def test_the_asynchronous_client(self):
        async def use():
            async with openai.AsyncOpenAI(
                base_url=f"{self.service.url}/v1", api_key=self.token, default_headers=self.headers
            ) as client:
                return await asyncio.gather(*(
                    client.chat.completions.create(model=MODEL, messages=QUESTION) for _ in range(5)
                ))

        for answer in asyncio.run(use()):
            self.assertEqual(answer.choices[0].message.content, f"You said: {TEXT}")
        self.assertUnseen(*self.aimock.journal())

    def test_models(self):
        models = list(self.client().models.list())
        self.assertIn(MODEL, [model.id for model in models])

    def test_embeddings(self):
        for encoding in ({}, {"encoding_format": "float"}):
            with self.subTest(encoding):
                self.aimock.empty_journal()
                answer = self.client().embeddings.create(model=MODEL, input=[TEXT, "nothing"], **encoding)
                self.assertEqual([item.index for item in answer.data], [0, 1])
                self.assertGreater(len(answer.data[0].embedding), 1)
                self.assertTrue(all(isinstance(value, float) for value in answer.data[0].embedding))
                self.seen()

    def test_a_client_that_names_no_workspace(self):
        """The base URL is all that it changes."""
        self.route(f"{self.aimock.url}/v1", workspace=DEFAULT_WORKSPACE)
        client = self.client(default_headers={})
        answer = client.chat.completions.create(model=MODEL, messages=QUESTION)
        self.assertEqual(answer.choices[0].message.content, f"You said: {TEXT}")


class OpenAIRefusalsTest(GatewayTest):
    """Each refusal is the exception that the client has for it."""

    def client(self, **options):
        """A client, and the statuses of the answers it gets."""
        statuses = []
        http_client = openai.DefaultHttpxClient(
            event_hooks={"response": [lambda answer: statuses.append(answer.status_code)]}
        )
        client = openai.OpenAI(**{
            "base_url": f"{self.service.url}/v1", "api_key": self.token, "default_headers": self.headers,
            "http_client": http_client, **options,
        })
        self.addCleanup(client.close)
        return client, statuses

    def raised(self, kind, call):
        with self.assertRaises(kind) as raised:
            call()
        return raised.exception

    def test_no_token(self):
        client, statuses = self.client(api_key="not-a-token")
        error = self.raised(openai.AuthenticationError, lambda: client.models.list())
        self.assertEqual((error.status_code, statuses), (401, [401]))
        self.assertNotIn("not-a-token", str(error))

    def test_a_wrong_body(self):
        self.provider(upstream.whole(upstream.completion("hello")))
        client, statuses = self.client()
        bodies = {
            "messages": {"messages": []},
            "model": {"messages": QUESTION, "model": ""},
            "stream": {"messages": QUESTION, "extra_body": {"stream": "yes"}},
        }
        for field, body in bodies.items():
            with self.subTest(field):
                error = self.raised(
                    openai.BadRequestError, lambda: client.chat.completions.create(**{"model": MODEL} | body)
                )
                self.assertEqual(error.type, "invalid_request_error")
                self.assertEqual(error.param, field)
        self.assertEqual(set(statuses), {400})

    def test_a_blocked_request(self):
        provider = self.provider(upstream.whole(upstream.completion("hello")))
        self.policy("BLOCK", entity_types=["pesel"])
        client, statuses = self.client()
        for stream in (False, True):
            error = self.raised(
                openai.PermissionDeniedError,
                lambda: client.chat.completions.create(model=MODEL, messages=QUESTION, stream=stream),
            )
            self.assertEqual((error.type, error.code), ("policy_violation", "policy_violation"))
            self.assertNotIn(PESEL, str(error))
        self.assertEqual((statuses, provider.requests), ([403, 403], []))

    def test_what_is_not_supported(self):
        provider = self.provider(upstream.whole(upstream.completion("hello")))
        client, _ = self.client(max_retries=0)
        calls = {
            "completions": lambda: client.completions.create(model=MODEL, prompt=TEXT),
            "images": lambda: client.images.generate(model=MODEL, prompt=TEXT),
            "speech": lambda: client.audio.speech.create(model=MODEL, voice="alloy", input=TEXT),
            "moderations": lambda: client.moderations.create(model=MODEL, input=TEXT),
            "files": lambda: client.files.list(),
        }
        for name, call in calls.items():
            with self.subTest(name):
                self.assertEqual(self.raised(openai.InternalServerError, call).status_code, 501)
        unknown = self.raised(openai.NotFoundError, lambda: client.get("/no/such/path", cast_to=object))
        self.assertEqual(unknown.status_code, 404)
        self.assertEqual(provider.requests, [])

    def test_responses(self):
        provider = self.provider(upstream.whole(lambda request: upstream.response(upstream.asked(request))))
        client, _ = self.client(max_retries=0)
        answer = client.responses.create(model=MODEL, instructions=f"You work for {EMAIL}.", input=TEXT, user=EMAIL)
        self.assertEqual(answer.output_text, TEXT)
        answer = client.responses.create(model=MODEL, input=[
            {"role": "user", "content": [{"type": "input_text", "text": TEXT}]},
            {"type": "function_call", "call_id": "c", "name": "look_up", "arguments": json.dumps({"query": PHONE})},
            {"type": "function_call_output", "call_id": "c", "output": TEXT},
        ], tools=[{"type": "function", "strict": False} | TOOL["function"]])
        self.assertEqual(answer.output_text, TEXT)
        self.assertUnseen(*provider.requests)

    def test_responses_that_are_streamed(self):
        provider = self.provider(upstream.stream(upstream.responds(upstream.asked, 3)))
        client, _ = self.client(max_retries=0)
        with client.responses.stream(model=MODEL, input=TEXT) as stream:
            said = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
            self.assertEqual((said, stream.get_final_response().output_text), (TEXT, TEXT))
        self.assertUnseen(*provider.requests)
        # a block by a policy ends the stream with an error
        self.policy("BLOCK", direction="output", entity_types=["email"])
        self.provider(upstream.stream(upstream.responds("Ask eva.nova@example.com.", 3)))
        with self.assertRaises(openai.APIError):
            list(client.responses.create(model=MODEL, input="hello", stream=True))

    def test_structured_responses_and_calls_of_tools(self):
        client, _ = self.client(max_retries=0)
        provider = self.provider(upstream.whole(
            lambda request: upstream.response(json.dumps({"reply": upstream.asked(request)}))
        ))
        self.assertEqual(client.responses.parse(model=MODEL, input=TEXT, text_format=Echo).output_parsed, Echo(reply=TEXT))
        self.assertUnseen(*provider.requests)
        self.provider(upstream.whole(lambda request: upstream.response(
            "", type="function_call", id="fc_mock", call_id="c", name="look_up", status="completed",
            arguments=json.dumps({"query": upstream.asked(request)}),
        )))
        (call,) = client.responses.create(model=MODEL, input=TEXT).output
        self.assertEqual(json.loads(call.arguments), {"query": TEXT})

    def test_responses_that_would_need_earlier_ones(self):
        provider = self.provider(upstream.whole(upstream.response("hello")))
        client, _ = self.client(max_retries=0)
        for field, value in (("previous_response_id", "resp_1"), ("conversation", "conv_1"), ("background", True)):
            with self.subTest(field):
                error = self.raised(
                    openai.BadRequestError, lambda: client.responses.create(model=MODEL, input=TEXT, **{field: value})
                )
                self.assertEqual(error.param, field)
        self.assertEqual(provider.requests, [])

    def test_responses_that_go_on_from_others(self):
        said = []

        def answers(request):
            if request.method == "DELETE":
                return {"id": "resp_1", "object": "response", "deleted": True}
            if not said:
                said.append(upstream.asked(request))
            number = len(provider.requests) if request.path.endswith("/responses") else 1
            return upstream.response(said[0]) | {"id": f"resp_{number}"}

        provider = self.provider(upstream.whole(answers), sessions={"enabled": True})
        client, _ = self.client(max_retries=0)
        first = client.responses.create(model=MODEL, input=TEXT, background=True)
        for more, want in (({"previous_response_id": first.id}, TEXT), ({"conversation": "conv_1"}, said[0])):
            with self.subTest(more):
                answer = client.responses.create(model=MODEL, input="Say it again.", **more)
                self.assertEqual(answer.output_text, want)
        self.assertEqual(client.responses.retrieve(first.id).output_text, TEXT)
        self.assertEqual(client.responses.cancel(first.id).output_text, TEXT)
        client.responses.delete(first.id)
        self.raised(openai.NotFoundError, lambda: client.responses.retrieve(first.id))
        self.assertEqual([request.method for request in provider.requests], ["POST"] * 3 + ["GET", "POST", "DELETE"])
        self.assertUnseen(*provider.requests)

    def test_an_unknown_model(self):
        self.provider(upstream.whole(upstream.completion("hello")))
        client, statuses = self.client()
        error = self.raised(
            openai.NotFoundError,
            lambda: client.chat.completions.create(model="some-other-model", messages=QUESTION),
        )
        self.assertEqual((error.status_code, statuses), (404, [404]))

    def test_no_provider(self):
        """Nothing that the client does again would help; it is told so, and does not."""
        client, statuses = self.client(max_retries=2)
        error = self.raised(
            openai.InternalServerError,
            lambda: client.chat.completions.create(model=MODEL, messages=QUESTION),
        )
        self.assertEqual((error.status_code, error.type, statuses), (503, "no_provider", [503]))

    def test_a_provider_at_fault(self):
        self.provider(upstream.fails(500, f"cannot serve {EMAIL}"))
        client, _ = self.client(max_retries=0)
        error = self.raised(
            openai.InternalServerError,
            lambda: client.chat.completions.create(model=MODEL, messages=QUESTION),
        )
        self.assertEqual((error.status_code, error.type), (502, "upstream_error"))
        self.assertNotIn(EMAIL, str(error), "what a provider says to an error is its own")

    def test_a_provider_that_is_not_there(self):
        self.route("http://127.0.0.1:9/v1")
        client, _ = self.client(max_retries=0)
        error = self.raised(
            openai.InternalServerError,
            lambda: client.chat.completions.create(model=MODEL, messages=QUESTION),
        )
        self.assertEqual((error.status_code, error.type), (502, "upstream_error"))

    def test_a_client_that_tries_again(self):
        """The provider's refusal is gone after the attempts of the gateway; the client's retry succeeds."""
        failures = [upstream.fails(503)] * 4
        provider = self.provider(*failures, upstream.whole(upstream.completion("hello")))
        client, statuses = self.client(max_retries=4)
        answer = client.chat.completions.create(model=MODEL, messages=QUESTION)
        self.assertEqual(answer.choices[0].message.content, "hello")
        self.assertEqual(statuses[-1], 200)
        self.assertGreater(len(provider.requests), len(statuses), "the gateway tries more than once")

    def test_an_error_in_the_middle_of_a_stream(self):
        """The client raises; what it had by then is restored, without a piece of a placeholder."""
        content = lambda request: upstream.says(lambda asked: f"{upstream.prompt(asked)} and")(request)[:-2]
        self.provider(upstream.stream(content, end=False))
        client, _ = self.client()
        said = ""
        with self.assertRaises(openai.APIError) as raised:
            for chunk in client.chat.completions.create(model=MODEL, messages=QUESTION, stream=True):
                said += chunk.choices[0].delta.content or ""
        self.assertEqual(raised.exception.type, "upstream_error")
        self.assertTrue(f"{TEXT} and".startswith(said), said)
