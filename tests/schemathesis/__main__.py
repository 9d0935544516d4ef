"""The OpenAPI document against the service: valid by the specification, and kept by every operation.

    python tests/schemathesis dist/textveil spin-app/spin.toml
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import jwt
import openapi_spec_validator

HERE = pathlib.Path(__file__).parent.resolve()
USER_TOKEN_KEY = "a shared secret of more than 32 bytes, for tests"
LIMITS = {"requests_per_minute": 1_000_000, "concurrent_requests": 100}


class Service:
    """`textveil serve` in a folder of its own, on a free port."""

    def __init__(self, program, manifest):
        self.folder = tempfile.TemporaryDirectory()
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+")
        command = [
            program, "serve", "--listen", "127.0.0.1:0", "--manifest", manifest,
            "--state-dir", f"{self.folder.name}/state", "--variable", f"user_token_key={USER_TOKEN_KEY}",
        ]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT)
        self.url = self.address()

    def address(self):
        """Where it listens, as its first lines say."""
        for _ in range(600):
            self.log.flush()
            found = re.search(r"http://127\.0\.0\.1:\d+", pathlib.Path(self.log.name).read_text())
            if found:
                return found.group()
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError("the service did not start:\n" + pathlib.Path(self.log.name).read_text())

    def get(self, path):
        """The answer to a GET, parsed."""
        with urllib.request.urlopen(self.url + path) as answer:
            return json.load(answer)

    def key(self, token):
        """A new key of the user's workspace, with limits that a test does not reach."""
        body = json.dumps({"name": "schemathesis", "limits": LIMITS}).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/v1/api-keys", body, headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["key"]

    def stop(self):
        """Ends it and gives what it printed."""
        self.process.terminate()
        self.process.wait(30)
        printed = pathlib.Path(self.log.name).read_text()
        self.log.close()
        self.folder.cleanup()
        return printed


def user_token(workspace):
    """The access token of a user of a workspace."""
    claims = {"sub": "user-1", "workspace_id": workspace, "plan": "enterprise", "exp": int(time.time()) + 3600}
    return jwt.encode(claims, USER_TOKEN_KEY, "HS256")


class DocumentTest(unittest.TestCase):
    """What the document promises, and whether the service keeps it."""

    @classmethod
    def setUpClass(cls):
        cls.service = Service(*sys.argv[1:3])
        cls.addClassCleanup(cls.service.stop)

    def test_it_is_openapi_3_1(self):
        document = self.service.get("/api/v1/openapi.json")
        self.assertEqual(document["openapi"], "3.1.0")
        errors = list(openapi_spec_validator.OpenAPIV31SpecValidator(document).iter_errors())
        self.assertEqual([str(error) for error in errors], [])

    def test_the_service_keeps_it(self):
        # the users of one workspace manage keys while those of another use theirs: what the one revokes
        # must not be the key that is used
        environment = os.environ | {
            "TEXTVEIL_API_KEY": self.service.key(user_token("used")),
            "TEXTVEIL_USER_TOKEN": user_token("managed"),
            "TEXTVEIL_HOOKS": str(HERE / "hooks.py"),
        }
        schemathesis = pathlib.Path(sys.executable).with_name("schemathesis")
        command = [
            schemathesis, "--config-file", HERE / "schemathesis.toml",
            "run", f"{self.service.url}/api/v1/openapi.json",
        ]
        # it keeps what it found in the folder where it runs
        with tempfile.TemporaryDirectory() as folder:
            status = subprocess.run(command, env=environment, cwd=folder).returncode
        self.assertEqual(status, 0, "schemathesis found failures")


def main():
    """Runs the tests and prints their counts as node's test runner does."""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(DocumentTest)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    broken = result.failures + result.errors
    print(f"# pass {max(result.testsRun - len(broken) - len(result.skipped), 0)}")
    print(f"# fail {len(broken)}")
    print(f"# skipped {len(result.skipped)}")
    return not result.wasSuccessful()


if len(sys.argv) != 3:
    sys.exit(__doc__.strip())
sys.exit(main())
