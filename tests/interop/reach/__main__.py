"""Measures the ways to reach Textveil, each next to the same without it, in one run (see README.md).

    cd tests && interop/.venv/bin/python -m interop.reach [--files N] [WHAT …]
"""

import argparse
import asyncio
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mcp import Client, StdioServerParameters

from ..support.connection import Connection
from ..support.service import PROGRAM, ROOT, Service

#: Calls of each kind, which take turns.
CALLS = 400
#: A server of the Model Context Protocol from npm.
EVERYTHING = ROOT / "tests/interop/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
COMPONENT = ROOT / "dist/textveil-engine.wasm"
TEXTS = ROOT / "engine/benches/texts"
#: One file in so many has a finding.
EVERY = 100
#: Records of an export, and exports of a round.
RECORDS, EXPORTS, ROUNDS = 500, 4, 5

TEXT = (
    "Please write to jan.novak@example.cz that the refund of 120 EUR goes to DE89 3704 0044 0532 0130 00, and that we call "
    "+420 601 123 456 in the afternoon. Thank you, and have a nice day."
)


def milliseconds(calls: list[float]) -> str:
    """The median and the 99th of a hundred."""
    ordered = sorted(calls)
    return f"p50 {statistics.median(ordered) * 1e3:7.2f} ms   p99 {ordered[int(len(ordered) * 0.99)] * 1e3:7.2f} ms"


def timed(call) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def guardrail() -> None:
    """A request of LiteLLM's guardrail, next to an unknown path of the same host."""
    with Service() as service:
        connection = Connection(service.address, {"x-api-key": service.key(plan="enterprise")})
        asked = {"input_type": "request", "texts": [TEXT], "request_data": {}, "model": "m"}

        def guard() -> None:
            answer = connection.post("/beta/litellm_basic_guardrail_api", asked)
            assert answer["action"] == "GUARDRAIL_INTERVENED", answer

        def unknown() -> None:
            assert connection.send("GET", "/api/v1/no-such-path")[0] == 404

        for call in (guard, unknown):
            [call() for _ in range(20)]
        guarded, empty = zip(*((timed(guard), timed(unknown)) for _ in range(CALLS)))
    print(f"guardrail endpoint, {len(TEXT)} characters, {CALLS} calls")
    print(f"  /beta/litellm_basic_guardrail_api  {milliseconds(list(guarded))}")
    print(f"  an unknown path                    {milliseconds(list(empty))}")


def mcp() -> None:
    """A call of a tool of a server, next to the same call through the wrapper."""
    server = ["node", str(EVERYTHING), "stdio"]
    environment = {"PATH": os.environ["PATH"], "TEXTVEIL_COMPONENT": str(COMPONENT)}
    plain = StdioServerParameters(command=server[0], args=server[1:], env=environment)
    wrapped = StdioServerParameters(command=str(PROGRAM), args=["mcp", "--wrap", "--", *server], env=environment)

    async def run() -> tuple[list[float], list[float]]:
        times: tuple[list[float], list[float]] = ([], [])
        async with Client(plain) as direct, Client(wrapped) as through:
            for number in range(20 + CALLS):
                for client, measured in zip((direct, through), times):
                    begin = time.perf_counter()
                    result = await client.call_tool("echo", {"message": TEXT})
                    if number >= 20:
                        measured.append(time.perf_counter() - begin)
                    assert (client is direct) == ("jan.novak" in result.content[0].text)
        return times

    direct, through = asyncio.run(run())
    print(f"textveil mcp --wrap, {len(TEXT)} characters, {CALLS} calls by the official client")
    print(f"  the server itself                  {milliseconds(direct)}")
    print(f"  behind the wrapper                 {milliseconds(through)}")


def tree(folder: Path, files: int) -> float:
    """Writes a repository of small files, and returns its megabytes."""
    prose = (TEXTS / "prose.txt").read_text(encoding="utf-8")
    lines = [line for line in prose.splitlines() if line.strip()] or [prose]
    size = 0
    for number in range(files):
        directory = folder / f"{number // 1000:03}"
        if number % 1000 == 0:
            directory.mkdir(parents=True)
        text = "\n".join(f"{number} {lines[(number + at) % len(lines)][:120]}" for at in range(8))
        if number % EVERY == 0:
            text += f"\nwrite to person{number}@example.cz"
        size += len(text.encode())
        (directory / f"file{number}.txt").write_text(text, encoding="utf-8")
    return size / 1e6


