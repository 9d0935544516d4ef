"""The OpenAPI document against the service of `dist/`: valid by the specification, and kept by every operation."""

import os
import secrets
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import openapi_spec_validator

from ..support.service import Service

HERE = Path(__file__).parent.resolve()


class DocumentTest(unittest.TestCase):
    """The promises of the document, and whether the service keeps them."""

    @classmethod
    def setUpClass(cls):
        cls.tokens = [secrets.token_hex(32) for _ in range(16)]
        cls.service = Service(service_tokens=",".join(f"t{at}:*@*:{token}" for at, token in enumerate(cls.tokens)))
        cls.addClassCleanup(cls.service.stop)
        cls.document = cls.service.get("/api/v1/openapi.json")
        # the examples of the gateway configure a workspace that has the provider of the examples
        providers = "/api/v1/llm-providers"
        create = cls.document["paths"][providers]["post"]["requestBody"]["content"]["application/json"]
        cls.service.post(providers, cls.service.user_token("initech", "enterprise"), create["example"])

    def test_it_is_openapi_3_1(self):
        self.assertEqual(self.document["openapi"], "3.1.0")
        errors = list(openapi_spec_validator.OpenAPIV31SpecValidator(self.document).iter_errors())
        self.assertEqual([str(error) for error in errors], [])

    def test_the_service_keeps_it(self):
        # the users of one workspace manage keys while those of another use theirs: what the one revokes
        # must not be the key that is used
        environment = os.environ | {
            "TEXTVEIL_API_KEY": self.service.key("used", "enterprise"),
            "TEXTVEIL_USER_TOKEN": self.service.user_token("managed", "enterprise"),
            "TEXTVEIL_SERVICE_TOKEN": self.tokens[0],
            "TEXTVEIL_SERVICE_TOKENS": ",".join(self.tokens),
            "TEXTVEIL_HOOKS": str(HERE / "hooks.py"),
        }
        schemathesis = Path(sys.executable).with_name("schemathesis")
        command = [
            schemathesis, "--config-file", HERE / "schemathesis.toml",
            "run", f"{self.service.url}/api/v1/openapi.json",
        ]
        # it keeps what it found in the folder where it runs
        with tempfile.TemporaryDirectory() as folder:
            status = subprocess.run(command, env=environment, cwd=folder).returncode
        self.assertEqual(status, 0, "schemathesis found failures")
