"""Tools that find names of people: the engine, and Presidio with spaCy's small models."""

import importlib
import importlib.metadata
import json
import logging
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from ..support import example
from .scoring import Span
from .sets import Unavailable

#: The passes over each text: the fastest time over all is what a tool takes where nothing else runs.
PASSES = 3
#: The findings in each text, and the seconds of the fastest pass, without start, input and output.
Found = tuple[list[list[Span]], float]


class Tool(Protocol):
    #: Its version, and that of its model.
    version: str

    def find(self, texts: list[str]) -> Found: ...


class Textveil:
    """The engine in release, through `engine/examples/detect.rs`, with nothing said of language or country."""

    def __init__(self, preset: str):
        self._program = example.build("detect", release=True)
        self._options = {"privacy_preset": preset, "entities": ["name"], "offset_unit": "code_point"}
        self.version = tomllib.loads((example.ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]

    def find(self, texts: list[str], hints: Sequence[list[dict]] = ()) -> Found:
        questions = [{"text": text} | self._options for text in texts]
        for question, of_text in zip(questions, hints):
            question["hints"] = of_text
        lines = map(json.dumps, questions * PASSES)
        asked = subprocess.run([self._program], input="\n".join(lines), capture_output=True, text=True, check=True)
        answers = [json.loads(line) for line in asked.stdout.split("\n") if line]
        passes = [answers[first : first + len(texts)] for first in range(0, len(answers), len(texts))]
        spans = [[(entity["start"], entity["end"]) for entity in answer["entities"]] for answer in passes[0]]
        return spans, min(sum(answer["seconds"] for answer in answers) for answers in passes)


class Presidio:
    """Presidio's analyzer with spaCy's small model of a language, asked for names of people alone."""

    #: The models' labels for a person.
    LABELS = {"PERSON": "PERSON", "persName": "PERSON"}

    def __init__(self, language: str):
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NlpEngineProvider

        # it warns of each label that is mapped to nothing
        logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
        name = model(language)
        configuration = {
            "nlp_engine_name": "spacy",
            "models": [{"lang_code": language, "model_name": name}],
            "ner_model_configuration": {"model_to_presidio_entity_mapping": self.LABELS},
        }
        engine = NlpEngineProvider(nlp_configuration=configuration).create_engine()
        self._analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
        self._language = language
        have = importlib.metadata.version
        self.version = f"{have('presidio-analyzer')}, spaCy {have('spacy')}, {name} {have(name)}"

    def hints(self, text: str) -> list[dict]:
        """Its findings as hints for the engine."""
        found = self._analyzer.analyze(text, language=self._language, entities=["PERSON"])
        return [{"type": "name", "start": one.start, "end": one.end, "confidence": one.score} for one in found]

    def find(self, texts: list[str]) -> Found:
        seconds = []
        for _ in range(PASSES):
            start = time.perf_counter()
            spans = [self._names(text) for text in texts]
            seconds.append(time.perf_counter() - start)
        return spans, min(seconds)

    def _names(self, text: str) -> list[Span]:
        return [(hint["start"], hint["end"]) for hint in self.hints(text)]


class Hinted:
    """The engine with the findings of Presidio and spaCy as hints."""

    def __init__(self, language: str):
        self._engine, self._model = Textveil("balanced"), Presidio(language)
        self.version = f"{self._engine.version}, presidio-analyzer {self._model.version}"

    def find(self, texts: list[str]) -> Found:
        start = time.perf_counter()
        hints = [self._model.hints(text) for text in texts]
        seconds = time.perf_counter() - start
        spans, own = self._engine.find(texts, hints)
        return spans, seconds + own


#: By name, what makes a tool for texts of a language.
TOOLS: dict[str, Callable[[str], Tool]] = {
    "textveil, balanced": lambda _: Textveil("balanced"),
    "textveil, conservative": lambda _: Textveil("conservative"),
    "presidio-analyzer": Presidio,
    "textveil, balanced, with hints of presidio-analyzer": Hinted,
}


def model(language: str) -> str:
    """The name of spaCy's small model of a language, installed where it is not yet."""
    wanted = tomllib.loads(Path(__file__).with_name("models.toml").read_text())[language]
    names = [re.match(r"\w+", requirement)[0] for requirement in wanted]
    for name in names:
        if importlib.util.find_spec(name):
            return name
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--retries=0", "--timeout=20"]
    for name, requirement in zip(names, wanted):
        if subprocess.run([*install, requirement], capture_output=True).returncode == 0:
            importlib.invalidate_caches()
            return name
    raise Unavailable(f"spaCy's model {names[0]} is not available here: it comes from GitHub, which must be in reach")
