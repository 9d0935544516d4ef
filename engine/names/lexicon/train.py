#!/usr/bin/env python3
"""Trains spelling.bin, by which `src/spelling.rs` tells how much a word looks like a name.

    cargo xtask train     # keeps the packages with common words in target/lexicon

A logistic regression over the groups of two to four letters that a word has, hashed into buckets: the names of given.tsv
and family.tsv against the common words of ten languages that are no name. A fifth of both is held out and measured.
The seed fixes the order of the words, and sums are rounded once, so two runs write the same bytes.

The file has a signed byte for each bucket, in sixteenths of log-odds, and last one that every word gets.
"""

import argparse
import bisect
import functools
import math
import os
import random
import re
import struct

from sources import COMMON_WORDS, HERE, common_words, fetch, fold

SEED = 1
EPOCHS = 6
RATE, DECAY = 0.15, 1e-4
STEPS = 16      # in one of log-odds
BITS = 13
# The bucket that every word has besides its groups.
ANY = 1 << BITS
# Words that the engine scores have MAX_LETTERS of `src/spelling.rs` at most; those of two letters teach nothing.
SCORED = re.compile("[a-z]{3,24}")


@functools.cache
def bucket(group):
    """As in `src/spelling.rs`."""
    hashed = 0x811C9DC5
    for letter in group:
        hashed = (hashed ^ ord(letter)) * 0x01000193 & 0xFFFFFFFF
    return ((hashed ^ hashed >> 15) * 0x9E3779B1 & 0xFFFFFFFF) >> 32 - BITS


# The tests of `src/spelling.rs` have the same numbers.
assert [bucket(group) for group in ("^n", "ova", "ski$")] == [6688, 3453, 6347], "bucket() is not that of src/spelling.rs"


def buckets(word):
    """The buckets that a word has; a group counts once."""
    word = f"^{word}$"
    groups = (word[at:at + size] for size in (2, 3, 4) for at in range(len(word) - size + 1))
    return sorted({bucket(group) for group in groups}) + [ANY]


def read_names():
    for list_of_names in ("given.tsv", "family.tsv"):
        with open(os.path.join(HERE, list_of_names), encoding="utf-8") as rows:
            for row in rows:
                yield fold(row.split("\t")[0])


def examples(cache):
    """The names, and the words that are not names."""
    names = set(read_names())
    words = {fold(word) for words in common_words(cache).values() for word in words if word.isalpha()} - names
    # sets have no order that lasts
    return [sorted(word for word in side if SCORED.fullmatch(word)) for side in (names, words)]


def train(names, words, chance):
    """Weights by adaptive gradients; as a whole, the names weigh as much as the words."""
    total = len(names) + len(words)
    training = [(buckets(word), 1, total / len(names) / 2) for word in names]
    training += [(buckets(word), 0, total / len(words) / 2) for word in words]
    weights, squares = [0.0] * (ANY + 1), [1e-6] * (ANY + 1)
    for _ in range(EPOCHS):
        chance.shuffle(training)
        for has, is_name, share in training:
            odds = math.exp(-math.fsum([weights[b] for b in has]))
            gradient = (1 / (1 + odds) - is_name) * share
            square = gradient * gradient
            for b in has:
                squares[b] += square
                weights[b] -= RATE * (gradient + DECAY * weights[b]) / math.sqrt(squares[b])
    return [max(-127, min(127, round(weight * STEPS))) for weight in weights]


def measure(weights, names, words):
    """Returns the share of pairs in which a name scores above a word, and the share of names above 95 % of the words."""
    names, words = (sorted(sum(weights[b] for b in buckets(word)) for word in side) for side in (names, words))
    above = sum(bisect.bisect_left(words, score) + bisect.bisect_right(words, score) for score in names)
    bound = words[len(words) * 95 // 100]
    return above / 2 / len(names) / len(words), 1 - bisect.bisect_right(names, bound) / len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", required=True, help="folder of the unpacked packages; what it lacks is downloaded")
    options = parser.parse_args()
    fetch(options.cache, COMMON_WORDS.values())
    chance = random.Random(SEED)
    kept, held_out = [], []
    for side in examples(options.cache):
        chance.shuffle(side)
        fifth = len(side) // 5
        held_out.append(side[:fifth])
        kept.append(side[fifth:])
    weights = train(*kept, chance)
    print("trained on {} names and {} words, measured on {} and {}".format(*map(len, kept + held_out)))
    area, found = measure(weights, *held_out)
    print(f"AUC {area:.4f}; {found:.1%} of the names where 5% of the words are taken for one")
    with open(os.path.join(HERE, "spelling.bin"), "wb") as file:
        file.write(struct.pack(f"{len(weights)}b", *weights))


if __name__ == "__main__":
    main()
