"""The answers of the package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Evidence:
    """A reason for or against a finding, in log-odds."""

    signal: str
    weight: float
    start: int | None = None
    end: int | None = None


@dataclass(slots=True)
class Entity:
    """A finding. Its value is ``text[start:end]``."""

    type: str
    start: int
    end: int
    #: the value; it stays out of ``repr``
    original: str = field(repr=False)
    #: ISO 3166-1 alpha-2; None for a type of no one country
    country: str | None
    #: 0 to 1
    confidence: float
    #: whether a check digit or a structural rule holds
    validated: bool
    #: facts, such as ``birth_date``
    metadata: dict[str, bool | str] = field(repr=False)
    #: with ``explain`` only
    evidence: list[Evidence] = field(repr=False)


@dataclass(slots=True)
class ProtectedEntity(Entity):
    """A finding and its replacement."""

    #: the replacement
    protected: str
    #: the action of the policy, in mode ``policy``
    action: str | None
    #: the policy that decided
    policy: str | None


@dataclass(slots=True)
class Country:
    """A country that the text is probably about."""

    code: str
    confidence: float
    evidence: list[Evidence] = field(repr=False)


@dataclass(slots=True)
class Detection:
    """The findings in a text, sorted by start. Iterating goes over them."""

    entities: list[Entity]
    #: the most likely first
    countries: list[Country]
    preset: str

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.entities)

    def __len__(self) -> int:
        return len(self.entities)


@dataclass(slots=True)
class Protection:
    """A protected text. ``str()`` returns it."""

    text: str
    entities: list[ProtectedEntity]
    #: the most likely first
    countries: list[Country]
    mode: str

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Restoration:
    """A text with its tokens restored. ``str()`` returns it."""

    text: str = field(repr=False)
    #: the number of restored tokens
    restored: int
    #: the number of tokens with another key, or altered ones
    unknown: int

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Validation:
    """The result of validating a value. It is true if the value is valid."""

    entity_type: str
    country: str | None
    valid: bool
    confidence: float
    #: facts; the ``reason`` if the value is invalid
    metadata: dict[str, bool | str] = field(repr=False)

    def __bool__(self) -> bool:
        return self.valid


@dataclass(slots=True)
class Detector:
    """A detector of the engine."""

    name: str
    description: str
    #: ISO 3166-1 alpha-2, ``EU`` or ``GLOBAL``
    region: str
    category: str
    entity_type: str


def _evidence(given: list[dict[str, Any]] | None) -> list[Evidence]:
    if not given:
        return []
    return [Evidence(one["signal"], one["weight"], one.get("start"), one.get("end")) for one in given]


def _countries(given: list[dict[str, Any]]) -> list[Country]:
    return [Country(one["code"], one["confidence"], _evidence(one.get("evidence"))) for one in given]


def detection(answer: dict[str, Any]) -> Detection:
    """Reads a DetectResponse."""
    entities = [
        Entity(
            one["type"],
            one["start"],
            one["end"],
            one["original"],
            one["country"],
            one["confidence"],
            one["validated"],
            one["metadata"] or {},
            _evidence(one.get("evidence")),
        )
        for one in answer["entities"]
    ]
    return Detection(entities, _countries(answer["countries_detected"]), answer["privacy_preset"])


def protection(answer: dict[str, Any]) -> Protection:
    """Reads a ProtectResponse."""
    entities = [
        ProtectedEntity(
            one["type"],
            one["start"],
            one["end"],
            one["original"],
            one["country"],
            one["confidence"],
            one["validated"],
            one["metadata"] or {},
            _evidence(one.get("evidence")),
            one["protected"],
            one.get("action"),
            one.get("policy"),
        )
        for one in answer["entities"]
    ]
    return Protection(
        answer["protected_text"], entities, _countries(answer["countries_detected"]), answer["protection_mode"]
    )
