"""Presidio's analyzer and the service in one run (see README.md).

    cd tests && interop/.venv/bin/python -m interop.presidio
"""

import contextlib
import importlib.metadata
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from ..people.sets import Unavailable, fetched, sources
from ..people.tools import model
from ..support.connection import Connection
from ..support.service import ROOT, Service
from .scoring import Labelled, groups, score

#: Seconds of each measurement of requests a second, after one of warming up; the programs take turns.
SECONDS = 4
ROUNDS = 3
CLIENTS = (1, 8)
#: The longest start: a service of a development build compiles its components for minutes.
START_SECONDS = 600
#: The set of presidio-research.
SET = "synth_dataset_v2"
#: The packages of Presidio's two services; Python itself is not counted.
PACKAGES = ("presidio-analyzer", "presidio-anonymizer", "flask", "gunicorn")
#: The files that `Containerfile` copies into the image, besides pages.
SHIPPED = ("dist/textveil", "dist/textveil-engine.wasm", "dist/api.wasm", "dist/gateway.wasm", "dist/pages.wasm", "spin.toml")


def analyze(connection: Connection, text: str) -> list[dict]:
    """The findings in a text."""
    return connection.post("/analyze", {"text": text, "language": "en"})


class Presidio:
    """The analyzer behind gunicorn, with so many workers."""

    def __init__(self, workers: int):
        self.name = f"presidio, {workers} worker{'s' * (workers > 1)}"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.headers = {}
        command = [sys.executable, "-m", "gunicorn", "--workers", str(workers), "--bind", self.address, "--timeout", "120"]
        environment = {**os.environ, "MODEL": model("en")}
        self._process = subprocess.Popen(
            [*command, "interop.presidio.analyzer:app"], cwd=ROOT / "tests", env=environment, stderr=subprocess.DEVNULL
        )
        self.pid = self._process.pid

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()


class Textveil:
    """The service. Its components are compiled once for a machine; `cache` keeps them."""

    name = "textveil serve"

    def __init__(self, cache: Path):
        self._service = Service(cache_dir=cache)
        self.address, self.pid = self._service.address, self._service.pid
        self.headers = {"X-API-Key": self._service.key()}

    def stop(self) -> None:
        self._service.stop()


def seconds_to_first_answer(start) -> tuple[float, object]:
    """Starts a server, and returns the time until it has answered once."""
    begin = time.perf_counter()
    server = start()
    while time.perf_counter() - begin < START_SECONDS:
        try:
            analyze(Connection(server.address, server.headers), "My name is Emily Carter.")
            return time.perf_counter() - begin, server
        except OSError:
            time.sleep(0.01)
    server.stop()
    raise RuntimeError(f"{server.name} does not answer")


