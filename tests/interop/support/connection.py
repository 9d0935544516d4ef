"""A client of one server, over a connection that is kept where the server keeps it."""

import http.client
import json


class Connection:
    """A connection with headers of each request."""

    def __init__(self, address: str, headers: dict[str, str]):
        self._connection = http.client.HTTPConnection(address, timeout=120)
        self._headers = {"Content-Type": "application/json", **headers}

    def send(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        self._connection.request(method, path, body, self._headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def post(self, path: str, value: object) -> object:
        """The answer to a value, parsed."""
        status, body = self.send("POST", path, json.dumps(value).encode())
        if status != 200:
            raise RuntimeError(f"status {status}: {body[:200]!r}")
        return json.loads(body)
