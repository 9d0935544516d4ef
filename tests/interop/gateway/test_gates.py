"""Gates that others made for gateways: `canarywire` and `pii-leak-benchmark`, as they come from PyPI.

Each brings its own provider, which the gateway is configured for, its own clients and its own judgement.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from ..support.full import FULL
from ..support.service import Service
from . import case, upstream
from .case import MODEL, GatewayTest
from .shim import Shim


#: Values of the fixtures of pii-leak-benchmark-v2 that no issuer would recognise without a word before them:
#: social security numbers from 900 on, telephone numbers of area codes that are nobody's, an e-mail address
#: that is percent-encoded. A workspace that wants them found says so.
DETECTORS = {
    "number_like_ssn": "[0-9]{3}-[0-9]{2}-[0-9]{4}",
    "number_like_us_phone": "[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}",
    "encoded_email": "[A-Za-z0-9._+-]+%40[A-Za-z0-9.-]+[.][A-Za-z]{2,}",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class GateTest(GatewayTest):
    """A program that drives the gateway, in a folder of its own."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="textveil-gate-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.port = free_port()
        self.capture = f"http://127.0.0.1:{self.port}"

    def program(self, name):
        return Path(sys.executable).with_name(name)

    def run_gate(self, *command, **variables):
        """Runs it to its end, shows what it says, and gives its status."""
        done = subprocess.run(
            command, cwd=self.folder, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        )
        print(done.stdout, flush=True)
        return done.returncode, done.stdout


