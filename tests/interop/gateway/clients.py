"""Every client with the same question, for behaviour that all of them share."""

import json
import subprocess

import anthropic
import litellm
import openai
from langchain_openai import ChatOpenAI

from . import upstream
from .case import MODEL, TEXT

QUESTION = [{"role": "user", "content": TEXT}]

#: The errors that clients raise for a status, and those of clients with classes of their own.
KINDS = {
    400: "BadRequestError", 404: "NotFoundError", 409: "ConflictError", 413: "APIStatusError",
    422: "UnprocessableEntityError", 429: "RateLimitError", 502: "InternalServerError", 503: "InternalServerError",
    504: "InternalServerError",
}
KINDS_OF = {
    "openai in Node": {413: "APIError"},
    "anthropic": {413: "ContentTooLargeError", 503: "ServiceUnavailableError", 504: "GatewayTimeoutError"},
    # it goes by the type, which OpenAI gives to all of the first four
    "litellm": dict.fromkeys((404, 409, 413, 422), "BadRequestError") | {
        502: "BadGatewayError", 503: "ServiceUnavailableError", 504: "Timeout",
    },
}


class NodeClient:
    """`openai` in Node: see openai.mjs."""

    def use(self, call, body=None, **options):
        """Returns the result of a call."""
        order = {
            "call": call, "body": {"model": MODEL, "messages": QUESTION} if body is None else body,
            "baseURL": f"{self.service.url}/v1", "apiKey": self.token, "defaultHeaders": self.headers,
            "maxRetries": 0, **options,
        }
        done = subprocess.run(
            ["node", upstream.HERE / "openai.mjs"], input=json.dumps(order), capture_output=True, text=True,
            timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Refusal(Exception):
    """A client's error after a rejection: the names of the error's classes, its status, headers and text."""

    def __init__(self, kinds, status, headers, text):
        super().__init__(text)
        self.kinds = kinds
        self.status = status
        self.headers = headers


class Clients(NodeClient):
    """All of them. Their providers speak as Anthropic does: such a one can be asked in both protocols."""

    NAMES = "openai", "openai in Node", "anthropic", "litellm", "langchain"

    def answer(self, client, model=MODEL, retries=0):
        """Returns the client's answer to the question.

        Raises `Refusal`.
        """
        ask = getattr(self, "_" + client.replace(" ", "_"))
        try:
            return ask(model, retries)
        except (anthropic.APIStatusError, openai.APIError) as error:
            kinds = {kind.__name__ for kind in type(error).__mro__}
            headers = getattr(error, "litellm_response_headers", None) or error.response.headers
            raise Refusal(kinds, error.status_code, headers, str(error)) from None

    def refusal(self, client, **options):
        """Returns the client's error, if it raises one."""
        try:
            self.answer(client, **options)
        except Refusal as refusal:
            return refusal

    def each(self, status, check=lambda refusal: None, **options):
        """Every client gets its error class for the status, and passes the check."""
        for client in self.NAMES:
            with self.subTest(client, status=status):
                # if a limit is of a minute, a new one may begin before the first of two requests
                refusal = self.refusal(client, **options) or self.refusal(client, **options)
                self.assertIsNotNone(refusal)
                self.assertEqual(refusal.status, status)
                self.assertIn(KINDS_OF.get(client, {}).get(status, KINDS[status]), refusal.kinds)
                check(refusal)

    def _openai(self, model, retries):
        with openai.OpenAI(
            base_url=f"{self.service.url}/v1", api_key=self.token, default_headers=self.headers, max_retries=retries
        ) as client:
            return client.chat.completions.create(model=model, messages=QUESTION).choices[0].message.content

    def _openai_in_Node(self, model, retries):
        outcome = self.use("chat", {"model": model, "messages": QUESTION}, maxRetries=retries)
        if error := outcome.get("error"):
            raise Refusal({error["class"]}, error["status"], error["headers"], error["message"])
        return outcome["message"]["content"]

    def _anthropic(self, model, retries):
        with anthropic.Anthropic(
            base_url=self.service.url, api_key=self.token, default_headers=self.headers, max_retries=retries
        ) as client:
            return client.messages.create(model=model, max_tokens=64, messages=QUESTION).content[0].text

    def _litellm(self, model, retries):
        return litellm.completion(
            model=f"openai/{model}", api_base=f"{self.service.url}/v1", api_key=self.token,
            extra_headers=self.headers, messages=QUESTION, max_retries=retries,
        ).choices[0].message.content

    def _langchain(self, model, retries):
        return ChatOpenAI(
            model=model, base_url=f"{self.service.url}/v1", api_key=self.token, default_headers=self.headers,
            max_retries=retries,
        ).invoke(TEXT).content
