"""Presidio's analyzer behind HTTP, as the server in its repository, which its package from PyPI does not contain.

    gunicorn --workers 1 interop.presidio.analyzer:app
"""

import json
import logging
import os
from pathlib import Path

import presidio_analyzer
import yaml
from flask import Flask, Response, request
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.analyzer_request import AnalyzerRequest
from presidio_analyzer.nlp_engine import NlpEngineProvider

# it warns of each label that is mapped to nothing
logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)

#: Presidio's default configuration, except for the model.
CONFIGURATION = yaml.safe_load((Path(presidio_analyzer.__file__).parent / "conf/default.yaml").read_text())
CONFIGURATION["models"] = [{"lang_code": "en", "model_name": os.environ["MODEL"]}]
ANALYZER = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=CONFIGURATION).create_engine())

app = Flask(__name__)


@app.get("/health")
def health():
    return "Presidio Analyzer service is up"


@app.post("/analyze")
def analyze():
    asked = AnalyzerRequest(request.get_json())
    found = ANALYZER.analyze(
        text=asked.text, language=asked.language, entities=asked.entities, score_threshold=asked.score_threshold,
        return_decision_process=asked.return_decision_process,
    )
    return Response(json.dumps(found, default=lambda one: one.to_dict()), content_type="application/json")
