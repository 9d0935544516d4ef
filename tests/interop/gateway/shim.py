"""A proxy in front of the gateway for a client that sends no headers: it adds them, and changes nothing else.

Personal data that the client sends is searched for in logs and stores when all tests are over.
"""

import http.client
import re
import threading
from http.server import BaseHTTPRequestHandler

from . import case
from .upstream import Server

#: Those of one connection, and those that say how long a body is.
OF_THE_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "host", "content-length"}

#: Personal data in a client's request: addresses, and numbers with nine digits at least.
OF_SOMEBODY = re.compile(r"[\w.+-]+@[\w.-]+\w|\d(?:[ -]?\d){8,}")


class Handler(BaseHTTPRequestHandler):
    """Sends a request on and its answer back, as it comes."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.close_connection = True
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        for value in OF_SOMEBODY.findall(case.unescaped(body.decode())):
            # zeros are in every store
            if len(set(value)) > 4:
                case.canary(value)
        added = self.server.headers_of(self.path)
        left_out = OF_THE_CONNECTION | {name.lower() for name in added}
        sent = {name: value for name, value in self.headers.items() if name.lower() not in left_out}
        to = http.client.HTTPConnection(self.server.address, timeout=60)
        try:
            to.request("POST", self.path, body, sent | added)
            answer = to.getresponse()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in OF_THE_CONNECTION:
                    self.send_header(name, value)
            self.send_header("connection", "close")
            self.end_headers()
            while piece := answer.read1():
                self.wfile.write(piece)
                self.wfile.flush()
        finally:
            to.close()

    def do_GET(self):
        """Calls the function of a path, for programs that can only start a command."""
        self.server.switches[self.path]()
        self.send_response_only(204)
        self.end_headers()


class Shim:
    """The server; leave the context and it is stopped."""

    def __init__(self, address, headers_of, switches=None):
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.address = address
        self._server.headers_of = headers_of
        self._server.switches = switches or {}

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}"
