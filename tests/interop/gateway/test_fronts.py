"""Open WebUI, LibreChat and n8n: what they send, and the settings of the guide. The programs are not started."""

import json
import re
import subprocess

from . import upstream
from .case import EMAIL, MODEL, TEXT, GatewayTest, events, said
from .test_openai import TOOL

GUIDE = upstream.HERE.parents[2] / "docs/how-to/chat-fronts.md"


def node(script, text):
    """Returns what a script of this folder writes about its input."""
    done = subprocess.run(
        ["node", upstream.HERE / script], input=text, capture_output=True, text=True, timeout=120,
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class FrontTest(GatewayTest):
    """aimock echoes its input; it sees no canary."""

    def setUp(self):
        super().setUp()
        self.route(f"{self.aimock.url}/v1")

    def tearDown(self):
        self.assertUnseen(*self.aimock.journal())

    def models(self):
        """Returns the models of the workspace, as each program asks for them."""
        status, headers, body = self.send("GET", "/v1/models", headers={"Authorization": f"Bearer {self.token}", **self.headers})
        self.assertEqual(status, 200, body)
        return [model["id"] for model in json.loads(body)["data"]]


class N8nTest(FrontTest):
    """`ChatOpenAI` of `@langchain/openai` with the fields that n8n's node OpenAI Chat Model gives it."""

    def use(self, **more):
        return node("langchain.mjs", json.dumps({
            "apiKey": self.token, "model": MODEL, "timeout": 60_000, "maxRetries": 2, "modelKwargs": {},
            "configuration": {"baseURL": f"{self.service.url}/v1", "defaultHeaders": self.headers},
            "supportsStrictToolCalling": False, "text": TEXT, **more,
        }))

    def test_chats_and_responses(self):
        for is_streamed in (False, True):
            with self.subTest(is_streamed=is_streamed):
                self.assertEqual(self.use(isStreamed=is_streamed)["said"], f"You said: {TEXT}")
        answer = upstream.whole(lambda request: upstream.response(upstream.asked(request)))
        streamed = upstream.stream(upstream.responds(upstream.asked, 3))
        for is_streamed in (False, True):
            with self.subTest(is_streamed=is_streamed, responses=True):
                provider = self.provider(streamed if is_streamed else answer)
                self.assertEqual(self.use(isStreamed=is_streamed, useResponsesApi=True)["said"], TEXT)
                self.assertUnseen(*provider.requests)

    def test_tools(self):
        (call,) = self.use(tools=[TOOL])["calls"]
        self.assertEqual((call["name"], call["args"]), ("look_up", {"query": TEXT}))

    def test_the_list_of_models(self):
        self.assertIn(MODEL, self.models())


class LibreChatTest(FrontTest):
    """The settings of the guide, by LibreChat's own schema."""

    def test_the_settings_are_known(self):
        (settings,) = re.findall(r"^```yaml\n(version: [^`]*)^```$", GUIDE.read_text(), re.MULTILINE)
        (endpoint,) = node("librechat.mjs", settings)["endpoints"]["custom"]
        self.assertEqual(endpoint, {
            "name": "Textveil", "apiKey": "${TEXTVEIL_SERVICE_TOKEN}", "baseURL": "http://127.0.0.1:3000/v1",
            "models": {"default": ["gpt-4o-mini"], "fetch": True}, "titleConvo": True, "titleModel": "current_model",
            "headers": {"X-Workspace-Id": "default"},
        })
        unknown = settings.replace("baseURL", "baseUrl")
        self.assertNotIn("baseUrl", node("librechat.mjs", unknown)["endpoints"]["custom"][0])


class OpenWebUiTest(FrontTest):
    """Requests in the form of the source of Open WebUI 0.12 (`routers/openai.py`, `routers/tasks.py`)."""

    def test_a_chat(self):
        status, _, body = self.chat({
            "stream": True, "model": MODEL, "messages": [{"role": "user", "content": TEXT}], "temperature": 0.7,
            "max_completion_tokens": 1000, "stream_options": {"include_usage": True},
        })
        self.assertEqual((status, said(body)), (200, f"You said: {TEXT}"))
        self.assertTrue(any("usage" in event for event in events(body)))

    def test_headers_about_the_user_end_at_the_gateway(self):
        """Open WebUI sends them with `ENABLE_FORWARD_USER_INFO_HEADERS`."""
        provider = self.provider(upstream.stream(upstream.says(upstream.prompt)))
        status, _, body = self.chat(
            {"stream": True, "messages": [{"role": "user", "content": TEXT}]},
            headers={"X-OpenWebUI-User-Email": EMAIL, "X-OpenWebUI-User-Name": "Zofie", "X-OpenWebUI-Chat-Id": "c"},
        )
        self.assertEqual((status, said(body)), (200, TEXT))
        self.assertUnseen(*provider.requests)
        self.assertEqual([name for name, _ in provider.last.headers if "openwebui" in name.lower()], [])

    def test_a_title(self):
        """It is a chat of its own, with the messages in one text."""
        question = f"### Task:\nGenerate a title.\n### Chat History:\n<chat_history>\nUSER: {TEXT}\n</chat_history>"
        status, _, body = self.chat({
            "model": MODEL, "messages": [{"role": "user", "content": question}], "stream": False, "max_tokens": 1000,
        })
        self.assertEqual(status, 200, body)
        self.assertEqual(json.loads(body)["choices"][0]["message"]["content"], f"You said: {question}")

    def test_the_list_of_models(self):
        self.assertIn(MODEL, self.models())
