"""The exporters of OpenTelemetry for JavaScript, with the settings of the guide, before a collector that remembers and before Rotel."""

import gzip
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

try:
    import rotel
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
except ImportError:
    rotel = None

from ..support.service import ROOT, Service
from .case import EMAIL, PESEL

HERE = Path(__file__).resolve().parent
GUIDE = ROOT / "docs/how-to/telemetry.md"
MODULES = HERE.parent / "node_modules/@opentelemetry"

NAME = "Emily Carter"
CREDENTIAL = "a credential of the collector"


class Collector(ThreadingHTTPServer):
    """A server that answers exports with `answers` in turn, then with success; leave the context and it is stopped."""

    daemon_threads = True

    def __init__(self, read=json.loads):
        super().__init__(("127.0.0.1", 0), Handler)
        #: Parses a body.
        self.read = read
        #: The path, the headers and the parsed body of each export.
        self.exports = []
        #: Status, headers and body of the next answers.
        self.answers = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Remembers the export."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.exports.append((self.path, dict(self.headers.items()), self.server.read(body)))
        status, headers, answer = self.server.answers.pop(0) if self.server.answers else (200, {}, {})
        answer = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(answer)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)


def settings():
    """The variables that the guide sets."""
    exports = re.findall(r"^export (\w+)=(.*)$", GUIDE.read_text(), re.MULTILINE)
    return {name: value.strip('"') for name, value in exports}


