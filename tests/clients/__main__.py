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

FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER.parent / "support"))

import case
import report
from service import Service


def main():
    """Runs every test against one service."""
    suite = unittest.defaultTestLoader.discover(str(FOLDER), top_level_dir=str(FOLDER))
    with Service(presidio_workspace=case.OPEN_WORKSPACE) as case.SERVICE:
        return report.run(suite)


sys.exit(main())
