"""Why the engine and another library differ, where the engine is not at fault. The first that holds is taken."""

import calendar
import datetime
import re

from .comparison import Reason

OURS, THEIRS = "ours only", "theirs only"


def bare(difference):
    """The value without separators."""
    return "".join(filter(str.isalnum, difference.value)).upper()


def digits(difference):
    """The digits of the value."""
    return "".join(character for character in difference.value if character in "0123456789")


def refused(*reasons):
    """The engine rejects the value for one of these reasons."""
    return lambda difference: difference.ours in reasons


def matches(pattern):
    """All of the bare value is like this."""
    pattern = re.compile(pattern)
    return lambda difference: pattern.fullmatch(bare(difference)) is not None


def padded(difference):
    """One of both is the other with zeros at the beginning."""
    ours, theirs = (re.sub("[^0-9A-Z]", "", text.upper()) for text in (difference.ours, difference.theirs))
    return re.sub("^[A-Z]*0*", "", ours) == re.sub("^[A-Z]*0*", "", theirs)


def shorter(difference):
    """The library has put zeros into the value."""
    return difference.ours in ("length", "format") and len(re.sub(r"\W", "", difference.theirs)) > len(re.sub("^[A-Z]+", "", bare(difference)))


def century(difference):
    """The dates are hundreds of years apart."""
    return difference.ours is not None and difference.ours[2:] == difference.theirs[2:]


def future(at):
    """The date at this place, `YYMMDD` of the 2000s, is in the future."""
    def holds(difference):
        number = digits(difference)
        year = number[at + 4 : at + 6] if at < 0 else number[at : at + 2]
        return 2000 + int(year) > datetime.date.today().year
    return holds


def no_day(number, year, month, day):
    """Whether no month of that year has such a day."""
    return not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year, month)[1]


def belgian(difference):
    """Month and day are neither a date nor zeros."""
    number = digits(difference)
    year, month, day = int(number[:2]), int(number[2:4]) % 20, int(number[4:6])
    return difference.ours == "component" and (month > 12 or (month and no_day(number, 2000 + year, month, day)) or not month)


def birth_number(difference):
    """No month that the law has for that year and that length."""
    number = digits(difference)
    month, year = int(number[2:4]), int(number[:2])
    ordinary = month in {*range(1, 13), *range(51, 63)}
    overflow = month in {*range(21, 33), *range(71, 83)} and len(number) == 10 and 4 <= year < 54
    return difference.ours == "component" and not ordinary and not overflow


# countries that schwifty has beyond the registry, and those whose accounts have check digits of their own
UNREGISTERED = (
    "AO AX BF BJ BL CF CG CI CM CV DZ GA GF GG GP GQ GW IM IR JE KM MA MF MG ML MQ MZ NC NE PF PM RE SN TD TF TG WF YT"
).split()
NATIONAL = "BA BE CZ DE EE ES FI FR IS IT MC ME MK MR NO PL PT RS SI SK SM TL TN".split()

