"""The filter of `logging`."""

import json
import logging

from textveil.logs import ProtectFilter

EMAIL = "jan.novak@example.cz"


class Lines(logging.Handler):
    """Keeps what a formatter writes."""

    def __init__(self, formatter=None):
        super().__init__()
        self.lines = []
        self.setFormatter(formatter or logging.Formatter("%(levelname)s %(message)s"))
        self.addFilter(ProtectFilter())

    def emit(self, record):
        self.lines.append(self.format(record))


def logger_with(handler):
    logger = logging.Logger("test")
    logger.addHandler(handler)
    return logger


def test_the_message_and_its_arguments_are_protected():
    handler = Lines()
    logger_with(handler).warning("mail to %s, attempt %d", EMAIL, 3)
    assert handler.lines == ["WARNING mail to [REDACTED], attempt 3"]


def test_an_exception_is_protected():
    handler = Lines()
    logger = logger_with(handler)
    try:
        raise ValueError(f"no account of {EMAIL}")
    except ValueError:
        logger.exception("failed")
    (line,) = handler.lines
    assert EMAIL not in line
    assert "ValueError: no account of [REDACTED]" in line
    assert "Traceback" in line


def test_fields_are_protected_by_their_names():
    class Fields(logging.Formatter):
        def format(self, record):
            return json.dumps({"user": record.user, "pesel": record.pesel, "count": record.count})

    handler = Lines(Fields())
    user = {"mail": EMAIL, "tags": ["a", EMAIL], "active": True}
    logger_with(handler).info("x", extra={"user": user, "pesel": "44051401359", "count": 3})
    assert json.loads(handler.lines[0]) == {
        "user": {"mail": "[REDACTED]", "tags": ["a", "[REDACTED]"], "active": True},
        "pesel": "[REDACTED]",
        "count": 3,
    }


def test_a_wrong_format_is_no_way_around():
    handler = Lines()
    logger_with(handler).warning(f"%d {EMAIL}", "no number")
    assert EMAIL not in handler.lines[0]


def test_a_text_that_cannot_be_protected_stays_out():
    handler = Lines()
    protect = handler.filters[0]
    protect._finder = None
    logger_with(handler).warning("to %s", EMAIL)
    assert handler.lines == ["WARNING [text that could not be protected]"]