class CanarywireTest(GateTest):
    """Its capture server is the provider; it sends no headers, so the shim does."""

    TEMPLATES = ["default", "tool-calls", "multi-turn"]

    def configuration(self, target, faults=()):
        """Returns the cuts to test. A size that is longer than any text gives one cut at each place."""
        sizes = [1, 2, 3, 4, 5, 7, 11, 16, 256] if FULL else [1, 3, 16]
        samples = 100 if FULL else 4
        return {
            "seed": 20260101,
            "capture": {"url": self.capture},
            "target": {"base_url": target, "duty": "restore", "routes": [
                {"protocol": "openai-chat", "path": "/v1/chat/completions"},
                {"protocol": "anthropic-messages", "path": "/v1/messages"},
            ]},
            "generators": {
                "baseline": {"templates": self.TEMPLATES},
                "fragmentation": {
                    "templates": ["default", "multi-turn"],
                    "chunks": {"sizes": sizes, "phases": "all"},
                    "random_chunks": {"samples": samples, "min": 1, "max": 8},
                    "random_cuts": {"samples": samples, "max_cuts": 6},
                    "delay_ms": {"min": 0, "max": 1},
                },
                "fault": {"templates": self.TEMPLATES},
            },
            "faults": [
                {"name": name, "before": before, "after": after, "settle_ms": settle}
                for name, before, after, settle in faults
            ],
            "timeouts": {"client_request": 60, "fault_command": 60},
        }

    def connect(self):
        """Workspaces whose provider is the capture server, one a protocol; gives the headers of a path."""
        workspaces = {}
        for protocol, kind in {"chat": "openai_compatible", "messages": "anthropic"}.items():
            workspaces[protocol] = f"canarywire-{protocol}-{self.port}"
            self.route(f"{self.capture}/v1", kind, workspace=workspaces[protocol], model="canarywire-test")

        def headers_of(path):
            workspace = workspaces["messages" if path.endswith("/messages") else "chat"]
            return {"X-Service-Token": case.SERVICE.service_token, case.WORKSPACE_HEADER: workspace}

        return workspaces, headers_of

    def judge(self, headers_of, switches=None, faults=()):
        """Runs it; the boundary must have held in each of its attacks."""
        # one command for each half of a fault, which asks the shim to do it
        with self.serving(), Shim(case.SERVICE.address, headers_of, switches) as shim:
            ask = lambda path: f"{sys.executable} -c 'import urllib.request as u; u.urlopen(\"{shim.url}{path}\")'"
            commands = [(name, ask(f"/{name}/on"), ask(f"/{name}/off"), settle) for name, settle in faults]
            (self.folder / "canarywire.json").write_text(json.dumps(self.configuration(shim.url, commands)))
            status, _ = self.run_gate(
                self.program("canarywire"), "run", "--config", "canarywire.json", "--out", "out"
            )
        print((self.folder / "out/report.md").read_text(), flush=True)
        report = json.loads((self.folder / "out/report.json").read_text())
        for findings in ("leaks", "unrestored", "inconsistent", "mangled", "problems"):
            # there may be thousands, and the report above sums them up
            self.assertEqual(report[findings][:3], [], findings)
        self.assertEqual((status, report["outcome"]), (0, "pass"))
        self.assertTrue(report["negative_control"]["caught"])
        names = {attack["name"].split("/")[0] for attack in report["attacks"]}
        self.assertEqual(names, {"baseline", "fragmentation"} | ({"fault"} if faults else set()))
        for attack in report["attacks"]:
            of_a_fault = attack["name"].startswith("fault/") and not attack["name"].startswith("fault/control/")
            self.assertEqual(attack["status"], "refused" if of_a_fault else "restored", attack)

    def serving(self):
        """Its capture server, while the context lasts."""
        process = subprocess.Popen(
            [self.program("canarywire"), "serve", "--listen", f"127.0.0.1:{self.port}"], cwd=self.folder
        )
        self.addCleanup(process.wait)

        def healthy():
            try:
                return urllib.request.urlopen(f"{self.capture}/_canarywire/health").status == 200
            except OSError:
                return False

        if not upstream.settled(healthy, 30):
            process.terminate()
            self.fail("the capture server did not start")
        return Stopping(process)

    def test_the_boundary(self):
        """Masked and restored, at every split, and rejected while a policy forbids it."""
        workspaces, headers_of = self.connect()
        made = {}

        def block():
            for workspace in workspaces.values():
                made[workspace] = self.policy("BLOCK", workspace, confidence_min=0.1)["id"]

        def allow():
            for workspace, policy in made.items():
                self.send("DELETE", f"/api/v1/gateway/policies/{policy}?workspace_id={workspace}", None, {
                    "X-Service-Token": self.token,
                })

        self.judge(headers_of, {"/policy/on": block, "/policy/off": allow}, [("policy", 0)])

    def test_the_boundary_without_stores(self):
        """While Redis is gone nothing is sent; when it is back, all is as it was."""
        server = os.environ.get("REDIS_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
        if not server:
            self.skipTest("redis-server is not installed")
        redis = Redis(server, self.folder)
        self.addCleanup(redis.stop)
        with Service(access_log=True, runtime_config_file=redis.runtime_config(), **case.PROVIDER_KEYS) as service:
            self.addCleanup(setattr, case, "SERVICE", case.SERVICE)
            case.SERVICE = service
            workspaces, headers_of = self.connect()
            for workspace in workspaces.values():
                self.configure(workspace, auth_cache_ttl=0, provider_config_cache_ttl=0, policy_cache_ttl=0)

            def resume():
                redis.start()
                self.assertTrue(upstream.settled(lambda: self.send("GET", "/readyz")[0] == 200, 30))

            self.judge(headers_of, {"/stores/on": redis.stop, "/stores/off": resume}, [("stores", 0)])
            self.assertNothingKept(*redis.files())


class Stopping:
    """Ends a process when the context is left."""

    def __init__(self, process):
        self._process = process

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)


