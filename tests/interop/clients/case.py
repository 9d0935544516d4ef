"""The base of the tests of all clients."""

import unittest

#: The running service, while the tests run.
SERVICE = None

#: The workspace that is open to Presidio's clients without a key.
OPEN_WORKSPACE = "open-to-presidio"

CARD = "4111111111111111"
EMAIL = "zofie@example.cz"
PESEL = "44051401359"
PHONE = "+420 601 123 456"

#: Characters of one, two and four bytes precede the values, so that offsets in other units would be wrong.
TEXT = f"🦀 Žofie: PESEL {PESEL}, {EMAIL}, tel. {PHONE}"


class ClientTest(unittest.TestCase):
    """A test against the running service."""

    maxDiff = None

    @property
    def service(self):
        return SERVICE
