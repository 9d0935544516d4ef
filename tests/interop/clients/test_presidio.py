"""Presidio's REST API as its documentation has it, and `presidio-anonymizer` beside the service."""

import random
import tempfile
from pathlib import Path

import httpx
import yaml
from presidio_anonymizer import AnonymizerEngine, DeanonymizeEngine
from presidio_anonymizer.entities import InvalidParamError, OperatorConfig, OperatorResult, RecognizerResult

from ..support.service import ROOT, Service
from .case import CARD, EMAIL, PHONE, ClientTest


class PresidioTest(ClientTest):
    """The shapes of requests are those of Presidio's documentation of its API."""

    def setUp(self):
        self.http = httpx.Client(base_url=self.service.url_with(self.service.key()))
        self.addCleanup(self.http.close)

    def post(self, path, request, status=200):
        answer = self.http.post(path, json=request)
        self.assertEqual(answer.status_code, status, answer.text)
        self.assertEqual(answer.headers["content-type"], "application/json")
        return answer.json()

    def analyze(self, text, **request):
        found = self.post("/analyze", {"text": text, "language": "en"} | request)
        for result in found:
            self.assertEqual(
                sorted(result), ["analysis_explanation", "end", "entity_type", "score", "start"]
            )
        return found

    def test_analyze_a_text(self):
        text = f"Žofie's driver license is D6101-40706-60905, her card {CARD}"
        found = {result["entity_type"]: text[result["start"]:result["end"]] for result in self.analyze(text)}
        self.assertEqual(found["CREDIT_CARD"], CARD)
        self.assertEqual(found["US_DRIVER_LICENSE"], "D6101-40706-60905")

    def test_analyze_several_texts(self):
        request = {"text": [f"write to {EMAIL}", "nothing"], "language": "en"}
        first, second = self.post("/analyze", request)
        self.assertEqual([result["entity_type"] for result in first], ["EMAIL_ADDRESS"])
        self.assertEqual(second, [])

    def test_analyze_with_everything(self):
        text = f"Order 20017 of {EMAIL}, card {CARD}"
        found = self.analyze(
            text,
            return_decision_process=False,
            correlation_id="f0b5ad0f-5f0b-4e7a-9d8e-6a3c8b3f7c11",
            score_threshold=0.3,
            entities=["CREDIT_CARD", "ORDER"],
            trace=False,
            ad_hoc_recognizers=[
                {
                    "name": "Order recognizer",
                    "supported_language": "en",
                    "patterns": [{"name": "order (weak)", "regex": "(\\b\\d{5}(?:\\-\\d{4})?\\b)", "score": 0.01}],
                    "context": ["order", "purchase"],
                    "supported_entity": "ORDER",
                }
            ],
        )
        results = [(result["entity_type"], text[result["start"]:result["end"]]) for result in found]
        self.assertEqual(results, [("CREDIT_CARD", CARD), ("ORDER", "20017")])
        self.assertEqual(found[1]["score"], 0.4)

    def test_analyze_explains(self):
        [result] = self.analyze(f"card {CARD}", return_decision_process=True)
        explanation = result["analysis_explanation"]
        self.assertEqual(explanation["score"], result["score"])
        self.assertEqual((explanation["supportive_context_word"], explanation["validation_result"]), ("card", True))
        self.assertGreater(explanation["score_context_improvement"], -1)

    def test_lists(self):
        entities = self.http.get("/supportedentities", params={"language": "en"}).json()
        self.assertLessEqual({"CREDIT_CARD", "US_SSN", "UK_NHS", "PL_PESEL", "IBAN_CODE"}, set(entities))
        recognizers = self.http.get("/recognizers", params={"language": "en"}).json()
        self.assertIn("credit_card", recognizers)
        ours = set(self.http.get("/anonymizers").json())
        # a function of Python, and a service of Azure's
        not_here = {"custom", "surrogate_ahds"}
        self.assertEqual(ours, set(AnonymizerEngine().get_anonymizers()) - not_here)
        self.assertEqual(
            set(self.http.get("/deanonymizers").json()), set(DeanonymizeEngine().get_deanonymizers())
        )

    def test_what_was_analyzed_is_anonymized(self):
        text = f"🦀 {EMAIL} or {PHONE}"
        request = {
            "text": text,
            "anonymizers": {
                "DEFAULT": {"type": "replace", "new_value": "ANONYMIZED"},
                "PHONE_NUMBER": {"type": "mask", "masking_char": "*", "chars_to_mask": 11, "from_end": True},
            },
            "analyzer_results": self.analyze(text),
        }
        answer = self.post("/anonymize", request)
        self.assertEqual(answer["text"], "🦀 ANONYMIZED or +420 ***********")
        self.assertEqual([item["operator"] for item in answer["items"]], ["mask", "replace"])
        for item in answer["items"]:
            self.assertEqual(answer["text"][item["start"]:item["end"]], item["text"])

    def test_what_is_encrypted_here_is_decrypted_there_and_back(self):
        text = f"🦀 {EMAIL} or {PHONE}"
        for key, bits in [("a key of 16 byte", 128), ("klíč, který má 24 b.", 192), ("this one is a key of 32 bytes ok", 256)]:
            with self.subTest(bits):
                self.assertEqual(len(key.encode()) * 8, bits)
                encrypt = {"type": "encrypt", "key": key}
                request = {"text": text, "analyzer_results": self.analyze(text), "anonymizers": {"DEFAULT": encrypt}}
                sealed = self.post("/anonymize", request)
                self.assertNotIn(EMAIL, sealed["text"])

                items = [OperatorResult.from_json(item) for item in sealed["items"]]
                decrypt = {"DEFAULT": OperatorConfig("decrypt", {"key": key})}
                self.assertEqual(DeanonymizeEngine().deanonymize(sealed["text"], items, decrypt).text, text)

                results = [RecognizerResult.from_json(result) for result in request["analyzer_results"]]
                theirs = AnonymizerEngine().anonymize(text, results, {"DEFAULT": OperatorConfig("encrypt", {"key": key})})
                request = {
                    "text": theirs.text,
                    "anonymizer_results": [item.to_dict() for item in theirs.items],
                    "deanonymizers": {"DEFAULT": {"type": "decrypt", "key": key}},
                }
                self.assertEqual(self.post("/deanonymize", request)["text"], text)

    def test_errors_are_a_message(self):
        cases = [
            ("/analyze", {"language": "en"}, 400),
            ("/analyze", {"text": EMAIL, "language": "en", "ad_hoc_recognizers": [{"bebex": EMAIL}]}, 400),
            ("/anonymize", {}, 400),
            ("/anonymize", {"text": EMAIL, "analyzer_results": [], "anonymizers": {"DEFAULT": {"type": "custom"}}}, 400),
            ("/anonymize", {"text": EMAIL}, 422),
            ("/deanonymize", {"text": EMAIL, "deanonymizers": {"X": {"type": "decrypt", "key": "short"}}}, 422),
        ]
        for path, request, status in cases:
            with self.subTest(path=path, request=request):
                answer = self.post(path, request, status)
                self.assertEqual(list(answer), ["error"])
                self.assertIsInstance(answer["error"], str)
                self.assertNotIn(EMAIL, answer["error"])

    def test_a_workspace_may_be_open(self):
        answer = httpx.post(f"{self.service.url}/analyze", json={"text": EMAIL, "language": "en"})
        self.assertEqual(answer.status_code, 200, answer.text)
        wrong = self.service.url_with("fpk_" + "0" * 43)
        answer = httpx.post(f"{wrong}/analyze", json={"text": EMAIL, "language": "en"})
        self.assertEqual((answer.status_code, list(answer.json())), (401, ["error"]))

    def test_anonymize_does_what_presidio_does(self):
        """Made-up texts, findings and operators, most of them in each other's way."""
        chance = random.Random(2026)
        for number in range(300):
            text = "".join(chance.choices("ab 1  é🦀\n", k=chance.randint(0, 24)))
            results = [self.some_result(chance, text) for _ in range(chance.randint(0, 6))]
            operators = {kind: self.some_operator(chance) for kind in chance.sample(["A", "B", "C", "DEFAULT"], 2)}
            request = {"text": text, "analyzer_results": results, "anonymizers": operators}
            with self.subTest(number=number, request=request):
                theirs = AnonymizerEngine().anonymize(
                    text,
                    [RecognizerResult.from_json(result) for result in results],
                    {kind: OperatorConfig.from_json(dict(operator)) for kind, operator in operators.items()},
                )
                ours = self.post("/anonymize", request)
                self.assertEqual(ours["text"], theirs.text)
                self.assertEqual(ours["items"], [item.to_dict() for item in theirs.items])

    def test_what_presidio_refuses_is_refused(self):
        operators = [
            {"type": "mask", "masking_char": "**", "chars_to_mask": 1, "from_end": True},
            {"type": "mask", "masking_char": "*", "chars_to_mask": "1", "from_end": True},
            {"type": "mask", "chars_to_mask": 1, "from_end": True},
            {"type": "mask", "masking_char": "*", "chars_to_mask": 1},
            {"type": "hash", "hash_type": "md5"},
            {"type": "hash", "salt": "short"},
            {"type": "hash", "salt": ""},
            {"type": "encrypt", "key": "short"},
            {"type": "encrypt"},
            {"type": "replace", "new_value": 5},
            {"type": "shuffle"},
            {"new_value": "x"},
        ]
        result = {"start": 0, "end": 1, "entity_type": "A", "score": 1.0}
        for operator in operators:
            with self.subTest(operator):
                with self.assertRaises(InvalidParamError):
                    config = {"DEFAULT": OperatorConfig.from_json(dict(operator))}
                    AnonymizerEngine().anonymize("a", [RecognizerResult.from_json(result)], config)
                request = {"text": "a", "analyzer_results": [result], "anonymizers": {"DEFAULT": operator}}
                self.post("/anonymize", request, 422)

    @staticmethod
    def some_result(chance, text):
        start, end = sorted(chance.choices(range(len(text) + 1), k=2))
        return {
            "start": start, "end": end, "entity_type": chance.choice("ABC"), "score": chance.choice([0.3, 0.5, 1.0]),
        }

    @staticmethod
    def some_operator(chance):
        return chance.choice([
            {"type": "replace"},
            {"type": "replace", "new_value": "új"},
            {"type": "redact"},
            {"type": "keep"},
            {"type": "mask", "masking_char": "*", "chars_to_mask": chance.randint(-1, 9), "from_end": chance.random() < 0.5},
            {"type": "hash", "hash_type": chance.choice(["sha256", "sha512"]), "salt": "sixteen bytes!!!"},
        ])