#: Runs a program from a small process: the system counts the memory of the process that starts it, too.
STARTER = """
import os, sys, time
begin = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def measured(arguments: list, folder: Path) -> tuple[float, float, float]:
    """The seconds of a program and of processors, and the most memory of it in megabytes."""
    command = [sys.executable, "-I", "-S", "-c", STARTER, *map(str, arguments)]
    environment = {**os.environ, "TEXTVEIL_COMPONENT": str(COMPONENT)}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    status, seconds, busy, kilobytes = map(float, done.stdout.split())
    if status:
        raise RuntimeError(f"{arguments}: status {status:.0f}")
    return seconds, busy, kilobytes / 1024


def repositories(files: int) -> None:
    """`textveil detect` over a tree, next to a program that only reads it, and to a tenth of the tree."""
    detect = [PROGRAM, "detect", "--quiet", "--output-format", "sarif"]
    for count in (files // 10, files):
        with tempfile.TemporaryDirectory() as folder:
            repository = Path(folder) / "repository"
            megabytes = tree(repository, count)
            baseline = str(Path(folder) / "baseline.json")
            print(f"repositories: {count} files, {megabytes:.0f} MB, one in {EVERY} with a finding")
            for name, command in (
                ("grep -r, which reads all", ["grep", "-rFc", "--include=*.txt", "-e", "", "."]),
                ("detect, sarif", [*detect, "."]),
                ("detect, --update-baseline", [*detect, "--baseline", baseline, "--update-baseline", "."]),
                ("detect, --baseline", [*detect, "--baseline", baseline, "."]),
            ):
                seconds, busy, memory = measured(command, repository)
                print(
                    f"  {name:28} {seconds:7.1f} s {megabytes / seconds:8.1f} MB/s {busy:8.1f} s of processors"
                    f" {memory:6.0f} MB of memory"
                )


class Sink(ThreadingHTTPServer):
    """A collector that accepts everything and reads nothing of it."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Accept)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Accept(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")


def otlp() -> None:
    """Exports of log records through the service, next to the same exports to the collector itself."""
    lines = (TEXTS / "prose.txt").read_text(encoding="utf-8").split(". ")

    def record(number: int) -> dict:
        body = f"{lines[number % len(lines)][:160]}. {TEXT if number % 10 == 0 else ''}"
        return {
            "timeUnixNano": "1544712660300000000", "severityText": "INFO", "body": {"stringValue": body},
            "attributes": [
                {"key": "http.request.method", "value": {"stringValue": "GET"}},
                {"key": "url.path", "value": {"stringValue": f"/orders/{number}"}},
                {"key": "user.email", "value": {"stringValue": f"person{number}@example.cz"}},
                {"key": "duration_ms", "value": {"intValue": str(number)}},
            ],
        }

    records = [record(number) for number in range(RECORDS)]
    export = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}).encode()
    with Sink() as sink, Service(otlp_collector=f"http://127.0.0.1:{sink.server_port}") as service:
        key = service.key(plan="enterprise")
        through = Connection(service.address, {"X-API-Key": key})
        direct = Connection(f"127.0.0.1:{sink.server_port}", {})

        def send(connection: Connection, path: str) -> None:
            for _ in range(EXPORTS):
                status, answer = connection.send("POST", path, export)
                assert status == 200, answer

        ways = [(through, "/api/v1/otlp/v1/logs"), (direct, "/v1/logs")]
        rounds = [[timed(lambda: send(*way)) for way in ways] for _ in range(1 + ROUNDS)][1:]
        sink.shutdown()
    protected, plain = (statistics.median(times) for times in zip(*rounds))
    sent = RECORDS * EXPORTS
    print(f"otlp: exports of {RECORDS} log records with 4 attributes, {len(export) / 1e6:.2f} MB of JSON, one client")
    print(f"  through the service                {sent / protected:9.0f} records/s {len(export) * EXPORTS / protected / 1e6:8.1f} MB/s")
    print(f"  to the collector itself            {sent / plain:9.0f} records/s {len(export) * EXPORTS / plain / 1e6:8.1f} MB/s")


def sizes() -> None:
    """The bytes of each download, plain and compressed."""
    wheels = list((ROOT / "dist/python").glob("*.whl"))
    files = {
        "wheel": wheels,
        "program, which the action and the hooks run": [Path(PROGRAM)],
        "action.yml": [ROOT / "action.yml"],
        "textveil/opencode, its own module": [ROOT / "dist/npm/opencode.mjs", ROOT / "dist/npm/cjs/opencode.js"],
        "package textveil, all files": [path for path in (ROOT / "dist/npm").rglob("*") if path.is_file()],
    }
    print(f"{'sizes':48} {'bytes':>12} {'gzip':>12}")
    for name, paths in files.items():
        contents = [path.read_bytes() for path in paths if path.exists()]
        if not contents:
            print(f"  {name:46} {'not built':>12}")
            continue
        compressed = sum(len(gzip.compress(content)) for content in contents)
        print(f"  {name:46} {sum(map(len, contents)):12} {compressed:12}")


def main() -> None:
    """Measures, and prints the figures."""
    parser = argparse.ArgumentParser(prog="interop.reach", description="What the ways to reach Textveil cost")
    parser.add_argument("--files", type=int, default=100_000, help="files of the repository")
    ways = {"guardrail": guardrail, "mcp": mcp, "otlp": otlp, "repositories": None, "sizes": sizes}
    parser.add_argument("only", nargs="*", metavar="WHAT", help=f"one of {', '.join(ways)}; everything without it")
    arguments = parser.parse_args()
    unknown = set(arguments.only) - ways.keys()
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))} is not one of {', '.join(ways)}")
    for name, measure in ways.items():
        if arguments.only and name not in arguments.only:
            continue
        if name == "mcp" and (shutil.which("node") is None or not EVERYTHING.exists()):
            print("SKIPPED mcp: node, or the server from npm, is not installed")
        elif measure:
            measure()
        else:
            repositories(arguments.files)


main()
