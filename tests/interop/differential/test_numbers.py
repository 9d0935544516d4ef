"""Identification numbers against python-stdnum."""

import functools
import importlib
import pkgutil
import random
import re
import tomllib
import unittest
from pathlib import Path

import stdnum
from stdnum.exceptions import ValidationError

from . import run, samples
from .comparison import Comparison, Difference
from .reasons import REASONS

MAPPING = tomllib.loads((Path(__file__).parent / "schemes.toml").read_text())
SCHEMES = {
    module: [names] if isinstance(names, str) else names for module, names in MAPPING["schemes"].items()
}


class Oracle:
    """A module of python-stdnum."""

    def __init__(self, name):
        self.module = importlib.import_module(f"stdnum.{name}")

    @functools.lru_cache(maxsize=1 << 17)
    def compact(self, value):
        """The value as the module writes it, or none if it rejects it."""
        try:
            return self.module.validate(value)
        except (ValidationError, KeyError, ValueError):
            # some modules look up or count what is not there
            return None

    def verdict(self, value):
        """The same. Separators are a matter of taste: what is right without them is right."""
        found = self.compact(value)
        return found if found is not None or value.isalnum() else self.compact("".join(filter(str.isalnum, value)))

    def specimens(self):
        """The numbers that the module's documentation takes."""
        quoted = re.findall(r">>> \w+\(u?'([^']*)'", self.module.__doc__ or "")
        return [found for value in quoted if (found := self.compact(value)) is not None]

    def fact(self, getter, value):
        """Returns the facts that the module reads from a right value; none if it reads nothing."""
        try:
            return getattr(self.module, getter)(value) if hasattr(self.module, getter) else None
        except ValidationError:
            return None


class Scheme:
    """A module, and the detectors that are to say the same."""

    def __init__(self, module):
        self.module = module
        self.oracle = Oracle(module)
        self.names = SCHEMES[module]
        self.detectors = [samples.detector(name) for name in self.names]
        shapes = [shape for entry in self.detectors for shape in entry.get("shapes", []) + entry.get("labelled", [])]
        # beginnings that may be left away
        self.literals = {match[0] for shape in shapes if (match := re.match("[A-Z]+", shape))}

    def values(self):
        """Returns the values to compare on."""
        specimens = self.oracle.specimens()
        for entry in self.detectors:
            cases = [case["value"] for case in entry.get("case", []) if "refused" not in case]
            specimens += cases + ["".join(filter(str.isalnum, case)) for case in cases]
        exact = any(entry.get("exact") for entry in self.detectors)
        accepts = lambda value: self.oracle.verdict(value) is not None
        sampler = samples.Sampler(random.Random(self.module), accepts, specimens, self.detectors, exact)
        values = dict.fromkeys(sampler.values(run.COUNT))
        # a value in a shape with separators, too
        for _ in range(run.COUNT // 3):
            if value := sampler.repaired(sampler.written(separators=True)):
                values[value] = None
        return [*values, *MAPPING["specimens"].get(self.module, [])]

    def questions(self, value):
        """The questions to the engine about a value."""
        if self.module == "de.handelsregisternummer" and (number := re.search(r"(HR[AB]|GnR)\s*\d+(\s[A-Z]{1,3}\b)?", value)):
            # the engine is asked for the number without the court that it is of
            value = number[0]
        for name in self.names:
            country, _, kind = name.partition("/")
            yield value, kind, None if country == "global" else country.upper()

    def differences(self, value, answer):
        """Returns the differences between the module and the engine."""
        theirs = self.oracle.verdict(value)
        if (theirs is not None) != answer["valid"]:
            kind = "theirs only" if theirs is not None else "ours only"
            yield Difference(kind, value, answer["metadata"].get("reason", "valid"), theirs)
        elif theirs is not None:
            metadata = answer["metadata"]
            normalized = metadata.get("normalized")
            if normalized is not None and not self.same(normalized, theirs):
                yield Difference("normalized", value, normalized, theirs)
            if (born := self.oracle.fact("get_birth_date", theirs)) is not None:
                ours = metadata.get("birth_date")
                if ours != born.isoformat():
                    yield Difference("birth_date", value, ours, born.isoformat())
            if (gender := self.oracle.fact("get_gender", theirs)) is not None:
                gender = {"M": "male", "F": "female", "H": "male"}[gender]
                if metadata.get("gender") != gender:
                    yield Difference("gender", value, metadata.get("gender"), gender)

    def same(self, ours, theirs):
        """Whether both are the same except for separators, capital letters and an optional prefix."""
        short, long = sorted(("".join(filter(str.isalnum, text)).upper() for text in (ours, theirs)), key=len)
        beginning = long.removesuffix(short)
        return long.endswith(short) and any(literal.startswith(beginning) for literal in ["", *self.literals])

    def compare(self):
        values = self.values()
        questions = [question for value in values for question in self.questions(value)]
        answers = run.ENGINE.validate(questions)
        comparison = Comparison(self.module, REASONS)
        for index, value in enumerate(values):
            step = len(self.names)
            readings = answers[index * step : (index + 1) * step]
            answer = next((reading for reading in readings if reading["valid"]), readings[0])
            comparison.note(self.oracle.verdict(value) is not None, list(self.differences(value, answer)))
        return comparison


class NumberTest(unittest.TestCase):
    """Every module, one test each."""

    def test_every_module_is_accounted_for(self):
        packages = pkgutil.walk_packages(stdnum.__path__, "stdnum.")
        modules = {package.name.removeprefix("stdnum.") for package in packages if not package.ispkg}
        known = [*SCHEMES, *MAPPING["elsewhere"], *MAPPING["unmapped"]]
        self.assertEqual(sorted(modules), sorted(known))


def _add(module):
    def test(self):
        run.RESULTS.check(self, Scheme(module).compare())

    setattr(NumberTest, f"test_{module}", test)


for _module in SCHEMES:
    _add(_module)
