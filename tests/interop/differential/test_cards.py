"""Payment cards against `validators`, vehicles against `vininfo`."""

import random
import string
import unittest

import validators
from stdnum import luhn
from vininfo import Vin
from vininfo.exceptions import VininfoException

from . import run, samples
from .comparison import Comparison, Difference
from .reasons import REASONS

# the names of the brands in `validators`
BRANDS = {
    "visa": validators.visa,
    "mastercard": validators.mastercard,
    "amex": validators.amex,
    "discover": validators.discover,
    "diners_club": validators.diners,
    "jcb": validators.jcb,
    "unionpay": validators.unionpay,
    "mir": validators.mir,
}
BEGINNINGS = ["4", "51", "52", "53", "54", "55", "2221", "2500", "2720", "34", "37", "6011", "622126", "644", "65",
              "300", "305", "36", "38", "39", "3528", "3589", "62", "2200", "2204", ""]


class CardTest(unittest.TestCase):
    def test_cards(self):
        dice = random.Random("cards")
        sampler = samples.Sampler(dice, bool, [], [])
        values = {}
        for beginning in BEGINNINGS:
            for _ in range(4 * run.COUNT):
                length = 15 if beginning.startswith(("34", "37")) else 14 if beginning[:2] in ("30", "36", "38", "39") else 16
                if dice.random() < 0.1:
                    length = dice.randint(12, 19)
                body = beginning + "".join(dice.choice(string.digits) for _ in range(length - 1 - len(beginning)))
                value = body + luhn.calc_check_digit(body)
                values |= dict.fromkeys([value, sampler.changed(value), sampler.transposed(value)])
        comparison = Comparison("cards-validators", REASONS)
        answers = run.ENGINE.validate([(value, "credit_card", None) for value in values])
        for value, answer in zip(values, answers, strict=True):
            theirs = validators.card_number(value) is True
            differences = []
            if theirs != answer["valid"]:
                side = "theirs only" if theirs else "ours only"
                differences.append(Difference(side, value, answer["metadata"].get("reason", "valid"), theirs))
            elif theirs:
                brands = {name for name, takes in BRANDS.items() if takes(value) is True}
                brand = answer["metadata"].get("brand")
                if brands and brand not in brands or not brands and brand in BRANDS:
                    differences.append(Difference("brand", value, brand, sorted(brands)))
            comparison.note(theirs, differences)
        run.RESULTS.check(self, comparison, least=500)


class VehicleTest(unittest.TestCase):
    def test_vin(self):
        dice = random.Random("vin")
        sampler = samples.Sampler(dice, bool, [], [])
        letters = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"

        def takes(value):
            # the engine asks for the check digit of every maker: it is all that tells a number from a code
            try:
                return Vin(value).verify_checksum()
            except VininfoException:
                return False

        values = {}
        for _ in range(10 * run.COUNT):
            body = dice.choice("1245JWZSVK" + letters) + "".join(dice.choice(letters) for _ in range(12))
            value = body + "".join(dice.choice(string.digits) for _ in range(4))
            right = [made for check in "0123456789X" if takes(made := value[:8] + check + value[9:])]
            value = dice.choice(right or [value])
            values |= dict.fromkeys([value, sampler.changed(value), sampler.transposed(value), sampler.resized(value)])
        comparison = Comparison("vin-vininfo", REASONS)
        answers = run.ENGINE.validate([(value, "vin", None) for value in values])
        for value, answer in zip(values, answers, strict=True):
            theirs = takes(value)
            differences = []
            if theirs != answer["valid"]:
                side = "theirs only" if theirs else "ours only"
                differences = [Difference(side, value, answer["metadata"].get("reason", "valid"), theirs)]
            comparison.note(theirs, differences)
        run.RESULTS.check(self, comparison, least=100)
