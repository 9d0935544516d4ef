"""The function of the guide for Langfuse, in its SDK: what is sent has no personal data."""

import json
import pathlib
import re

import langfuse
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

GUIDE = pathlib.Path(__file__).parents[2] / "docs/how-to/langfuse.md"


def test_inputs_outputs_and_metadata_are_masked():
    (block,) = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    source, making = block.rsplit("\n\n", 1)
    assert making == "langfuse = Langfuse(mask=mask)\n"
    names = {}
    exec(compile(source, "langfuse.md", "exec"), names)
    exporter = InMemorySpanExporter()
    client = langfuse.Langfuse(
        mask=names["mask"], public_key="pk", secret_key="sk", base_url="http://127.0.0.1:9", span_exporter=exporter,
    )
    question = {"pesel": 44051401359, "asked": ["Where is Emily Carter?", None, True, 7]}
    with client.start_as_current_observation(
        name="answer", input=question, metadata={"user": "emily@example.com"},
    ) as observation:
        observation.update(output="Emily Carter lives in Leeds.")
    client.flush()
    (span,) = exporter.get_finished_spans()
    sent = {name.removeprefix("langfuse.observation."): value for name, value in span.attributes.items()}
    assert json.loads(sent["input"]) == {"pesel": "[REDACTED]", "asked": ["Where is [REDACTED]?", None, True, 7]}
    assert (sent["output"], json.loads(sent["metadata.user"])) == ("[REDACTED] lives in Leeds.", "[REDACTED]")