class ComposeTest(ClientTest):
    """The compose file that replaces Presidio's containers. Its schema is checked by `docs/test/compose.test.mjs`."""

    def test_its_arguments_start_what_presidios_clients_use(self):
        file = yaml.safe_load((ROOT / "spin-app/deploy/presidio.compose.yaml").read_text())
        container = file["services"]["textveil"]
        self.assertEqual(container["networks"]["default"]["aliases"], ["presidio-analyzer", "presidio-anonymizer"])
        arguments = container["command"]
        self.assertEqual(set(arguments[::2]), {"--variable"})
        variables = dict(argument.split("=", 1) for argument in arguments[1::2])
        with tempfile.TemporaryDirectory() as folder:
            for name in file["secrets"]:
                (Path(folder) / name).write_text("1:" + "0123456789abcdef" * 4)
            variables = {
                name: value.replace("@/run/secrets/", f"@{folder}/") for name, value in variables.items()
            }
            with Service(**variables) as service, httpx.Client(base_url=f"http://{service.address}") as http:
                text = f"card {CARD}"
                found = http.post("/analyze", json={"text": text, "language": "en"}).json()
                self.assertEqual([result["entity_type"] for result in found], ["CREDIT_CARD"])
                answer = http.post("/anonymize", json={"text": text, "analyzer_results": found}).json()
                self.assertEqual(answer["text"], "card <CREDIT_CARD>")
