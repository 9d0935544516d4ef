"""Clients of others against the service of `dist/`: see README.md.

    python tests/clients
"""

import os
import sys
import unittest
from pathlib import Path

# LiteLLM otherwise asks the internet for the prices of models
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_TELEMETRY"] = "False"

import case
from service import Service


def main():
    """Runs the tests and prints their counts as node's test runner does."""
    folder = Path(__file__).parent
    suite = unittest.defaultTestLoader.discover(str(folder), top_level_dir=str(folder))
    with Service() as case.SERVICE:
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


sys.exit(main())
