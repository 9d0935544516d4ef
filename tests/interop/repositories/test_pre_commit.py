"""The hooks of `.pre-commit-hooks.yaml`, in pre-commit."""

import json
import shutil
import sys

import pytest

from ..support.service import ROOT
from .program import EMAIL, PESEL, environment, git, run


@pytest.fixture
def repository(tmp_path):
    """A repository with both hooks installed, and the variables of its processes."""
    variables = environment(tmp_path)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    git(hooks, variables, "init", "--quiet")
    git(hooks, variables, "add", ".")
    git(hooks, variables, "commit", "--quiet", "--message", "hooks")
    revision = git(hooks, variables, "rev-parse", "HEAD").strip()
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, variables, "init", "--quiet")
    config = {
        "default_install_hook_types": ["pre-commit", "commit-msg"],
        "repos": [{
            "repo": hooks.as_uri(),
            "rev": revision,
            "hooks": [
                {"id": "textveil", "args": ["--baseline", ".textveil.json"]},
                {"id": "textveil-commit-message"},
            ],
        }],
    }
    # JSON is YAML
    (folder / ".pre-commit-config.yaml").write_text(json.dumps(config), encoding="utf-8")
    (folder / "old.txt").write_text(f"PESEL {PESEL}\n", encoding="utf-8")
    run(["textveil", "detect", "--baseline", ".textveil.json", "--update-baseline", "old.txt"], folder, variables)
    run([sys.executable, "-m", "pre_commit", "install"], folder, variables)
    git(folder, variables, "add", ".")
    return folder, variables


def test_staged_text_and_messages_are_checked(repository):
    folder, variables = repository
    git(folder, variables, "commit", "--message", "known findings pass")

    new = folder / "new.txt"
    new.write_text(f"write to {EMAIL}\n", encoding="utf-8")
    git(folder, variables, "add", "new.txt")
    # the staged text counts, not the one in the folder
    new.write_text("nothing\n", encoding="utf-8")
    out = git(folder, variables, "commit", "--message", "a new finding", status=1)
    assert "new.txt:1:10: email" in out
    assert EMAIL not in out

    git(folder, variables, "add", "new.txt")
    out = git(folder, variables, "commit", "--message", f"as asked for by {EMAIL}", status=1)
    assert "COMMIT_EDITMSG:1:17: email" in out
    git(folder, variables, "commit", "--message", "nothing of a person")
