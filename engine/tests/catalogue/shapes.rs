//! Describes shapes of the catalogue in words; `engine/catalogue/README.md` explains their syntax.

use std::{iter::Peekable, str::Chars};

/// A run of characters of one kind.
#[derive(Clone, Copy, PartialEq)]
struct Run {
    /// `d` for digits, `a` for letters, `n` for both.
    kind: char,
    least: u32,
    most: u32,
}

/// Separators at one place: one of these characters, or none of them where `optional`.
#[derive(Clone, PartialEq)]
struct Separator {
    chars: Vec<char>,
    optional: bool,
}

#[derive(Clone, PartialEq)]
enum Token {
    Literal(String),
    Run(Run),
    Separator(Separator),
}

/// Sequences of more tokens than this are shown as a pattern such as `00.000-0`.
const MOST_TOKENS: usize = 5;

/// Returns each form of the shapes in words. Shapes that differ only in their separators are one form.
pub(super) fn forms(shapes: &[String]) -> Vec<String> {
    let mut merged: Vec<Vec<Token>> = Vec::new();
    for shape in shapes {
        let tokens = parse(shape);
        if !merged.iter_mut().any(|known| merge(known, &tokens)) {
            merged.push(tokens);
        }
    }
    merged.iter().map(|tokens| in_words(tokens)).collect()
}

fn parse(shape: &str) -> Vec<Token> {
    let mut rest = shape.chars().peekable();
    let mut tokens = Vec::new();
    while let Some(first) = rest.next() {
        tokens.push(match first {
            'd' | 'a' | 'n' => run(first, &mut rest),
            '[' => set(&mut rest),
            'A'..='Z' => literal(first, &mut rest),
            _ => Token::Separator(Separator { chars: vec![first], optional: false }),
        });
    }
    tokens
}

/// Reads `6` or `6..10` after the letter of the kind.
fn run(kind: char, rest: &mut Peekable<Chars<'_>>) -> Token {
    let least = number(rest);
    let mut ahead = rest.clone();
    let is_range = ahead.next() == Some('.') && ahead.next() == Some('.');
    let most = if is_range {
        *rest = ahead;
        number(rest)
    } else {
        least
    };
    Token::Run(Run { kind, least, most })
}

fn number(rest: &mut Peekable<Chars<'_>>) -> u32 {
    let mut digits = String::new();
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    digits.parse().expect("a shape has a number after its letter")
}

/// Reads ` -]` or ` -]?` after the bracket.
fn set(rest: &mut Peekable<Chars<'_>>) -> Token {
    let chars = rest.by_ref().take_while(|letter| *letter != ']').collect();
    Token::Separator(Separator { chars, optional: rest.next_if_eq(&'?').is_some() })
}

fn literal(first: char, rest: &mut Peekable<Chars<'_>>) -> Token {
    let mut text = String::from(first);
    while let Some(letter) = rest.next_if(char::is_ascii_uppercase) {
        text.push(letter);
    }
    Token::Literal(text)
}

/// Splits off the literal prefix with the separators after it.
fn split(tokens: &[Token]) -> (&[Token], &[Token]) {
    let is_run = |token: &Token| matches!(token, Token::Run(_));
    tokens.split_at(tokens.iter().position(is_run).unwrap_or(tokens.len()))
}

fn runs(tokens: &[Token]) -> Vec<Run> {
    tokens.iter().filter_map(|token| if let Token::Run(run) = token { Some(*run) } else { None }).collect()
}

/// Returns the separator between all runs, if it is the same everywhere. No separator is an optional one of no characters.
fn uniform(body: &[Token]) -> Option<Separator> {
    let is_run = |token: &Token| matches!(token, Token::Run(_));
    if body.iter().all(is_run) {
        return Some(Separator { chars: Vec::new(), optional: true });
    }
    let mut between = body.iter().skip(1).step_by(2);
    let alternates = body.len() % 2 == 1 && body.iter().step_by(2).all(is_run);
    match between.next() {
        Some(Token::Separator(first)) if alternates => {
            between.all(|token| *token == Token::Separator(first.clone())).then(|| first.clone())
        }
        _ => None,
    }
}

