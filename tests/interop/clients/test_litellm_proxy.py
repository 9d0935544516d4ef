"""LiteLLM's proxy with the service as its guardrail `generic_guardrail_api`, before a model that repeats what it gets."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from .case import EMAIL, PESEL, ClientTest
from .model import FOREIGN, Model

WORKSPACE = "behind-litellm"
IBAN = "DE89 3704 0044 0532 0130 00"

#: Seconds until the proxy answers: it imports much.
START_SECONDS = 300


class Proxy:
    """A running proxy."""

    def __init__(self, config):
        self._folder = tempfile.TemporaryDirectory(prefix="textveil-litellm-")
        folder = Path(self._folder.name)
        # YAML has all of JSON
        (folder / "config.yaml").write_text(json.dumps(config))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.log = folder / "log"
        program = Path(sys.executable).with_name("litellm")
        command = [program, "--config", folder / "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
        local = {
            "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "NO_PROXY": "127.0.0.1",
            # only this test reaches it
            "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
        }
        environment = {**os.environ, **local}
        with self.log.open("w") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)
        self._wait()

    def _wait(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            try:
                urllib.request.urlopen(self.url + "/health/liveliness", timeout=5).close()
                return
            except OSError:
                time.sleep(0.2)
        log = self.log.read_text()
        self.stop()
        raise RuntimeError(f"the proxy did not start; it printed:\n{log[-3000:]}")

    def stop(self):
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def post(self, path, body):
        """The answer, parsed; the events of a stream."""
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
            if "event-stream" not in answer.headers["content-type"]:
                return json.loads(text)
        lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
        return [json.loads(line) for line in lines if line != "[DONE]"]


class LiteLLMProxyTest(ClientTest):
    """Requests of a client of the proxy."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            import litellm.proxy.proxy_server  # noqa: F401  the proxy's own packages may be missing
        except ImportError as error:
            raise unittest.SkipTest(f"the proxy of LiteLLM is not installed: {error}") from error
        from . import case

        service = case.SERVICE
        cls.model = Model()
        cls.addClassCleanup(cls.model.__exit__)

        def guardrail(name, key, **more):
            params = {
                "guardrail": "generic_guardrail_api", "mode": ["pre_call", "post_call"], "api_base": service.url, "api_key": key,
                "streaming_transform_mode": "incremental_diff", **more,
            }
            return {"guardrail_name": name, "litellm_params": params}

        cls.proxy = Proxy({
            "model_list": [{
                "model_name": "m",
                "litellm_params": {"model": "openai/m", "api_base": cls.model.url, "api_key": "none"},
            }],
            "guardrails": [
                guardrail("textveil", service.key(WORKSPACE, "enterprise"), default_on=True),
                guardrail("with-a-wrong-key", "fpk_wrong"),
            ],
        })
        cls.addClassCleanup(cls.proxy.stop)

    def setUp(self):
        self.model.requests.clear()

    def chat(self, content, **more):
        return self.proxy.post("/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": content}], **more})

    def sent(self):
        """The one request that reached the model."""
        [request] = self.model.requests
        return request

    def test_the_model_sees_tokens_and_the_client_the_values(self):
        text = f"🦀 write to {EMAIL} about PESEL {PESEL}"
        answer = self.chat(text)
        self.assertEqual(answer["choices"][0]["message"]["content"], text)
        sent = json.loads(self.sent())["messages"][0]["content"]
        self.assertRegex(sent, r"^🦀 write to tok_[a-z]+_email_\w+ about PESEL tok_pl_pesel_\w+$")

    def test_parts_of_a_message(self):
        text = f"write to {EMAIL}"
        answer = self.chat([{"type": "text", "text": text}])
        self.assertEqual(answer["choices"][0]["message"]["content"], text)
        self.assertNotIn(EMAIL, self.sent())

    def test_a_stream_is_restored_in_its_pieces(self):
        text = f"write to {EMAIL} and PESEL {PESEL}, then to {EMAIL} again. " * 3
        chunks = self.chat(text, stream=True)
        pieces = [choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"]]
        self.assertEqual("".join(pieces).strip(), text.strip())
        self.assertGreater(len([piece for piece in pieces if piece]), 3, "it arrives in pieces")
        self.assertNotIn(EMAIL, self.sent())

    def test_a_stream_gives_no_value_to_a_foreign_host(self):
        chunks = self.chat(f"{FOREIGN} {EMAIL}", stream=True)
        answer = "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])
        self.assertRegex(answer, r"^!\[x\]\(https://evil\.example/\?q=tok_\w+\)$")

    def test_tools_and_their_calls(self):
        arguments = json.dumps({"to": EMAIL})
        call = {"id": "c1", "type": "function", "function": {"name": "send", "arguments": arguments}}
        parameters = {"type": "object", "properties": {"to": {"type": "string", "description": f"such as {EMAIL}"}}}
        self.proxy.post("/v1/chat/completions", {
            "model": "m",
            "messages": [
                {"role": "user", "content": "Send it."},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": f"sent to {EMAIL}"},
                {"role": "user", "content": "Thanks."},
            ],
            "tools": [{"type": "function", "function": {"name": "send", "parameters": parameters}}],
        })
        sent = self.sent()
        self.assertNotIn(EMAIL, sent)
        messages = json.loads(sent)["messages"]
        self.assertRegex(json.loads(messages[1]["tool_calls"][0]["function"]["arguments"])["to"], r"^tok_\w+_email_\w+$")
        self.assertEqual((messages[0]["content"], messages[3]["content"]), ("Send it.", "Thanks."))

    def test_responses(self):
        text = f"write to {EMAIL}"
        answer = self.proxy.post("/v1/responses", {"model": "m", "input": text})
        self.assertEqual(answer["output"][0]["content"][0]["text"], text)
        self.assertNotIn(EMAIL, self.sent())

    def test_a_policy_blocks_and_names_types_only(self):
        policy = {"name": "no accounts", "action": "BLOCK", "conditions": [{"entity_types": ["iban"]}]}
        request = urllib.request.Request(
            f"{self.service.url}/api/v1/gateway/policies?workspace_id={WORKSPACE}", json.dumps(policy).encode(),
            {"Content-Type": "application/json", "X-Service-Token": self.service.service_token},
        )
        urllib.request.urlopen(request).close()
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.chat(f"pay to {IBAN}")
        said = caught.exception.read().decode()
        self.assertIn("iban (1)", said)
        self.assertNotIn("3704", said)
        self.assertEqual(self.model.requests, [])

    def test_nothing_passes_if_the_service_refuses_the_key(self):
        with self.assertRaises(urllib.error.HTTPError):
            self.chat(f"write to {EMAIL}", guardrails=["with-a-wrong-key"])
        self.assertEqual(self.model.requests, [])
