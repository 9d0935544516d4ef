"""`textveil mcp` and the service's `/mcp` with the official client of the Model Context Protocol, and third-party servers behind
the wrapper."""

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp import types
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.exceptions import MCPError
except ImportError:
    Client = None

from ..support.service import PROGRAM, ROOT
from .case import EMAIL, PESEL, ClientTest

SERVERS = ROOT / "tests/interop/node_modules/@modelcontextprotocol"
EVERYTHING = SERVERS / "server-everything/dist/index.js"
FILES = SERVERS / "server-filesystem/dist/index.js"

#: Seconds for a whole conversation.
TIMEOUT = 120

#: The revision without a handshake, and that of older clients.
MODES = ["2026-07-28", "auto", "legacy"]


def program(*arguments, **variables):
    """The program as a server of standard input and output."""
    component = os.environ.get("TEXTVEIL_COMPONENT", str(ROOT / "dist/textveil-engine.wasm"))
    environment = {"PATH": os.environ["PATH"], "TEXTVEIL_COMPONENT": component, **variables}
    return StdioServerParameters(command=str(PROGRAM), args=["mcp", *map(str, arguments)], env=environment)


def served(url, key):
    """The transport to a server behind an address that asks for a key."""
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=TIMEOUT)
    return streamable_http_client(url, http_client=client)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def texts(result):
    return [item.text for item in result.content if item.type == "text"]


def talk(server, conversation, **options):
    """Runs a conversation with a server."""

    async def run():
        async with Client(server, **options) as client:
            await conversation(client)

    asyncio.run(asyncio.wait_for(run(), TIMEOUT))


async def use_tools(test, client):
    """Uses every tool that has no switch. The client checks results with their schemas."""
    tools = (await client.list_tools()).tools
    test.assertEqual([tool.name for tool in tools], ["detect", "protect", "validate", "list_detectors"])
    test.assertTrue(all(tool.annotations.read_only_hint for tool in tools))
    found = await client.call_tool("detect", {"text": f"PESEL {PESEL}"})
    finding = found.structured_content["findings"][0]
    test.assertEqual((finding["type"], finding["start"], finding["end"]), ("pesel", 6, 17))
    test.assertNotIn(PESEL, found.model_dump_json())
    protected = await client.call_tool("protect", {"text": f"to {EMAIL}"})
    test.assertEqual(protected.structured_content, {"text": "to [REDACTED]", "counts": {"email": 1}})
    valid = await client.call_tool("validate", {"type": "pesel", "value": PESEL})
    test.assertTrue(valid.structured_content["valid"])
    wrong = await client.call_tool("detect", {"text": ""})
    test.assertTrue(wrong.is_error)
    page = await client.call_tool("list_detectors", {"category": "identity"})
    test.assertIn("next_cursor", page.structured_content)
    with test.assertRaises(MCPError) as unknown:
        await client.call_tool("restore", {"text": EMAIL})
    test.assertNotIn(EMAIL, str(unknown.exception))