/// Adds the separators of another shape to one with the same runs, and tells whether it did.
fn merge(known: &mut Vec<Token>, other: &[Token]) -> bool {
    let ((prefix, body), (other_prefix, other_body)) = (split(known), split(other));
    let runs = runs(body);
    if prefix != other_prefix || runs != self::runs(other_body) || runs.len() < 2 {
        return false;
    }
    let (Some(mut separator), Some(added)) = (uniform(body), uniform(other_body)) else { return false };
    for letter in added.chars {
        if !separator.chars.contains(&letter) {
            separator.chars.push(letter);
        }
    }
    separator.optional |= added.optional;
    let mut tokens = prefix.to_vec();
    for (index, run) in runs.into_iter().enumerate() {
        tokens.extend((index > 0).then(|| Token::Separator(separator.clone())));
        tokens.push(Token::Run(run));
    }
    *known = tokens;
    true
}

fn in_words(tokens: &[Token]) -> String {
    let (prefix, body) = split(tokens);
    let mut parts: Vec<String> = prefix.iter().map(token_in_words).collect();
    parts.push(body_in_words(body));
    parts.join(", ")
}

fn body_in_words(body: &[Token]) -> String {
    let runs = runs(body);
    match uniform(body).filter(|separator| runs.len() > 2 && !separator.chars.is_empty()) {
        Some(separator) if runs.iter().all(|run| run.kind == runs[0].kind) => {
            format!("{} in {} {}", noun(runs[0].kind, true), groups(&runs), with(&separator))
        }
        Some(separator) => {
            let runs: Vec<String> = runs.iter().map(run_in_words).collect();
            format!("{} {} between them", and(&runs), with(&separator))
        }
        None => mask(body).unwrap_or_else(|| {
            let tokens: Vec<String> = body.iter().map(token_in_words).collect();
            tokens.join(", ")
        }),
    }
}

/// Shows a long sequence of fixed length as a pattern: `0` for a digit, `A` for a letter, `X` for either.
fn mask(body: &[Token]) -> Option<String> {
    let mut pattern = String::new();
    for token in body {
        match token {
            Token::Run(run) if run.least == run.most => {
                let letter = match run.kind {
                    'd' => "0",
                    'a' => "A",
                    _ => "X",
                };
                pattern += &letter.repeat(run.least as usize);
            }
            Token::Separator(Separator { chars, optional: false }) if chars.len() == 1 => {
                pattern.extend(chars);
            }
            _ => return None,
        }
    }
    let runs = runs(body);
    let kind = if runs.iter().all(|run| run.kind == runs[0].kind) { runs[0].kind } else { ' ' };
    let length: u32 = runs.iter().map(|run| run.least).sum();
    (body.len() > MOST_TOKENS).then(|| format!("{length} {} written as `{pattern}`", noun(kind, true)))
}

fn token_in_words(token: &Token) -> String {
    match token {
        Token::Literal(text) => format!("`{text}`"),
        Token::Run(run) => run_in_words(run),
        Token::Separator(Separator { chars, optional }) => {
            let names: Vec<&str> = chars.iter().map(|letter| name(*letter)).collect();
            if *optional {
                format!("an optional {}", names.join(" or "))
            } else {
                names.iter().map(|name| article(name)).collect::<Vec<_>>().join(" or ")
            }
        }
    }
}

fn article(name: &str) -> String {
    format!("{} {name}", if name.starts_with('o') { "an" } else { "a" })
}

fn run_in_words(run: &Run) -> String {
    format!("{} {}", size(run), noun(run.kind, run.most > 1))
}

/// The length of a run, such as `3`, `1 or 2` or `6 to 10`.
fn size(run: &Run) -> String {
    match run.most - run.least {
        0 => run.least.to_string(),
        1 => format!("{} or {}", run.least, run.most),
        _ => format!("{} to {}", run.least, run.most),
    }
}

fn noun(kind: char, plural: bool) -> &'static str {
    match (kind, plural) {
        ('d', true) => "digits",
        ('d', false) => "digit",
        ('a', true) => "letters",
        ('a', false) => "letter",
        ('n', true) => "letters or digits",
        ('n', false) => "letter or digit",
        _ => "letters and digits",
    }
}

