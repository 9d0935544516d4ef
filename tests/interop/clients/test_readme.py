"""The curl examples of the README and of the documentation, run unchanged."""

import json
import re
import shutil
import subprocess
import unittest

from ..support.service import ROOT
from .case import ClientTest

#: The address of the service in the examples.
DOCUMENTED = "127.0.0.1:3000"

#: Pages, and how a block of commands that are run begins on them: documentation has commands for other places, too.
README = [ROOT / "README.md"]
PAGES = sorted(
    page for page in (ROOT / "docs").glob("*/*.md") if page.parent.name in ("concepts", "how-to", "reference", "start")
)


def commands_of(path, opening):
    """The curl commands of a page, each with its continuation lines."""
    commands = []
    for block in re.findall(rf"^```{opening}\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE):
        lines = block.replace("\\\n", " ").splitlines()
        commands += [re.sub(r" {2,}", " ", line) for line in lines if line.startswith("curl ")]
    return commands


def examples(paths, opening):
    """The commands of several pages."""
    return [command for path in paths for command in commands_of(path, opening)]


@unittest.skipUnless(shutil.which("curl"), "curl is not installed")
class ReadmeTest(ClientTest):
    """A reader's shell, in the folder where the service was started."""

    def setUp(self):
        # two things differ from the page: the address of the service, and how curl prints the status
        (self.service.folder / ".curlrc").write_text(
            f'connect-to = "{DOCUMENTED}:{self.service.address}"\n'
            'silent\nshow-error\nwrite-out = "\\n%{http_code} %{content_type}"\n'
        )

    def run_example(self, command):
        shell = ["sh", "-eu", "-c", f". .textveil/credentials.env\n{command}"]
        environment = {"CURL_HOME": str(self.service.folder), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        done = subprocess.run(
            shell, cwd=self.service.folder, env=environment, capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        body, told = done.stdout.rsplit("\n", 1)
        status, content_type = told.split(" ", 1)
        return int(status), content_type, body

    def test_every_example(self):
        # those of the documentation change what those of the README use
        of_readme, of_pages = examples(README, "sh"), examples(PAGES, "sh service")
        self.assertGreaterEqual(len(of_readme), 3)
        self.assertGreaterEqual(len(of_pages), 8)
        for command in of_readme + of_pages:
            with self.subTest(command):
                status, content_type, body = self.run_example(command)
                self.assertIn(status, (200, 201), body)
                self.assertEqual(content_type, "application/json")
                self.assertIsInstance(json.loads(body), dict | list)
                self.assertNotIn('"entities":[]', body, "an example finds nothing")

    def test_the_curlrc_is_used(self):
        """Else the examples would be run against whatever serves on the documented port."""
        status, _, body = self.run_example(f"curl http://{DOCUMENTED}/healthz")
        self.assertEqual((status, json.loads(body)), (200, {"status": "alive"}))
