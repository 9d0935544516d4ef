"""The verbs of the installed wheel."""

import asyncio
import doctest
import os
import stat
import subprocess
import sys
import threading

import pytest
from mypy import api as mypy

import textveil
import textveil.frames
import textveil.logs
from textveil import _finder, _module

TEXT = "Žofie 🦀: PESEL 44051401359, zofie@example.cz"
KEY = b"k" * 32


def test_offsets_count_characters_of_python():
    found = textveil.detect(TEXT)
    assert [(entity.type, TEXT[entity.start:entity.end]) for entity in found] == [
        ("pesel", "44051401359"),
        ("email", "zofie@example.cz"),
    ]
    pesel = found.entities[0]
    assert (pesel.country, pesel.validated, pesel.metadata["birth_date"]) == ("PL", True, "1944-05-14")
    assert (len(found), found.preset) == (2, "balanced")


def test_a_lone_surrogate_is_one_character():
    text = "\ud800 PESEL 44051401359"
    (pesel,) = textveil.detect(text)
    assert text[pesel.start:pesel.end] == "44051401359"


def test_no_value_is_in_a_representation():
    assert "44051401359" not in repr(textveil.detect(TEXT))


def test_a_long_text_is_searched_whole():
    text = "a word " * 100_000 + "PESEL 44051401359"
    assert [entity.start for entity in textveil.detect(text)] == [700_006]
    assert textveil.detect("").entities == []


def test_protect_by_mode_operator_and_policy():
    assert textveil.protect(TEXT).text == "Žofie 🦀: PESEL [REDACTED], [REDACTED]"
    masked = textveil.protect(TEXT, operators={"pesel": {"mode": "mask", "mask_char": "#", "keep_last": 4}})
    assert str(masked) == "Žofie 🦀: PESEL #######1359, [REDACTED]"
    assert masked.entities[0].protected == "#######1359"
    policies = [{"name": "ids", "action": "BLOCK", "conditions": [{"entity_types": ["pesel"]}]}]
    with pytest.raises(textveil.TextveilError) as blocked:
        textveil.protect(TEXT, mode="policy", policies=policies)
    assert (blocked.value.code, blocked.value.details) == ("policy_violation", {"pesel": 1})


def test_tokens_are_restored_with_their_key_only():
    protected = textveil.protect(TEXT, mode="tokenize", key=KEY, key_version=1)
    assert "44051401359" not in protected.text
    restored = textveil.restore(protected.text, key=KEY.hex(), key_version=1)
    assert (restored.text, restored.restored, restored.unknown) == (TEXT, 2, 0)
    newer = textveil.restore(protected.text, key=b"n" * 32, key_version=2, previous_keys={1: KEY})
    assert newer.text == TEXT
    other = textveil.restore(protected.text, key=b"x" * 32)
    assert (other.text, other.unknown) == (protected.text, 2)


def test_batches_are_their_texts():
    texts = [TEXT, "nothing", "to a@example.com"] * 40
    assert textveil.detect_batch(texts) == [textveil.detect(text) for text in texts]
    assert textveil.protect_batch(texts, mode="mask") == [textveil.protect(text, mode="mask") for text in texts]
    assert textveil.protect_batch([]) == []


def test_batches_of_many_characters_cross_in_parts(monkeypatch):
    texts = [TEXT] * 30
    whole = textveil.detect_batch(texts)
    monkeypatch.setattr(_finder, "_BATCH", 100)
    assert textveil.detect_batch(texts) == whole


def test_reviewed_findings_are_applied():
    finder = textveil.Finder(mode="mask")
    pesel, _ = finder.detect(TEXT)
    assert finder.apply(TEXT, [pesel]).text == "Žofie 🦀: PESEL ***********, zofie@example.cz"
    assert finder.apply("Dear Emily", [{"type": "name", "start": 5, "end": 10}]).text == "Dear *****"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_stream_does_not_depend_on_its_pieces(size):
    text = (TEXT + "\n") * 20
    pieces = [text[at:at + size] for at in range(0, len(text), size)]
    finder = textveil.Finder(mode="mask")
    assert "".join(finder.protect_stream(pieces)) == finder.protect(text).text

    async def asynchronous():
        async def source():
            for piece in pieces:
                yield piece

        return "".join([piece async for piece in finder.protect_stream_async(source())])

    assert asyncio.run(asynchronous()) == finder.protect(text).text


def test_a_closed_stream_takes_no_text():
    stream = textveil.Finder().stream()
    assert stream.push("PESEL 44051401359 ") + stream.finish() == "PESEL [REDACTED] "
    with pytest.raises(ValueError, match="closed"):
        stream.push("more")


