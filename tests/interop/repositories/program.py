"""The program in an environment of its own, and repositories that have personal data."""

import os
import pathlib
import subprocess

from ..support.service import PROGRAM, ROOT

PESEL = "44051401359"
EMAIL = "jan.novak@example.cz"


def environment(folder):
    """The variables of a process that has the program as `textveil` on its search path."""
    binaries = pathlib.Path(folder) / "bin"
    binaries.mkdir()
    (binaries / "textveil").symlink_to(PROGRAM)
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "TEXTVEIL_"))}
    names = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_CONFIG_GLOBAL": os.devnull}
    names |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"}
    component = {"TEXTVEIL_COMPONENT": str(ROOT / "dist/textveil-engine.wasm")}
    return variables | names | component | {"PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(folder)}


def run(arguments, folder, variables, status=0):
    """Runs a program and returns what it prints."""
    done = subprocess.run(arguments, cwd=folder, env=variables, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def git(folder, variables, *arguments, status=0):
    return run(["git", *arguments], folder, variables, status)
