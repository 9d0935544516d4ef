//! Check digits that no rule of the catalogue covers, each with its source.

use super::CheckDigits;
use crate::api::{facts::value::number, schema::Check};

/// German pension insurance number: the initial counts as two digits, A = 01 to Z = 26; digits of the
/// weighted digits, summed, modulo 10. Source: VKVV § 2.
pub fn rvnr(value: &str) -> bool {
    initial_as_two_digits(value, &[2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1])
}

/// German health insurance number: as [`rvnr`], with the weights 1 and 2 in turn. Source: SGB V § 290;
/// GKV-Spitzenverband, "Richtlinie Krankenversichertennummer".
pub fn kvnr(value: &str) -> bool {
    initial_as_two_digits(value, &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2])
}

/// Whether the last digit is the digit sum of the weighted digits before it, modulo 10.
fn initial_as_two_digits(value: &str, weights: &[u8]) -> bool {
    let Some((body, check)) = value.split_at_checked(value.len().saturating_sub(1)) else { return false };
    let mut weights = weights.iter();
    let mut sum = 0;
    for byte in body.bytes() {
        let pair = match byte {
            b'0'..=b'9' => [None, Some(byte - b'0')],
            b'A'..=b'Z' => [Some((byte - b'A' + 1) / 10), Some((byte - b'A' + 1) % 10)],
            _ => return false,
        };
        for digit in pair.into_iter().flatten() {
            let Some(weight) = weights.next() else { return false };
            let product = u32::from(digit * weight);
            sum += product / 10 + product % 10;
        }
    }
    weights.next().is_none() && check.parse() == Ok(sum % 10)
}

/// Czech bank account `[prefix-]number/bank`: the digits of the prefix, and those of the number, have the
/// powers of 2 as weights, from the right; each sum is divisible by 11.
/// Source: Czech National Bank, Decree 169/2011 Coll.
pub fn cislo_uctu(value: &str) -> bool {
    let account = value.split_once('/').map_or(value, |(account, _)| account);
    account.split('-').all(|part| {
        let rest = part
            .bytes()
            .try_fold(0, |rest, byte| char::from(byte).to_digit(10).map(|digit| (rest * 2 + digit) % 11));
        rest == Some(0)
    })
}

/// The nine digits behind `CZ` that begin with 6, which a tax office gives to those who have neither
/// IČO nor birth number. Nine digits that begin otherwise are a birth number without a check digit.
/// Source: European Commission, VIES, algorithms of the member states.
pub fn dic_cz(value: &str) -> bool {
    let Some(digits) = value.strip_prefix('6').filter(|digits| digits.len() == 8) else { return true };
    let mut places = digits.bytes().map(|byte| u32::from(byte.wrapping_sub(b'0') & 0x0f));
    let sum: u32 = places.by_ref().take(7).zip((2..=8).rev()).map(|(digit, weight)| digit * weight).sum();
    places.next() == Some((8 + sum % 11) % 10)
}

/// SIRET: Luhn, except for La Poste (SIREN 356000000), which has more offices than Luhn leaves numbers for:
/// the digits of every number except the head office's add up to a multiple of 5. Source: INSEE,
/// documentation of the Sirene API.
pub fn siret(value: &str) -> bool {
    if value.starts_with("356000000") && value != "35600000000048" {
        let sum: u32 = value.bytes().map(|byte| u32::from(byte.wrapping_sub(b'0'))).sum();
        return sum.is_multiple_of(5);
    }
    crate::checks::digits::luhn(value.bytes())
}

/// Numbers of articles of trade, of 8 to 14 digits: weights 1 and 3 in turn from the right, modulo 10.
/// Source: GS1 General Specifications, section 7.9.
pub fn gtin(value: &str) -> bool {
    let weighted = value.bytes().rev().zip([1, 3].into_iter().cycle());
    let sum: u32 = weighted.map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0') & 0x0f) * weight).sum();
    sum.is_multiple_of(10)
}

