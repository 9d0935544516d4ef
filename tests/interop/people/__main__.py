"""Names of people in public labelled sets: the engine and Presidio in one run (see README.md).

    cd tests && interop/.venv/bin/python -m interop.people [--bless]
"""

import argparse
import json
import sys

from ..support.example import ROOT
from .scoring import Score
from .sets import Set, Unavailable, read, sources
from .tools import TOOLS, Tool

#: The committed run.
BLESSED = ROOT / "tests/eval/public-sets.json"
COLUMNS = [("exact", key) for key in ("p", "r", "f1", "f2")] + [("overlapping", key) for key in ("p", "r", "f1")]


def measure(texts: Set, name: str, tool: Tool) -> dict:
    """One row: how a tool does on a set."""
    found, seconds = tool.find(texts.texts)
    score = Score()
    for document, spans in zip(texts.documents, found, strict=True):
        score.add(document.text, document.names, spans)
    figures = score.figures()
    shares = {f"{kind}_{key}": round(figures[kind][key], 3) for kind, key in COLUMNS}
    pace = float(f"{seconds / texts.megabytes:.3g}")
    return {"set": texts.name, "tool": name, "version": tool.version} | shares | {"seconds_per_megabyte": pace}


def run() -> dict[str, list[dict]]:
    """Runs every tool on every set. Skips unavailable ones with a message."""
    sets, rows, skipped = [], [], []

    def skip(what: str, reason: Unavailable) -> None:
        print(f"SKIPPED {what}: {reason}", file=sys.stderr)
        skipped.append({"what": what, "reason": str(reason)})

    for source in sources():
        try:
            read_sets = list(read(source))
        except Unavailable as reason:
            skip(source["repository"], reason)
            continue
        sets += read_sets
        for name, make in TOOLS.items():
            try:
                tool = make(source["language"])
            except Unavailable as reason:
                skip(f"{name} on {source['repository']}", reason)
                continue
            rows += [measure(texts, name, tool) for texts in read_sets]
    order = [texts.name for texts in sets]
    rows.sort(key=lambda row: order.index(row["set"]))
    return {"sets": [texts.about() for texts in sets], "rows": rows, "skipped": skipped}


def table(rows: list[dict]) -> str:
    """The rows for a terminal."""
    head = ["set", "tool", *(f"{kind[:5]} {key.upper()}" for kind, key in COLUMNS), "s/MB"]
    keys = ["set", "tool", *(f"{kind}_{key}" for kind, key in COLUMNS)]
    lines = [head, *([_cell(row[key]) for key in keys] + [f"{row['seconds_per_megabyte']:g}"] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def _cell(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.3f}"


def as_json(run: dict[str, list[dict]]) -> str:
    """A run with a row a line, so that what changed is seen."""
    tables = (
        f"  {json.dumps(name)}: [" + ",".join(f"\n    {json.dumps(row, ensure_ascii=False)}" for row in rows) + "\n  ]"
        for name, rows in run.items()
    )
    return "{\n" + ",\n".join(tables) + "\n}\n"


def main() -> int:
    """Measures, and shows the figures."""
    options = argparse.ArgumentParser(prog="interop.people", description="Names of people in public labelled sets")
    options.add_argument("--bless", action="store_true", help="make this run the committed one")
    options = options.parse_args()
    measured = run()
    if not measured["rows"]:
        sys.exit("nothing was measured; set TEXTVEIL_SETS to a folder with the sets, or let this machine reach GitHub")
    print(table(measured["rows"]))
    if options.bless:
        BLESSED.write_text(as_json(measured))
    return 0


sys.exit(main())
