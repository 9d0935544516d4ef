//! Holds `plans.toml` to the metadata of libphonenumber, and what is made of it to libphonenumber's own reading
//! of numbers, as `rlibphonenumber` ports it.

use std::{env, fmt, fs, path::PathBuf, process::Command};

use prost::Message;
use rlibphonenumber::{
    CountryCodeSource, PHONE_NUMBER_UTIL, ParseError, PhoneMetadata, PhoneMetadataCollection, PhoneNumber,
    PhoneNumberDesc, PhoneNumberFormat, PhoneNumberType, Region as Code,
};

use super::*;

/// libphonenumber's metadata, from the sources of `rlibphonenumber`, which does not export it.
fn metadata() -> Vec<PhoneMetadata> {
    let compiler = output(Command::new("rustc").arg("-vV"));
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // the libraries of other platforms may not have been downloaded
    let known = output(
        Command::new(cargo)
            .args(["metadata", "--format-version=1", "--locked", "--filter-platform", host])
            .current_dir(env!("CARGO_MANIFEST_DIR")),
    );
    let known: serde_json::Value = serde_json::from_str(&known).unwrap();
    let package =
        known["packages"].as_array().unwrap().iter().find(|package| package["name"] == "rlibphonenumber");
    let manifest = PathBuf::from(package.unwrap()["manifest_path"].as_str().unwrap());
    let bytes = fs::read(manifest.with_file_name("src/generated/metadata/metadata.bin")).unwrap();
    PhoneMetadataCollection::decode(&*bytes).unwrap().metadata
}

