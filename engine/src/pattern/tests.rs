//! Patterns against `regex-lite`, and the steps that they take.

use proptest::prelude::*;

use std::ops::Range;

use super::{Fault, Meter, Pattern, parse};

const STATES: usize = 1_024;

fn all(pattern: &Pattern, text: &str, meter: &mut Meter) -> Vec<Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(|| pattern.next(text, &mut from, meter)).collect()
}

/// All matches of a pattern, with `None` for one that is rejected.
fn matches(pattern: &str, text: &str) -> Option<Vec<(usize, usize)>> {
    let compiled = Pattern::new(pattern, 1 << 16).ok()?;
    let found = all(&compiled, text, &mut Meter::new(u64::MAX));
    Some(found.into_iter().map(|found| (found.start, found.end)).collect())
}

fn expected(pattern: &str, text: &str) -> Option<Vec<(usize, usize)>> {
    let compiled = regex_lite::RegexBuilder::new(pattern).nest_limit(31).build().ok()?;
    let found = compiled.find_iter(text).filter(|found| !found.is_empty());
    Some(found.map(|found| (found.start(), found.end())).collect())
}

#[test]
fn every_construct_matches_as_in_regex_lite() {
    let texts = [
        "",
        "a",
        "aaa",
        "AB-1234 ab",
        "žluť ážb\u{1F600}a",
        "one two\r\nthree\nfour\r five_6",
        "a]b^c-d\\e.f{g}h|i",
        "x y\tz # a",
        "[::] alpha :al",
    ];
    for pattern in [
        "a",
        "a|b",
        "a|",
        "|a",
        "(a|ab)(c|bcd)?",
        "a*",
        "a+?",
        "a??b",
        "(?:a|b)*?b",
        "(a*)*",
        "(a*)+",
        "(|a)*",
        "(|a)+",
        "(a|b|)*b",
        "(?:a?){3}",
        "a{2}",
        "a{2,}",
        "a{1,2}?",
        "a{0}",
        "a{0,0}b",
        "a{1}",
        "a{,2}",
        "a{2",
        "a{2,1}",
        "a{ 1 , 2 }",
        "a{99999999999}",
        "x{0,3}y",
        "[abc]",
        "[^abc]",
        "[a-c]+",
        "[]a]",
        "[^]a]",
        "[-a]",
        "[a-]",
        "[--a]",
        "[a--b]",
        "[a&&b]",
        "[a~~b]",
        "[a&b]",
        "[z-a]",
        "[\\d-x]",
        "[\\w.]+",
        "[[:alpha:]]+",
        "[[:^alpha:]]+",
        "[[:loower:]]",
        "[[a]]",
        "[",
        "[a",
        "[^",
        "[]",
        "[^]",
        "[\\]]",
        "[\\b]",
        "\\d+",
        "\\D+",
        "\\s+",
        "\\S+",
        "\\w+",
        "\\W+",
        "\\bone\\b",
        "\\B.",
        "\\<\\w",
        "\\w\\>",
        "\\b{start}\\w+",
        "\\w+\\b{end}",
        "\\b{start-half}a",
        "a\\b{end-half}",
        "\\b{nope}",
        "\\b{2}a",
        "\\b{",
        "\\b{start",
        "^a",
        "a$",
        "^",
        "$",
        "(?m)^\\w+",
        "(?m)\\w+$",
        "(?mR)^\\w+",
        "(?mR)\\w+$",
        "(?R)^.+",
        "(?R).+",
        "(?s).+",
        ".+",
        "(?i)AB",
        "(?i)[a-c]+",
        "(?i)[^a]+",
        "(?i)ž",
        "(?i:a)B",
        "(?U)a+",
        "(?U)a+?",
        "(?x) a | # comment\n b",
        "(?x)[ a b ]",
        "(?x)a{ 2 }",
        "(?x)\\x 6 1",
        "(?x)a #",
        "(?-u)a",
        "(?u-u)a",
        "(?ii)a",
        "(?)",
        "(?-)",
        "(?:)",
        "(?i",
        "(?i-s:a)",
        "(?q)",
        "(?P<n>a)",
        "(?<n>a)",
        "(?<n>a)(?<n>b)",
        "(?<>a)",
        "(?<1>a)",
        "(?<a.1>a)",
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        "(",
        ")",
        "(a",
        "a)",
        "()",
        "()*",
        "(()*)*",
        "(^)*a",
        "(?:^|b)a",
        "(^a|b)",
        "\\1",
        "\\p{L}",
        "\\Aa",
        "a\\z",
        "\\x61",
        "\\x{1F600}",
        "\\u0061",
        "\\U00000061",
        "\\x{110000}",
        "\\x{}",
        "\\xg1",
        "\\x+1",
        "\\x6",
        "\\e",
        "\\ž",
        "\\ ",
        "\\-",
        "\\#",
        "\\",
        "\\n|\\r|\\t|\\v|\\f|\\a",
        "*",
        "+a",
        "?",
        "{1}",
        "a**",
        "a{2}{3}",
        "a+{2}",
        "}",
        "]",
        "a}",
        "^*",
        "$*a",
        "(?i)[\\x41-C]+",
    ] {
        for text in texts {
            let (found, want) = (matches(pattern, text), expected(pattern, text));
            // a range with escapes ignores case here, and is rejected there
            assert!(
                found == want || pattern.contains("\\x41-"),
                "{pattern:?} {text:?}: {found:?}, not {want:?}"
            );
        }
    }
}

