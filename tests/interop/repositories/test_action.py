"""The commands of `action.yml`."""

import json

import yaml

from ..support.service import ROOT
from .program import EMAIL, environment, run


def step(variables, **inputs):
    """The shell command of the step that finds, and its variables as a runner fills them in."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    given = {name: inputs.get(name, about["default"]) for name, about in action["inputs"].items()}
    assert inputs.keys() <= given.keys()
    *_, find = action["runs"]["steps"]
    values = {
        name: value.replace("${{ inputs.", "").replace(" }}", "") for name, value in find["env"].items()
    }
    return (
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", find["run"]],
        variables | {name: given[value] for name, value in values.items()},
    )


def test_findings_are_annotations_and_a_report(tmp_path):
    variables = environment(tmp_path)
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/a.txt").write_text(f"to {EMAIL}\n", encoding="utf-8")
    command, filled = step(variables, paths="docs", sarif="report.sarif")
    out = run(command, folder, filled, status=1)
    assert out.startswith("::warning file=docs/a.txt,line=1,endLine=1,col=4,endColumn=23,title=global/email::")
    report = json.loads((folder / "report.sarif").read_text(encoding="utf-8"))
    assert len(report["runs"][0]["results"]) == 1

    command, filled = step(variables, fail="false")
    assert "title=global/email" in run(command, folder, filled)

    run(["textveil", "detect", "--baseline", "known.json", "--update-baseline", "docs"], folder, variables)
    command, filled = step(variables, arguments="--baseline known.json", paths="docs")
    assert run(command, folder, filled) == ""
