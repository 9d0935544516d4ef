"""Addresses of cryptocurrencies against `bip_utils`; those of Bitcoin against python-stdnum, too."""

import random
import string
import unittest

import bip_utils
import stdnum.bitcoin

from . import run, samples
from .comparison import Comparison, Difference
from .reasons import REASONS


def decodes(decoders):
    """Whether one of these coders of bip_utils, each with its options, reads an address."""

    def takes(value):
        for decoder, options in decoders:
            try:
                getattr(bip_utils, f"{decoder}AddrDecoder").DecodeAddr(value, **options)
            except Exception:  # each decoder has errors of its own
                continue
            return True
        return False

    return takes


BITCOIN = [
    ("P2PKH", {"net_ver": b"\x00"}),
    ("P2SH", {"net_ver": b"\x05"}),
    ("P2WPKH", {"hrp": "bc"}),
    ("P2TR", {"hrp": "bc"}),
]
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

# The type in the catalogue, the coders of bip_utils with their options, and the characters of an address. A type
# that the catalogue does not have is left out.
CURRENCIES = [
    ("bitcoin_address", BITCOIN, BASE58),
    ("ethereum_address", [("Eth", {})], string.hexdigits),
    ("tron_address", [("Trx", {})], BASE58),
    ("litecoin_address", [("P2PKH", {"net_ver": b"\x30"}), ("P2SH", {"net_ver": b"\x32"}),
                          ("P2WPKH", {"hrp": "ltc"}), ("P2TR", {"hrp": "ltc"})], BASE58),
    ("dogecoin_address", [("P2PKH", {"net_ver": b"\x1e"}), ("P2SH", {"net_ver": b"\x16"})], BASE58),
    ("xrp_address", [("Xrp", {})], BASE58),
]
CURRENCIES = [row for row in CURRENCIES if (samples.CATALOGUE / f"global/{row[0]}.toml").exists()]


class AddressTest(unittest.TestCase):
    def addresses(self, coders, letters, dice):
        """Addresses of random keys, and slips in them."""
        out = {}
        for _ in range(run.COUNT * 2):
            key = bip_utils.Secp256k1PrivateKey.FromBytes(dice.randbytes(32)).PublicKey()
            coder, options = dice.choice(coders)
            value = getattr(bip_utils, f"{coder}AddrEncoder").EncodeKey(key, **options)
            out[value] = None
            place = dice.randrange(len(value))
            lower = value.islower() and coder != "Eth"
            letter = dice.choice("023456789acdefghjklmnpqrstuvwxyz" if lower else letters)
            out[value[:place] + letter + value[place + 1 :]] = None
            place = dice.randrange(len(value) - 1)
            out[value[:place] + value[place + 1] + value[place] + value[place + 2 :]] = None
            out[value[:place] + value[place + 1 :]] = None
        return list(out)

    def compare(self, name, kind, takes, values):
        comparison = Comparison(name, REASONS)
        answers = run.ENGINE.validate([(value, kind, None) for value in values])
        for value, answer in zip(values, answers, strict=True):
            theirs = takes(value)
            differences = []
            if theirs != answer["valid"]:
                side = "theirs only" if theirs else "ours only"
                differences = [Difference(side, value, answer["metadata"].get("reason", "valid"), theirs)]
            comparison.note(theirs, differences)
        run.RESULTS.check(self, comparison, least=30)

    def test_bitcoin_stdnum(self):
        values = self.addresses(BITCOIN, BASE58, random.Random("bitcoin"))
        self.compare("bitcoin_address-stdnum", "bitcoin_address", stdnum.bitcoin.is_valid, values)


def _add(kind, coders, letters):
    def test(self):
        self.compare(f"{kind}-bip_utils", kind, decodes(coders), self.addresses(coders, letters, random.Random(kind)))

    setattr(AddressTest, f"test_{kind}", test)


for _row in CURRENCIES:
    _add(*_row)