class Rotel:
    """A third-party collector, which reads OTLP in JSON and exports it in protobuf; leave the context and it is stopped."""

    def __init__(self, behind):
        self._folder = tempfile.TemporaryDirectory(prefix="textveil-rotel-")
        folder = Path(self._folder.name)
        self.port, grpc = free_port(), free_port()
        settings = {
            "--otlp-http-endpoint": f"127.0.0.1:{self.port}", "--otlp-grpc-endpoint": f"127.0.0.1:{grpc}",
            "--exporter": "otlp", "--otlp-exporter-endpoint": f"http://127.0.0.1:{behind.server_port}",
            "--otlp-exporter-protocol": "http",
            "--pid-file": folder / "pid", "--log-file": folder / "log",
        }
        program = Path(rotel.__file__).with_name("rotel-agent")
        command = [program, "start", *(part for setting in settings.items() for part in setting)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        self.__exit__()
        raise RuntimeError("the collector did not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class ExporterTest(unittest.TestCase):
    """Exports to `service` with its `key`."""

    maxDiff = None

    def export(self, key=None, **variables):
        """The results of the exporters, and what they wrote."""
        own = {
            name: value.replace("http://127.0.0.1:3000", self.service.url).replace("$TEXTVEIL_API_KEY", key or self.key)
            for name, value in settings().items()
        }
        order = json.dumps({"address": EMAIL, "number": PESEL, "name": NAME})
        done = subprocess.run(
            ["node", HERE / "telemetry.mjs", order], env={**os.environ, **own, **variables}, capture_output=True, text=True,
            timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = json.loads(done.stdout)
        return printed["results"], printed["said"]


@unittest.skipUnless(shutil.which("node") and MODULES.is_dir(), "Node and its packages are not installed")
class TelemetryTest(ExporterTest):
    """One service with a collector behind it."""

    @classmethod
    def setUpClass(cls):
        cls.collector = cls.enterClassContext(Collector())
        cls.service = cls.enterClassContext(Service(
            otlp_collector=f"http://127.0.0.1:{cls.collector.server_port}", otlp_path="/otlp",
            otlp_headers=f"x-credential={CREDENTIAL.replace(' ', '%20')}",
        ))
        cls.key = cls.service.key()

    def setUp(self):
        self.collector.exports.clear()
        self.collector.answers.clear()

    def assert_protected(self):
        """The collector got logs and spans with none of the values."""
        for path, headers, body in self.collector.exports:
            text = json.dumps(body)
            for value in (EMAIL, PESEL, NAME, "Emily", "zofie"):
                self.assertNotIn(value, text, path)
            self.assertIn("[REDACTED]", text)
            self.assertEqual(headers["x-credential"], CREDENTIAL)
            self.assertNotIn(self.key, str(headers))

    def test_logs_and_traces(self):
        for compression in ("gzip", "none"):
            with self.subTest(compression):
                self.setUp()
                results, said = self.export(OTEL_EXPORTER_OTLP_COMPRESSION=compression)
                self.assertEqual(([result["code"] for result in results], said), ([0, 0, 0], []))
                self.assert_protected()
                spans, *logs = [body for _, _, body in self.collector.exports]
                paths = [path for path, _, _ in self.collector.exports]
                self.assertEqual(paths, ["/otlp/v1/traces", "/otlp/v1/logs", "/otlp/v1/logs"])
                (span,) = spans["resourceSpans"][0]["scopeSpans"][0]["spans"]
                attributes = {one["key"]: one["value"] for one in span["attributes"]}
                self.assertEqual(attributes, {"pesel": {"stringValue": "[REDACTED]"}, "n": {"intValue": 7}})
                self.assertEqual(span["name"], "mail [REDACTED]")
                self.assertEqual(span["status"]["message"], "failed for [REDACTED], [REDACTED]")
                self.assertRegex(span["traceId"], "^[0-9a-f]{32}$")
                sent, exception = span["events"]
                listed = sent["attributes"][0]["value"]["arrayValue"]["values"]
                self.assertEqual(listed, [{"stringValue": "[REDACTED]"}, {"stringValue": "nobody"}])
                message = next(one["value"] for one in exception["attributes"] if one["key"] == "exception.message")
                self.assertEqual(message, {"stringValue": "no mailbox [REDACTED]"})
                # the exporter sends both at the same time
                records = [log["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0] for log in logs]
                first, second = sorted(records, key=lambda record: "stringValue" not in record["body"])
                self.assertEqual(first["body"], {"stringValue": "[REDACTED] wrote from [REDACTED]"})
                self.assertEqual(first["severityText"], "INFO")
                self.assertIn({"key": "order.id", "value": {"intValue": 4711}}, first["attributes"])
                user = second["body"]["kvlistValue"]["values"][0]["value"]["kvlistValue"]["values"]
                self.assertEqual([one["key"] for one in user], ["mail", "raw"])

    def test_a_full_collector_gets_the_export_again(self):
        self.collector.answers.append((503, {"retry-after": "1"}, {"code": 14, "message": "busy"}))
        results, _ = self.export()
        self.assertEqual([result["code"] for result in results], [0, 0, 0])
        first, second, *_ = [body for _, _, body in self.collector.exports]
        self.assertEqual((first, len(self.collector.exports)), (second, 4))

    def test_a_partial_success_is_reported(self):
        partial = {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}
        self.collector.answers.append((200, {}, partial))
        results, said = self.export()
        self.assertEqual(results[0]["code"], 0)
        self.assertTrue(any("too old" in line for line in said), said)

    def test_an_export_that_the_collector_rejects_is_dropped(self):
        self.collector.answers.append((400, {}, {"code": 3, "message": "no"}))
        results, _ = self.export()
        self.assertEqual([result["code"] for result in results], [1, 0, 0])
        self.assertEqual(len(self.collector.exports), 3)

    def test_a_wrong_key_sends_nothing(self):
        results, _ = self.export(key="fpk_wrong")
        self.assertEqual([result["code"] for result in results], [1, 1, 1])
        self.assertTrue(results[0]["error"].startswith("401"), results[0])
        self.assertEqual(self.collector.exports, [])


@unittest.skipUnless(shutil.which("node") and MODULES.is_dir(), "Node and its packages are not installed")
@unittest.skipIf(rotel is None, "rotel and opentelemetry-proto are not installed")
class RotelTest(ExporterTest):
    """One service before Rotel, which exports to a server that reads with the messages of OpenTelemetry."""

    @classmethod
    def setUpClass(cls):
        cls.behind = cls.enterClassContext(Collector(read=gzip.decompress))
        cls.rotel = cls.enterClassContext(Rotel(cls.behind))
        cls.service = cls.enterClassContext(Service(otlp_collector=f"http://127.0.0.1:{cls.rotel.port}"))
        cls.key = cls.service.key()

    def received(self, path, message, count):
        """The exports to a path, once they have so many records."""
        end = time.monotonic() + 60
        while True:
            bodies = [message.FromString(body) for where, _, body in self.behind.exports if where == path]
            if sum(str(body).count("name: \"mail") + str(body).count("severity_text") for body in bodies) >= count:
                return bodies
            self.assertLess(time.monotonic(), end, "the collector exports nothing")
            time.sleep(0.05)

    def test_a_third_party_collector_reads_what_is_forwarded(self):
        results, said = self.export()
        # no partial success: the collector has accepted everything
        self.assertEqual(([result["code"] for result in results], said), ([0, 0, 0], []))
        spans = self.received("/v1/traces", ExportTraceServiceRequest, 1)
        logs = self.received("/v1/logs", ExportLogsServiceRequest, 2)
        for text in map(str, spans + logs):
            for value in (EMAIL, PESEL, NAME, "Emily", "zofie"):
                self.assertNotIn(value, text)
        (span,) = [span for body in spans for of in body.resource_spans for scope in of.scope_spans for span in scope.spans]
        attributes = {one.key: one.value for one in span.attributes}
        self.assertEqual(attributes["pesel"].string_value, "[REDACTED]")
        self.assertEqual(attributes["n"].int_value, 7)
        self.assertEqual((span.name, len(span.trace_id), len(span.span_id)), ("mail [REDACTED]", 16, 8))
        self.assertEqual(span.status.message, "failed for [REDACTED], [REDACTED]")
        self.assertEqual(span.events[0].attributes[0].value.array_value.values[0].string_value, "[REDACTED]")
        records = [
            record for body in logs for of in body.resource_logs for scope in of.scope_logs for record in scope.log_records
        ]
        first, second = sorted(records, key=lambda record: not record.body.string_value)
        self.assertEqual(first.body.string_value, "[REDACTED] wrote from [REDACTED]")
        self.assertEqual((first.severity_text, first.severity_number), ("INFO", 9))
        (user,) = second.body.kvlist_value.values
        self.assertEqual(user.value.kvlist_value.values[1].value.bytes_value, b"[REDACTED]")


if __name__ == "__main__":
    unittest.main()