def megabytes_in_memory(pid: int) -> float:
    """The memory of a process and its children; memory that they share counts once."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    own = int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1]) / 1e3
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(megabytes_in_memory(int(child)) for child in children)


def requests_a_second(server, texts: list[str], clients: int) -> float:
    """The requests that so many clients get answered."""
    done = [0] * clients
    end = time.perf_counter() + SECONDS

    def ask(number: int) -> None:
        connection = Connection(server.address, server.headers)
        at = number * len(texts) // clients
        while time.perf_counter() < end:
            analyze(connection, texts[at % len(texts)])
            at += 1
            done[number] += 1

    begin = time.perf_counter()
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - begin)


def installed_megabytes(names: list[str]) -> float:
    """The files of packages and of all that they require."""
    waiting, seen, size = list(names), set(), 0
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            # for another system, or an extra
            continue
        paths = {file.locate() for file in package.files or []}
        size += sum(path.stat().st_size for path in map(Path, paths) if path.is_file() and path.suffix != ".pyc")
        required = [line for line in package.requires or [] if "extra ==" not in line]
        waiting += [re.match(r"[\w.-]+", line)[0] for line in required]
    return size / 1e6


def shipped_megabytes() -> float:
    """The files that go into the image, uncompressed."""
    pages = [path for path in (ROOT / "dist/pages").rglob("*") if path.is_file()]
    files = [ROOT / name for name in SHIPPED] + pages
    return sum(file.stat().st_size for file in files) / 1e6


def read_set() -> list[Labelled]:
    """The texts of the set with all of their labels."""
    source = next(source for source in sources() if any(one["name"] == SET for one in source["sets"]))
    entry = next(one for one in source["sets"] if one["name"] == SET)
    (path,) = fetched(source, entry)
    return [
        Labelled(
            record["full_text"],
            [(span["entity_type"], (span["start_position"], span["end_position"])) for span in record["spans"]],
        )
        for record in json.loads(path.read_text())
    ]


def findings(server, documents: list[Labelled]) -> list[list[tuple[str, tuple[int, int]]]]:
    """The findings of a server in each text."""
    connection = Connection(server.address, server.headers)
    return [
        [(one["entity_type"], (one["start"], one["end"])) for one in analyze(connection, document.text)]
        for document in documents
    ]


def print_speeds(servers: list, texts: list[str]) -> None:
    for clients in CLIENTS:
        for server in servers:
            requests_a_second(server, texts, clients)
        rounds = [[requests_a_second(server, texts, clients) for server in servers] for _ in range(ROUNDS)]
        for server, rates in zip(servers, zip(*rounds)):
            print(f"requests a second, {clients} client{'s' * (clients > 1)}: {server.name:22} {statistics.median(rates):8.0f}")


def print_scores(servers: list, documents: list[Labelled]) -> None:
    found = [findings(server, documents) for server in servers]
    every = groups()
    whole = [group for group in every if not group.partial]
    sets = [("types that both look for", whole), ("all labels", every), *((group.name, [group]) for group in every)]
    print(f"\n{'overlapping spans':34}{'labels':>7}" + "".join(f"{server.name:>30}" for server in servers))
    for name, wanted in sets:
        cells = []
        for of_server in found:
            counted = score(documents, of_server, wanted)
            figures = counted.figures()["overlapping"]
            cell = f"P {figures['p']:.3f} R {figures['r']:.3f} F1 {figures['f1']:.3f}"
            cells.append(cell if counted.reported else "reports nothing")
        partial = " *" if len(wanted) == 1 and wanted[0].partial else ""
        print(f"{name + partial:34}{counted.there:>7}" + "".join(f"{cell:>30}" for cell in cells))
    for group in every:
        if group.partial:
            print(f"* {group.name}: {group.partial}")


def main() -> int:
    """Measures, and prints the figures."""
    try:
        name = model("en")
        documents = read_set()
    except Unavailable as reason:
        print(f"SKIPPED: {reason}", file=sys.stderr)
        return 0
    texts = [document.text for document in documents]
    versions = {package: importlib.metadata.version(package) for package in (*PACKAGES, "spacy", name)}
    print(", ".join(f"{package} {version}" for package, version in versions.items()))
    print(f"{SET}: {len(texts)} texts, {sum(map(len, texts)) // len(texts)} characters on average")
    processors = os.cpu_count() or 1
    with contextlib.ExitStack() as stack:
        cache = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def started(start) -> tuple[float, object]:
            seconds, server = seconds_to_first_answer(start)
            stack.callback(server.stop)
            return seconds, server

        first, textveil = seconds_to_first_answer(lambda: Textveil(cache))
        textveil.stop()
        again, textveil = started(lambda: Textveil(cache))
        one, presidio = started(lambda: Presidio(1))
        _, of_all = started(lambda: Presidio(processors))
        servers = [textveil, presidio, of_all]
        print(f"first answer after: textveil {again:.1f} s ({first:.1f} s on a new machine), presidio {one:.1f} s")
        print(f"on disk: textveil {shipped_megabytes():.0f} MB, presidio {installed_megabytes([*PACKAGES, name]):.0f} MB")
        print_speeds(servers, texts)
        for server in servers:
            print(f"memory after that: {server.name:22} {megabytes_in_memory(server.pid):8.0f} MB")
        print_scores([textveil, presidio], documents)
    return 0


sys.exit(main())