fn output(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// The pattern itself; `rlibphonenumber` stores it as `^(?:…)$`.
fn bare(pattern: &str) -> &str {
    pattern.strip_prefix("^(?:").and_then(|pattern| pattern.strip_suffix(")$")).unwrap()
}

/// The numbers of each line type that a plan has, by the type's name.
#[allow(deprecated, reason = "deprecated only for those who get the metadata from rlibphonenumber itself")]
fn lines(plan: &PhoneMetadata) -> Vec<(LineType, &PhoneNumberDesc)> {
    [
        (LineType::FixedLine, &plan.fixed_line),
        (LineType::Mobile, &plan.mobile),
        (LineType::TollFree, &plan.toll_free),
        (LineType::PremiumRate, &plan.premium_rate),
        (LineType::SharedCost, &plan.shared_cost),
        (LineType::PersonalNumber, &plan.personal_number),
        (LineType::Voip, &plan.voip),
        (LineType::Pager, &plan.pager),
        (LineType::Uan, &plan.uan),
        (LineType::Voicemail, &plan.voicemail),
    ]
    .into_iter()
    .filter_map(|(line, numbers)| Some((line, numbers.as_ref()?)))
    .filter(|(_, numbers)| numbers.national_number_pattern.is_some())
    .collect()
}

/// `plans.toml` as it should be.
#[allow(deprecated, reason = "deprecated only for those who get the metadata from rlibphonenumber itself")]
fn written(plans: &[PhoneMetadata]) -> String {
    let mut out = include_str!("plans.toml")
        .split_inclusive('\n')
        .take_while(|line| line.starts_with('#'))
        .collect::<String>();
    for plan in plans {
        let general = plan.general_desc.as_ref().unwrap();
        let key = if plan.id == "001" { plan.country_code().to_string() } else { plan.id.clone() };
        out += &format!("\n[{key}]\ncode = {}\n", plan.country_code());
        if plan.main_country_for_code() {
            out += "main = true\n";
        }
        if let Some(pattern) = &plan.national_prefix_for_parsing {
            out += &format!("prefix = '{}'\n", bare(pattern));
        }
        if let Some(rewrite) = &plan.national_prefix_transform_rule {
            out += &format!("rewrite = '{rewrite}'\n");
        }
        out += &format!("lengths = {:?}\n", general.possible_length);
        out += &format!("general = '{}'\n", bare(general.national_number_pattern.as_ref().unwrap()));
        for (line, numbers) in lines(plan) {
            let pattern = bare(numbers.national_number_pattern.as_ref().unwrap());
            out += &format!("lines.{} = '{pattern}'\n", line.as_str());
        }
    }
    out
}

#[test]
fn plans_are_those_of_libphonenumber() {
    let plans = written(&metadata());
    if env::var_os("UPDATE_PLANS").is_some() {
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/phone/plans.toml"), &plans).unwrap();
    } else {
        assert!(
            plans == include_str!("plans.toml"),
            "rlibphonenumber has newer numbering plans; run this test with UPDATE_PLANS=1 in the environment"
        );
    }
}

/// The result of one of the two implementations for a number.
#[derive(Debug, PartialEq)]
struct Reading {
    country: Option<String>,
    line_type: &'static str,
    e164: String,
}

impl From<Phone> for Reading {
    fn from(phone: Phone) -> Self {
        Self {
            country: phone.country.map(Country::upper),
            line_type: phone.line_type.as_str(),
            e164: phone.to_string(),
        }
    }
}

fn reading(number: &PhoneNumber) -> Option<Reading> {
    if !PHONE_NUMBER_UTIL.is_valid_number(number) {
        return None;
    }
    let region = PHONE_NUMBER_UTIL.get_region_for_number(number).unwrap();
    Some(Reading {
        country: (region != Code::World).then(|| region.to_string()),
        line_type: match PHONE_NUMBER_UTIL.get_number_type(number) {
            PhoneNumberType::FixedLine => "fixed_line",
            PhoneNumberType::Mobile => "mobile",
            PhoneNumberType::FixedLineOrMobile => "fixed_line_or_mobile",
            PhoneNumberType::TollFree => "toll_free",
            PhoneNumberType::PremiumRate => "premium_rate",
            PhoneNumberType::SharedCost => "shared_cost",
            PhoneNumberType::VoIP => "voip",
            PhoneNumberType::PersonalNumber => "personal_number",
            PhoneNumberType::Pager => "pager",
            PhoneNumberType::UAN => "uan",
            PhoneNumberType::VoiceMail => "voicemail",
            PhoneNumberType::Unknown => "unknown",
        },
        e164: PHONE_NUMBER_UTIL.format(number, PhoneNumberFormat::E164).into_owned(),
    })
}

/// Counts what was compared, and keeps what differs.
#[derive(Default)]
struct Comparison {
    valid: usize,
    invalid: usize,
    /// Read as international by libphonenumber, although written without `+`; see the module's documentation.
    left_out: usize,
    differences: Vec<String>,
}

impl Comparison {
    fn international(&mut self, digits: &str) {
        let theirs = PHONE_NUMBER_UTIL.parse(format!("+{digits}"), None).ok().as_ref().and_then(reading);
        self.note(&format_args!("+{digits}"), international(digits.as_bytes()), theirs);
    }

    fn national(&mut self, digits: &str, country: &str) {
        let region = Code::from_code(country).unwrap();
        let parsed = PHONE_NUMBER_UTIL.parse_and_keep_raw_input(digits, Some(region));
        let within = match &parsed {
            Ok(number) => number.country_code_source() == CountryCodeSource::FromDefaultCountry,
            // a number after its international prefix is removed
            Err(error) => !matches!(
                error,
                ParseError::InvalidCountryCode | ParseError::TooShortAfterIdd | ParseError::TooShortNsn
            ),
        };
        if within {
            let ours = national(digits.as_bytes(), Country::parse(country).unwrap());
            self.note(&format_args!("{country} {digits}"), ours, parsed.ok().as_ref().and_then(reading));
        } else {
            self.left_out += 1;
        }
    }

    fn note(&mut self, number: &dyn fmt::Display, ours: Option<Phone>, theirs: Option<Reading>) {
        let ours = ours.map(Reading::from);
        *if theirs.is_some() { &mut self.valid } else { &mut self.invalid } += 1;
        if ours != theirs {
            self.differences.push(format!("{number}: {ours:?}, libphonenumber has {theirs:?}"));
        }
    }

    fn assert_same(self) {
        let Self { valid, invalid, left_out, differences } = self;
        println!("{valid} valid, {invalid} invalid, {left_out} left out");
        assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
        assert!(left_out * 5 < valid + invalid, "most numbers are compared");
    }
}

/// Example numbers of all plans: calling code, region, line type, national number.
fn examples(plans: &[PhoneMetadata]) -> Vec<(i32, &str, LineType, &str)> {
    plans
        .iter()
        .flat_map(|plan| {
            lines(plan).into_iter().filter_map(|(line, numbers)| {
                Some((plan.country_code(), plan.id.as_str(), line, numbers.example_number.as_deref()?))
            })
        })
        .collect()
}

#[test]
fn every_example_is_read_as_libphonenumber_reads_it() {
    let plans = metadata();
    let mut comparison = Comparison::default();
    for (code, region, line, number) in examples(&plans) {
        let digits = format!("{code}{number}");
        let phone =
            international(digits.as_bytes()).unwrap_or_else(|| panic!("+{digits} is {line:?} in {region}"));
        let both = [LineType::FixedLine, LineType::Mobile];
        assert!(
            phone.line_type == line || phone.line_type == LineType::FixedLineOrMobile && both.contains(&line),
            "+{digits} is {line:?} in {region}, not {:?}",
            phone.line_type
        );
        comparison.international(&digits);
        if region != "001" {
            for prefix in ["", "0", "1", "8", "06"] {
                comparison.national(&format!("{prefix}{number}"), region);
            }
        }
    }
    assert!(comparison.valid > 2000, "the plans have examples");
    comparison.assert_same();
}

#[test]
fn prefixes_are_taken_off_as_libphonenumber_does_it() {
    let mut comparison = Comparison::default();
    for (country, digits) in [
        ("GB", "02079460958"),
        ("GB", "2079460958"),
        ("HU", "0612345678"),
        ("HU", "06201234567"),
        ("IT", "0212345678"),
        ("RU", "89123456789"),
        ("US", "12025550123"),
        ("AG", "4641234"),        // seven digits, to which the plan adds the area
        ("AR", "0111523456789"),  // 15 is for mobile numbers within the country only, 9 from outside
        ("BR", "01511987654321"), // with a carrier
        ("SM", "886377"),         // the plan adds 0549
        ("IM", "0800171234"),     // bare it is too short for the island's plan, if not for the mainland's
        ("LT", "861234567"),
        ("MX", "5512345678"),
        ("DE", "49123456"),
    ] {
        comparison.national(digits, country);
    }
    // a prefix after the calling code, and a short number that only another region of the code has
    for digits in
        ["4402079460958", "3906123", "390212345678", "113105745", "13105745", "78123456789", "80012345678"]
    {
        comparison.international(digits);
    }
    comparison.assert_same();
}

/// Pseudo-random numbers (SplitMix64), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    fn digit(&mut self) -> char {
        char::from(b'0' + self.below(10) as u8)
    }

    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| self.digit()).collect()
    }

    /// Digits along some way through an automaton, to one of its ends or less far.
    fn way(&mut self, mut node: u16) -> String {
        let mut digits = String::new();
        loop {
            let onward: Vec<u8> = (0..10).filter(|digit| step(node, *digit) != 0).collect();
            if onward.is_empty() || class(node) != 0 && self.below(4) == 0 || self.below(60) == 0 {
                return digits;
            }
            let digit = onward[self.below(onward.len())];
            digits.push(char::from(b'0' + digit));
            node = step(node, digit);
        }
    }

    /// With a digit changed, left out, put in or doubled.
    fn damaged(&mut self, number: &str) -> String {
        let mut digits: Vec<char> = number.chars().collect();
        for _ in 0..=self.below(3) {
            let (at, digit) = (self.below(digits.len().max(1)), self.digit());
            match self.below(4) {
                0 if !digits.is_empty() => drop(digits.remove(at)),
                1 => digits.insert(at, digit),
                _ if !digits.is_empty() => digits[at] = digit,
                _ => {}
            }
        }
        digits.into_iter().collect()
    }
}

