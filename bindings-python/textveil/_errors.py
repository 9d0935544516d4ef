"""The error of the package."""

from __future__ import annotations


class TextveilError(ValueError):
    """A call that the engine rejects.

    The message says what is wrong and what to do. It never contains the caller's text.
    """

    def __init__(
        self, message: str, *, code: str, field: str | None = None, details: dict[str, int] | None = None
    ) -> None:
        super().__init__(message)
        #: ``invalid_request``, ``policy_violation`` or ``internal_error``
        self.code = code
        #: the option at fault, such as ``custom_detectors[0].pattern``
        self.field = field
        #: after ``policy_violation``: the number of blocked findings by type
        self.details = details
