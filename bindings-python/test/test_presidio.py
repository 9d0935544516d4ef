"""Presidio's call shapes, next to `presidio-anonymizer` itself."""

import random

import presidio_anonymizer
import pytest
from presidio_anonymizer.entities import OperatorConfig as TheirConfig
from presidio_anonymizer.entities import RecognizerResult as TheirResult

from textveil import TextveilError
from textveil.presidio import AnalyzerEngine, AnonymizerEngine, OperatorConfig, RecognizerResult

TEXT = "Žofie 🦀: card 4111 1111 1111 1111, PESEL 44051401359, zofie@example.cz"

OPERATORS = [
    ("replace", {}),
    ("replace", {"new_value": "ANON 🦀"}),
    ("redact", {}),
    ("mask", {"masking_char": "*", "chars_to_mask": 4, "from_end": True}),
    ("mask", {"masking_char": "#", "chars_to_mask": 400, "from_end": False}),
    ("hash", {"hash_type": "sha256", "salt": b"sixteen bytes of salt"}),
    ("hash", {"hash_type": "sha512", "salt": b"sixteen bytes of salt"}),
    ("keep", {}),
    ("custom", {"lambda": lambda value: value[::-1]}),
]


def test_findings_have_presidios_names():
    results = AnalyzerEngine().analyze(TEXT, "en")
    assert {result.entity_type: TEXT[result.start:result.end] for result in results} == {
        "CREDIT_CARD": "4111 1111 1111 1111",
        "PL_PESEL": "44051401359",
        "EMAIL_ADDRESS": "zofie@example.cz",
    }
    assert results == sorted(results, key=lambda one: -one.score)


def test_arguments_of_analyze():
    engine = AnalyzerEngine(custom_detectors=[{"name": "employee", "pattern": "EMP-[0-9]{4}"}])
    text = TEXT + ", EMP-1234"

    def names(**arguments):
        return [one.entity_type for one in engine.analyze(text=text, language="en", **arguments)]

    assert names(entities=["PL_PESEL", "NO_SUCH"]) == ["PL_PESEL"]
    assert names(entities=["EMPLOYEE"]) == ["EMPLOYEE"]
    assert names(score_threshold=0.999, entities=["EMAIL_ADDRESS"]) == []
    assert "EMAIL_ADDRESS" not in names(allow_list=["zofie@example.cz"])
    assert "EMAIL_ADDRESS" not in names(allow_list=[r"@example\."], allow_list_match="regex")
    assert {"EMPLOYEE", "PL_PESEL", "PERSON"} <= set(engine.get_supported_entities())
    with pytest.raises(TextveilError):
        names(ad_hoc_recognizers=[object()])


@pytest.mark.parametrize(("name", "params"), OPERATORS)
def test_operators_are_presidios(name, params):
    results = AnalyzerEngine().analyze(TEXT)
    ours = AnonymizerEngine().anonymize(TEXT, results, {"DEFAULT": OperatorConfig(name, params)})
    theirs = presidio_anonymizer.AnonymizerEngine().anonymize(
        TEXT,
        [TheirResult(one.entity_type, one.start, one.end, one.score) for one in results],
        {"DEFAULT": TheirConfig(name, dict(params))},
    )
    assert ours.text == theirs.text
    assert [vars(item) for item in ours.items] == [
        {name: getattr(item, name) for name in ("start", "end", "entity_type", "text", "operator")}
        for item in theirs.items
    ]


def test_conflicts_are_resolved_as_presidio_does():
    chance = random.Random(7)
    text = "ab cd  ef🦀 gh ij  kl mn"
    for _ in range(3000):
        places = [sorted(chance.sample(range(len(text) + 1), 2)) for _ in range(chance.randint(1, 6))]
        results = [
            (chance.choice("AB"), start, end, chance.choice([0.2, 0.5, 0.9])) for start, end in places
        ]
        ours = AnonymizerEngine().anonymize(text, [RecognizerResult(*one) for one in results])
        theirs = presidio_anonymizer.AnonymizerEngine().anonymize(text, [TheirResult(*one) for one in results])
        assert ours.text == theirs.text, results
        assert [item.start for item in ours.items] == [item.start for item in theirs.items], results


@pytest.mark.parametrize(
    ("name", "params"),
    [("encrypt", {"key": "k" * 16}), ("mask", {}), ("hash", {"salt": b"short"}), ("custom", {}), ("hash", {"hash_type": "md5"})],
)
def test_what_an_operator_lacks_is_said(name, params):
    with pytest.raises(TextveilError) as refused:
        AnonymizerEngine().anonymize("text", [], {"DEFAULT": OperatorConfig(name, params)})
    assert refused.value.field == "operators"
