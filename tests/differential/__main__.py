"""The engine against third-party libraries: see README.md.

    python tests/differential [--full] [--only PATTERN]
"""

import argparse
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).parent.resolve()
sys.path.append(str(FOLDER.parent / "support"))

import report
import run
from engine import Engine
from reasons import REASONS


class ReasonTest(unittest.TestCase):
    """Of a full run only: in a sample a reason may not come up."""

    def test_every_reason_holds_for_something(self):
        unused = [f"{reason.schemes}: {reason.why}" for reason in REASONS if reason not in run.RESULTS.used()]
        self.assertFalse(unused, "\n".join(["no difference is explained by", *unused]))


def main():
    """Runs the tests, and shows the counts."""
    options = argparse.ArgumentParser(prog="differential", description="Compare the engine with third-party libraries")
    options.add_argument("--full", action="store_true", help="thousands of values of each scheme, not hundreds")
    options.add_argument("--only", metavar="PATTERN", nargs="+", help="the tests whose names match, such as 'test_pl.*'")
    options = options.parse_args()
    if options.full:
        run.COUNT = 250
    run.ENGINE = Engine(release=options.full)
    loader = unittest.TestLoader()
    if options.only:
        loader.testNamePatterns = [f"*{pattern}" for pattern in options.only]
    suite = loader.discover(str(FOLDER), top_level_dir=str(FOLDER))
    if options.full and not options.only:
        suite.addTest(ReasonTest("test_every_reason_holds_for_something"))
    failed = report.run(suite)
    print(run.RESULTS.table())
    return failed


sys.exit(main())
