"""The engine that all tests of this suite ask, and the counts at the end."""

import pytest

from ..support import full
from . import run
from .engine import Engine


@pytest.fixture(scope="session", autouse=True)
def engine():
    """Builds the program that runs the engine."""
    run.ENGINE = Engine(release=full.FULL)


def pytest_collection_modifyitems(config, items):
    """Keeps the test of the reasons for complete full runs, and runs it at the end."""
    reasons = [item for item in items if item.path.name == "test_reasons.py"]
    items[:] = [item for item in items if item not in reasons]
    if full.FULL and not config.getoption("keyword"):
        items += reasons


def pytest_terminal_summary(terminalreporter):
    """Prints the counts of each scheme and of each reason."""
    if run.RESULTS.comparisons:
        terminalreporter.section("comparisons")
        terminalreporter.write_line(run.RESULTS.table())
