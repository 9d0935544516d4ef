"""Whether this is the long run of `pytest --full`."""

import os

FULL = bool(os.environ.get("TEXTVEIL_FULL"))
