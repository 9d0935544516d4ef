"""IBAN against `schwifty`, and against python-stdnum; BIC against `schwifty`."""

import random
import re
import string
import unittest

import schwifty
from schwifty import registry
from schwifty.exceptions import SchwiftyException
from stdnum import iban as stdnum_iban

from . import run, samples
from .comparison import Comparison, Difference
from .reasons import REASONS



def spec_of(country):
    """Returns schwifty's rules for the accounts of a country; none if it has no IBAN."""
    try:
        return registry.get_iban_spec(country)
    except SchwiftyException:
        return None


COUNTRIES = [a + b for a in string.ascii_uppercase for b in string.ascii_uppercase if spec_of(a + b)]
CHARACTERS = {"n": string.digits, "a": string.ascii_uppercase, "c": string.digits + string.ascii_uppercase}


def check_digits(country, bban):
    """The two digits that make the IBAN right."""
    number = int("".join(str(int(character, 36)) for character in bban + country + "00"))
    return f"{98 - number % 97:02}"


def takes(value):
    try:
        schwifty.IBAN(value)
    except SchwiftyException:
        return False
    return True


def takes_national(value):
    """The check digits inside the account number, too, where the country has some that schwifty knows."""
    try:
        return schwifty.IBAN(value).validate(validate_bban=True)
    except SchwiftyException:
        return False


class IbanTest(unittest.TestCase):
    """Every country of the registry."""

    def bban(self, country, dice):
        spec = spec_of(country).bban_spec
        return "".join(
            dice.choice(CHARACTERS[kind])
            for count, kind in re.findall(r"(\d+)!?([nac])", spec)
            for _ in range(int(count))
        )

    def values(self, country, dice):
        """Right ones, by schwifty's check digits of the country where it has some, and slips."""
        sampler = samples.Sampler(dice, takes, [], [])
        for attempt in range(run.COUNT // 3):
            bban = self.bban(country, dice)
            if attempt % 2:
                try:
                    bban = str(schwifty.IBAN.random(country_code=country, random=dice))[4:]
                except Exception:  # some countries have no banks there
                    pass
            value = country + check_digits(country, bban) + bban
            yield value
            yield sampler.changed(value)
            yield sampler.transposed(value)
            if attempt % 10 == 0:
                yield sampler.resized(value)
                # the account changed, and the two digits made right again
                other = sampler.changed(bban)
                yield country + check_digits(country, other) + other

    def compare(self, name, oracle, kind="iban", values=None):
        values = values or [
            value for country in COUNTRIES for value in dict.fromkeys(self.values(country, random.Random(country)))
        ]
        comparison = Comparison(name, REASONS)
        answers = run.ENGINE.validate([(value, kind, None) for value in values])
        for value, answer in zip(values, answers, strict=True):
            theirs, differences = oracle(value), []
            if theirs != answer["valid"]:
                side = "theirs only" if theirs else "ours only"
                differences = [Difference(side, value, answer["metadata"].get("reason", "valid"), theirs)]
            comparison.note(theirs, differences)
        run.RESULTS.check(self, comparison, least=500)

    def test_schwifty(self):
        self.compare("iban-schwifty", takes)

    def test_schwifty_with_national_checks(self):
        self.compare("iban-national", takes_national)

    def test_stdnum(self):
        self.compare("iban-stdnum", stdnum_iban.is_valid)

    def test_bic(self):
        dice = random.Random("bic")
        known = sorted({bank.bic for bank in registry.get_all_banks() if bank.bic})
        sampler = samples.Sampler(dice, bool, [], [])
        values = {}
        for value in dice.sample(known, min(len(known), 40 * run.COUNT)):
            values |= dict.fromkeys([value, sampler.changed(value), sampler.transposed(value), sampler.resized(value)])

        def takes_bic(value):
            try:
                schwifty.BIC(value)
            except SchwiftyException:
                return False
            return True

        self.compare("bic-schwifty", takes_bic, "bic", list(values))
