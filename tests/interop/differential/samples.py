"""Values to compare on: right ones, found by trying what an oracle takes, and what becomes of them by slips."""

import re
import string
import tomllib

from ..support.example import ROOT

CATALOGUE = ROOT / "engine/catalogue"
TOKEN = re.compile(r"\[[^\]]*\]\??|[dan]\d+(?:\.\.\d+)?|[A-Z]|.")
CHARACTERS = {"d": string.digits, "a": string.ascii_uppercase, "n": string.digits + string.ascii_uppercase}


def detector(name):
    """The catalogue's file of that name, `country/name`."""
    return tomllib.loads((CATALOGUE / f"{name}.toml").read_text())


def like(character):
    """The characters of the same kind."""
    for kind in (string.digits, string.ascii_uppercase, string.ascii_lowercase):
        if character in kind:
            return kind
    return ""


class Sampler:
    """Makes values of one scheme, the same ones for the same `random`.

    `accepts` is the oracle that right values are right by, `specimens` are some of them to begin with,
    and `detectors` say the shapes that whole new ones are made in.
    """

    def __init__(self, random, accepts, specimens, detectors, exact=False):
        self.random = random
        self.accepts = accepts
        self.detectors = detectors
        self.exact = exact
        self.pool = [specimen for specimen in specimens if accepts(specimen)]
        # the number of values that a change at this place, counted from the end, made right
        self.repairs = {}

    def alphabet(self, character):
        """The characters that may replace this one."""
        kind = like(character)
        return kind if not self.exact or kind == string.digits else string.ascii_letters + string.digits

    def written(self, separators):
        """A value in one of the shapes, with separators or without."""
        detector = self.random.choice(self.detectors)
        shapes = detector.get("shapes", []) + detector.get("labelled", [])
        if not shapes:
            return ""
        out, chosen, body = [], {}, 0
        parts = detector.get("parts", []) if self.random.random() < 0.8 else []
        for token in TOKEN.findall(self.random.choice(shapes)):
            if token[0] in CHARACTERS and len(token) > 1:
                least, _, most = token[1:].partition("..")
                count = self.random.randint(int(least), int(most or least))
                out += [self.random.choice(CHARACTERS[token[0]]) for _ in range(count)]
            elif token[0] == "[":
                if token not in chosen:
                    chosen[token] = self.random.choice(list(token.strip("[]?")) + [""] * token.endswith("?"))
                out.append(chosen[token])
            else:
                out.append(token)
                body += token in string.ascii_uppercase
        characters = [place for place, character in enumerate(out) if character.isalnum()][body:]
        for part in parts:
            self._put(out, characters, part)
        return "".join(character for character in out if separators or character.isalnum())

    def _put(self, out, places, part):
        """Writes something that a part of the catalogue allows."""
        at, length = part.get("at", 0), part.get("len", 1)
        if part.get("length", len(places)) != len(places) or length == 0 or "none_of" in part:
            return
        places = places[at:][:length]
        if len(places) < length:
            return
        if "within" in part:
            least, _, most = self.random.choice(part["within"]).partition("-")
            text = str(self.random.randint(int(least), int(most or least))).zfill(length)
        elif "one_of" in part:
            text = self.random.choice(part["one_of"])
        elif "chars" in part:
            text = "".join(self.random.choice(part["chars"]) for _ in places)
        else:
            text = str(self.random.randint(part.get("min", 0), part.get("max", 10**length - 1))).zfill(length)
        for place, character in zip(places, text, strict=True):
            out[place] = character

    def changed(self, value, count=1):
        """Some characters replaced by others of their kind."""
        value = list(value)
        for place in self.random.sample(range(len(value)), min(count, len(value))):
            value[place] = self.random.choice(self.alphabet(value[place]) or value[place])
        return "".join(value)

    def transposed(self, value):
        """Two neighbours changed round."""
        unlike = [place for place in range(len(value) - 1) if value[place] != value[place + 1]]
        if not unlike:
            return value
        place = self.random.choice(unlike)
        return value[:place] + value[place + 1] + value[place] + value[place + 2 :]

    def resized(self, value):
        """A character too many or too few."""
        place = self.random.randrange(len(value) + 1)
        if self.random.random() < 0.5:
            return value[:place] + value[place + 1 :]
        return value[:place] + self.random.choice(string.digits + (value[place - 1 : place] or "0")) + value[place:]

    def family(self, value, place):
        """The values with every character at one place, counted from the end: one check digit is right."""
        place = len(value) - 1 - place
        return [value[:place] + other + value[place + 1 :] for other in self.alphabet(value[place])]

    def repaired(self, value):
        """The value with one place or two changed such that the oracle takes it; none where there are no such."""
        if not value:
            return None
        if self.accepts(value):
            return value
        known = sorted(self.repairs, key=self.repairs.get, reverse=True)[:2]
        for place in dict.fromkeys([*known, 0, self.random.randrange(len(value))]):
            right = [other for other in self.family(value, place) if self.accepts(other)] if place < len(value) else []
            if right:
                self.repairs[place] = self.repairs.get(place, 0) + 1
                return self.random.choice(right)
        if self.random.random() < 0.3 and len(value) > 3:
            first, second = self.random.choice([(0, 1), (len(value) - 1, len(value) - 2), (len(value) - 3, len(value) - 4)])
            for half in self.family(value, first):
                right = [other for other in self.family(half, second) if self.accepts(other)]
                if right:
                    return self.random.choice(right)
        return None

    def right(self, count):
        """About so many different values that the oracle takes."""
        found = dict.fromkeys(self.pool)
        for _ in range(count * 12):
            if len(found) >= count:
                break
            if not self.pool or self.random.random() < 0.4:
                value = self.repaired(self.written(separators=False))
            else:
                value = self.repaired(self.changed(self.random.choice(self.pool), self.random.randint(1, 5)))
            if value and value not in found:
                found[value] = None
                self.pool.append(value)
        return list(found)[: max(count, 1)]

    def values(self, count):
        """Right values, slips in them, random ones, and families of which one or none is right; no value twice."""
        right = self.right(count)
        out = dict.fromkeys(right)
        for value in right:
            slips = [self.changed(value), self.transposed(value)]
            if self.random.random() < 0.2:
                slips += [self.resized(value), self.changed(value, 2), self.changed(value, 3)]
            if self.random.random() < 0.2:
                known = sorted(self.repairs, key=self.repairs.get, reverse=True)[:1] or [0]
                slips += self.family(self.changed(value, 3), min(known[0], len(value) - 1))
            out |= dict.fromkeys(slips)
        for _ in range(count // 2):
            value = self.written(separators=False)
            out |= dict.fromkeys([value, *(self.family(value, 0) if value else [])])
        out.pop("", None)
        return list(out)