@unittest.skipIf(Client is None, "mcp is not installed")
class ToolsTest(unittest.TestCase):
    """The tools of the program."""

    def test_every_revision_has_the_tools(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                talk(program(), lambda client: use_tools(self, client), mode=mode)

    def test_tokens_are_restored_with_the_switch(self):
        async def conversation(client):
            protected = await client.call_tool("protect", {"text": f"to {EMAIL}", "mode": "tokenize"})
            text = protected.structured_content["text"]
            self.assertNotIn(EMAIL, text)
            restored = await client.call_tool("restore", {"text": text})
            self.assertEqual(restored.structured_content["text"], f"to {EMAIL}")

        talk(program("--allow-restore"), conversation)


@unittest.skipIf(Client is None, "mcp is not installed")
class ServiceTest(ClientTest):
    """The tools of the running service."""

    def talk(self, key, conversation, **options):
        talk(served(f"{self.service.url}/mcp", key), conversation, **options)

    def test_every_revision_has_the_tools_of_the_service(self):
        key = self.service.key()
        for mode in MODES:
            with self.subTest(mode=mode):
                self.talk(key, lambda client: use_tools(self, client), mode=mode)

    def test_a_tool_needs_its_scope(self):
        async def conversation(client):
            found = await client.call_tool("detect", {"text": EMAIL})
            self.assertEqual(len(found.structured_content["findings"]), 1)
            with self.assertRaises(MCPError) as refused:
                await client.call_tool("protect", {"text": EMAIL})
            self.assertNotIn(EMAIL, str(refused.exception))
            # the connection goes on
            self.assertTrue((await client.list_tools()).tools)

        key = self.service.key(scopes="detect")
        for mode in MODES:
            with self.subTest(mode=mode):
                self.talk(key, conversation, mode=mode)

    def test_without_a_key_nothing_is_offered(self):
        async def conversation(client):
            await client.list_tools()

        for mode in MODES:
            with self.subTest(mode=mode), self.assertRaises(BaseException):
                self.talk("fpk_wrong", conversation, mode=mode)

    def test_the_service_behind_the_wrapper(self):
        async def conversation(client):
            found = await client.call_tool("detect", {"text": f"to {EMAIL}", "values": True})
            # the service answers with the value, and the wrapper protects it
            self.assertEqual(found.structured_content["findings"][0]["value"], "[REDACTED]")

        flags = ["--wrap-url", f"{self.service.url}/mcp", "--header", "Authorization=TOKEN"]
        for mode in MODES:
            with self.subTest(mode=mode):
                talk(program(*flags, TOKEN=f"Bearer {self.service.key()}"), conversation, mode=mode)


@unittest.skipIf(Client is None, "mcp is not installed")
class BearerTest(unittest.TestCase):
    """A server of the official SDK that asks for a bearer token, behind the wrapper."""

    def setUp(self):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/mcp"
        script = Path(__file__).with_name("mcp_server.py")
        server = subprocess.Popen(
            [sys.executable, script, str(port), "secret"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end and server.poll() is None:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        self.fail("the server did not start")

    def test_the_token_is_sent(self):
        async def conversation(client):
            self.assertEqual(texts(await client.call_tool("letter", {"to": EMAIL})), ["Dear [REDACTED]"])

        flags = ["--wrap-url", self.url, "--header", "authorization=TOKEN"]
        for mode in MODES:
            with self.subTest(mode=mode):
                talk(program(*flags, TOKEN="Bearer secret"), conversation, mode=mode)

    def test_a_wrong_token_is_named_as_the_cause(self):
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        server = program("--wrap-url", self.url, "--header", "authorization=TOKEN", TOKEN="Bearer wrong")
        done = subprocess.run(
            [server.command, *server.args], env=server.env, input=json.dumps(request) + "\n", capture_output=True,
            text=True, timeout=TIMEOUT,
        )
        message = json.loads(done.stdout)["error"]["message"]
        self.assertIn("401", message)
        self.assertIn("--header", message)
        self.assertNotIn("wrong", done.stdout + done.stderr)


@unittest.skipIf(Client is None, "mcp is not installed")
@unittest.skipIf(shutil.which("node") is None, "node is not installed")
@unittest.skipUnless(EVERYTHING.exists() and FILES.exists(), "npm packages are not installed")
class WrapperTest(unittest.TestCase):
    """Servers that were not written for this program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="textveil-mcp-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        (self.folder / "letter.txt").write_text(f"Write to {EMAIL}, PESEL {PESEL}.\n")

    def test_files_are_read_protected(self):
        async def conversation(client):
            names = [tool.name for tool in (await client.list_tools()).tools]
            self.assertIn("read_text_file", names)
            read = await client.call_tool("read_text_file", {"path": str(self.folder / "letter.txt")})
            self.assertEqual(texts(read), ["Write to [REDACTED], PESEL [REDACTED].\n"])
            self.assertNotIn(EMAIL, read.model_dump_json())
            # the error has the path
            missing = await client.call_tool("read_text_file", {"path": str(self.folder / f"to {EMAIL} today")})
            self.assertTrue(missing.is_error)
            self.assertNotIn(EMAIL, missing.model_dump_json())

        talk(program("--wrap", "--", "node", FILES, self.folder), conversation)

    def test_a_named_tool_gets_values_back(self):
        async def conversation(client):
            read = await client.call_tool("read_text_file", {"path": str(self.folder / "letter.txt")})
            [text] = texts(read)
            self.assertRegex(text, r"^Write to tok_\w+, PESEL tok_\w+\.$")
            for tool, path in [("write_file", "copy.txt"), ("create_directory", "made")]:
                argument = {"path": str(self.folder / path)} | ({"content": text} if tool == "write_file" else {})
                self.assertFalse((await client.call_tool(tool, argument)).is_error)
            token = re.search(r"tok_\w+", text)[0]
            made = await client.call_tool("create_directory", {"path": str(self.folder / token)})
            self.assertFalse(made.is_error)

        talk(program("--restore-for", "write_file", "--wrap", "--", "node", FILES, self.folder), conversation)
        self.assertEqual((self.folder / "copy.txt").read_text(), (self.folder / "letter.txt").read_text())
        self.assertTrue(any(path.name.startswith("tok_") for path in self.folder.iterdir()))

    async def everything(self, client):
        """Uses every kind of content of a server."""
        echo = await client.call_tool("echo", {"message": f"to {EMAIL}"})
        self.assertEqual(texts(echo), ["Echo: to [REDACTED]"])
        weather = await client.call_tool("get-structured-content", {"location": "Chicago"})
        self.assertIn("temperature", weather.structured_content)
        picture = await client.call_tool("get-tiny-image", {})
        self.assertTrue(all(item.type == "text" for item in picture.content))
        self.assertIn("[image removed: it cannot be searched for personal data]", texts(picture))
        prompt = await client.get_prompt("args-prompt", {"city": EMAIL})
        self.assertEqual(prompt.messages[0].content.text, "What's weather in [REDACTED]?")
        resources = (await client.list_resources()).resources
        read = await client.read_resource(resources[0].uri)
        self.assertTrue(read.contents[0].text)
        for call in [client.call_tool("none", {"a": EMAIL}), client.get_prompt(EMAIL), client.read_resource(f"a://{EMAIL}")]:
            try:
                answer = (await call).model_dump_json()
            except MCPError as error:
                answer = str(error)
            self.assertNotIn(EMAIL, answer)

    def test_a_server_of_everything_is_protected(self):
        asked = []

        async def sampling(_context, params):
            asked.append(params.model_dump_json())
            content = types.TextContent(type="text", text=f"an answer of the client for {EMAIL}")
            return types.CreateMessageResult(role="assistant", content=content, model="m")

        async def conversation(client):
            await self.everything(client)
            sampled = await client.call_tool("trigger-sampling-request", {"prompt": f"who is {EMAIL}?"})
            self.assertIn("an answer of the client for [REDACTED]", texts(sampled)[0])

        for mode in ["legacy", "auto"]:
            with self.subTest(mode=mode):
                server = program("--wrap", "--", "node", EVERYTHING, "stdio")
                talk(server, conversation, mode=mode, sampling_callback=sampling)
        self.assertEqual(len(asked), 2)
        self.assertTrue(all("[REDACTED]" in one and EMAIL not in one for one in asked), asked)

    def test_pictures_pass_where_the_operator_lets_them(self):
        async def conversation(client):
            picture = await client.call_tool("get-tiny-image", {})
            self.assertIn("image", [item.type for item in picture.content])

        talk(program("--binary", "pass", "--wrap", "--", "node", EVERYTHING, "stdio"), conversation)

    def test_a_server_behind_an_address_is_protected(self):
        port = free_port()
        environment = {**os.environ, "PORT": str(port)}
        command = ["node", EVERYTHING, "streamableHttp"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
            self.addCleanup(server.stderr.close)
            try:
                while "listening" not in (line := server.stderr.readline()):
                    self.assertTrue(line, "the server has ended")
                url = f"http://127.0.0.1:{port}/mcp"
                for mode in ["legacy", "auto"]:
                    with self.subTest(mode=mode):
                        talk(program("--wrap-url", url), self.everything, mode=mode)
            finally:
                server.terminate()


if __name__ == "__main__":
    unittest.main()
