"""A repository of many small files. `cargo xtask bench --only reach` measures one of 100,000."""

import json

import pytest

from .program import environment, run

#: Files, and how many of them have one finding.
FILES, EVERY = 2_000, 100


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    for number in range(FILES):
        directory = folder / f"part{number % 20}" / f"part{number % 7}"
        directory.mkdir(parents=True, exist_ok=True)
        text = f"file {number} has nothing to find\n" * 10
        if number % EVERY == 0:
            text += f"write to person{number}@example.cz\n"
        (directory / f"file{number}.txt").write_text(text, encoding="utf-8")
    (folder / ".gitignore").write_text("/ignored/\n", encoding="utf-8")
    (folder / "ignored").mkdir()
    (folder / "ignored/a.txt").write_text("write to person@example.cz\n", encoding="utf-8")
    return folder, environment(tmp_path)


def results(report):
    (sarif,) = json.loads(report)["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in sarif["results"]]
    return [(place["artifactLocation"]["uri"], place["region"]["startLine"]) for place in places]


def test_each_finding_of_a_large_tree_is_reported_once(repository):
    folder, variables = repository
    sarif = ["textveil", "detect", "--quiet", "--output-format", "sarif"]
    found = results(run([*sarif, "."], folder, variables))
    numbers = range(0, FILES, EVERY)
    assert sorted(found) == sorted((f"part{number % 20}/part{number % 7}/file{number}.txt", 11) for number in numbers)
    # the order does not depend on threads
    assert found == results(run([*sarif, "-j", "1", "."], folder, variables))

    baseline = ["--baseline", "known.json"]
    run(["textveil", "detect", *baseline, "--update-baseline", "."], folder, variables)
    assert len(json.loads((folder / "known.json").read_text(encoding="utf-8"))["findings"]) == len(numbers)
    assert results(run([*sarif, *baseline, "."], folder, variables)) == []
    (folder / "part0/new.txt").write_text("write to somebody@example.cz\n", encoding="utf-8")
    assert results(run([*sarif, *baseline, "."], folder, variables)) == [("part0/new.txt", 1)]
