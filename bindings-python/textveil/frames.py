"""pandas and polars by column: the name of a column is the label of its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._answers import Entity
from ._finder import Finder

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import DetectOptions, ProtectOptions

Frame = TypeVar("Frame")


def protect_frame(frame: Frame, columns: Sequence[str] | None = None, **options: Unpack[ProtectOptions]) -> Frame:
    """Returns a frame of pandas or polars in which the texts of columns are protected.

    Without ``columns`` every column with texts is. Other values, such as numbers and dates, stay.
    """
    finder = Finder(**options)

    def protected(name: str, values: list[str]) -> list[str]:
        found = _found(finder, name, values)
        return [finder.apply(text, own).text if own else text for text, own in zip(values, found, strict=True)]

    changed: Frame = _changed(frame, columns, protected)
    return changed


def detect_frame(
    frame: Any, columns: Sequence[str] | None = None, **options: Unpack[DetectOptions]
) -> dict[str, dict[str, int]]:
    """Returns how many values of each column have a finding of each type."""
    finder = Finder(**options)
    counts: dict[str, dict[str, int]] = {}
    for name in _columns(frame, columns):
        texts = Counter(value for value in _values(frame, name) if isinstance(value, str))
        types: Counter[str] = Counter()
        for own, count in zip(_found(finder, name, texts), texts.values(), strict=True):
            types.update(dict.fromkeys({entity.type for entity in own}, count))
        if types:
            counts[name] = dict(types.most_common())
    return counts


def _found(finder: Finder, name: str, values: Iterable[str]) -> list[list[Entity]]:
    lead = f"{name}: "
    found = []
    for detection in finder.detect_batch(lead + value for value in values):
        own = [entity for entity in detection if entity.start >= len(lead)]
        for entity in own:
            entity.start -= len(lead)
            entity.end -= len(lead)
        found.append(own)
    return found


def _is_polars(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "polars"


def _columns(frame: Any, columns: Sequence[str] | None) -> list[str]:
    if isinstance(columns, str):
        columns = [columns]
    names = list(frame.columns)
    missing = [name for name in columns or () if name not in names]
    if missing:
        raise KeyError(f"the frame has no column {missing[0]!r}")
    return [name for name in (names if columns is None else columns) if columns or _has_texts(frame, name)]


def _has_texts(frame: Any, name: str) -> bool:
    return any(isinstance(value, str) for value in _values(frame, name))


def _values(frame: Any, name: str) -> list[Any]:
    values: list[Any] = frame[name].to_list() if _is_polars(frame) else frame[name].tolist()
    return values


def _changed(frame: Any, columns: Sequence[str] | None, change: Callable[[str, list[str]], list[str]]) -> Any:
    """Replaces the texts of columns; each distinct text of a column once."""
    changed: dict[str, list[Any]] = {}
    for name in _columns(frame, columns):
        values = _values(frame, name)
        distinct = list(dict.fromkeys(value for value in values if isinstance(value, str)))
        new = dict(zip(distinct, change(str(name), distinct), strict=True))
        changed[name] = [new[value] if isinstance(value, str) else value for value in values]
    if _is_polars(frame):
        import polars

        # a categorical column would not take new texts
        series = [
            polars.Series(name, values, dtype=polars.String if _only_texts(values) else None, strict=False)
            for name, values in changed.items()
        ]
        return frame.with_columns(series)
    result = frame.copy()
    for name, values in changed.items():
        column = result[name]
        dtype = column.dtype if str(column.dtype) in ("string", "str", "object") else "object"
        result[name] = type(column)(values, index=column.index, dtype=dtype)
    return result


def _only_texts(values: list[Any]) -> bool:
    return all(value is None or isinstance(value, str) for value in values)