/// The sum of the digits times the weights; a letter counts as its place after `9`.
pub fn weighted(value: &str, weights: &[u32]) -> u32 {
    let digits = value.chars().map(|letter| letter.to_digit(36).unwrap_or_default());
    digits.zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// The letters of Spanish tax numbers for the remainders by 23.
const DNI: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// Whether the last letter is that of the number before it.
fn dni(number: &str, letter: &str) -> bool {
    let rest = number.parse::<usize>().ok().and_then(|number| DNI.get(number % 23));
    rest.is_some() && rest == letter.as_bytes().first()
}

/// Spanish number of foreigners: X, Y and Z count as 0, 1 and 2 before the digits, then as the DNI.
/// Source: Ministerio del Interior, "Cálculo del dígito de control del NIF/NIE".
pub fn nie(value: &str) -> bool {
    let Some((body, letter)) = value.split_at_checked(8) else { return false };
    let first = ["X", "Y", "Z"]
        .iter()
        .zip(["0", "1", "2"])
        .find_map(|(letter, digit)| body.strip_prefix(letter).map(|rest| [digit, rest].concat()));
    first.is_some_and(|number| dni(&number, letter))
}

/// Spanish number of legal persons: Luhn's digit over the seven digits, or its letter; some kinds of
/// persons have only digits, some only letters. Source: Orden EHA/451/2008; Real Decreto 1065/2007.
pub fn cif(value: &str) -> bool {
    let (Some(kind), Some(number), Some(check)) = (value.get(..1), value.get(1..8), value.get(8..)) else {
        return false;
    };
    let digit = (0..10_u8).find(|digit| crate::checks::digits::luhn(number.bytes().chain([b'0' + digit])));
    let Some(digit) = digit else { return false };
    let letter = b"JABCDEFGHI".get(usize::from(digit)).copied();
    let (is_digit, is_letter) = (check.parse() == Ok(digit), check.bytes().next() == letter);
    match kind {
        "P" | "Q" | "R" | "S" | "N" | "W" => is_letter,
        "A" | "B" | "E" | "H" => is_digit,
        _ => "CDFGJUV".contains(kind) && (is_digit || is_letter),
    }
}

/// Spanish tax number of any kind: citizens, foreigners, legal persons, and K, L and M for citizens without
/// a DNI. Source: Real Decreto 1065/2007, arts. 19–22.
pub fn nif_es(value: &str) -> bool {
    let Some((body, letter)) = value.split_at_checked(8) else { return false };
    match body.as_bytes() {
        [b'X'..=b'Z', ..] => nie(value),
        [b'K' | b'L' | b'M', ..] => body.get(1..).is_some_and(|number| dni(number, letter)),
        [b'A'..=b'W', ..] => cif(value),
        _ => dni(body, letter),
    }
}

/// Spanish bank account: one control digit for bank and branch, one for the account, from the powers of 2
/// modulo 11. Source: Consejo Superior Bancario, Código Cuenta Cliente.
pub fn ccc_es(value: &str) -> bool {
    let control = |part: &str| {
        let rest = weighted(part, &[1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11;
        if rest < 2 { rest } else { 11 - rest }
    };
    let (Some(bank), Some(digits), Some(account)) = (value.get(..8), value.get(8..10), value.get(10..))
    else {
        return false;
    };
    digits.parse() == Ok(control(&["00", bank].concat()) * 10 + control(account))
}

/// Spanish cadastral reference: two letters, one for each half of the plot with the unit behind it.
/// Source: Dirección General del Catastro.
pub fn referencia_catastral(value: &str) -> bool {
    let (Some(first), Some(second), Some(unit), Some(check)) =
        (value.get(..7), value.get(7..14), value.get(14..18), value.get(18..))
    else {
        return false;
    };
    let letter = |half: &str| {
        let weights = [13, 15, 12, 5, 4, 17, 9, 21, 3, 7, 1];
        let counts = [half, unit].concat().into_bytes().into_iter().map(|byte| match byte {
            b'0'..=b'9' => u32::from(byte - b'0'),
            // Ñ follows N in the Spanish alphabet
            _ => u32::from(byte.saturating_sub(b'A')) + 1 + u32::from(byte > b'N'),
        });
        let sum: u32 = counts.zip(weights).map(|(count, weight)| count * weight).sum();
        b"MQWERTYUIOPASDFGHJKLBZX".get((sum % 23) as usize).copied()
    };
    unit.bytes().all(|byte| byte.is_ascii_digit())
        && check.bytes().map(Some).eq([letter(first), letter(second)])
}

/// Spanish supply point: the sixteen digits modulo 529, quotient and remainder by 23 as the letters of
/// the DNI; a measuring point may follow. Source: Resolución de 20 de diciembre de 2001, annex.
pub fn cups(value: &str) -> bool {
    let (Some(number), Some(check)) = (value.get(..16), value.get(16..18)) else { return false };
    let rest = number.parse::<u64>().map(|number| (number % 529) as usize);
    rest.is_ok_and(|rest| {
        check.bytes().map(Some).eq([DNI.get(rest / 23).copied(), DNI.get(rest % 23).copied()])
    })
}

/// Spanish social security number: province and number modulo 97 are the last two digits; a number below ten million
/// counts without its leading zeros. Source: Real Decreto 84/1996, art. 21.
pub fn nuss(value: &str) -> bool {
    let (office, serial) = (number(value, 0, 2), number(value, 2, 8));
    let shift = if serial < 10_000_000 { 10_000_000 } else { 100_000_000 };
    (office * shift + serial) % 97 == number(value, 10, 2)
}

/// Portuguese citizen card: Luhn over letters and digits, letters count 10 to 35.
/// Source: Autenticação.Gov, "Validação de Número de Documento do Cartão de Cidadão".
pub fn cartao_cidadao(value: &str) -> bool {
    let sum: u32 = (value.chars().rev().zip(0..))
        .map(|(letter, at)| match letter.to_digit(36).unwrap_or_default() {
            count if at % 2 == 0 => count,
            count if count >= 5 => count * 2 - 9,
            count => count * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Dutch VAT number of persons since 2020: mod 97-10 over `NL` and the number.
/// Source: Belastingdienst, btw-id; European Commission, VIES.
pub fn btw_id(value: &str) -> bool {
    crate::checks::digits::mod97("NL".bytes().chain(value.bytes())) == Some(1)
}

/// Belgian identity cards and structured payment references: the last two digits are the others modulo
/// 97, or 97 for 0. Source: IBZ; Febelfin.
pub fn eid_be(value: &str) -> bool {
    let Some((body, key)) = value.split_at_checked(value.len().saturating_sub(2)) else { return false };
    let rest = body.parse::<u64>().map(|number| number % 97);
    rest.is_ok_and(|rest| key.parse() == Ok(if rest == 0 { 97 } else { rest }))
}

/// The last digit of the matricule of Luxembourg: Verhoeff, over all but the Luhn digit before it.
/// Source: Règlement grand-ducal du 28 novembre 2013.
pub fn matricule_lu(value: &str) -> bool {
    let (body, last) = (value.get(..11), value.get(12..));
    body.zip(last).is_some_and(|(body, last)| crate::checks::digits::verhoeff(&[body, last].concat()))
}

/// Irish personal public service number: weights 8 to 2, the second letter by 9, modulo 23.
/// Source: Revenue, "PPS number check character".
pub fn pps(value: &str) -> bool {
    let second = match value.as_bytes().get(8) {
        None | Some(b'T' | b'W' | b'X') => 0,
        Some(letter @ (b'A'..=b'I')) => u32::from(letter - b'A') + 1,
        Some(_) => return false,
    };
    let sum = weighted(value, &[8, 7, 6, 5, 4, 3, 2]) + 9 * second;
    b"WABCDEFGHIJKLMNOPQRSTUV".get((sum % 23) as usize) == value.as_bytes().get(7)
}

/// Irish VAT number: as the PPS number; in the older form the first digit follows the others and a letter in
/// second place counts nothing. Source: European Commission, VIES.
pub fn vat_ie(value: &str) -> bool {
    let form = |at: usize| value.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let (Some(first), Some(middle), Some(rest)) = (value.get(..1), value.get(2..7), value.get(7..)) else {
        return false;
    };
    let digits = form(0) && (2..7).all(form);
    match value.as_bytes().get(1) {
        Some(b'0'..=b'9') => digits && pps(value),
        _ => digits && rest.len() == 1 && pps(&["0", middle, first, rest].concat()),
    }
}

/// Swiss payment reference: modulo 10, recursive. Source: SIX, Swiss Implementation Guidelines QR-Rechnung.
pub fn esr(value: &str) -> bool {
    const TABLE: [u8; 10] = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];
    let Some((body, last)) = value.split_at_checked(value.len().saturating_sub(1)) else { return false };
    let carry = body.bytes().fold(0, |carry: u8, byte| {
        let at = carry.wrapping_add(byte.wrapping_sub(b'0')) % 10;
        TABLE.get(usize::from(at)).copied().unwrap_or_default()
    });
    last.parse() == Ok((10 - carry) % 10)
}

/// Cypriot tax number: every other digit counts by a table, the sum modulo 26 is the letter.
/// Source: European Commission, VIES, algorithms of the member states.
pub fn afm_cy(value: &str) -> bool {
    const ODD: [u8; 10] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
    let Some((body, letter)) = value.split_at_checked(8) else { return false };
    let counts = body.bytes().enumerate().map(|(at, byte)| match byte.wrapping_sub(b'0') {
        digit if at % 2 == 1 => digit,
        digit => ODD.get(usize::from(digit)).copied().unwrap_or_default(),
    });
    let rest = counts.fold(0, |sum: u8, count| sum.wrapping_add(count)) % 26;
    letter.bytes().next() == Some(b'A' + rest)
}

/// Ukrainian register code of companies: two sets of weights by the size of the number, modulo 11; for the
/// remainder 10 each weight is 2 higher. Source: Держстат, ЄДРПОУ.
pub fn edrpou(value: &str) -> bool {
    let Some((body, last)) = value.split_at_checked(7) else { return false };
    let middle = ("3000000".."6000000").contains(&body);
    let weights = if middle { [7, 1, 2, 3, 4, 5, 6] } else { [1, 2, 3, 4, 5, 6, 7] };
    let rest = match weighted(body, &weights) % 11 {
        10 => weighted(body, &weights.map(|weight| weight + 2)) % 11 % 10,
        rest => rest,
    };
    last.parse() == Ok(rest)
}

/// Russian insurance account: weights 9 to 1, modulo 101, 100 as 00; numbers up to 001-001-998 have no
/// check. Source: Постановление Правления ПФР № 192п.
pub fn snils(value: &str) -> bool {
    let Some((body, key)) = value.split_at_checked(9) else { return false };
    let sum = weighted(body, &[9, 8, 7, 6, 5, 4, 3, 2, 1]);
    body <= "001001998" || key.parse() == Ok(sum % 101 % 100)
}

/// Belarusian payer number: weights modulo 11; for persons a letter of the region and one more, which
/// counts its place in a list. Source: Министерство по налогам и сборам, УНП.
pub fn unp(value: &str) -> bool {
    let (Some((body, last)), Some(second)) = (value.split_at_checked(8), value.get(1..2)) else {
        return false;
    };
    let place = second.parse().ok().or_else(|| "ABCEHKMOPT".find(second));
    let Some(place) = place.and_then(|place| u32::try_from(place).ok()) else { return false };
    let sum = weighted(body, &[29, 0, 19, 17, 13, 7, 5, 3]) + 23 * place;
    body.starts_with(|first| "1234567ABCEHKM".contains(first)) && last.parse() == Ok(sum % 11)
}

/// Turkish identification number: the tenth digit from the odd and the even places, the eleventh the sum of
/// the others, modulo 10. Source: Nüfus ve Vatandaşlık İşleri Genel Müdürlüğü.
pub fn tckn(value: &str) -> bool {
    let tenth = weighted(value, &[7, 9, 7, 9, 7, 9, 7, 9, 7, 9]);
    let last = weighted(value, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9]);
    tenth.is_multiple_of(10) && last.is_multiple_of(10)
}

/// Turkish tax number: each digit and its distance from the end, times a power of 2, modulo 9.
/// Source: Gelir İdaresi Başkanlığı.
pub fn vkn(value: &str) -> bool {
    let Some((body, last)) = value.split_at_checked(9) else { return false };
    let digits = body.chars().rev().map(|digit| digit.to_digit(10).unwrap_or_default());
    let sum: u32 = (digits.zip(1..))
        .map(|(digit, place)| match (digit + place) % 10 {
            0 => 0,
            // the rest by 9, with 9 for 0
            digit => (digit * (1 << place) - 1) % 9 + 1,
        })
        .sum();
    last.parse() == Ok((10 - sum % 10) % 10)
}

/// Kazakh identification numbers: weights 1 to 11 modulo 11, for the remainder 10 others; a number that
/// these leave 10 of, too, is not issued. Source: Постановление Правительства РК № 406.
pub fn iin_kz(value: &str) -> bool {
    let Some((body, last)) = value.split_at_checked(11) else { return false };
    let rest = match weighted(body, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11 {
        10 => weighted(body, &[3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11,
        rest => rest,
    };
    last.parse() == Ok(rest)
}

/// English pupil number: weights 2 to 13 modulo 23, with the check letter first; a letter in the last place,
/// of a temporary number, counts its place. Source: Department for Education, Unique pupil numbers.
pub fn upn(value: &str) -> bool {
    const LETTERS: &str = "ABCDEFGHJKLMNPQRTUVWXYZ";
    let mut sum = 0;
    for (letter, weight) in value.chars().skip(1).zip(2..) {
        let Some(count) = letter.to_digit(10).map(|digit| digit as usize).or_else(|| LETTERS.find(letter))
        else {
            return false;
        };
        sum += count * weight;
    }
    value.bytes().next() == LETTERS.as_bytes().get(sum % 23).copied()
}

/// Euro banknote: with the ASCII codes of its letters in their place the number is divisible by 9.
/// Source: European Central Bank.
pub fn euro_banknote(value: &str) -> bool {
    let counts = value.bytes().map(|byte| if byte.is_ascii_digit() { byte - b'0' } else { byte });
    counts.map(u32::from).sum::<u32>().is_multiple_of(9)
}

/// Energy identification code: letters 10 to 35, a hyphen 36, weights 16 to 2, modulo 37.
/// Source: ENTSO-E, EIC Reference Manual.
pub fn eic(value: &str) -> bool {
    let count = |letter: char| letter.to_digit(36).unwrap_or(36);
    let sum: u32 =
        value.chars().take(15).zip((2..=16).rev()).map(|(letter, weight)| count(letter) * weight).sum();
    value.len() == 16 && value.chars().last().map(count) == Some(36 - (sum + 36) % 37)
}

/// The digits or letters of a value as numbers, letters counting from 10.
fn codes(value: &str) -> impl Iterator<Item = u32> {
    value.chars().map(|letter| letter.to_digit(36).unwrap_or_default())
}

/// Whether the last character is the one of `letters` at this place.
fn ends_with(value: &str, letters: &str, at: u32) -> bool {
    let expected = usize::try_from(at).ok().and_then(|at| letters.as_bytes().get(at));
    expected.is_some() && expected == value.as_bytes().last()
}

/// Indian GST number: Luhn over letters and digits, modulo 36. Source: GSTN, "Check digit of GSTIN".
pub fn gstin(value: &str) -> bool {
    let count = value.len() as u32;
    let weighted = codes(value).enumerate().map(|(at, code)| code * (1 + (count - 1 - at as u32) % 2));
    weighted.map(|product| product / 36 + product % 36).sum::<u32>().is_multiple_of(36)
}

/// Brazilian driving licence: two check digits; where the first would be 10 it is 0 and the second two
/// less. Source: Denatran, Portaria 2/2009 on the register of drivers.
pub fn cnh(value: &str) -> bool {
    let first = weighted(value, &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
    let second = weighted(value, &[1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11;
    let less = if first == 10 { 2 } else { 0 };
    let second = if second == 10 { 0 } else { second };
    let second = (second + 11 - less) % 11 % 10;
    codes(value).skip(9).eq([first % 10, second])
}

/// Brazilian health card: the digits times 15 to 1 add up to a multiple of 11; those that begin with 1 or
/// 2 come from a PIS and have `000` or `001` before the last. Source: DATASUS, "Cartão Nacional de Saúde:
/// rotina de validação".
pub fn cns_br(value: &str) -> bool {
    let sum = weighted(value, &[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    let from_pis = value.starts_with(['1', '2']);
    sum.is_multiple_of(11) && (!from_pis || matches!(value.get(11..14), Some("000" | "001")))
}

/// Number of a Brazilian court case: mod 97-10 with the check digits, the eighth and ninth, put last.
/// Source: Conselho Nacional de Justiça, Resolução 65/2008, annex VIII.
pub fn processo_cnj(value: &str) -> bool {
    let (Some(head), Some(check), Some(tail)) = (value.get(..7), value.get(7..9), value.get(9..)) else {
        return false;
    };
    crate::checks::digits::mod97(head.bytes().chain(tail.bytes()).chain(check.bytes())) == Some(1)
}

/// New Zealand bank account, 15 or 16 digits: bank, branch, account and suffix; the weights and the modulus
/// are the bank's. Source: Inland Revenue, "Resident withholding tax and non-resident withholding tax
/// specification", bank account number validation.
pub fn bank_account_nz(value: &str) -> bool {
    // two digits of the bank, four of the branch, eight of the account, four of the suffix
    let (Some(head), Some(account), Some(suffix)) = (value.get(..6), value.get(6..13), value.get(13..))
    else {
        return false;
    };
    let padded = format!("{head}0{account}{suffix:0>4}");
    let young = account >= "0990000";
    let (weights, modulus, digit_sum): ([u32; 18], u32, bool) = match head.get(..2) {
        Some("08") => ([0, 0, 0, 0, 0, 0, 0, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0], 11, false),
        Some("09") => ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 4, 3, 2, 0, 0, 0, 1], 11, true),
        Some("25" | "33") => ([0, 0, 0, 0, 0, 0, 0, 1, 7, 3, 1, 7, 3, 1, 0, 0, 0, 0], 10, false),
        Some("26" | "28" | "29") => ([0, 0, 0, 0, 0, 0, 0, 1, 3, 7, 1, 3, 7, 1, 0, 3, 7, 1], 10, true),
        Some("31") => ([0; 18], 1, false),
        _ if young => ([0, 0, 0, 0, 0, 0, 0, 0, 10, 5, 8, 4, 2, 1, 0, 0, 0, 0], 11, false),
        _ => ([0, 0, 6, 3, 7, 9, 0, 0, 10, 5, 8, 4, 2, 1, 0, 0, 0, 0], 11, false),
    };
    let products = codes(&padded).zip(weights).map(|(code, weight)| code * weight);
    let folded = products.map(|product| match (digit_sum, product / 10 + product % 10) {
        (true, sum) => sum / 10 + sum % 10,
        (false, _) => product,
    });
    folded.sum::<u32>().is_multiple_of(modulus)
}

/// New Zealand health index: three letters, then four digits (the last of them checks modulo 11), or two
/// digits and two letters (modulo 23). Source: Te Whatu Ora, HISO 10046:2025, appendix on the NHI number.
pub fn nhi(value: &str) -> bool {
    // without I and O, from 1
    const LETTERS: &str = "0ABCDEFGHJKLMNPQRSTUVWXYZ";
    let code =
        |letter: char| letter.to_digit(10).map(|digit| digit as usize).or_else(|| LETTERS.find(letter));
    let Some(sum) = value
        .chars()
        .take(6)
        .zip((2..=7).rev())
        .try_fold(0, |sum, (letter, weight)| code(letter).map(|code| sum + code * weight))
    else {
        return false;
    };
    let last = value.chars().last().and_then(code);
    match value.ends_with(|last: char| last.is_ascii_digit()) {
        true => sum % 11 != 0 && last == Some((11 - sum % 11) % 10),
        false => last == Some(23 - sum % 23),
    }
}

/// Hong Kong identity card: one or two letters, six digits, a check character modulo 11; a letter that is
/// not there counts 36. Source: Immigration Department, "Hong Kong identity card"; published specimens.
pub fn hkid(value: &str) -> bool {
    let Some((body, _)) = value.split_at_checked(value.len().saturating_sub(1)) else { return false };
    let sum = match body.len() {
        7 => 36 * 9 + weighted(body, &[8, 7, 6, 5, 4, 3, 2]),
        8 => weighted(body, &[9, 8, 7, 6, 5, 4, 3, 2]),
        _ => return false,
    };
    ends_with(value, "0A987654321", sum % 11)
}

/// Singaporean NRIC or FIN: seven weighted digits; the first letter moves the sum and names the letters.
/// Source: Immigration & Checkpoints Authority; the letters are published for Singpass test data.
pub fn nric(value: &str) -> bool {
    let Some((series, digits)) = value.split_at_checked(1) else { return false };
    let (moved, letters) = match series {
        "S" => (0, "JZIHGFEDCBA"),
        "T" => (4, "JZIHGFEDCBA"),
        "F" => (0, "XWUTRQPNMLK"),
        "G" => (4, "XWUTRQPNMLK"),
        "M" => (3, "XWUTRQPNJLK"),
        _ => return false,
    };
    let sum = moved + weighted(digits, &[2, 7, 6, 5, 4, 3, 2]);
    ends_with(value, letters, sum % 11)
}

/// Singaporean entity number of a business (eight digits), a local company (nine) or another entity, each
/// with a letter. Source: Accounting and Corporate Regulatory Authority, UEN; letters as published by
/// implementers.
pub fn uen(value: &str) -> bool {
    const OTHERS: &str = "ABCDEFGHJKLMNPQRSTUVWX0123456789";
    if value.starts_with(['R', 'S', 'T']) {
        let places = value.chars().map(|letter| OTHERS.find(letter));
        let sum: Option<usize> = places
            .zip([4, 3, 5, 3, 10, 2, 2, 5, 7])
            .try_fold(0, |sum, (place, weight)| place.map(|place| sum + place * weight));
        return sum.is_some_and(|sum| ends_with(value, OTHERS, (sum as u32 + 6) % 11));
    }
    match value.len() {
        9 => ends_with(value, "XMKECAWLJDB", weighted(value, &[10, 4, 9, 3, 8, 2, 7, 1]) % 11),
        _ => {
            let year = value.get(..4).and_then(|year| year.parse::<u16>().ok());
            year.is_some_and(|year| year <= crate::api::limits::REFERENCE_YEAR)
                && ends_with(value, "ZKCMDNERGWH", weighted(value, &[10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11)
        }
    }
}

/// Korean business number: the tens of the ninth digit times five count, too. Source: National Tax Service,
/// "사업자등록번호 검증".
pub fn brn_kr(value: &str) -> bool {
    let carried = codes(value).nth(8).unwrap_or_default() * 5 / 10;
    (weighted(value, &[1, 3, 7, 1, 3, 7, 1, 3, 5, 1]) + carried).is_multiple_of(10)
}

/// Taiwanese business number: digit sums of the products; a 7 in the seventh place counts 1 or 0. Divisible
/// by 5 since April 2023, by 10 before, which is by 5 as well. Source: Fiscal Information Agency,
/// "營利事業統一編號檢查碼邏輯修正說明".
pub fn ubn_tw(value: &str) -> bool {
    let products = codes(value).zip([1, 2, 1, 2, 1, 2, 4, 1]).map(|(digit, weight)| digit * weight);
    let sum: u32 = products.map(|product| product / 10 + product % 10).sum();
    sum.is_multiple_of(5) || value.get(6..7) == Some("7") && (sum + 1).is_multiple_of(5)
}

/// Ecuadorian tax number: the third digit is 9 for companies, 6 for public bodies, less for persons, whose
/// identity number it begins with. Source: Servicio de Rentas Internas, "Algoritmo de validación del RUC".
pub fn ruc_ec(value: &str) -> bool {
    let person = || value.get(..10).is_some_and(|person| crate::checks::digits::luhn(person.bytes()));
    match value.as_bytes().get(2) {
        Some(b'9') => weighted(value, &[4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11),
        Some(b'6') => weighted(value, &[3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11) || person(),
        _ => person(),
    }
}

/// Venezuelan tax number: the letter counts as much as the list says. Source: SENIAT, Providencia
/// 0073/2006, "Registro Único de Información Fiscal".
pub fn rif_ve(value: &str) -> bool {
    let Some((kind, digits)) = value.split_at_checked(1) else { return false };
    let kind = match kind {
        "V" => 4,
        "E" => 8,
        "J" | "C" => 12,
        "P" => 16,
        "G" => 20,
        _ => return false,
    };
    ends_with(value, "00987654321", (kind + weighted(digits, &[3, 2, 7, 6, 5, 4, 3, 2])) % 11)
}

/// Security numbers: Luhn over the digits, letters written as 10 to 35. Source: ISO 6166, annex B.
pub fn isin(value: &str) -> bool {
    let digits: String = codes(value).map(|code| code.to_string()).collect();
    crate::checks::digits::luhn(digits.bytes())
}

/// Global identifiers of financial instruments: every second character counts twice, letters 10 to 35, and the
/// digits of all products add up with the last digit to a multiple of 10. Source: OMG, FIGI, section 6.1.2.
pub fn figi(value: &str) -> bool {
    let Some((body, last)) = value.split_at_checked(11) else { return false };
    let products = codes(body).zip([1, 2].into_iter().cycle()).map(|(code, weight)| code * weight);
    let sum: u32 = products.map(|product| product / 10 + product % 10).sum();
    last.parse() == Ok((10 - sum % 10) % 10)
}

/// Creditor references without their `RF`: mod 97-10 with the letters and the check digits at the end.
/// Source: ISO 11649.
pub fn creditor_reference(value: &str) -> bool {
    let Some((check, reference)) = value.split_at_checked(2) else { return false };
    crate::checks::digits::mod97([reference, "RF", check].concat().bytes()) == Some(1)
}

/// Creditor identifiers: mod 97-10 with the first four characters at the end, without the three of the
/// creditor's business. Source: European Payments Council, EPC262-08.
pub fn sepa_creditor_id(value: &str) -> bool {
    let (Some(head), Some(national)) = (value.get(..4), value.get(7..)) else { return false };
    crate::checks::digits::mod97(national.bytes().chain(head.bytes())) == Some(1)
}

/// Audiovisual numbers: ISO 7064 mod 37,36 over the first 16 digits; with a version, also over all digits
/// including it. Source: ISO 15706-1, annex; ISO 15706-2, annex.
pub fn isan(value: &str) -> bool {
    let holds = |text: &str| Check::Mod37_36.holds(text);
    let (Some(root), Some(version)) = (value.get(..17), value.get(17..)) else { return false };
    let digits = root.get(..16).unwrap_or_default();
    holds(root) && (version.is_empty() || holds(&[digits, version].concat()))
}

/// Numbers of chemical substances: the digits times their places from the right, modulo 10.
/// Source: CAS, "Check Digit Verification of CAS Registry Numbers".
pub fn cas_number(value: &str) -> bool {
    let mut digits = codes(value).collect::<Vec<_>>().into_iter().rev();
    let check = digits.next();
    check == Some(digits.zip(1..).map(|(digit, place)| digit * place).sum::<u32>() % 10)
}

/// Music numbers: article numbers that begin with 9790, for which the old form has an `M`.
/// Source: ISO 10957.
pub fn ismn(value: &str) -> bool {
    match value.len() {
        9 => gtin(&["9790", value].concat()),
        _ => value.starts_with("9790") && gtin(value),
    }
}

/// Electronic tickets of 14 digits: the last one is the number before it, with the airline or without, modulo
/// 7. Source: IATA, Passenger Standards Conference Resolution 722.
pub fn e_ticket(value: &str) -> bool {
    let (Some(form), Some(last)) = (value.get(3..13), value.get(13..)) else { return false };
    let rest = |digits: &str| digits.parse::<u64>().map(|number| number % 7);
    let airline = value.get(..13).unwrap_or_default();
    last.parse().is_ok_and(|last: u64| rest(form) == Ok(last) || rest(airline) == Ok(last))
}

/// Each check with published or generated examples, and each example with a character wrong.
#[cfg(test)]
#[test]
fn verdicts() {
    for (check, valid, wrong) in [
        (rvnr as fn(&str) -> bool, "65170839J003", "65170839J004"), // VKVV § 2
        (rvnr, "15070649C103", "15070649C130"),                     // Deutsche Rentenversicherung
        (kvnr, "A000500015", "A000500051"),                         // gematik, test cards
        (cislo_uctu, "19-2000145399/0800", "19-2000145398/0800"),   // Czech National Bank
        (cislo_uctu, "178124-4159/0710", "178142-4159/0710"),
        (dic_cz, "640903926", "640903962"), // VIES
        (gstin, "27AAPFU0939F1ZV", "27AAPFU0939F1ZW"),
        (cnh, "98765432109", "98765432108"),
        (cnh, "02650461479", "02650461497"),
        (cns_br, "898000000043208", "898000000043280"),
        (cns_br, "700508670123401", "700508670123400"),
        (processo_cnj, "00012340820238260100", "00012340920238260100"),
        (bank_account_nz, "010902006838900", "010902006838800"), // as above
        (bank_account_nz, "086523195451200100", "086523195452200100"),
        (nhi, "ZZZ0016", "ZZZ0017"), // HISO
        (nhi, "ZZZ00AC", "ZZZ00AD"),
        (hkid, "A1234563", "A1234564"),
        (hkid, "AB9876543", "AB9876542"),
        (nric, "S1234567D", "S1234567E"),
        (nric, "M1234567K", "M1234567L"),
        (uen, "00192200M", "00192200N"),
        (uen, "197401143C", "197401143D"),
        (uen, "T01FC6132D", "T01FC6132E"),
        (brn_kr, "2208162517", "2208162518"),
        (ubn_tw, "04595252", "04595253"), // from the explanation of the agency
        (ubn_tw, "10458575", "10458577"),
        (ruc_ec, "1790011887001", "1790011886001"),
        (ruc_ec, "1760001040001", "1760001050001"),
        (ruc_ec, "1714307103001", "1714307104001"),
        (rif_ve, "V114702834", "V114702835"),
        (siret, "73282932000074", "73282932000047"),
        (siret, "35600000000048", "35600000000049"), // the seat of La Poste
        (siret, "35600000049837", "35600000049838"),
        (gtin, "96385074", "96385047"),
        (gtin, "036000291452", "036000291425"),
        (gtin, "4006381333931", "4006381333913"),
        (gtin, "10614141000415", "10614141000451"),
        (isin, "US0378331005", "US0378331006"),
        (isin, "DE000BAY0017", "DE000BAY0071"),
        (figi, "BBG000BLNQ16", "BBG000BLNQ17"), // the example of OMG
        (figi, "BBG000B9XRY4", "BBG000B9XRY5"),
        (creditor_reference, "18539007547034", "18539007547043"), // ISO 11649
        (sepa_creditor_id, "DE98ZZZ09999999999", "DE98ZZZ09999999998"), // Deutsche Bundesbank
        (sepa_creditor_id, "DE98ABC09999999999", "DE97ABC09999999999"), // for every business code
        (isan, "000000018CFA0000I", "000000018CFA0000J"),
        (isan, "000000018CFA0000I00000000K", "000000018CFA0000I00000000L"),
        (cas_number, "7732185", "7732158"), // water
        (cas_number, "87865", "87866"),
        (ismn, "9790230671187", "9780230671187"),
        (ismn, "230671187", "230671178"), // ISMN User's Manual
        (e_ticket, "22012345678903", "22012345678905"),
    ] {
        assert!(check(valid), "{valid}");
        assert!(!check(wrong), "{wrong}");
    }
}
