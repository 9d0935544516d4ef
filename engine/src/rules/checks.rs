//! Check digits that no rule of `checksum` covers, each with its source.

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

/// Czech bank account `[prefix-]number/bank`: the digits of the prefix, and those of the number, are
/// weighted by the powers of 2 from the right; each sum is divisible by 11.
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

/// SIRET: Luhn, but for La Poste (SIREN 356000000), whose offices are more than that leaves room for: the
/// digits of all but the seat add up to a multiple of 5. Source: INSEE, documentation of the Sirene API.
pub fn siret(value: &str) -> bool {
    if value.starts_with("356000000") && value != "35600000000048" {
        let sum: u32 = value.bytes().map(|byte| u32::from(byte.wrapping_sub(b'0'))).sum();
        return sum.is_multiple_of(5);
    }
    crate::checksum::luhn(value.bytes())
}

/// Numbers of articles of trade, of 8 to 14 digits: weights 1 and 3 in turn from the right, modulo 10.
/// Source: GS1 General Specifications, section 7.9.
pub fn gtin(value: &str) -> bool {
    let weighted = value.bytes().rev().zip([1, 3].into_iter().cycle());
    let sum: u32 = weighted.map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0') & 0x0f) * weight).sum();
    sum.is_multiple_of(10)
}

/// The digits or letters of a value as numbers, letters counting from 10.
fn codes(value: &str) -> impl Iterator<Item = u32> {
    value.chars().map(|letter| letter.to_digit(36).unwrap_or_default())
}

/// The sum of what the characters count, each times its weight.
fn weighted(value: &str, weights: &[u32]) -> u32 {
    codes(value).zip(weights).map(|(code, weight)| code * weight).sum()
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
    crate::checksum::mod97(head.bytes().chain(tail.bytes()).chain(check.bytes())) == Some(1)
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
        _ => ends_with(value, "ZKCMDNERGWH", weighted(value, &[10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11),
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
    let person = || value.get(..10).is_some_and(|person| crate::checksum::luhn(person.bytes()));
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

#[cfg(test)]
mod tests_of_central_europe {
    use super::*;

    /// Each check with a published example, and the example with one digit wrong.
    #[test]
    fn verdicts() {
        for (check, valid, wrong) in [
            (rvnr as fn(&str) -> bool, "65170839J003", "65170839J004"), // VKVV § 2
            (rvnr, "15070649C103", "15070649C130"),                     // Deutsche Rentenversicherung
            (kvnr, "A000500015", "A000500051"),                         // gematik, test cards
            (cislo_uctu, "19-2000145399/0800", "19-2000145398/0800"),   // Czech National Bank
            (cislo_uctu, "178124-4159/0710", "178142-4159/0710"),
            (dic_cz, "640903926", "640903962"), // VIES
        ] {
            assert!(check(valid), "{valid}");
            assert!(!check(wrong), "{wrong}");
        }
    }
}

#[cfg(test)]
mod tests_of_france {
    #[test]
    fn siret_of_la_poste() {
        for (value, valid) in [
            ("73282932000074", true),
            ("73282932000047", false),
            ("35600000000048", true), // the seat
            ("35600000049837", true),
            ("35600000049838", false),
        ] {
            assert_eq!(super::siret(value), valid, "{value}");
        }
    }
}

#[cfg(test)]
mod tests_of_trade {
    #[test]
    fn gtin_of_every_length() {
        for (value, valid) in [
            ("96385074", true),
            ("036000291452", true),
            ("4006381333931", true),
            ("10614141000415", true),
            ("4006381333913", false),
        ] {
            assert_eq!(super::gtin(value), valid, "{value}");
        }
    }
}

#[cfg(test)]
mod tests_of_the_world {
    use super::*;

    /// Each check with published or generated examples, and one with a character wrong.
    #[test]
    fn verdicts() {
        for (check, valid, wrong) in [
            (gstin as fn(&str) -> bool, "27AAPFU0939F1ZV", "27AAPFU0939F1ZW"),
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
        ] {
            assert!(check(valid), "{valid}");
            assert!(!check(wrong), "{wrong}");
        }
    }
}
