"""Runs the lines of the README and of the first page for operators about language models, unchanged."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from ..support.service import ROOT, Service
from . import case
from .case import DEFAULT_WORKSPACE, PLACEHOLDER, GatewayTest

#: The address of the service on the pages.
DOCUMENTED = "http://127.0.0.1:3000"
MODEL = "gpt-4o-mini"


def block(page, language, of):
    """The block of a page in that language which has this in it."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    (lines,) = [lines for lines in blocks if of in lines]
    return lines


class ReadmeTest(GatewayTest):
    """A reader with OpenAI's client. aimock says back what it is told."""

    def run_lines(self, command, lines, service, **variables):
        """The output of the lines. Only the address of the service differs from the page."""
        self.assertIn(DOCUMENTED, lines)
        done = subprocess.run(
            [*command, lines.replace(DOCUMENTED, service.url)], cwd=service.folder, env=os.environ | variables,
            capture_output=True, text=True, timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_change_for_an_application(self):
        self.route(f"{self.aimock.url}/v1", workspace=DEFAULT_WORKSPACE, model=MODEL)
        lines = block("docs/start/gateway.md", "python", "import OpenAI")
        said = self.run_lines([sys.executable, "-c"], lines, self.service, TEXTVEIL_SERVICE_TOKEN=self.token)
        self.assertEqual(said, "You said: Write a mail to jan.novak@example.cz.\n")
        (entry,) = self.aimock.journal()
        self.assertNotIn("novak", str(entry["body"]))

    @unittest.skipUnless(shutil.which("curl"), "curl is not installed")
    def test_the_lines_that_say_where_the_models_are(self):
        """A new operator adds a provider, and sees the text that the provider would see."""
        with Service(**case.PROVIDER_KEYS) as service:
            lines = block("README.md", "sh", "dry_run")
            printed = self.run_lines(["sh", "-eu", "-c"], lines, service, CURL_HOME=str(service.folder))
        made, end = json.JSONDecoder().raw_decode(printed)
        tried = json.loads(printed[end:])
        self.assertEqual((made["provider_type"], made["default_model"]), ("openai", MODEL))
        self.assertEqual((tried["object"], tried["provider"]), ("gateway.dry_run", made["id"]))
        (message,) = tried["request"]["messages"]
        self.assertRegex(message["content"], f"^Write to {PLACEHOLDER.pattern}$")
        self.assertNotIn("novak", printed)
