"""The sets of `sets.toml`: fetched at their pinned commits, never committed."""

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..support.example import ROOT
from .scoring import Span

#: The folder of sets that were fetched.
FETCHED = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "public-sets"
SECONDS = 60


class Unavailable(Exception):
    """A requirement is not available here; the message says why."""


@dataclasses.dataclass(frozen=True)
class Document:
    """A text, and where names of people are in it."""

    text: str
    names: list[Span]


@dataclasses.dataclass(frozen=True)
class Set:
    """Labelled texts of one language, and where they are from."""

    name: str
    language: str
    repository: str
    commit: str
    licence: str
    documents: list[Document]

    @property
    def texts(self) -> list[str]:
        return [document.text for document in self.documents]

    @property
    def megabytes(self) -> float:
        return sum(len(text.encode()) for text in self.texts) / 1e6

    def about(self) -> dict:
        """Returns the description of the set, for the report."""
        names = sum(len(set(document.names)) for document in self.documents)
        where = {key: getattr(self, key) for key in ("name", "language", "repository", "commit", "licence")}
        return where | {"documents": len(self.documents), "names": names}


def sources() -> list[dict]:
    """The tables of `sets.toml`."""
    return tomllib.loads(Path(__file__).with_name("sets.toml").read_text())["sources"]


def read(source: dict) -> Iterator[Set]:
    """The sets of a source, fetched where they are not there yet.

    They are looked for in the folder that `TEXTVEIL_SETS` names, if it is set; nothing is fetched then.
    """
    for entry in source["sets"]:
        paths = fetched(source, entry)
        where = {key: source[key] for key in ("language", "repository", "commit", "licence")}
        documents = [document(record) for path in paths for record in _records(path)]
        yield Set(name=entry["name"], documents=documents, **where)


def fetched(source: dict, entry: dict) -> list[Path]:
    """The files of a set, of the pinned version."""
    given = os.environ.get("TEXTVEIL_SETS")
    folder = Path(given) if given else _fetched(source)
    paths = sorted(folder.glob(entry["files"]))
    if not paths:
        raise Unavailable(f"{entry['files']} is missing; get {source['repository']} at {source['commit']}")
    if hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest() != entry["sha256"]:
        raise Unavailable(f"{entry['files']} is another version; get {source['repository']} at {source['commit']}")
    return paths


def document(record: dict) -> Document:
    """A record of either format: presidio-research's, or pl-pii-bench's, where a text with one name is its own label."""
    if "full_text" in record:
        labels = (
            (label["entity_type"], label["start_position"], label["end_position"]) for label in record["spans"]
        )
        text = record["full_text"]
    else:
        labels = ((label["label"], label["start"], label["end"]) for label in record.get("entities", [record]))
        text = record["text"]
    return Document(text, [(start, end) for kind, start, end in labels if kind == "PERSON"])


def _records(path: Path) -> list[dict]:
    """Reads the records of a file: an object per line, a list of objects, or one object."""
    text = path.read_text()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines() if line]
    content = json.loads(text)
    return content if isinstance(content, list) else [content]


def _fetched(source: dict) -> Path:
    """The folder with the sets of a source; their archive is downloaded where it is not there."""
    folder = FETCHED / source["commit"]
    if folder.exists():
        return folder
    FETCHED.mkdir(parents=True, exist_ok=True)
    archive = f"https://github.com/{source['repository']}/archive/{source['commit']}.tar.gz"
    # a download that breaks off leaves no half of a set behind
    with contextlib.ExitStack() as stack:
        into = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=FETCHED, ignore_cleanup_errors=True)))
        try:
            answer = stack.enter_context(urllib.request.urlopen(archive, timeout=SECONDS))
            _extract(stack.enter_context(tarfile.open(fileobj=answer, mode="r|gz")), source, into)
        except (OSError, tarfile.TarError):
            raise Unavailable(
                f"{source['repository']} cannot be fetched from GitHub; set TEXTVEIL_SETS to a folder with its files"
            ) from None
        into.rename(folder)
    return folder


def _extract(archive: tarfile.TarFile, source: dict, into: Path) -> None:
    for member in archive:
        # the first folder is named after the repository and the commit
        path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
        if member.isfile() and path.is_relative_to(source["from"]) and ".." not in path.parts:
            target = into / source["to"] / path.relative_to(source["from"])
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as file:
                shutil.copyfileobj(archive.extractfile(member), file)
