"""The scores, and how sets are read."""

import unittest

from .scoring import Score, without_title
from .sets import Document, document


class TitleTest(unittest.TestCase):
    def test_titles_before_a_name_are_no_part_of_it(self):
        for text, name in [
            ("Mr. John Smith", "John Smith"),
            ("Prof. dr hab. Anna Nowak", "Anna Nowak"),
            ("pani Anna", "Anna"),
            ("Dr.", "Dr."),
            ("Drake", "Drake"),
            ("Pankracy", "Pankracy"),
            ("Panem", "Panem"),
        ]:
            start, end = without_title(f"“{text}”", (1, 1 + len(text)))
            self.assertEqual(f"“{text}”"[start:end], name)

    def test_what_follows_a_span_is_not_looked_at(self):
        self.assertEqual(without_title("Dr. No", (0, 3)), (0, 3))


class ScoreTest(unittest.TestCase):
    TEXT = "Ann and Bob Ray met Cy"
    ANN, BOB, RAY, BOB_RAY, CY, MET = (0, 3), (8, 11), (12, 15), (8, 15), (20, 22), (16, 19)

    def score(self, labelled, reported):
        score = Score()
        score.add(self.TEXT, labelled, reported)
        return score

    def test_spans_are_counted_once_on_each_side(self):
        score = self.score([self.ANN, self.BOB_RAY, self.CY], [self.ANN, self.ANN, self.BOB, self.RAY, self.MET])
        self.assertEqual(score, Score(there=3, reported=4, exact=1, found=2, right=3))

    def test_spans_that_touch_do_not_overlap(self):
        self.assertEqual(self.score([(0, 3)], [(3, 7)]), Score(there=1, reported=1))

    def test_figures(self):
        figures = Score(there=4, reported=2, exact=1, found=2, right=2).figures()
        self.assertEqual(figures["exact"], {"p": 0.5, "r": 0.25, "f1": 1 / 3, "f2": 0.625 / 2.25})
        self.assertEqual(figures["overlapping"]["p"], 1)
        self.assertEqual(figures["overlapping"]["r"], 0.5)

    def test_nothing_reported_is_precise_and_finds_nothing(self):
        self.assertEqual(self.score([self.ANN], []).figures()["exact"], {"p": 1, "r": 0, "f1": 0, "f2": 0})


class SetTest(unittest.TestCase):
    def test_formats(self):
        wanted = Document("Ann met Bob", [(0, 3), (8, 11)])
        spans = [("PERSON", 0, 3), ("TITLE", 4, 7), ("PERSON", 8, 11)]
        presidio = [{"entity_type": kind, "start_position": start, "end_position": end} for kind, start, end in spans]
        polish = [{"label": kind, "start": start, "end": end} for kind, start, end in spans]
        self.assertEqual(document({"full_text": wanted.text, "spans": presidio}), wanted)
        self.assertEqual(document({"text": wanted.text, "entities": polish}), wanted)
        self.assertEqual(document({"text": "Ann", "label": "PERSON", "start": 0, "end": 3}), Document("Ann", [(0, 3)]))