/// Numbers along the automata, near them and anywhere, read both ways.
fn compare(rounds: usize, seed: u64) -> Comparison {
    let plans = metadata();
    let examples = examples(&plans);
    let mut random = Random(seed);
    let mut comparison = Comparison::default();
    for round in 0..rounds {
        let region = &REGIONS[random.below(REGIONS.len())];
        let code = &CALLING_CODES[usize::from(region.calling_code)];
        let number = match round % 4 {
            0 => random.way(code.numbers),
            1 => examples[random.below(examples.len())].3.to_owned(),
            2 => examples
                .iter()
                .filter(|example| example.0 == i32::from(code.code))
                .nth(random.below(4))
                .map_or(String::new(), |example| example.3.to_owned()),
            _ => {
                let count = 3 + random.below(13);
                random.digits(count)
            }
        };
        let number = if random.below(2) == 0 { random.damaged(&number) } else { number };
        let prefix = if random.below(3) == 0 { String::new() } else { random.way(region.prefix) };
        comparison.international(&format!("{}{number}", code.code));
        comparison.international(&format!("{}{prefix}{number}", code.code));
        if let Some(country) = region.country {
            comparison.national(&number, &country.upper());
            comparison.national(&format!("{prefix}{number}"), &country.upper());
        }
    }
    comparison
}

#[test]
fn random_numbers_are_read_as_libphonenumber_reads_them() {
    let rounds = env::var("ROUNDS").map_or(10_000, |rounds| rounds.parse().unwrap());
    compare(rounds, 1).assert_same();
}

#[test]
fn what_is_no_number_is_none() {
    for digits in [
        "",
        "0",
        "1",
        "12",
        "420",
        "4206",
        "999",
        "99912345678",
        "0420601123456",
        "42060112345x",
        "é",
        "+420601123456",
    ] {
        assert_eq!(international(digits.as_bytes()).map(Reading::from), None, "{digits}");
        assert_eq!(
            national(digits.as_bytes(), Country::literal(*b"CZ")).map(Reading::from),
            None,
            "{digits}"
        );
    }
    let long = "4".repeat(1000);
    assert!(
        international(long.as_bytes()).is_none()
            && national(long.as_bytes(), Country::literal(*b"DE")).is_none()
    );
    assert!(national(b"601123456", Country::literal(*b"ZZ")).is_none());
}
