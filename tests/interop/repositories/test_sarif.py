"""SARIF against its JSON schema."""

import hashlib
import json
import subprocess
import tarfile

import jsonschema
import pytest

from .program import EMAIL, PESEL, environment, run

#: Microsoft's package for tests of SARIF has the schema. Nothing else of it is used, so none of what it needs is installed.
PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
SCHEMA = "package/lib/schemas/sarif-2.1.0-rtm.5.json"
SHA256 = "2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8"


@pytest.fixture(scope="module")
def validator(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    packed = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True)
    if packed.returncode != 0:
        pytest.skip(f"npm cannot fetch {PACKAGE}, which has the schema of SARIF")
    with tarfile.open(folder / packed.stdout.strip()) as archive:
        content = archive.extractfile(SCHEMA).read()
    assert hashlib.sha256(content).hexdigest() == SHA256
    schema = json.loads(content)
    return jsonschema.validators.validator_for(schema)(schema)


def test_a_report_follows_the_schema(tmp_path, validator):
    variables = environment(tmp_path)
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "čaj & co.txt").write_text(f"PESEL {PESEL}, {EMAIL}\nEMP-1234\n", encoding="utf-8")
    (folder / "people.csv").write_text(f"mail,note\n{EMAIL},\"two\nlines\"\n", encoding="utf-8")
    own = ["--custom-detector", "employee=EMP-[0-9]{4}"]
    report = json.loads(run(["textveil", "detect", "--output-format", "sarif", *own, "."], folder, variables))
    assert [error.message for error in validator.iter_errors(report)] == []
    (sarif,) = report["runs"]
    rules = [rule["id"] for rule in sarif["tool"]["driver"]["rules"]]
    assert rules == ["custom/employee", "global/email", "pl/pesel"]
    found = sorted(result["ruleId"] for result in sarif["results"])
    assert found == ["custom/employee", "global/email", "global/email", "pl/pesel"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in sarif["results"])
    text = json.dumps(report, ensure_ascii=False)
    assert PESEL not in text and EMAIL not in text


def test_an_empty_report_follows_the_schema(tmp_path, validator):
    (tmp_path / "a.txt").write_text("nothing\n", encoding="utf-8")
    out = run(["textveil", "detect", "--output-format", "sarif", "a.txt"], tmp_path, environment(tmp_path))
    report = json.loads(out)
    assert list(validator.iter_errors(report)) == []
    assert report["runs"][0]["results"] == []


def test_the_schema_finds_a_fault(tmp_path, validator):
    (tmp_path / "a.txt").write_text(EMAIL, encoding="utf-8")
    out = run(["textveil", "detect", "--output-format", "sarif", "a.txt"], tmp_path, environment(tmp_path))
    report = json.loads(out)
    report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert list(validator.iter_errors(report))