/// The sizes of groups, such as `groups of 3, 2 and 3` or `4 groups of 4`.
fn groups(runs: &[Run]) -> String {
    if runs.iter().all(|run| *run == runs[0]) {
        return format!("{} groups of {}", runs.len(), size(&runs[0]));
    }
    format!("groups of {}", and(&runs.iter().map(size).collect::<Vec<_>>()))
}

fn with(separator: &Separator) -> String {
    let names: Vec<String> = separator.chars.iter().map(|letter| plural(name(*letter))).collect();
    format!("{} {}", if separator.optional { "with or without" } else { "with" }, names.join(" or "))
}

fn plural(name: &str) -> String {
    if name == "slash" { "slashes".to_owned() } else { format!("{name}s") }
}

fn name(separator: char) -> &'static str {
    match separator {
        ' ' => "space",
        '-' => "hyphen",
        '.' => "dot",
        '/' => "slash",
        ':' => "colon",
        '(' => "opening bracket",
        ')' => "closing bracket",
        other => panic!("the separator {other:?} of a shape has no name here"),
    }
}

/// Joins items as a list with `and` before the last one.
pub(super) fn and(items: &[String]) -> String {
    match items {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => items.concat(),
    }
}

#[test]
fn shapes_are_described_in_words() {
    for (shape, want) in [
        ("d11", "11 digits"),
        ("a1", "1 letter"),
        ("n6", "6 letters or digits"),
        ("d6..10", "6 to 10 digits"),
        ("d6-d4", "6 digits, a hyphen, 4 digits"),
        ("d4[ -]?d6", "4 digits, an optional space or hyphen, 6 digits"),
        ("d4 d4 d4 d4", "digits in 4 groups of 4 with spaces"),
        ("d3-d2-d2-d3", "digits in groups of 3, 2, 2 and 3 with hyphens"),
        ("d3[ -]d3[ -]d1..2", "digits in groups of 3, 3 and 1 or 2 with spaces or hyphens"),
        ("d3[ /-]?d3[ /-]?d4", "digits in groups of 3, 3 and 4 with or without spaces or slashes or hyphens"),
        ("a3[ ]?d6", "3 letters, an optional space, 6 digits"),
        ("a1-d6-a1", "1 letter, 6 digits and 1 letter with hyphens between them"),
        ("a1d8a1", "1 letter, 8 digits, 1 letter"),
        ("CZd8..10", "`CZ`, 8 to 10 digits"),
        ("FN[ ]?d1..6a1", "`FN`, an optional space, 1 to 6 digits, 1 letter"),
        ("ATU d2 d3 d3", "`ATU`, a space, digits in groups of 2, 3 and 3 with spaces"),
        ("d2.d3.d3/d4-d2", "14 digits written as `00.000.000/0000-00`"),
        ("d2 / d2", "2 digits, a space, a slash, a space, 2 digits"),
        ("d4 a2-d3a1", "10 letters and digits written as `0000 AA-000A`"),
        ("d1..2. d1..2. d4", "1 or 2 digits, a dot, a space, 1 or 2 digits, a dot, a space, 4 digits"),
        ("d1[/-]d6(d1", "1 digit, a slash or a hyphen, 6 digits, an opening bracket, 1 digit"),
    ] {
        assert_eq!(in_words(&parse(shape)), want, "{shape}");
    }
}

#[test]
fn shapes_that_differ_in_separators_are_one_form() {
    for (shapes, want) in [
        (
            &["d3-d4-d2", "d9", "d3 d4 d2"][..],
            &["digits in groups of 3, 4 and 2 with hyphens or spaces", "9 digits"][..],
        ),
        (
            &["a1-d6-a1", "a1d6a1", "a1 d6 a1", "a1d6-a1"],
            &[
                "1 letter, 6 digits and 1 letter with or without hyphens or spaces between them",
                "1 letter, 6 digits, a hyphen, 1 letter",
            ],
        ),
        (
            &["d6-d4", "d6 d4", "PLd6 d4"],
            &["6 digits, a hyphen or a space, 4 digits", "`PL`, 6 digits, a space, 4 digits"],
        ),
        (&["d2", "d3"], &["2 digits", "3 digits"]),
    ] {
        let shapes: Vec<String> = shapes.iter().map(ToString::to_string).collect();
        assert_eq!(forms(&shapes), want, "{shapes:?}");
    }
}
