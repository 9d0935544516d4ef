"""The options of a call, under the names that every surface has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ._errors import TextveilError
from ._module import encoded_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Preset = Literal["conservative", "balanced", "aggressive"]
Mode = Literal["replace", "mask", "hash", "tokenize", "policy"]
Action = Literal["ALLOW", "FLAG", "MASK", "REDACT", "HASH", "TOKENIZE", "BLOCK"]

#: a secret of at least 16 bytes; a text has them as hex digits
Secret = bytes | str


class DetectOptions(TypedDict, total=False):
    """The options of detection."""

    country: str | None
    language: str | None
    privacy_preset: Preset | None
    entities: Sequence[str] | None
    exclude_entities: Sequence[str] | None
    min_confidence: float | None
    allow_list: Sequence[Mapping[str, str]] | None
    deny_list: Sequence[Mapping[str, str]] | None
    custom_detectors: Sequence[Mapping[str, Any]] | None
    hints: Sequence[Mapping[str, Any]] | None
    explain: bool | None


class KeyOptions(TypedDict, total=False):
    """The keys of hashes and tokens."""

    key: Secret | None
    #: 0 to 31; 0 when absent
    key_version: int
    #: older secrets by their versions, which open tokens and seal none
    previous_keys: Mapping[int, Secret] | None


class ProtectOptions(DetectOptions, KeyOptions, total=False):
    """The options of protection."""

    mode: Mode | None
    operators: Mapping[str, Mapping[str, Any]] | None
    policies: Sequence[Mapping[str, Any]] | None
    default_action: Action | None


_KEYS = ("key", "key_version", "previous_keys")


def _secret(secret: Any) -> list[int]:
    if isinstance(secret, str):
        try:
            secret = bytes.fromhex(secret)
        except ValueError:
            secret = None
    if not isinstance(secret, (bytes, bytearray, memoryview)):
        message = "key must be bytes, or a text of hex digits, at least 16 bytes"
        raise TextveilError(message, code="invalid_request", field="key")
    return list(bytes(secret))


def encoded_options(options: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """Returns options and keys as the module reads them."""
    rest = {name: value for name, value in options.items() if name not in _KEYS and value is not None}
    key = options.get("key")
    if key is None:
        if options.get("key_version") is not None or options.get("previous_keys"):
            message = "key is missing; key_version and previous_keys need it"
            raise TextveilError(message, code="invalid_request", field="key")
        return encoded_json(rest), b"[]"
    keys = [(options.get("key_version", 0), _secret(key))]
    keys += [(version, _secret(secret)) for version, secret in (options.get("previous_keys") or {}).items()]
    return encoded_json(rest), encoded_json(keys)
