"""The speed of the engine as a library, and of PyPI's datafog-core, in one run (see README.md).

    cd tests && interop/.venv/bin/python -m interop.library [--texts FILE …]
"""

import argparse
import gzip
import importlib.metadata
import json
import statistics
import subprocess
import time
from pathlib import Path

import datafog_core

from ..support import example

#: The texts of the engine's own benchmark.
TEXTS = example.ROOT / "engine/benches/texts"
#: Each program looks at the texts so often, and they take turns: what else runs slows both.
ROUNDS = 15


class Textveil:
    """The engine in release, through `engine/examples/detect.rs`, which measures each call by itself.

    Its process lives for all rounds, as `datafog_core` does in this one.
    """

    def __init__(self, name: str, names: bool):
        self.name = name
        program = example.build("detect", release=True, features=names)
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _detect(self, text: str) -> dict:
        self._process.stdin.write(json.dumps({"text": text}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.name} ended with status {self._process.wait()}; its message is above")
        return json.loads(answer)

    def round(self, texts: list[str]) -> tuple[float, int]:
        answers = [self._detect(text) for text in texts]
        return sum(answer["seconds"] for answer in answers), sum(len(answer["entities"]) for answer in answers)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


class Datafog:
    """`datafog_core.scan`, a library in Rust as well; the conversion of its findings to Python counts."""

    name = f"datafog-core {importlib.metadata.version('datafog-core')}"

    def round(self, texts: list[str]) -> tuple[float, int]:
        start = time.perf_counter()
        found = sum(len(datafog_core.scan(text)) for text in texts)
        return time.perf_counter() - start, found

    def close(self) -> None:
        """Does nothing: the library lives in this process."""


def filled(pieces: list[str], length: int) -> str:
    """A text of so many characters, the pieces over and over."""
    text = "".join(pieces)
    return (text * (length // len(text) + 1))[:length]


def sets(files: list[Path]) -> dict[str, list[str]]:
    """The texts by name. A file has one JSON object with `text` a line, and may be compressed by gzip."""
    prose = (TEXTS / "prose.txt").read_text()
    dense = (TEXTS / "dense.txt").read_text().splitlines()
    found = {"prose": [filled([prose], 50_000)], "dense": [filled(dense, 38_000)]}
    for file in files:
        with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as lines:
            found[file.name.split(".")[0]] = [json.loads(line)["text"] for line in lines]
    return found


def main() -> None:
    """Prints a table: megabytes a second in the median round, findings, and microseconds for each of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", nargs="*", type=Path, default=[], metavar="FILE", help="files of JSON lines with `text`")
    programs = [Textveil("textveil", names=True), Textveil("textveil, no names", names=False), Datafog()]
    print(f"{'texts':24} {'program':24} {'MB/s':>8} {'findings':>9} {'µs each':>8}")
    for name, texts in sets(parser.parse_args().texts).items():
        size = sum(len(text.encode()) for text in texts)
        rounds = [[program.round(texts) for program in programs] for _ in range(ROUNDS)]
        for program, measured in zip(programs, zip(*rounds)):
            seconds, found = statistics.median(second for second, _ in measured), measured[0][1]
            each = seconds / found * 1e6 if found else float("nan")
            print(f"{name:24} {program.name:24} {size / seconds / 1e6:8.1f} {found:9} {each:8.2f}")
    for program in programs:
        program.close()


if __name__ == "__main__":
    main()
