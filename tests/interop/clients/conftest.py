"""The service that the tests of all clients share."""

import pytest

from ..support.service import Service
from . import case


@pytest.fixture(scope="session", autouse=True)
def service():
    """Starts one service for all tests."""
    with Service(presidio_workspace=case.OPEN_WORKSPACE) as case.SERVICE:
        yield
