"""The engine's verdicts, many at once, from a process of its own."""

import json
import subprocess

from ..support import example


class Engine:
    """`tests/eval/examples/validate.rs`."""

    def __init__(self, release=False):
        self.program = example.build("validate", release, package="textveil-eval")

    def validate(self, questions):
        """The answers to `(value, type, country)`, in their order: objects of `/api/v1/validate`."""
        lines = (
            json.dumps({"value": value, "entity_type": kind, "country": country}) for value, kind, country in questions
        )
        asked = subprocess.run([self.program], input="\n".join(lines), capture_output=True, text=True, check=True)
        answers = [json.loads(line) for line in asked.stdout.split("\n") if line]
        for answer in answers:
            if "error" in answer:
                raise ValueError(answer["error"])
            answer["metadata"] = answer["metadata"] or {}
        return answers
