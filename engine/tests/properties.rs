//! Invariants of every text: offsets, coverage, masks, tokens, streams, and the amount of work.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

use proptest::prelude::*;
use textveil_engine::{
    DetectOptions, Keyring, Mode, OffsetUnit, Preset, ProtectOptions, Stream, detect, protect, restore,
};

const SECRET: &[u8] = b"a secret of thirty-two bytes, ok";

/// Pieces of which texts are made: identifiers, words in several scripts, and what is hard about text.
const PIECES: &[&str] = &[
    "PESEL 44051401359",
    "800101/1238",
    "RČ: 530101/123",
    "jan.novak@example.cz",
    "+420 601 123 456",
    "06 12 34 56 78",
    "DE89 3704 0044 0532 0130 00",
    "4111 1111 1111 1111",
    "SIREN 732 829 320",
    "https://example.com/a?b=c",
    "192.0.2.1",
    "2001:db8::1",
    "00:1A:2B:3C:4D:5E",
    "AKIAIOSFODNN7EXAMPLE",
    "password: hunter2!",
    "born 12 May 1980",
    "1.2.1980",
    "tok_cz_rodne_cislo_1baa4abcdefghijklmnopqrstuvwxyz23r",
    "[[EMAIL_x7k2qd3maba]]",
    "[REDACTED]",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
    "１２３４５",
    "44051401359\u{200b}",
    "e\u{301}",
    "👩\u{200d}👧",
    "مرحبا",
    "שלום",
    "Příliš",
    "ｗｗｗ．example.org",
    "\r\n",
    "\n",
    "\t",
    " ",
    " ",
    "-",
    "/",
    ".",
    ":",
    "@",
    "::",
    "://",
    "=",
    "(",
    ")",
    "+",
    "_",
    "\u{feff}",
    "\u{a0}",
    "0",
    "12",
    "AB",
    "z",
    "ß",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![6 => proptest::sample::select(PIECES).prop_map(str::to_owned), 1 => "\\PC{0,8}"];
    proptest::collection::vec(piece, 1..24)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("not empty", |text| !text.is_empty())
}

fn aggressive() -> DetectOptions {
    DetectOptions { privacy_preset: Some(Preset::Aggressive), explain: true, ..DetectOptions::default() }
}

fn in_unit(text: &str, unit: OffsetUnit, start: usize, end: usize) -> String {
    match unit {
        OffsetUnit::Byte => text[start..end].to_owned(),
        OffsetUnit::CodePoint => text.chars().skip(start).take(end - start).collect(),
        OffsetUnit::Utf16 => {
            let units: Vec<u16> = text.encode_utf16().collect();
            String::from_utf16(&units[start..end]).unwrap()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn offsets_slice_to_the_original(text in text()) {
        for unit in [OffsetUnit::Byte, OffsetUnit::CodePoint, OffsetUnit::Utf16] {
            let found = detect(&text, &DetectOptions { offset_unit: Some(unit), ..aggressive() }).unwrap();
            let mut last = 0;
            for entity in found.entities {
                prop_assert_eq!(in_unit(&text, unit, entity.span.start, entity.span.end), entity.original);
                prop_assert!(entity.span.start >= last && entity.span.end > entity.span.start);
                prop_assert!((0.0..=1.0).contains(&entity.confidence));
                last = entity.span.end;
            }
        }
    }

    #[test]
    fn text_outside_the_findings_is_untouched(text in text(), mode in proptest::sample::select(vec![Mode::Replace, Mode::Mask, Mode::Hash, Mode::Tokenize])) {
        let keys = Keyring::new(1, SECRET).unwrap();
        let protection = ProtectOptions { mode, ..ProtectOptions::default() };
        let protected = protect(&text, &aggressive(), &protection, Some(&keys)).unwrap();
        let mut rebuilt = protected.text.as_str();
        let mut read = 0;
        for item in &protected.entities {
            let before = &text[read..item.entity.bytes.start];
            rebuilt = rebuilt.strip_prefix(before).unwrap().strip_prefix(item.replacement.as_str()).unwrap();
            read = item.entity.bytes.end;
        }
        prop_assert_eq!(rebuilt, &text[read..]);
        if mode == Mode::Mask {
            prop_assert_eq!(protected.text.chars().count(), text.chars().count());
        }
    }

    #[test]
    fn restore_undoes_tokenize(text in text()) {
        let keys = Keyring::new(7, SECRET).unwrap();
        let protection = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
        let protected = protect(&text, &aggressive(), &protection, Some(&keys)).unwrap();
        prop_assert_eq!(restore(&protected.text, &keys).unwrap().text, text);
    }

    #[test]
    fn protected_texts_stay_as_they_are(text in text()) {
        let keys = Keyring::new(7, SECRET).unwrap();
        let protection = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
        let balanced = DetectOptions::default();
        let once = protect(&text, &balanced, &protection, Some(&keys)).unwrap();
        let tokens: Vec<&str> = once.entities.iter().map(|item| item.replacement.as_str()).collect();
        let twice = protect(&once.text, &balanced, &protection, Some(&keys)).unwrap();
        for token in tokens {
            prop_assert!(twice.text.contains(token));
        }
    }

    #[test]
    fn any_chunking_of_a_stream_is_the_whole(text in text(), repeat in prop_oneof![9 => 1_usize..4, 1 => 40_usize..60], cuts in proptest::collection::vec(1_usize..200, 1..40)) {
        let text = text.repeat(repeat);
        let stream = || Stream::new(DetectOptions::default(), ProtectOptions::default(), None).unwrap();
        let mut whole = stream();
        let mut expected = whole.push(&text).unwrap();
        expected.push_str(&whole.finish().unwrap());
        let mut pieces = stream();
        let (mut out, mut rest) = (String::new(), text.as_str());
        for cut in cuts.iter().cycle() {
            let mut cut = (*cut).min(rest.len());
            while !rest.is_char_boundary(cut) {
                cut += 1;
            }
            out.push_str(&pieces.push(&rest[..cut]).unwrap());
            rest = &rest[cut..];
            if rest.is_empty() {
                break;
            }
        }
        out.push_str(&pieces.finish().unwrap());
        prop_assert_eq!(out, expected);
    }

    #[test]
    fn nothing_panics_on_any_string(text in any::<String>().prop_filter("not empty", |text| !text.is_empty())) {
        detect(&text, &aggressive()).unwrap();
        let _ = textveil_engine::validate(&text, "iban", None);
        let _ = textveil_engine::validate(&text, "phone_number", Some("CZ"));
        for info in textveil_engine::detectors(None).iter().step_by(7) {
            let _ = textveil_engine::validate(&text, info.name, None);
        }
    }
}

#[test]
fn every_detector_takes_any_value() {
    for info in textveil_engine::detectors(None) {
        for value in [
            "0",
            "A",
            "ß",
            "1234567890",
            "ABCDEFGH",
            "\u{0}",
            "ＡＢ１２",
            "12/34",
            "----",
            "99999999999999999999999999",
            "é1",
        ] {
            textveil_engine::validate(value, info.name, None).unwrap();
        }
    }
}
