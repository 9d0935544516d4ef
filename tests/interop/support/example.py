"""Programs of `engine/examples/`, built from the sources."""

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def build(name, release=False):
    """Builds the example of that name and gives the path of the program."""
    command = ["cargo", "build", "--quiet", "--package=textveil-engine", f"--example={name}"]
    command += ["--release"] * release + ["--message-format=json"]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    built = [json.loads(line) for line in printed.splitlines()]
    return next(filter(None, (artifact.get("executable") for artifact in reversed(built))))
