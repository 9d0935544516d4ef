"""Runs tests and says how they ended, as node's test runner does: `cargo xtask test` reads the counts."""

import sys
import unittest


def run(suite):
    """Runs the suite, prints its counts and gives the status that the program is to end with."""
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    failed = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
    for test in sorted(failed):
        print(f"not ok {test}")
    for test, reason in result.skipped:
        print(f"ok {test.id()} # SKIP {reason}")
    print(f"# pass {max(result.testsRun - len(failed) - len(result.skipped), 0)}")
    print(f"# fail {len(failed)}")
    print(f"# skipped {len(result.skipped)}")
    return not result.wasSuccessful()
