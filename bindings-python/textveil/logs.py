"""A filter of `logging` that protects records before a handler writes them."""

from __future__ import annotations

import logging
from typing import Any

from ._finder import Finder

#: the attributes of every record; all others came by ``extra``
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}

#: formats the stack of an exception as `logging` does
_FORMATTER = logging.Formatter()


class ProtectFilter(logging.Filter):
    """Protects the message, its arguments, the exception and the strings of ``extra``.

    Add it to handlers: a filter of a logger does not see the records of the loggers below it. If a text cannot be
    protected, the record says so instead of the text.

    >>> handler = logging.StreamHandler()
    >>> handler.addFilter(ProtectFilter(mode="mask"))
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._finder = Finder(**options)

    def _protected(self, value: Any, label: str = "") -> Any:
        if isinstance(value, str):
            return self._text(value, label)
        if isinstance(value, dict):
            return {self._protected(key): self._protected(item, str(key)) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self._protected(item, label) for item in value]
        if value is None or isinstance(value, (bool, int, float)):
            return value
        return self._text(str(value), label)

    def _text(self, text: str, label: str = "") -> str:
        try:
            if not label:
                return self._finder.protect(text).text
            # the name of a field is the label of its value
            lead = f"{label}: "
            found = [one for one in self._finder.detect(lead + text) if one.start >= len(lead)]
            for one in found:
                one.start -= len(lead)
                one.end -= len(lead)
            return self._finder.apply(text, found).text if found else text
        except Exception:
            return "[text that could not be protected]"

    def filter(self, record: logging.LogRecord) -> bool:
        """Changes the record, so that later handlers get the protected text, too."""
        try:
            message = record.getMessage()
        except Exception:
            message = str(record.msg)
        record.msg, record.args = self._text(message), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = _FORMATTER.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._text(record.exc_text)
            # a formatter would write the exception itself again
            record.exc_info = None
        if record.stack_info:
            record.stack_info = self._text(record.stack_info)
        for name, value in list(record.__dict__.items()):
            if name not in _STANDARD:
                setattr(record, name, self._protected(value, name))
        return True