class Redis:
    """A Redis of the test's own, which keeps what it is told."""

    def __init__(self, server, folder):
        self._port = free_port()
        self._folder = folder
        self._command = [
            server, "--bind", "127.0.0.1", "--port", str(self._port), "--dir", str(folder), "--appendonly", "yes",
            "--appendfsync", "always", "--save", "",
        ]
        self._process = None
        self.start()

    def start(self):
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        upstream.settled(self._listens, 30)

    def _listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0

    def stop(self):
        self._process.terminate()
        self._process.wait()

    def files(self):
        """Returns the files that it wrote."""
        return [path for path in self._folder.rglob("appendonly*/*") if path.is_file()]

    def runtime_config(self):
        """A file that puts every store there."""
        file = self._folder / "runtime-config.toml"
        file.write_text("".join(
            f'[key_value_store.{label}]\ntype = "redis"\nurl = "redis://127.0.0.1:{self._port}"\n'
            for label in ("config", "usage", "audit")
        ))
        return file


class PiiLeakBenchmarkTest(GateTest):
    """Its clients could send the token themselves; the shim remembers what they say."""

    def setUp(self):
        super().setUp()
        self.route(f"{self.capture}/v1")
        headers = self.headers | {"Authorization": f"Bearer {self.token}"}
        self.shim = self.enterContext(Shim(self.service.address, lambda _: headers))

    def test_the_check_of_the_operator(self):
        """Personal data and credentials of a prompt: none upstream, all back, in a stream of characters."""
        status, said = self.run_gate(
            self.program("pii-leak-benchmark"), "selfcheck", "--target-base-url", f"{self.shim.url}/v1",
            "--target-model", MODEL, "--capture-port", str(self.port), "--json-out", "report.json",
            "--iterations", "100" if FULL else "10",
        )
        self.assertEqual(status, 0)
        self.assertIn("CLEAN", said)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual({name for name, check in report["checks"].items() if not check.get("passed", True)}, set())
        self.assertEqual(len(report["fixture"]["formats"]), 6)

    def test_what_it_finds_without_a_gateway(self):
        """Else it would find nothing with one either."""
        status, said = self.run_gate(
            self.program("pii-leak-benchmark"), "selfcheck", "--target-base-url", "capture://self",
            "--capture-port", str(self.port),
        )
        self.assertEqual(status, 1)
        self.assertIn("LEAK", said)

    def test_the_profile_of_splits(self):
        """The caller's values are restored, the model's own are not, at every split."""
        key = self.service.key(self.workspace, "enterprise")
        for name, pattern in DETECTORS.items():
            detector = {"name": name, "pattern": pattern, "category": "contact", "confidence": 0.9}
            self.service.post("/api/v1/custom-detectors", key, detector)
        self.policy("MASK", direction="output")
        oracle = ["--oracle", "union-worst-case"] if FULL else ["--exhaustive-splits"]
        status, _ = self.run_gate(
            self.program("pii-leak-benchmark-v2"), "--validate", "--out", "out", "--only", "textveil",
            "--gateway-url", f"{self.shim.url}/v1/chat/completions", "--upstream-port", str(self.port),
            "--model", MODEL, "--seed", "a1b2c3d4e5f60001", "--json-out", "summary.json", "--partial-emission",
            *oracle,
        )
        (row,) = json.loads((self.folder / "summary.json").read_text())["rows"]
        want = {
            "fidelity_rate": 1.0, "leak_single_chunk": 0.0, "leak_adversarial": 0.0, "delta_frag": 0.0,
            "inconclusive": 0, "outcome": "pass", "request_path_leak": [], "schema_valid": True,
            "cases_applicable": row["cases_attempted"], "echo_observable": row["cases_attempted"],
        }
        self.assertEqual({name: row[name] for name in want}, want)
        self.assertEqual(status, 0)
        emission = json.loads((self.folder / "out/textveil.partial-emission.json").read_text())["metrics"]
        self.assertEqual(emission["partial_emission_rate"]["overall"], 0.0)
        self.assertEqual(emission["cases_applicable"], row["cases_attempted"])
        report = json.loads((self.folder / "out/textveil.json").read_text())
        self.assertEqual({name for name, check in report["checks"].items() if not check.get("passed", True)}, set())
