"""Whether each reason is still needed."""

import unittest

from . import run
from .reasons import REASONS


class ReasonTest(unittest.TestCase):
    """Of a full run only: in a sample a reason may not come up."""

    def test_every_reason_holds_for_something(self):
        unused = [f"{reason.schemes}: {reason.why}" for reason in REASONS if reason not in run.RESULTS.used()]
        self.assertFalse(unused, "\n".join(["no difference is explained by", *unused]))
