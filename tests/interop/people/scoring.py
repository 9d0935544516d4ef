"""Measures the share of the names in texts that a tool finds: spans against spans, in code points."""

import dataclasses
import re
from collections.abc import Iterable

#: From its first character on, to the one before its last.
Span = tuple[int, int]

#: Titles before a name. Sets and tools have them now within its span and now outside.
TITLES = re.compile(
    r"(?:(?:mr|mrs|ms|miss|dr|prof|sir|madam|pan|pani|pana|panu|panią|panem|mgr|inż|hab)\b\.?\s*)+(?=\w)", re.IGNORECASE
)


def without_title(text: str, span: Span) -> Span:
    """The span of a name without the titles that it begins with; one that is all title is as it was."""
    title = TITLES.match(text, *span)
    return (title.end(), span[1]) if title else span


@dataclasses.dataclass
class Score:
    """Counts of which precision and recall are made; a name that is labelled or reported twice counts once."""

    #: Names in the texts.
    there: int = 0
    #: Reported spans.
    reported: int = 0
    #: Reported spans that are a name from the first character to the last.
    exact: int = 0
    #: Names of which something reported has a part.
    found: int = 0
    #: Reported spans that contain a part of a name.
    right: int = 0

    def add(self, text: str, labelled: Iterable[Span], reported: Iterable[Span]) -> None:
        """Counts what was reported of one text."""
        names = {without_title(text, span) for span in labelled}
        spans = {without_title(text, span) for span in reported}
        self.there += len(names)
        self.reported += len(spans)
        self.exact += len(names & spans)
        self.found += sum(any(_overlap(name, span) for span in spans) for name in names)
        self.right += sum(any(_overlap(name, span) for name in names) for span in spans)

    def figures(self) -> dict[str, dict[str, float]]:
        """Precision, recall, F1 and F2, of exact spans and of overlapping ones."""
        return {
            "exact": _figures(_share(self.exact, self.reported), _share(self.exact, self.there)),
            "overlapping": _figures(_share(self.right, self.reported), _share(self.found, self.there)),
        }


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _share(part: int, whole: int) -> float:
    """A share; 1 of nothing, as in the scorecard."""
    return part / whole if whole else 1.0


def _figures(precision: float, recall: float) -> dict[str, float]:
    return {"p": precision, "r": recall, "f1": _f(1, precision, recall), "f2": _f(2, precision, recall)}


def _f(beta: int, precision: float, recall: float) -> float:
    """The harmonic mean of both, in which recall counts `beta` times as much."""
    below = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / below if below else 0.0
