"""The Python lines of the README, run as they stand there."""

import os
import re
import subprocess
import sys

from case import DEFAULT_WORKSPACE, GatewayTest
from service import ROOT

#: Where the README has the service.
DOCUMENTED = "http://127.0.0.1:3000"
MODEL = "gpt-4o-mini"


class ReadmeTest(GatewayTest):
    """A reader with OpenAI's client. aimock says back what it is told."""

    def test_the_change_for_an_application(self):
        self.route(f"{self.aimock.url}/v1", workspace=DEFAULT_WORKSPACE, model=MODEL)
        blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
        (lines,) = [block for block in blocks if "import OpenAI" in block]
        self.assertIn(DOCUMENTED, lines)
        # all that is not as it stands in the README: where the service is
        done = subprocess.run(
            [sys.executable, "-c", lines.replace(DOCUMENTED, self.service.url)],
            env=os.environ | {"TEXTVEIL_SERVICE_TOKEN": self.token}, capture_output=True, text=True, timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "You said: Write a mail to jan.novak@example.cz.\n")
        (entry,) = self.aimock.journal()
        self.assertNotIn("novak", str(entry["body"]))
