"""The groups of types of the benchmark `presidio`, and how findings are counted in them."""

import unittest

from ..presidio.scoring import Labelled, groups, score
from .scoring import Score


class GroupsTest(unittest.TestCase):
    def test_a_label_and_a_type_belong_to_one_group(self):
        for names in ([group.labels for group in groups()], [group.types for group in groups()]):
            every = [name for group in names for name in group]
            self.assertEqual(len(every), len(set(every)))

    def test_a_finding_is_right_in_its_own_group_only(self):
        document = Labelled("Ann, a@b.cz", [("PERSON", (0, 3)), ("EMAIL_ADDRESS", (5, 11))])
        found = [[("PERSON", (0, 2)), ("PERSON", (5, 6)), ("URL", (7, 11))]]
        by_name = {group.name: group for group in groups()}
        person, email = by_name["person"], by_name["email"]
        self.assertEqual(score([document], found, [person]), Score(there=1, reported=2, exact=0, found=1, right=1))
        self.assertEqual(score([document], found, [person, email]), Score(there=2, reported=2, exact=0, found=1, right=1))


if __name__ == "__main__":
    unittest.main()
