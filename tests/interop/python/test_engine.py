"""The engine component in Python, through wasmtime-py."""

import unittest

from wasmtime import Config, Engine, Store
from wasmtime.component import Component, Linker, Record, Variant

from ..support.service import ROOT

COMPONENT = ROOT / "dist/textveil-engine.wasm"
TEXT = "Žofie 🦀: PESEL 44051401359, zofie@example.cz"


def record(**fields):
    """A record of the component; `_` stands for the `-` in a field's name."""
    made = Record()
    for name, value in fields.items():
        setattr(made, name.rstrip("_").replace("_", "-"), value)
    return made


def field(of, name):
    """A field of a record, under its name in wit/."""
    return getattr(of, name)


def options(**wanted):
    """Options of detection: those wanted, and nothing else asked for."""
    none = {
        "country": None, "language": None, "privacy_preset": None, "entities": [], "exclude_entities": [],
        "min_confidence": None, "allow_list": [], "deny_list": [], "custom_detectors": [], "hints": [], "cells": [],
        "offset_unit": None, "explain": False,
    }
    return record(**(none | wanted))


def protecting(mode, operators=()):
    """Options of protection."""
    return record(mode=mode, operators=list(operators), policies=[], default_action=None)


def keys(version=1, letter=b"k"):
    return [record(version=version, secret=letter * 32)]


class Refused(Exception):
    """The engine rejected a call: `field` is at fault, or `blocked` says what a policy blocks."""

    def __init__(self, error):
        self.field = getattr(error, "field", None)
        self.message = getattr(error, "message", None)
        self.blocked = error if isinstance(error, list) else None
        super().__init__(self.message)


class Textveil:
    """An instance of the component."""

    def __init__(self, path):
        engine = Engine(Config())
        component = Component.from_file(engine, path)
        self.imports = component.type.imports(engine)
        self.store = Store(engine)
        # a linker with nothing in it: the component needs nothing
        self.instance = Linker(engine).instantiate(self.store, component)

    def call(self, interface, function, *arguments):
        """Calls an export; raises what comes back as an error."""
        of = self.instance.get_export_index(self.store, f"textveil:engine/{interface}@1.0.0")
        index = self.instance.get_export_index(self.store, function, of)
        answer = self.instance.get_func(self.store, index)(self.store, *arguments)
        if isinstance(answer, Variant):
            if answer.tag == "err":
                raise Refused(answer.payload)
            return answer.payload
        if hasattr(answer, "message"):
            raise Refused(answer)
        return answer


