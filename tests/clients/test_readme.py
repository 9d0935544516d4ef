"""The curl examples of the README, run as they stand there."""

import json
import re
import shutil
import subprocess
import unittest

from case import ClientTest
from service import ROOT

#: Where the README has the service.
DOCUMENTED = "127.0.0.1:3000"


def examples():
    """The curl commands of the README, each with its continuation lines."""
    commands = []
    for block in re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE):
        lines = block.replace("\\\n", " ").splitlines()
        commands += [re.sub(r" {2,}", " ", line) for line in lines if line.startswith("curl ")]
    return commands


@unittest.skipUnless(shutil.which("curl"), "curl is not installed")
class ReadmeTest(ClientTest):
    """A reader's shell, in the folder where the service was started."""

    def setUp(self):
        # all that is not as it stands in the README: where the service is, and how curl tells the status
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
        commands = examples()
        self.assertGreaterEqual(len(commands), 3)
        for command in commands:
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
