"""The call shapes of Presidio's analyzer and anonymizer, without spaCy or models.

Shapes, operators and the order of things are those of Presidio 2.2; the findings and their scores are this engine's.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ._answers import Entity
from ._errors import TextveilError
from ._finder import Finder
from ._module import instance

#: the language that callers of Presidio name if they do not know it; it is not evidence for a country
_NO_LANGUAGE = "en"

#: the operator of every type without its own
_DEFAULT = "DEFAULT"

_MIN_SALT = 16


@cache
def _names() -> tuple[dict[tuple[str, str], str], dict[str, str], dict[str, set[str]]]:
    """Presidio's names: by type and region, by type, and the types of each name."""
    by_region: dict[tuple[str, str], str] = {}
    by_kind: dict[str, str] = {}
    kinds: dict[str, set[str]] = {}
    for kind, region, name in instance().call("presidio_types", None):
        by_region[kind, region] = name
        by_kind.setdefault(kind, name)
        kinds.setdefault(name, set()).add(kind)
    return by_region, by_kind, kinds


def _name(entity: Entity) -> str:
    by_region, by_kind, _ = _names()
    named = by_region.get((entity.type, entity.country or "GLOBAL")) or by_kind.get(entity.type)
    return named or entity.type.upper()


@dataclass
class RecognizerResult:
    """A finding of `AnalyzerEngine`."""

    entity_type: str
    start: int
    end: int
    score: float
    analysis_explanation: Any = None
    recognition_metadata: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields."""
        return dict(self.__dict__)


class AnalyzerEngine:
    """Finds personal data, in the shape of Presidio's `AnalyzerEngine`.

    Options of the engine, such as ``custom_detectors`` and ``deny_list``, are given once. Arguments of Presidio's own
    engine that name models or recognizers have no counterpart and are rejected.
    """

    def __init__(self, *, default_score_threshold: float | None = None, **options: Any) -> None:
        self._options = options
        self._threshold = default_score_threshold
        self._finders: dict[tuple[str | None, float | None], Finder] = {}
        self._finder(None, default_score_threshold)

    def _finder(self, language: str | None, threshold: float | None) -> Finder:
        key = (language, threshold)
        if key not in self._finders:
            chosen = {"language": language, "min_confidence": threshold}
            given = {name: value for name, value in chosen.items() if value is not None}
            self._finders[key] = Finder(**(self._options | given))
        return self._finders[key]

    def analyze(
        self,
        text: str,
        language: str = _NO_LANGUAGE,
        entities: Sequence[str] | None = None,
        correlation_id: str | None = None,
        score_threshold: float | None = None,
        return_decision_process: bool | None = False,
        ad_hoc_recognizers: Sequence[Any] | None = None,
        context: Sequence[str] | None = None,
        allow_list: Sequence[str] | None = None,
        allow_list_match: str | None = "exact",
        regex_flags: int | None = re.DOTALL | re.MULTILINE | re.IGNORECASE,
        nlp_artifacts: Any = None,
    ) -> list[RecognizerResult]:
        """Returns the findings, the most confident first.

        Unknown names in ``entities`` find nothing. ``correlation_id`` and ``nlp_artifacts`` are ignored.
        """
        for name, value in (("ad_hoc_recognizers", ad_hoc_recognizers), ("context", context)):
            if value:
                message = f"{name} is not an option of this call; give custom_detectors to AnalyzerEngine"
                raise TextveilError(message, code="invalid_request", field=name)
        threshold = self._threshold if score_threshold is None else score_threshold
        finder = self._finder(None if language == _NO_LANGUAGE else language, threshold)
        wanted = {name.strip() for name in entities} if entities else None
        found = []
        for entity in finder.detect(text):
            name = _name(entity)
            if wanted is not None and name not in wanted and entity.type not in wanted:
                continue
            if allow_list and _is_allowed(text[entity.start:entity.end], allow_list, allow_list_match, regex_flags or 0):
                continue
            metadata = {"recognizer_name": entity.type, "recognizer_identifier": f"textveil_{entity.type}"}
            found.append(RecognizerResult(name, entity.start, entity.end, entity.confidence, None, metadata))
        found.sort(key=lambda one: (-one.score, one.start))
        return found

    def get_supported_entities(self, language: str | None = None) -> list[str]:
        """Returns every name that a finding can have, sorted. Every detector works in every language."""
        custom = [detector["name"].upper() for detector in self._options.get("custom_detectors") or ()]
        return sorted({*_names()[2], *custom})


def _is_allowed(value: str, allowed: Sequence[str], match: str | None, flags: int) -> bool:
    if match == "regex":
        return re.search("|".join(allowed), value, flags) is not None
    return value in allowed


@dataclass
class OperatorConfig:
    """An operator of `AnonymizerEngine` with its parameters."""

    operator_name: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass
class OperatorResult:
    """A replacement, with its place in the new text."""

    start: int
    end: int
    entity_type: str
    text: str
    operator: str


@dataclass
class EngineResult:
    """A text with its findings replaced."""

    text: str
    #: from the last to the first
    items: list[OperatorResult]


class AnonymizerEngine:
    """Replaces findings by Presidio's operators: replace, redact, mask, hash, keep and custom.

    Use mode ``tokenize`` of `textveil.protect` instead of ``encrypt``: its tokens are restored with the key.
    """

    def anonymize(
        self,
        text: str,
        analyzer_results: Iterable[Any],
        operators: Mapping[str, OperatorConfig] | None = None,
    ) -> EngineResult:
        """Replaces each finding by the operator of its type."""
        chosen = operators or {}
        default = chosen.get(_DEFAULT) or OperatorConfig("replace")
        for config in (default, *chosen.values()):
            _check(config)
        # from the last to the first: of two that overlap, the first is cut at the second
        parts: list[str] = []
        placed: list[tuple[int, str, str, str]] = []
        rest, behind = len(text), 0
        for start, end, kind in _resolved(text, analyzer_results):
            config = chosen.get(kind, default)
            new = _operate(config, kind, text[start:end])
            end = min(end, rest)
            behind += rest - end + len(new)
            parts += [text[end:rest], new]
            placed.append((behind, kind, new, config.operator_name))
            rest = start
        parts.append(text[:rest])
        size = rest + behind
        items = [OperatorResult(size - far, size - far + len(new), kind, new, name) for far, kind, new, name in placed]
        return EngineResult("".join(reversed(parts)), items)

    def get_anonymizers(self) -> list[str]:
        """Returns the names of the operators."""
        return sorted(_OPERATORS)


def _resolved(text: str, results: Iterable[Any]) -> list[tuple[int, int, str]]:
    """Returns findings from the last to the first, as Presidio's anonymizer takes them.

    Those of one type that overlap become one; one within another goes, and of two at one place the less sure one; those of
    one type with only spaces between them become one.
    """
    last: dict[str, int] = {}
    merged: list[tuple[int, int, str, float] | None] = []
    for one in sorted(results, key=lambda one: (one.start, one.end)):
        start, end, kind, score = one.start, one.end, one.entity_type, one.score
        if not 0 <= start <= end <= len(text):
            message = "analyzer_results must lie within the text; offsets count characters"
            raise TextveilError(message, code="invalid_request", field="analyzer_results")
        before = merged[last[kind]] if kind in last else None
        if before is not None and min(before[1], end) > max(before[0], start):
            merged[last[kind]] = None
            start, end, score = before[0], max(before[1], end), max(before[3], score)
        last[kind] = len(merged)
        merged.append((start, end, kind, score))

    places: dict[tuple[int, int], tuple[int, float]] = {}
    present = [one for one in merged if one is not None]
    for index, (start, end, _, score) in enumerate(present):
        held = places.get((start, end))
        if held is None or score >= held[1]:
            places[start, end] = (index, score)
    stays, seen = set(), -1
    for (_, end), (index, _) in sorted(places.items(), key=lambda item: (item[0][0], -item[0][1])):
        if end > seen:
            stays.add(index)
            seen = end

    joined: list[tuple[int, int, str]] = []
    for index, (start, end, kind, _) in enumerate(present):
        if index not in stays:
            continue
        if joined and joined[-1][2] == kind and re.search("^( )+$", text[joined[-1][1]:start]):
            start = joined.pop()[0]
        joined.append((start, end, kind))
    return sorted(joined, reverse=True)


def _check(config: OperatorConfig) -> None:
    name, params = config.operator_name, config.params or {}
    problem = None
    if name not in _OPERATORS:
        problem = f"has an unknown operator; there are {', '.join(sorted(_OPERATORS))}"
    elif name == "mask":
        char, count = params.get("masking_char"), params.get("chars_to_mask")
        if not isinstance(char, str) or len(char) > 1 or not isinstance(count, int) or "from_end" not in params:
            problem = "mask needs masking_char, chars_to_mask and from_end"
    elif name == "hash":
        if params.get("hash_type", "sha256") not in ("sha256", "sha512"):
            problem = "hash_type must be sha256 or sha512"
        elif params.get("salt") is not None and len(_bytes(params["salt"])) < _MIN_SALT:
            problem = "hash needs a salt of at least 16 bytes, or none for a random one"
    elif name == "custom" and not callable(params.get("lambda")):
        problem = "custom needs a function as lambda"
    if problem:
        raise TextveilError(f"operators: {problem}", code="invalid_request", field="operators")


def _operate(config: OperatorConfig, kind: str, value: str) -> str:
    return _OPERATORS[config.operator_name](config.params or {}, kind, value)


def _mask(params: Mapping[str, Any], _: str, value: str) -> str:
    count = min(max(params["chars_to_mask"], 0), len(value))
    mask: str = params["masking_char"] * count
    return value[: len(value) - count] + mask if params["from_end"] else mask + value[count:]


def _bytes(salt: Any) -> bytes:
    return salt.encode() if isinstance(salt, str) else bytes(salt)


def _hash(params: Mapping[str, Any], _: str, value: str) -> str:
    salt = secrets.token_bytes(_MIN_SALT) if params.get("salt") is None else _bytes(params["salt"])
    digest = hashlib.sha512 if params.get("hash_type") == "sha512" else hashlib.sha256
    return digest(value.encode() + salt).hexdigest()


_OPERATORS: dict[str, Callable[[Mapping[str, Any], str, str], str]] = {
    "replace": lambda params, kind, _: params.get("new_value") or f"<{kind}>",
    "redact": lambda *_: "",
    "mask": _mask,
    "hash": _hash,
    "keep": lambda _, __, value: value,
    "custom": lambda params, _, value: str(params["lambda"](value)),
}