/// Patterns of every construct, nested.
fn patterns() -> impl Strategy<Value = String> {
    let single = prop::sample::select(vec![
        "a", "b", "c", ".", "\\w", "\\W", "\\d", "[ab]", "[^a]", "[^\\w]", "\\b", "\\B", "^", "$", "(?m:^)",
        "(?m:$)", "ž", "(?i:A)", "(?s:.)", "",
    ]);
    single.prop_map(str::to_owned).prop_recursive(5, 24, 3, |inner| {
        let times = prop::sample::select(vec![
            "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}", "{0,}",
        ]);
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one}{other}")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("(?:{one}|{other})")),
            (inner, times).prop_map(|(inner, times)| format!("(?:{inner}){times}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn matches_are_those_of_regex_lite(pattern in patterns(), text in "[abcž 1\n]{0,24}") {
        prop_assert_eq!(matches(&pattern, &text), expected(&pattern, &text), "{}", pattern);
    }

    #[test]
    fn any_text_is_a_pattern_or_rejected(pattern in "[ab()\\[\\]{},0-9?*+|^$.\\\\:<>ixPdwb# -]{0,16}", text in "[ab1 ]{0,12}") {
        prop_assert_eq!(matches(&pattern, &text), expected(&pattern, &text), "{}", pattern);
    }

    /// No state is visited twice for one character.
    #[test]
    fn steps_are_at_most_states_times_characters(pattern in patterns(), text in "[ab]{0,40}") {
        let compiled = Pattern::new(&pattern, STATES).unwrap();
        let mut meter = Meter::new(u64::MAX);
        let _ = compiled.find(&text, 0, &mut meter);
        let most = (2 * compiled.states() + 2) * (text.len() + 1);
        prop_assert!(meter.taken() <= most as u64, "{} steps, at most {most}", meter.taken());
    }
}

#[test]
fn a_large_pattern_is_rejected() {
    for (pattern, fault) in [
        ("(?:[a-z ]{0,30}){0,30}Q1", Some(Fault::Size)),
        ("((a{100}){100}){100}", Some(Fault::Size)),
        ("((((a{0,9}){9}){9}){9}){9}", Some(Fault::Size)),
        // copies without characters would take time only
        ("(?:(?:(?:){4000000000}){4000000000}){4000000000}", None),
        ("[a-z]{20,500}", None),
        ("(", Some(Fault::Syntax)),
    ] {
        assert_eq!(Pattern::new(pattern, STATES).err(), fault, "{pattern}");
    }
}

#[test]
fn a_spent_meter_ends_a_search() {
    let pattern = Pattern::new("[a-z ]{0,400}Q", STATES).unwrap();
    let text = "a ".repeat(1_000);
    let mut meter = Meter::new(10_000);
    assert!(all(&pattern, &text, &mut meter).is_empty());
    // the states of one character are all visited
    assert!(meter.is_spent() && meter.taken() < 10_000 + 2 * 1_024, "{}", meter.taken());
}

/// A longer match is looked for so far only, so that the steps are linear in the text.
#[test]
fn a_text_is_not_read_again_from_each_match() {
    let steps = |pattern: &str, letters: usize| {
        let mut meter = Meter::new(u64::MAX);
        let found = all(&Pattern::new(pattern, STATES).unwrap(), &"a".repeat(letters), &mut meter);
        assert_eq!(found.len(), letters);
        meter.taken()
    };
    for pattern in ["a.*b|a", "a(?:.*b)?"] {
        let (short, long) = (steps(pattern, 8_000), steps(pattern, 16_000));
        assert!(long * 10 < short * 23, "{pattern}: {short} steps, {long} in twice the text");
    }
    let far = "a".repeat(2_000) + "b";
    assert_eq!(matches("a.*b|a", &far), Some(vec![(0, far.len())]));
}

#[test]
fn words_that_begin_otherwise_cost_little() {
    let pattern = Pattern::new("[A-Z]{2}-[0-9]{4}", STATES).unwrap();
    let text = "words in lower case only ".repeat(100);
    let mut meter = Meter::new(u64::MAX);
    assert!(all(&pattern, &text, &mut meter).is_empty());
    assert!(meter.taken() <= text.len() as u64 / 4, "{}", meter.taken());
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| "(".repeat(depth) + "a" + &")".repeat(depth);
    assert!(parse::parse(&nested(30)).is_ok());
    assert!(parse::parse(&nested(200)).is_err());
    assert!(parse::parse(&format!("a{}", "*".repeat(200))).is_err());
}
