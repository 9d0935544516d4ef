"""The service of `dist/` in a process of its own, with a state folder of its own."""

import base64
import hashlib
import hmac
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

#: The program, `textveil`.
PROGRAM = os.environ.get("TEXTVEIL", ROOT / "dist/textveil")

#: More requests than any test makes.
NO_LIMIT = {"requests_per_minute": 1_000_000, "concurrent_requests": 100}

#: Everything that a key may do.
SCOPES = "detect+protect+restore+settings.read+settings.write"


class Service:
    """A running service, with variables of the application; leave the context and it is stopped.

    It logs nothing unless an access log was requested, which is then in `serve.log`. Its stores are in its
    state folder unless a file says where else. Its compiled components are, too, unless there is a folder for them.
    """

    def __init__(self, access_log=False, runtime_config_file=None, cache_dir=None, **variables):
        self._folder = tempfile.TemporaryDirectory(prefix="textveil-tests-")
        #: The working folder of a person who starts it: `.textveil/` lies here.
        self.folder = Path(self._folder.name)
        self._log = (self.folder / "serve.log").open("w+")
        arguments = {
            "--listen": "127.0.0.1:0",
            "--state-dir": self.folder / ".textveil",
            "--manifest": ROOT / "spin.toml",
        }
        if cache_dir:
            arguments["--cache-dir"] = cache_dir
        self._stores = ["--runtime-config-file", runtime_config_file] if runtime_config_file else []
        command = [PROGRAM, "serve", "--dev"]
        if not access_log:
            command.append("--quiet")
        for flag, value in arguments.items():
            command += [flag, value]
        command += self._stores
        for name, value in variables.items():
            command += ["--variable", f"{name}={value}"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, text=True)
        # the first line is `Serving http://127.0.0.1:41873`
        line = self._process.stdout.readline()
        if "http://" not in line:
            self._process.wait()
            self._log.seek(0)
            raise RuntimeError(f"the service did not start; it printed:\n{self._log.read()}")
        self.address = line.rsplit("http://", 1)[1].strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends it, and waits for that."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            self._process.stdout.close()
            self._log.close()
            self._folder.cleanup()

    @property
    def pid(self):
        """The process."""
        return self._process.pid

    @property
    def url(self):
        """The base URL."""
        return f"http://{self.address}"

    def textveil(self, *arguments):
        """The outcome of a command on the state of this service."""
        command = [PROGRAM, *arguments, "--state-dir", self.folder / ".textveil"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def url_with(self, key):
        """The base URL with a key in it, for clients that take nothing else."""
        return f"http://key:{key}@{self.address}"

    @property
    def service_token(self):
        """The token of services that the first start made."""
        return (self.folder / ".textveil/service_tokens").read_text().strip()

    @property
    def user_token_key(self):
        """The key that the first start made for the access tokens of users."""
        return (self.folder / ".textveil/user_token_key").read_text().strip()

    def user_token(self, workspace, plan):
        """The access token of an administrator of that workspace."""
        key = self.user_token_key.encode()

        def part(value):
            return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

        claims = {"sub": "tests", "workspace_id": workspace, "plan": plan, "role": "admin", "exp": int(time.time()) + 3600}
        parts = [{"alg": "HS256", "typ": "JWT"}, claims]
        signed = ".".join(part(json.dumps(value).encode()) for value in parts)
        signature = hmac.digest(key, signed.encode(), hashlib.sha256)
        return f"{signed}.{part(signature)}"

    def key(self, workspace="clients", plan="pro", limits=None, scopes=SCOPES):
        """A new API key, made by the operator, whom the limits of plans do not bind."""
        flags = ["--workspace", workspace, "--plan", plan, "--name", "tests", "--scopes", scopes]
        for name, limit in (limits or NO_LIMIT).items():
            flags += [f"--{name.replace('_', '-')}", str(limit)]
        made = self.textveil("keys", "create", *flags, *self._stores)
        if made.returncode:
            raise RuntimeError(f"no key was made: {made.stderr}")
        return made.stdout.strip()

    def get(self, path):
        """The answer to a GET that asks for no credentials, parsed."""
        with urllib.request.urlopen(self.url + path) as answer:
            return json.load(answer)

    def post(self, path, token, body):
        """The answer to the holder of a token, parsed."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


class Proxy:
    """A running `textveil proxy` to these providers; leave the context and it is stopped."""

    def __init__(self, cache_dir, **providers):
        command = [PROGRAM, "proxy", "--listen", "127.0.0.1:0", "--manifest", ROOT / "spin.toml"]
        command += ["--cache-dir", os.environ.get("TEXTVEIL_CACHE_DIR") or cache_dir]
        command += [f"--{name}={url}" for name, url in providers.items()]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        printed = ""
        # the lines to paste are the last ones, and an empty line ends them
        while not (printed.endswith("\n\n") and "export " in printed):
            line = self._process.stderr.readline()
            if not line:
                self._process.wait()
                raise RuntimeError(f"the proxy did not start; it printed:\n{printed}")
            printed += line
        #: The lines that it printed for a shell.
        self.exports = dict(line.split("export ")[1].split("=") for line in printed.splitlines() if "export " in line)
        self.url = printed.split("protecting on ")[1].split(",")[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.returncode is None:
            self.stop()

    def stop(self):
        """Ends it as Ctrl-C does, and returns what it prints at the end."""
        self._process.send_signal(signal.SIGINT)
        try:
            _, printed = self._process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        return printed
