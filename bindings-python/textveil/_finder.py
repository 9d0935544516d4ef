"""The verbs of the engine."""

from __future__ import annotations

import threading
import weakref
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from . import _answers
from ._answers import Detection, Detector, Entity, Protection, Restoration, Validation
from ._module import Instance, encoded, encoded_json, instance
from ._options import encoded_options

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import DetectOptions, KeyOptions, ProtectOptions

#: characters of a batch that cross at once, so that the memory of the module stays small
_BATCH = 1_000_000


def _text(text: str, name: str = "text") -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str")
    return encoded(text)


class Finder:
    """Finds and protects personal data with options that are compiled once.

    Threads may share it. Offsets count Python's characters.

    >>> Finder().protect("PESEL 44051401359").text
    'PESEL [REDACTED]'
    """

    def __init__(self, **options: Unpack[ProtectOptions]) -> None:
        self._options = encoded_options(options)
        self._threads = threading.local()
        # a wrong option is reported here and not at the first text
        self._opened()

    def _opened(self) -> tuple[Instance, int]:
        """Returns the engine of this thread and the handle of these options."""
        engine = instance()
        opened: tuple[Instance, int] | None = getattr(self._threads, "opened", None)
        if opened is None or opened[0] is not engine:
            opened = self._threads.opened = (engine, engine.call("open", None, *self._options))
            weakref.finalize(self, engine.closing.append, ("close", opened[1])).atexit = False
        return opened

    def _call(self, function: str, *arguments: bytes) -> Any:
        engine, handle = self._opened()
        return engine.call(function, handle, *arguments)

    def detect(self, text: str) -> Detection:
        """Finds personal data in a text of any length."""
        return _answers.detection(self._call("detect", _text(text)))

    def detect_batch(self, texts: Iterable[str]) -> list[Detection]:
        """Finds personal data in each text."""
        found: list[Detection] = []
        for part in _parts(texts):
            found += map(_answers.detection, self._call("detect_batch", encoded_json(part))["results"])
        return found

    def protect(self, text: str) -> Protection:
        """Finds personal data in a text of any length and replaces it."""
        return _answers.protection(self._call("protect", _text(text)))

    def protect_batch(self, texts: Iterable[str]) -> list[Protection]:
        """Finds and replaces personal data in each text.

        If a policy blocks one of them, nothing is returned.
        """
        protected: list[Protection] = []
        for part in _parts(texts):
            protected += map(_answers.protection, self._call("protect_batch", encoded_json(part))["results"])
        return protected

    def apply(self, text: str, findings: Iterable[Entity | dict[str, Any]]) -> Protection:
        """Replaces the given findings of a text and no others.

        They may come from an earlier detection, from a review of it, or from a model of the caller's.
        """
        given = [
            {
                name: value
                for name, value in (asdict(one) if isinstance(one, Entity) else one).items()
                if name in ("type", "start", "end", "country", "confidence", "validated") and value is not None
            }
            for one in findings
        ]
        return _answers.protection(self._call("apply", _text(text), encoded_json({"findings": given})))

    def restore(self, text: str) -> Restoration:
        """Restores the tokens of mode ``tokenize`` in a text with the keys of these options."""
        answer = self._call("restore", _text(text))
        return Restoration(answer["text"], answer["restored"], answer["unknown"])

    def stream(self) -> Stream:
        """Opens a stream: a text that arrives in pieces is protected as a whole."""
        engine, handle = self._opened()
        return Stream(engine, engine.call("stream_open", handle))

    def protect_stream(self, chunks: Iterable[str]) -> Iterator[str]:
        """Protects a text that arrives in pieces, and yields what is final."""
        with self.stream() as stream:
            for chunk in chunks:
                if protected := stream.push(chunk):
                    yield protected
            if rest := stream.finish():
                yield rest

    async def protect_stream_async(self, chunks: AsyncIterable[str]) -> AsyncIterator[str]:
        """Protects a text that arrives in pieces, and yields what is final."""
        with self.stream() as stream:
            async for chunk in chunks:
                if protected := stream.push(chunk):
                    yield protected
            if rest := stream.finish():
                yield rest


