"""Compares two readings of the same values, with the reasons for which they may differ."""

import collections
import dataclasses
import fnmatch
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Difference:
    """A value that is read in two ways: what of it, and how each side has it."""

    kind: str
    value: str
    ours: object
    theirs: object

    def __str__(self):
        return f"{self.kind} of {self.value!r}: ours {self.ours!r}, theirs {self.theirs!r}"


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why some differences of some schemes (`*` as in file names), of a kind or one of several `|`, are no mistake of the engine."""

    schemes: str
    kind: str
    holds: Callable[[Difference], bool]
    why: str
    source: str

    def explains(self, scheme, difference):
        return (
            any(fnmatch.fnmatchcase(scheme, pattern) for pattern in self.schemes.split())
            and difference.kind in self.kind.split("|")
            and bool(self.holds(difference))
        )


@dataclasses.dataclass
class Comparison:
    """The counts of one scheme."""

    scheme: str
    reasons: list
    taken: int = 0
    right: int = 0
    wrong: int = 0
    explained: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    unexplained: list = dataclasses.field(default_factory=list)

    def note(self, valid, differences):
        """Counts one value that the other side takes or not, with what differs."""
        self.taken += bool(valid)
        for difference in differences:
            for reason in self.reasons:
                if reason.explains(self.scheme, difference):
                    self.explained[reason] += 1
                    break
            else:
                self.unexplained.append(difference)
        if not differences:
            self.right += bool(valid)
            self.wrong += not valid

    def __str__(self):
        row = f"{self.scheme:28} {self.right:8} {self.wrong:8} {sum(self.explained.values()):8}"
        return row + (f"  {len(self.unexplained)} UNEXPLAINED" if self.unexplained else "")


HEADER = f"{'scheme':28} {'right':>8} {'wrong':>8} {'reasons':>8}"


class Results:
    """The comparisons of a run."""

    def __init__(self):
        self.comparisons = []

    def check(self, test, comparison, least=20):
        """Fails where something differs for no known reason, or where too little was compared to say anything."""
        self.comparisons.append(comparison)
        kinds = collections.Counter(difference.kind for difference in comparison.unexplained)
        shown = [
            str(difference)
            for kind in kinds
            for difference in [other for other in comparison.unexplained if other.kind == kind][:12]
        ]
        if shown:
            test.fail("\n".join([f"{comparison.scheme} differs: {dict(kinds)}", *shown]))
        test.assertGreaterEqual(comparison.taken, least, f"{comparison.scheme}: too few right values")
        test.assertGreaterEqual(comparison.right + comparison.wrong, least, f"{comparison.scheme}: too few values")

    def table(self):
        """The counts of each scheme, then those of each reason."""
        total = Comparison("all", [])
        lines = [HEADER]
        for comparison in self.comparisons:
            lines.append(str(comparison))
            total.right += comparison.right
            total.wrong += comparison.wrong
            total.explained += comparison.explained
            total.unexplained += comparison.unexplained
        lines += [str(total), ""]
        lines += [f"{count:8}  {reason.schemes}: {reason.why}" for reason, count in total.explained.items()]
        return "\n".join(lines)

    def used(self):
        """The reasons for which something differed."""
        return set().union(*(comparison.explained for comparison in self.comparisons))
