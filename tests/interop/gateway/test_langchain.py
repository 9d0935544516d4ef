"""`langchain-openai`, with another base URL and nothing else."""

import openai
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

from . import upstream
from .case import IBAN, MODEL, PLACEHOLDER, TEXT, GatewayTest
from .test_openai import TOOL, Echo


class LangChainTest(GatewayTest):
    """The usual calls of a user of the client. aimock echoes its input."""

    def setUp(self):
        super().setUp()
        self.route(f"{self.aimock.url}/v1")

    def tearDown(self):
        self.assertUnseen(*self.aimock.journal())

    def options(self, **more):
        return {
            "model": MODEL, "base_url": f"{self.service.url}/v1", "api_key": self.token,
            "default_headers": self.headers, "max_retries": 0, **more,
        }

    def model(self, **more):
        return ChatOpenAI(**self.options(**more))

    def test_invoke(self):
        self.assertEqual(self.model().invoke(TEXT).content, f"You said: {TEXT}")

    def test_stream(self):
        for usage in (False, True):
            with self.subTest(usage=usage):
                pieces = list(self.model(stream_usage=usage).stream(TEXT))
                self.assertEqual("".join(piece.content for piece in pieces), f"You said: {TEXT}")

    def test_a_batch(self):
        answers = self.model().batch([TEXT, "nothing", IBAN])
        self.assertEqual([answer.content for answer in answers], [
            f"You said: {TEXT}", "You said: nothing", f"You said: {IBAN}",
        ])

    def test_tools(self):
        model = self.model().bind_tools([TOOL])
        asked = model.invoke(TEXT)
        (call,) = asked.tool_calls
        self.assertEqual((call["name"], call["args"]), ("look_up", {"query": TEXT}))
        answer = model.invoke([
            HumanMessage(TEXT), AIMessage("", tool_calls=[call]), ToolMessage(IBAN, tool_call_id=call["id"]),
        ])
        self.assertEqual(answer.content, f"The tool said: {IBAN}")
        streamed = None
        for piece in model.stream(TEXT):
            streamed = piece if streamed is None else streamed + piece
        self.assertEqual(streamed.tool_calls[0]["args"], {"query": TEXT})

    def test_structured_output(self):
        model = self.model().with_structured_output(Echo, method="json_schema")
        self.assertEqual(model.invoke(TEXT), Echo(reply=TEXT))

    def test_embeddings(self):
        model = OpenAIEmbeddings(**self.options(check_embedding_ctx_length=False))
        (vector,) = model.embed_documents([TEXT])
        self.assertGreater(len(vector), 1)
        (entry,) = self.aimock.journal()
        self.assertEqual(len(PLACEHOLDER.findall(str(entry["body"]))), 5)

    def test_embeddings_of_tokens(self):
        """As LangChain sends them unless told otherwise: numbers, whose text cannot be seen."""
        client = openai.OpenAI(base_url=f"{self.service.url}/v1", api_key=self.token, default_headers=self.headers)
        self.addCleanup(client.close)
        for tokens in ([9906, 1917], [[9906, 1917], [15339]]):
            with self.subTest(tokens):
                with self.assertRaises(openai.InternalServerError) as refused:
                    client.embeddings.create(model=MODEL, input=tokens)
                self.assertEqual(refused.exception.type, "privacy_check_failed")
        self.assertEqual(self.aimock.journal(), [])

    def test_an_error_in_the_middle_of_a_stream(self):
        """It raises; what it had by then is restored, without a piece of a placeholder."""
        content = lambda request: upstream.says(lambda asked: f"{upstream.prompt(asked)} and")(request)[:-2]
        self.provider(upstream.stream(content, end=False))
        said = ""
        with self.assertRaises(openai.APIError) as raised:
            for piece in self.model().stream(TEXT):
                said += piece.content
        self.assertEqual(raised.exception.type, "upstream_error")
        self.assertTrue(f"{TEXT} and".startswith(said), said)

    def test_refusals(self):
        with self.assertRaises(openai.AuthenticationError):
            self.model(api_key="not-a-token").invoke(TEXT)
        with self.assertRaises(openai.InternalServerError):
            self.model(default_headers={}).with_config().bind(
                extra_headers={name: "a-workspace-without-providers" for name in self.headers}
            ).invoke(TEXT)
        self.policy("BLOCK", entity_types=["pesel"])
        with self.assertRaises(openai.PermissionDeniedError):
            self.model().invoke(TEXT)
        self.assertEqual(self.aimock.journal(), [])