REASONS = [
    # the same number written in another way
    Reason("at.businessid be.vat ch.esr gt.nit il.idnr li.peid nl.bsn sm.coe ro.onrc tn.mf az.voen "
           "gr.vat eu.excise", "normalized", padded,
           "a normalised value keeps the zeros that were written", "engine/catalogue/README.md, compact value"),
    Reason("nz.bankaccount", "normalized", lambda it: it.theirs[:13] + it.theirs[13:].lstrip("0") == it.ours[:13] + it.ours[13:].lstrip("0"),
           "a normalised value keeps the zeros that were written", "engine/catalogue/README.md, compact value"),
    Reason("cr.cpf cz.bankaccount", "normalized", lambda it: re.sub("[0-]", "", it.ours) == re.sub("[0-]", "", it.theirs),
           "a normalised value keeps the zeros that were written", "engine/catalogue/README.md, compact value"),
    Reason("de.handelsregisternummer", "normalized", lambda it: it.theirs.upper().replace(" ", "").endswith(it.ours),
           "the court is no part of the number that is found", "Handelsregisterverordnung § 13"),
    Reason("si.maticna", "normalized", lambda it: it.ours == it.theirs + "000",
           "the number of the main unit keeps its three zeros", "engine/catalogue/README.md, compact value"),
    Reason("az.voen gr.vat eu.excise nz.bankaccount il.idnr mac cr.cpf tn.mf nl.bsn nl.btw", THEIRS, shorter,
           "a number with its zeros left away is an ordinary number", "engine/catalogue/README.md, shapes"),
    Reason("ch.esr co.nit fi.associationid li.peid no.kontonr pt.cc py.ruc sm.coe", THEIRS, refused("length"),
           "shorter or longer than any that people write; python-stdnum takes every length", "engine/catalogue/README.md, shapes"),
    Reason("at.uid", THEIRS, matches(r"U\d{8}"), "the U is a part of ATU", "European Commission, VIES, structure of VAT numbers"),
    Reason("cr.cpf", THEIRS, matches(r"0\d{9}"), "nine digits are printed on the card; the leading zero is of databases",
           "Tribunal Supremo de Elecciones, cédula de identidad"),
    Reason("cr.cpf", OURS, matches(r"\d{7}"), "the zeros of the groups may be left away, and validation takes no notice of hyphens",
           "engine/catalogue/cr/cedula_cr.toml"),
    Reason("it.aic", OURS, matches(r"A\d{9}"), "packages have an A in front", "Ministero della Salute, decreto 2 agosto 2001"),
    Reason("jp.cn", OURS, matches(r"T\d{13}"), "with a T it is the number of an issuer of qualified invoices",
           "国税庁, 適格請求書発行事業者の登録番号"),
    Reason("no.mva no.orgnr", OURS, matches(r"(NO)?[89]\d{8}(MVA)?"), "one detector for the number with NO, with MVA and bare",
           "Brønnøysundregistrene, organisasjonsnummer"),
    Reason("rs.pib", OURS, matches(r"RS\d{9}"), "with the country in front it is the VAT number", "Poreska uprava, PIB"),
    Reason("tr.vkn", OURS, matches(r"TR\d{10}"), "with the country in front it is the VAT number", "Gelir İdaresi Başkanlığı, VKN"),
    Reason("se.postnummer", OURS, matches(r"S\d{5}"), "S was written in front before SE", "PostNord, Postnummer"),
    Reason("mac", OURS, matches(r"[0-9A-F]{12}"),
           "the list of makers changes every day, and validation takes no notice of where separators stand",
           "IEEE Registration Authority, public listing"),
    Reason("de.handelsregisternummer", OURS, lambda it: re.search(r"(HR[AB]|GNR)\W*\d", it.value, re.I),
           "the number is found without its court; python-stdnum asks for a court of its list", "Handelsregisterverordnung § 13"),
    Reason("de.leitweg", OURS, lambda it: True,
           "validation takes no notice of where hyphens stand", "engine/src/detect/validate.rs"),
    # values that python-stdnum does not check
    Reason("at.businessid", THEIRS, refused("checksum", "length", "format"), "the letter is a check of at most six digits",
           "Firmenbuchgesetz § 30; engine/catalogue/at/firmenbuchnummer.toml"),
    Reason("at.businessid", OURS, matches(r"(FN)?\d{1,6}[A-Z]"), "python-stdnum takes small letters only, people write both",
           "Firmenbuchgesetz § 30"),
    Reason("at.vnr", THEIRS, refused("component"), "digits five to ten are a date of birth, months up to 15 where the numbers of a day ran out",
           "Dachverband der österreichischen Sozialversicherungen, Aufbau der Versicherungsnummer"),
    Reason("be.bis be.nn be.ssn", THEIRS, belgian,
           "a date that is not known is written with zeros; python-stdnum takes any day for one that is not known",
           "Koninklijk besluit van 3 april 1984, art. 1–3"),
    Reason("be.vat", THEIRS, lambda it: int(bare(it)[-2:]) in (0, 98, 99), "the check number is 97 minus the remainder: 1 to 97",
           "Koninklijk besluit van 24 juni 2003, art. 1"),
    Reason("cn.uscc", THEIRS, refused("component", "format"), "the first two characters and the province are of lists",
           "GB 32100-2015, tables 1 and 2; GB/T 2260"),
    Reason("cn.uscc", OURS, matches(r"[ANY].{17}"), "A, N and Y are registering authorities, too", "GB 32100-2015, table 1"),
    Reason("cz.bankaccount", THEIRS, refused("length"), "the code of a bank has four digits", "Vyhláška č. 169/2011 Sb."),
    Reason("lv.pvn", THEIRS, matches(r"LV[0-3]\d{10}"), "the code of a person with LV in front is not read yet",
           "European Commission, VIES, algorithms"),
    Reason("us.tin", THEIRS, refused("component", "format"), "area 000 and the like were never issued; python-stdnum takes any nine digits for an ATIN",
           "Social Security Administration, SSN randomization; Internal Revenue Manual 3.13.40"),
    Reason("ro.onrc", THEIRS, lambda it: "//" in it.value, "one slash between two parts", "Legea nr. 265/2022"),
    Reason("cn.ric", THEIRS, refused("component"), "provinces are of a list, and nobody was born in a year to come", "GB 11643-1999; GB/T 2260"),
    Reason("cn.ric", OURS, lambda it: True, "a province is looked up, not a county: they change every year", "GB/T 2260"),
    Reason("cr.cpf", THEIRS, lambda it: it.theirs.startswith("00"), "no province is 0", "Tribunal Supremo de Elecciones, cédula de identidad"),
    Reason("cz.rc cz.dic sk.rc sk.dph", THEIRS, lambda it: int(digits(it)[:9]) % 11 == 10,
           "a remainder of 10 was written as 0 until 1985 only", "Ministerstvo vnitra, rodné číslo; zákon č. 133/2000 Sb., § 13"),
    Reason("si.emso", THEIRS, lambda it: 2000 + int(digits(it)[4:7]) > datetime.date.today().year and digits(it)[4] < "8",
           "nobody was born in a year to come", "Zakon o centralnem registru prebivalstva, 6. člen"),
    Reason("vin-vininfo", OURS, lambda it: it.value[9] in "UZ0", "a code of the model year is North America's", "49 CFR 565.15; ISO 3779"),
    Reason("vin-vininfo", THEIRS, lambda it: it.ours == "format" and not it.value[-4:].isdigit(), "the last four are digits", "49 CFR 565.15"),
    Reason("cusip", THEIRS, matches(r".*[IO].*"), "the letters I and O are not used", "ANSI X9.6"),
    Reason("cz.dic cz.rc", THEIRS, birth_number, "python-stdnum takes month 33 for 13 − 10 and the like; 20 is added since 2004 only",
           "Zákon č. 133/2000 Sb., § 13"),
    Reason("sk.rc sk.dph", THEIRS, refused("component"), "20 is not added to the month in Slovakia", "Zákon č. 301/1995 Z. z., § 2"),
    Reason("de.idnr", THEIRS, lambda it: re.search(r"(\d)\1\1", digits(it)[:10]), "no digit stands three times in a row",
           "Bundeszentralamt für Steuern, Prüfziffernberechnung der IdNr, 2015"),
    Reason("ec.ruc", THEIRS, lambda it: digits(it)[2] == "9", "9 is a company; python-stdnum also takes the check of public bodies",
           "Servicio de Rentas Internas, algoritmo de validación del RUC"),
    Reason("ee.kmkr", THEIRS, lambda it: not digits(it).startswith("10"), "the numbers begin with 10",
           "Maksu- ja Tolliamet, käibemaksukohustuslasena registreerimise number"),
    Reason("es.cif es.nif", THEIRS, matches(r"(ES)?([PQRSNW]\d{8}|[ABEH]\d{7}[A-J])"), "the kind of the organisation says whether a letter ends it",
           "Orden EHA/451/2008, art. 5; Real Decreto 1065/2007, art. 22"),
    Reason("es.referenciacatastral", THEIRS, lambda it: not bare(it)[14:18].isdigit(), "the unit of the building is four digits",
           "Dirección General del Catastro, referencia catastral"),
    Reason("eu.eic", THEIRS, lambda it: "-" in it.value, "codes filled up with hyphens are not read: they are of companies and lines",
           "ENTSO-E, EIC Reference Manual"),
    Reason("eu.eic", THEIRS, lambda it: not re.match(r"\d\d[ATVWXYZ]", it.value), "two digits of the office and a letter of the kind begin it",
           "ENTSO-E, EIC Reference Manual"),
    Reason("fi.veronumero", THEIRS, matches(r"0\d{11}"), "no number begins with 0", "Verohallinto, veronumero"),
    Reason("fr.nir", THEIRS, lambda it: 13 <= int(bare(it)[3:5]) <= 19 or bare(it)[0] not in "123478" or it.ours == "component",
           "sex, month and department are of lists", "INSEE, numéro de sécurité sociale"),
    Reason("fr.nir", OURS, matches(r"\d{5}[0-9AB]{2}\d{6}"), "written without its key", "INSEE, numéro de sécurité sociale"),
    Reason("hu.anum", THEIRS, matches(r"(HU)?0\d{7}"), "no number begins with 0", "2017. évi CL. törvény, adószám"),
    Reason("id.nik", THEIRS, refused("component"), "python-stdnum takes 32 to 39 and 72 to 79 for days", "Permendagri 2/2008"),
    Reason("imei", THEIRS, refused("length"), "IMEI with their check digit only, neither without it nor with a version of software",
           "3GPP TS 23.003, section 6.2"),
    Reason("it.codicefiscale", THEIRS, matches(r"\d{11}"), "the number of an organisation is partita_iva", "DPR 605/1973, art. 4"),
    Reason("it.codicefiscale", THEIRS, lambda it: it.ours == "component", "a day is 1 to 31, of women 41 to 71",
           "DM 23 dicembre 1976, art. 5"),
    Reason("kr.brn", THEIRS, refused("checksum", "component"), "the last digit is a check", "국세청, 사업자등록번호 검증"),
    Reason("kr.rrn", THEIRS, matches(r"\d{6}[5678]\d{6}"), "5 to 8 are the numbers of foreigners: frn", "출입국관리법 시행규칙"),
    Reason("kr.rrn", OURS, lambda it: (bare(it)[6] in "34") and bare(it)[:4] >= "2010", "no check digit since October 2020",
           "주민등록법 시행규칙 제2조"),
    Reason("lv.pvn", THEIRS, lambda it: digits(it)[6] > "2", "the century is 0, 1 or 2", "Ministru kabineta noteikumi Nr. 1044"),
    Reason("md.idno", THEIRS, matches(r"[^1]\d{12}"), "the numbers of organisations begin with 1", "Hotărârea Guvernului nr. 272/2002"),
    Reason("mx.curp", THEIRS, refused("format"), "a vowel of the name, then consonants", "RENAPO, Instructivo normativo para la CURP"),
    Reason("mx.rfc", THEIRS, matches(r"[A-Z&Ñ]{4}\d{6}"), "without the homoclave it is an ordinary code", "SAT, Código Fiscal art. 27"),
    Reason("mx.rfc", THEIRS, refused("checksum", "format", "component"), "python-stdnum does not look at the homoclave unless it is asked to",
           "SAT, Anexo de la clave del RFC"),
    Reason("no.mva no.orgnr", THEIRS, lambda it: digits(it)[0] not in "89", "the numbers begin with 8 or 9",
           "Brønnøysundregistrene, organisasjonsnummer"),
    Reason("pl.nip", THEIRS, lambda it: digits(it)[0] == "0", "no tax office's code begins with 0",
           "Rozporządzenie Ministra Finansów w sprawie numerów identyfikacji podatkowej"),
    Reason("rs.pib", THEIRS, matches(r"0\d{8}"), "the numbers begin at 10000001", "Pravilnik o PIB, član 5"),
    Reason("ru.ogrn", THEIRS, matches(r"[6-9]\d{12}"), "the first digit is a kind of record, 1 to 5",
           "Приказ Минфина России от 30.10.2017 № 165н"),
    Reason("ru.ogrn", OURS, lambda it: len(bare(it)) == 15 and int(bare(it)[:-1]) % 13 >= 10,
           "a remainder of two digits counts by its last", "Приказ Минфина России от 30.10.2017 № 165н"),
    Reason("se.orgnr", THEIRS, lambda it: digits(it)[0] == "0" or digits(it)[2] < "2", "the third digit is 2 or more, the first no 0",
           "Lag (1974:174), § 1; Skatteverket, SKV 709"),
    Reason("se.orgnr", OURS, matches(r"16\d{10}"), "16 stands where people have their century", "Skatteverket, SKV 709"),
    Reason("se.personnummer", THEIRS, lambda it: len(digits(it)) == 12 and digits(it)[:2] not in ("18", "19", "20"),
           "nobody was born in that century", "Skatteverket, SKV 704"),
    Reason("se.personnummer", OURS, lambda it: 61 <= int(digits(it)[-6:-4]) <= 91, "60 is added to the day of a coordination number",
           "Skatteverket, SKV 707"),
    Reason("se.postnummer", THEIRS, lambda it: int(digits(it)) > 98499, "98499 is the highest", "PostNord, Postnummer"),
    Reason("si.emso", THEIRS, lambda it: not 50 <= int(digits(it)[7:9]) <= 59, "Slovenian numbers have 50 to 59 there; others are jmbg",
           "Zakon o centralnem registru prebivalstva, 6. člen"),
    Reason("sv.nit", THEIRS, refused("component"), "place and date are looked at", "Ministerio de Hacienda, NIT"),
    Reason("ua.rntrc", THEIRS, refused("component"), "the first five digits count the days to the birth since 1900, of nobody unborn",
           "наказ Мінфіну від 29.09.2017 № 822"),
    Reason("us.atin", THEIRS, lambda it: not re.fullmatch(r"9\d\d93\d{4}", digits(it)), "9 begins the number, 93 is in the middle",
           "Internal Revenue Manual 3.13.40"),
    Reason("us.rtn", THEIRS, refused("component"), "the first two digits are a Federal Reserve district or of a list",
           "American Bankers Association, Routing Number Policy"),
    # values that the engine does not check, or reads in another way
    Reason("ar.cuit", OURS, matches(r"2[56]\d{9}"), "25 and 26 are issued to persons, too", "AFIP, Resolución General 10/1997"),
    Reason("es.cups", OURS, matches(r"ES\d{16}[A-Z]{2}\d[A-Z]"), "the kind of the measuring point is not checked",
           "Resolución de 20 de diciembre de 2001, annex"),
    Reason("fi.hetu", OURS, lambda it: bare(it)[-4] == "9", "900 to 999 are numbers for a time, or of tests",
           "Digi- ja väestötietovirasto, henkilötunnus"),
    Reason("gb.utr", OURS, matches(r"\d{10}K"), "letters may print a K after it", "HM Revenue & Customs, UTR"),
    Reason("id.nik", OURS, lambda it: it.ours == "valid", "a province is looked up, not a regency", "Permendagri 72/2019"),
    Reason("in_.gstin", OURS, matches(r"(9[79]|[0-3]\d).*"), "97 is other territory, 99 the centre; districts of old are kept",
           "GSTN, State codes"),
    Reason("us.ptin", OURS, matches(r"\d{8}"), "the P is a literal beginning and may be left away", "Internal Revenue Service, PTIN"),
    Reason("at.postleitzahl", OURS, matches(r"(AT?)?[1-9]\d{3}"), "a range, no list: codes come and go", "Österreichische Post, PLZ-Verzeichnis"),
    Reason("au.tfn", THEIRS, lambda it: len(digits(it)) == 8, "eight digits have weights of their own, 10 7 8 4 6 3 5 1",
           "Australian Taxation Office; engine/catalogue/au/tfn.toml"),
    Reason("au.tfn", OURS, lambda it: len(digits(it)) == 8, "eight digits have weights of their own, 10 7 8 4 6 3 5 1",
           "Australian Taxation Office; engine/catalogue/au/tfn.toml"),
    Reason("ca.bn", OURS, matches(r"\d{9}[A-Z]{2}\d{4}"), "there are programmes beside RC, RM, RP and RT, such as RR and RZ",
           "Canada Revenue Agency, Business number and program accounts"),
    Reason("cz.bankaccount", OURS, lambda it: True, "a code of a bank is not looked up: banks come and go", "Česká národní banka, Číselník kódů platebního styku"),
    Reason("dk.cpr", OURS, lambda it: digits(it)[6] in "456789", "the engine has no clock: a birth in the future is not refused",
           "engine/src/api/limits.rs"),
    Reason("es.cae", OURS, matches(r"ES000\d\d.{2}\d{3}[A-Z]"), "the list of activities changes by order; the form is looked at",
           "Real Decreto 1165/1995, art. 41"),
    Reason("eu.excise", OURS, matches(r"(FR|ES|EL|XI).*"),
           "what France and Spain have of their own is in accise_fr and cae_es; the Union writes EL and XI, python-stdnum GR",
           "Council Regulation (EU) No 389/2012; European Commission, SEED"),
    Reason("gb.sedol", OURS, matches(r"\d(?=.*[A-Z])[0-9A-Z]{5}\d"), "codes that begin with 9 are made by users and have letters, too; others are rare",
           "London Stock Exchange, SEDOL Masterfile"),
    Reason("gb.upn", OURS, refused("valid"), "python-stdnum's list of authorities is old: it lacks 838 to 840 and 940 to 943",
           "Department for Education, Get Information about Schools"),
    Reason("gr.amka id.nik it.codicefiscale my.nric ro.cnp", "birth_date", century,
           "where the number leaves the century open it is the latest that is possible", "engine/src/api/limits.rs, REFERENCE_YEAR"),
    Reason("id.npwp", OURS, matches(r"[1-9]\d{15}"), "sixteen digits that begin with no 0 are a NIK, which a detector of its own looks at",
           "PMK 112/PMK.03/2022"),
    Reason("ie.pps", OURS, matches(r"\d{7}[A-W][CDEFGI]"), "the second letter is any of A to I", "Revenue, PPS number check character"),
    Reason("ie.vat", f"{THEIRS}|{OURS}", matches(r"(IE)?\d{7}[A-W][J-Z]"),
           "a second letter is one of A to I and counts, or T, W or X and counts nothing", "European Commission, VIES, algorithms"),
    Reason("is_.kennitala", OURS, matches(r"\d{9}8"), "8 is the 1800s", "Þjóðskrá Íslands, kennitala"),
    Reason("is_.kennitala", OURS, matches(r"[0-3]\d{9}"), "numbers of persons have no valid check digit since 18 February 2026",
           "Þjóðskrá Íslands, kennitölur án vartölu"),
    Reason("li.peid", OURS, matches(r"0+\d+"), "zeros in front are a part of the number", "Steuerverwaltung Fürstentum Liechtenstein, PEID"),
    Reason("lv.pvn", OURS, matches(r"3[3-9]\d{9}"), "codes without a date of birth begin with 32 to 39",
           "Fizisko personu reģistra likums, 6. pants"),
    Reason("no.fodselsnummer", OURS, lambda it: int(digits(it)[2:4]) > 52 or future(4)(it), "40, 65 or 80 is added to the month of test persons",
           "Skatteetaten, Tenor testdata"),
    Reason("nz.bankaccount", OURS, lambda it: True, "the list of branches changes; the check digits of the bank are looked at",
           "Payments NZ, Bank Branch Register"),
    Reason("pe.ruc", OURS, matches(r"16\d{9}"), "16 is in use, too", "SUNAT, tipos de RUC"),
    Reason("pk.cnic", OURS, matches(r"8\d{12}"), "8 is Azad Kashmir", "NADRA, CNIC"),
    Reason("se.vat", OURS, lambda it: 2 <= int(digits(it)[-2:]) <= 94, "the last two digits are 01 to 94", "European Commission, VIES, algorithms"),
    Reason("sg.uen", OURS, matches(r"[RST]\d\d[A-Z0-9]{2}\d{4}[A-Z0-9]"), "the kinds of entities grow by notice; form and check digit are checked",
           "Accounting and Corporate Regulatory Authority, UEN"),
    Reason("sm.coe", OURS, matches(r"0*\d{1,2}|SM\d{1,5}"), "SM may precede it; python-stdnum lists which low numbers are in use", "Ufficio Tributario, codice operatore economico"),
    Reason("sn.ninea", OURS, matches(r"\d{8,10}[A-Z]\d"), "the regions of the COFI are not checked", "ANSD, NINEA"),
    Reason("tn.mf", OURS, matches(r"\d{7}[A-Z][A-Z]{1,2}\d{3}"), "codes may be absent", "Direction Générale des Impôts, matricule fiscal"),
    Reason("tw.ubn", OURS, lambda it: True, "divisible by 5 is enough since April 2023", "財政部, 統一編號檢查邏輯"),
    Reason("us.itin", OURS, matches(r"9\d\d(5\d|6[0-5])\d{4}"), "50 to 65 are issued, too", "Internal Revenue Manual 3.21.263"),
    Reason("ve.rif", OURS, matches(r"C\d{9}"), "C is a communal council", "SENIAT, Providencia 0073/2006"),
    Reason("za.idnr", OURS, lambda it: digits(it)[10] == "2", "2 is a refugee", "Refugees Act 130 of 1998; Department of Home Affairs"),
    # other libraries
    Reason("iban-schwifty iban-national", THEIRS, lambda it: it.ours == "component" and it.value[:2] in UNREGISTERED,
           "the registry has no IBAN of the country", "SWIFT IBAN Registry"),
    Reason("iban-national iban-stdnum", OURS, lambda it: it.value[:2] in NATIONAL,
           "check digits and banks inside the account are not checked: two check digits are enough to tell an IBAN",
           "ISO 13616-1; engine/src/checks/iban.rs"),
    Reason("iban-stdnum", OURS, lambda it: it.value.startswith("BR"),
           "the bank in a Brazilian IBAN has letters since 2026, as companies' numbers have", "SWIFT IBAN Registry, BR2!n8!c5!n10!n1!c1!c"),
    Reason("bic-schwifty", OURS, lambda it: it.value[4:6] == "XK", "XK is Kosovo, though ISO 3166 does not have it",
           "SWIFT, BIC Data Record Formats"),
    Reason("cards-validators", THEIRS, lambda it: it.ours in ("length", "component"),
           "each brand has its lengths, and a number of none is no card", "ISO/IEC 7812-1; engine/src/checks/card.rs"),
    Reason("cards-validators", "brand", lambda it: not it.theirs and len(it.value) != 16,
           "`validators` has one length for each brand", "ISO/IEC 7812-1; engine/src/checks/card.rs"),
    Reason("bitcoin_address-stdnum", OURS, lambda it: it.value.lower().startswith("bc1p"),
           "python-stdnum does not know bech32m, which addresses of version 1 and later have", "BIP 350"),
    Reason("cards-validators", "brand", lambda it: it.value.startswith("81") and it.ours == "unionpay",
           "81 is UnionPay's, too", "UnionPay International, BIN ranges; ISO/IEC 7812-1"),
    Reason("cards-validators", "brand", lambda it: it.value.startswith(("6521", "6522", "60")) and it.ours == "rupay",
           "60, 6521 and 6522 are of RuPay", "National Payments Corporation of India, IIN ranges"),
]