class EngineTest(unittest.TestCase):
    """Calls of the component from Python."""

    @classmethod
    def setUpClass(cls):
        cls.engine = Textveil(COMPONENT)

    def detect(self, text, wanted=None):
        return self.engine.call("detection", "detect", text, wanted)

    def protect(self, text, protection=None, secrets=()):
        return self.engine.call("protection", "protect", text, None, protection, list(secrets))

    def test_it_imports_nothing(self):
        self.assertEqual(self.engine.imports, {})

    def test_detect(self):
        found = self.detect(TEXT)
        self.assertEqual(found.preset, "balanced")
        pesel, email = found.entities
        self.assertEqual([pesel.type, email.type], ["pesel", "email"])
        self.assertEqual((pesel.country, email.country), ("PL", None))
        self.assertTrue(pesel.validated)
        self.assertEqual(TEXT[pesel.span.start:pesel.span.end], "44051401359")
        facts = dict(pesel.metadata)
        self.assertEqual(facts["birth_date"], "1944-05-14")
        self.assertEqual(facts["gender"], "male")
        self.assertIs(facts["checksum_valid"], True)

    def test_offsets_count_what_is_asked_for(self):
        for unit, encoding, size in [("utf16", "utf-16-le", 2), ("byte", "utf-8", 1)]:
            with self.subTest(unit):
                span = self.detect(TEXT, options(offset_unit=unit)).entities[0].span
                cut = TEXT.encode(encoding)[span.start * size:span.end * size]
                self.assertEqual(cut.decode(encoding), "44051401359")

    def test_every_kind_of_option(self):
        allow = Variant("domain", "example.cz")
        employee = record(
            name="employee", pattern="EMP-[0-9]{4}", shapes=[], labels=[], labelled=[], parts=[], check=[],
            context=[], confidence=None, category="business",
        )
        floor = record(
            at=0, len=2, length=0, min=1, max=12, not_=[], chars="", one_of=[], none_of=[], within=[],
        )
        locker = record(
            name="locker", pattern=None, shapes=[], labels=["locker"], labelled=["d4"], parts=[floor], check=[],
            context=[], confidence=None, category=None,
        )
        found = self.detect(
            TEXT + ", EMP-1234, Projekt X, locker 0482",
            options(
                country="pl", language="pl", privacy_preset="aggressive", min_confidence=0.1,
                exclude_entities=["pesel"], allow_list=[allow],
                deny_list=[record(value="projekt x", type="secret")],
                custom_detectors=[employee, locker], explain=True,
            ),
        )
        self.assertEqual([entity.type for entity in found.entities], ["name", "employee", "secret", "locker"])
        self.assertTrue(found.entities[0].evidence)

    def test_a_batch_keeps_its_order(self):
        results = self.engine.call("detection", "detect-batch", ["nothing here", TEXT], None)
        self.assertEqual([len(result.entities) for result in results], [0, 2])

    def test_detectors(self):
        polish = self.engine.call("detection", "detectors", "PL")
        self.assertIn(("pesel", "PL"), [(field(one, "entity-type"), one.region) for one in polish])
        self.assertGreater(len(self.engine.call("detection", "detectors", None)), len(polish))

    def test_validate(self):
        right = self.engine.call("validation", "validate", "44051401359", "pesel", None)
        self.assertTrue(right.valid)
        wrong = self.engine.call("validation", "validate", "44051401358", "pesel", "PL")
        self.assertFalse(wrong.valid)
        self.assertEqual(dict(wrong.metadata)["reason"], "checksum")

    def test_protect(self):
        self.assertEqual(self.protect(TEXT).text, "Žofie 🦀: PESEL [REDACTED], [REDACTED]")
        card = record(mode="mask", mask_char="#", keep_first=0, keep_last=4, new_value=None)
        masked = self.protect(TEXT, protecting("replace", [("pesel", card)]))
        self.assertEqual(masked.text, "Žofie 🦀: PESEL #######1359, [REDACTED]")

    def test_tokens_turn_back_into_what_they_stand_for(self):
        protected = self.protect(TEXT, protecting("tokenize"), keys())
        self.assertIn("tok_pl_pesel_", protected.text)
        restored = self.engine.call("protection", "restore", protected.text, keys())
        self.assertEqual((restored.text, restored.restored, restored.unknown), (TEXT, 2, 0))
        other = self.engine.call("protection", "restore", protected.text, keys(letter=b"x"))
        self.assertEqual((other.text, other.restored, other.unknown), (protected.text, 0, 2))

    def test_a_stream_gives_the_same_text_however_it_is_cut(self):
        text = (TEXT + "\n") * 50
        expected = "Žofie 🦀: PESEL [REDACTED], [REDACTED]\n" * 50
        for size in [7, 1000, len(text)]:
            with self.subTest(size):
                stream = self.engine.call("streaming", "[static]text-stream.open", None, None, [])
                out = [
                    self.engine.call("streaming", "[method]text-stream.push", stream, text[at:at + size])
                    for at in range(0, len(text), size)
                ]
                out.append(self.engine.call("streaming", "[method]text-stream.finish", stream))
                self.assertEqual("".join(out), expected)
                stream.drop(self.engine.store)

    def test_a_refusal_names_the_field(self):
        calls = [
            ("text", "detection", "detect", "", None),
            ("min_confidence", "detection", "detect", "a", options(min_confidence=2.0)),
            ("entity_type", "validation", "validate", "1", "no_such_type", None),
            ("key", "protection", "protect", TEXT, None, protecting("hash"), []),
            ("key", "protection", "restore", "tok_xx_email_abc", []),
            ("key", "streaming", "[static]text-stream.open", None, protecting("tokenize"), []),
        ]
        for name, *call in calls:
            with self.subTest(name), self.assertRaises(Refused) as refused:
                self.engine.call(*call)
            self.assertEqual(refused.exception.field, name)
            self.assertTrue(refused.exception.message.startswith(name))
