"""Examples in Rust, which tests and benchmarks run."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def build(name, release=False, features=True, package="textveil-engine"):
    """Builds an example of a package and gives the path of the program.

    If `TEXTVEIL_EXAMPLES` names a folder with the programs, they are not built. Without features, the program is in
    a folder of its own.
    """
    folder = os.environ.get("TEXTVEIL_EXAMPLES")
    if folder and not release:
        return str(Path(folder, name))
    command = ["cargo", "build", "--quiet", f"--package={package}", f"--example={name}"]
    command += ["--release"] * release + ["--message-format=json"]
    if not features:
        command += ["--no-default-features", "--target-dir=target/without-features"]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    built = [json.loads(line) for line in printed.splitlines()]
    return next(filter(None, (artifact.get("executable") for artifact in reversed(built))))
