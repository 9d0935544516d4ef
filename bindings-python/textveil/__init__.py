"""Finds and protects personal data in text.

The engine is a WebAssembly module within this process: texts go nowhere. The folder ``textveil/`` also has ``presidio``
(the call shapes of Presidio), ``logs`` (a filter of ``logging``) and ``frames`` (pandas and polars).
"""

from ._answers import (
    Country,
    Detection,
    Detector,
    Entity,
    Evidence,
    ProtectedEntity,
    Protection,
    Restoration,
    Validation,
)
from ._errors import TextveilError
from ._finder import (
    Finder,
    Stream,
    detect,
    detect_batch,
    detectors,
    protect,
    protect_batch,
    restore,
    validate,
)
from ._version import VERSION as __version__

__all__ = [
    "Country",
    "Detection",
    "Detector",
    "Entity",
    "Evidence",
    "Finder",
    "ProtectedEntity",
    "Protection",
    "Restoration",
    "Stream",
    "TextveilError",
    "Validation",
    "__version__",
    "detect",
    "detect_batch",
    "detectors",
    "protect",
    "protect_batch",
    "restore",
    "validate",
]
