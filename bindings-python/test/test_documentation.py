"""Runs the blocks of Python in the documentation: a comment behind `print` or a logger has what it writes."""

import io
import logging
import pathlib
import re
from contextlib import redirect_stderr, redirect_stdout

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["docs/start/python.md", "bindings-python/README.md", "README.md"]


def blocks(page):
    found = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found, page
    return found


@pytest.mark.parametrize("page", PAGES)
def test_every_block_prints_what_it_says(page, monkeypatch):
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(logging.root, "filters", [])
    out = io.StringIO()
    names = {}
    expected = []
    with redirect_stdout(out), redirect_stderr(out):
        for block in blocks(page):
            expected += [line for said in re.findall(r"\)  # (.+)$", block, re.MULTILINE) for line in said.split(" | ")]
            exec(compile(block, page, "exec"), names)
    assert out.getvalue().splitlines() == expected
