"""Counts found labels and right findings by groups of types: spans that overlap, in code points."""

import dataclasses
import tomllib
from pathlib import Path

from ..people.scoring import Score, Span


@dataclasses.dataclass(frozen=True)
class Group:
    """Labels, and the types that count as found for them."""

    name: str
    labels: frozenset[str]
    types: frozenset[str]
    #: The labels that one of the programs leaves out, in words; empty if both look for all of them.
    partial: str


def groups() -> list[Group]:
    """The groups of `entities.toml`."""
    table = tomllib.loads(Path(__file__).with_name("entities.toml").read_text())["groups"]
    return [
        Group(one["name"], frozenset(one["labels"]), frozenset(one["types"]), one.get("partial", ""))
        for one in table
    ]


@dataclasses.dataclass(frozen=True)
class Labelled:
    """A text with its labels: the type and the place of each."""

    text: str
    labels: list[tuple[str, Span]]


def score(documents: list[Labelled], found: list[list[tuple[str, Span]]], wanted: list[Group]) -> Score:
    """Counts findings of these groups. One is right if it overlaps a label of its own group."""
    total = Score()
    for group in wanted:
        for document, findings in zip(documents, found, strict=True):
            labelled = [span for kind, span in document.labels if kind in group.labels]
            total.add(document.text, labelled, [span for kind, span in findings if kind in group.types])
    return total