def test_validate_and_detectors():
    assert textveil.validate("44051401359", "pesel", "PL")
    wrong = textveil.validate("44051401358", "pesel")
    assert (bool(wrong), wrong.metadata["reason"]) == (False, "checksum")
    assert {detector.entity_type for detector in textveil.detectors("PL")} >= {"pesel", "regon"}
    assert len(textveil.detectors()) > len(textveil.detectors("PL"))


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("entites", lambda: textveil.Finder(entites=["email"])),
        ("min_confidence", lambda: textveil.detect("a", min_confidence=2.0)),
        ("country", lambda: textveil.detect("a", country="Poland")),
        ("offset_unit", lambda: textveil.detect("a", offset_unit="utf16")),
        ("entity_type", lambda: textveil.validate("1", "no_such_type")),
        ("key", lambda: textveil.protect(TEXT, mode="hash")),
        ("key", lambda: textveil.protect(TEXT, mode="hash", key="not hex")),
        ("key", lambda: textveil.protect(TEXT, mode="hash", key=b"short")),
        ("key", lambda: textveil.restore("tok_xx_email_abc")),
    ],
)
def test_an_error_names_the_option_and_has_nothing_of_the_text(field, call):
    with pytest.raises(textveil.TextveilError) as refused:
        call()
    assert refused.value.field == field
    assert refused.value.code == "invalid_request"
    assert "44051401359" not in str(refused.value)


def test_bytes_are_not_a_text():
    with pytest.raises(TypeError):
        textveil.detect(b"bytes")


def test_threads_share_a_finder():
    finder = textveil.Finder(mode="mask")
    expected = finder.protect(TEXT).text
    results = []

    def work():
        results.extend(finder.protect(TEXT).text for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 200


def test_options_are_forgotten_with_their_finder():
    engine = _module.instance()
    handles = {textveil.Finder(mode="mask")._opened()[1] for _ in range(20)}
    textveil.detect("a")
    assert len(handles) <= 2
    assert not engine.closing


def test_an_engine_that_stopped_is_replaced():
    finder = textveil.Finder()
    broken = _module.instance()
    # an address outside of the memory
    broken._input = lambda *_: 0xFFFF_0000
    with pytest.raises(IndexError):
        broken.call("detect", 0, b"text")
    broken._functions["detect"] = lambda *_: (_ for _ in ()).throw(_module.wasmtime.WasmtimeError("stopped"))
    broken._input = broken._functions["input"]
    with pytest.raises(textveil.TextveilError) as stopped:
        finder.detect(TEXT)
    assert stopped.value.code == "internal_error"
    assert len(finder.detect(TEXT)) == 2


def test_the_compiled_module_is_kept(tmp_path):
    folder = tmp_path / "cache"
    environment = os.environ | {_module.CACHE_VARIABLE: str(folder)}
    program = "import textveil; print(len(textveil.detect('PESEL 44051401359')))"

    def run():
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == "1\n"

    run()
    (kept,) = folder.iterdir()
    assert not stat.S_IMODE(folder.stat().st_mode) & 0o077
    first = kept.stat()
    run()
    assert kept.stat().st_mtime_ns == first.st_mtime_ns, "it was loaded"
    kept.write_bytes(kept.read_bytes()[:1000])
    run()
    assert kept.stat().st_size == first.st_size, "a broken file is compiled anew"
    folder.chmod(0o777)
    assert _module._is_ours(kept) and not _module._is_ours(folder), "others may have written it"


def test_examples_of_the_documentation():
    failed = {module.__name__: doctest.testmod(module).failed for module in (_finder, textveil.logs)}
    assert not any(failed.values()), failed


def test_the_package_is_typed(tmp_path, monkeypatch):
    program = tmp_path / "program.py"
    program.write_text(
        "import textveil\n"
        "from textveil import frames, logs, presidio\n"
        "kind: str = textveil.detect('a', country='PL', min_confidence=0.5).entities[0].type\n"
        "text: str = textveil.protect('a', mode='mask').text\n"
        "textveil.protect('a', mode='colour')\n"
        "textveil.detect('a', entites=[])\n"
    )
    checked = ["-p", "textveil", "-m", "program"]
    monkeypatch.setenv("MYPYPATH", str(tmp_path))
    out, _, _ = mypy.run(["--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), *checked])
    wrong = [line for line in out.splitlines() if "error:" in line]
    assert [line.split(":")[1] for line in wrong] == ["5", "6"], out
