"""The gateway of `dist/` between real clients and mocked providers: see README.md.

    python tests/gateway [--full] [PATTERN]
"""

import os
import sys
import unittest
from pathlib import Path

# LiteLLM otherwise asks the internet for the prices of models, LangChain sends traces
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_TELEMETRY"] = "False"
os.environ["LANGSMITH_TRACING"] = "false"
# the addresses are on this machine: no proxy of the environment may be used
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"

FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER.parent / "support"))

import case
import report
import traces
import upstream
from service import Service


def main():
    """Runs every test against one service, then looks for what they left behind."""
    if "--full" in sys.argv:
        os.environ["TEXTVEIL_GATEWAY_FULL"] = "1"
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    tests = unittest.defaultTestLoader.discover(
        str(FOLDER), pattern=f"test_{names[0]}*.py" if names else "test_*.py", top_level_dir=str(FOLDER)
    )
    suite = unittest.TestSuite([tests, unittest.defaultTestLoader.loadTestsFromTestCase(traces.Traces)])
    with (
        upstream.Upstream() as case.UPSTREAM,
        upstream.Aimock() as case.AIMOCK,
        Service(access_log=True, **case.PROVIDER_KEYS) as case.SERVICE,
    ):
        return report.run(suite)


sys.exit(main())