def _parts(texts: Iterable[str]) -> Iterator[list[str]]:
    """Splits texts into lists of about a million characters."""
    part: list[str] = []
    size = 0
    for text in texts:
        if not isinstance(text, str):
            raise TypeError("texts must be of type str")
        part.append(text)
        size += len(text)
        if size >= _BATCH or len(part) >= 10_000:
            yield part
            part, size = [], 0
    if part:
        yield part


class Stream:
    """Protects a text that arrives in pieces. It belongs to the thread that opened it.

    The output does not depend on where the text is cut. Text that may belong to a finding stays back until the finding
    ends.
    """

    def __init__(self, engine: Instance, handle: int) -> None:
        self._engine = engine
        self._handle = handle
        self._thread = threading.get_ident()
        self._close = weakref.finalize(self, engine.closing.append, ("stream_close", handle))
        self._close.atexit = False

    def _call(self, function: str, *arguments: bytes) -> str:
        if not self._close.alive:
            raise ValueError("the stream is closed")
        if self._thread != threading.get_ident():
            raise RuntimeError("a stream belongs to the thread that opened it")
        answer: str = self._engine.call(function, self._handle, *arguments)
        return answer

    def push(self, chunk: str) -> str:
        """Takes the next piece and returns the protected text that is final by now."""
        return self._call("stream_push", _text(chunk, "chunk"))

    def finish(self) -> str:
        """Returns the rest and closes the stream."""
        rest = self._call("stream_finish")
        self._close()
        return rest

    def close(self) -> None:
        """Closes the stream; the rest is lost."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_default: Finder | None = None


def _finder(options: Any) -> Finder:
    """Returns a finder for options; the one without options stays."""
    global _default
    if options:
        return Finder(**options)
    if _default is None:
        _default = Finder()
    return _default


def detect(text: str, **options: Unpack[DetectOptions]) -> Detection:
    """Finds personal data in a text of any length.

    >>> [entity.type for entity in detect("PESEL 44051401359")]
    ['pesel']
    """
    return _finder(options).detect(text)


def detect_batch(texts: Iterable[str], **options: Unpack[DetectOptions]) -> list[Detection]:
    """Finds personal data in each text.

    >>> [len(found) for found in detect_batch(["PESEL 44051401359", "nothing"])]
    [1, 0]
    """
    return _finder(options).detect_batch(texts)


def protect(text: str, **options: Unpack[ProtectOptions]) -> Protection:
    """Finds personal data in a text of any length and replaces it. ``hash`` and ``tokenize`` need a ``key``.

    >>> protect("PESEL 44051401359", mode="mask").text
    'PESEL ***********'
    """
    return _finder(options).protect(text)


def protect_batch(texts: Iterable[str], **options: Unpack[ProtectOptions]) -> list[Protection]:
    """Finds and replaces personal data in each text.

    >>> [done.text for done in protect_batch(["to a@example.com", "nothing"])]
    ['to [REDACTED]', 'nothing']
    """
    return _finder(options).protect_batch(texts)


def restore(text: str, **keys: Unpack[KeyOptions]) -> Restoration:
    """Restores the tokens of mode ``tokenize`` in a text.

    >>> key = b"a secret of 16 bytes or more"
    >>> restore(protect("PESEL 44051401359", mode="tokenize", key=key).text, key=key).text
    'PESEL 44051401359'
    """
    return _finder(keys).restore(text)


def validate(value: str, entity_type: str, country: str | None = None) -> Validation:
    """Validates a value as one of a type.

    >>> bool(validate("44051401359", "pesel")), validate("44051401358", "pesel").metadata["reason"]
    (True, 'checksum')
    """
    request = {"value": value, "entity_type": entity_type}
    if country is not None:
        request["country"] = country
    answer = instance().call("validate", None, encoded_json(request))
    return Validation(
        answer["entity_type"], answer["country"], answer["valid"], answer["confidence"], answer["metadata"] or {}
    )


def detectors(country: str | None = None) -> Sequence[Detector]:
    """Returns the detectors of a country, of ``EU``, of ``GLOBAL``, or all of them.

    >>> any(detector.entity_type == "pesel" for detector in detectors("PL"))
    True
    """
    answer = instance().call("detectors", None, encoded(country or ""))
    return [Detector(**detector) for detector in answer["detectors"]]
