"""Telephone numbers against `phonenumbers`, which has libphonenumber's rules and metadata."""

import random
import re
import tomllib
import unittest

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumberType

from ..support.example import ROOT
from . import run
from .comparison import Comparison, Difference
from .reasons import REASONS

LINES = [
    "fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number", "voip", "pager", "uan", "voicemail",
]
PLANS = tomllib.loads((ROOT / "engine/src/phone/plans.toml").read_text())


def plan_of(name):
    """The metadata of a region, or of a calling code of none."""
    if name.isalpha():
        return phonenumbers.PhoneMetadata.metadata_for_region(name)
    return phonenumbers.PhoneMetadata.metadata_for_nongeo_region(int(name))


def read(number, region=None):
    """E.164 and line type where the number is valid, else none."""
    try:
        parsed = phonenumbers.parse(number, region, keep_raw_input=True)
    except NumberParseException:
        return None
    if not phonenumbers.is_valid_number(parsed):
        return None
    kind = PhoneNumberType.to_string(phonenumbers.number_type(parsed)).lower()
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164), kind


def dialled_abroad(number, region):
    """Whether digits without a plus are read as an international number, which the engine never does."""
    metadata = phonenumbers.PhoneMetadata.metadata_for_region(region)
    return number.startswith("00") or re.match(metadata.international_prefix or "$", number) or number.startswith(str(metadata.country_code))


class PhoneTest(unittest.TestCase):
    """Every region, and the calling codes that are of none."""

    def test_the_metadata_are_the_same(self):
        self.assertEqual({*phonenumbers.SUPPORTED_REGIONS}, {name for name in PLANS if name.isalpha()})
        for name, plan in PLANS.items():
            self.assertEqual(plan_of(name).general_desc.national_number_pattern, plan["general"], name)

    def national_numbers(self, metadata, dice):
        """Examples of every type, what slips make of them, and random ones of the right lengths."""
        lines = (getattr(metadata, kind) for kind in LINES)
        numbers = [line.example_number for line in lines if line is not None and line.example_number]
        out = dict.fromkeys(numbers)
        for _ in range(run.COUNT):
            number = list(dice.choice(numbers))
            for _ in range(dice.randint(1, 4)):
                number[dice.randrange(len(number))] = dice.choice("0123456789")
            if dice.random() < 0.1:
                number.pop(dice.randrange(len(number)))
            if dice.random() < 0.1:
                number.insert(dice.randrange(len(number) + 1), dice.choice("0123456789"))
            out["".join(number)] = None
        lengths = metadata.general_desc.possible_length
        for _ in range(run.COUNT // 2):
            out["".join(dice.choice("0123456789") for _ in range(dice.choice(lengths)))] = None
        return list(out)

    def compare(self, international):
        questions, readings = [], []
        for region in sorted(PLANS):
            dice = random.Random(region)
            metadata = plan_of(region)
            for number in self.national_numbers(metadata, dice):
                if international:
                    value, country = f"+{metadata.country_code}{number}", None
                elif region.isalpha():
                    prefix = dice.choice(["", metadata.national_prefix or ""])
                    value, country = prefix + number, region
                    if dialled_abroad(value, region):
                        continue
                else:
                    continue
                digits = sum(character.isdigit() for character in value)
                # shorter ones are not looked at: they are numbers of services
                if digits >= 5:
                    questions.append((value, "phone_number", country))
                    readings.append(read(value, country))
        comparison = Comparison("phones-" + ("international" if international else "national"), REASONS)
        for (value, _, country), theirs, answer in zip(
            questions, readings, run.ENGINE.validate(questions), strict=True
        ):
            ours = (answer["metadata"]["e164"], answer["metadata"]["line_type"]) if answer["valid"] else None
            shown = f"{country} {value}" if country else value
            differences = [] if ours == theirs else [Difference("reading", shown, ours, theirs)]
            comparison.note(theirs is not None, differences)
        run.RESULTS.check(self, comparison, least=1000)

    def test_international(self):
        self.compare(international=True)

    def test_national(self):
        self.compare(international=False)
