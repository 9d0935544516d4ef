"""The gateway and the providers that all tests of this suite share."""

import pytest

from ..support.service import Service
from . import case, upstream


@pytest.fixture(scope="session", autouse=True)
def gateway():
    """Starts one service between the tests and the mocked providers."""
    with (
        upstream.Upstream() as case.UPSTREAM,
        upstream.Aimock() as case.AIMOCK,
        Service(access_log=True, **case.PROVIDER_KEYS) as case.SERVICE,
    ):
        yield


def pytest_collection_modifyitems(items):
    """Moves the search for traces to the end, since it looks at what all other tests left behind."""
    items.sort(key=lambda item: item.path.name == "test_traces.py")
