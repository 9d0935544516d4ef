//! The strings inside a JSON text, such as the arguments of a tool call, which are one string and may arrive
//! in pieces. All other text stays as written: numbers keep their digits, objects their order.

use std::mem;

/// The longest number or word outside strings, in bytes.
const MAX_BARE: usize = 1_024;

/// Escapes a text for the inside of a JSON string.
pub fn escape(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// A token of a JSON text.
#[derive(Debug, PartialEq)]
pub enum Token<'t> {
    /// Structure without data: brackets, commas, quotes, `true`.
    Plain(&'t str),
    /// A string begins; its quote was emitted as plain.
    Begin {
        /// It is the name of a member of an object.
        key: bool,
    },
    /// The next part of the string, unescaped.
    Text(&'t str),
    /// The string ends; its quote follows as plain.
    End,
    /// A number outside strings, as written.
    Number(&'t str),
    /// This is not JSON: from here on everything is text, as written.
    Broken(&'t str),
}

/// The position of the next character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum ParserState {
    #[default]
    Outside,
    Inside,
    Broken,
}

/// Reads a text of JSON that arrives in pieces.
#[derive(Default)]
pub struct Lexer {
    state: ParserState,
    /// For each open bracket, whether it is an object's.
    open: Vec<bool>,
    /// The last bracket was closed: only another object may follow.
    is_over: bool,
    /// The next string is the name of a member.
    names: bool,
    /// The current string is the name of a member.
    is_name: bool,
    /// An incomplete number or word outside strings, or an incomplete escape.
    held: String,
    /// The first half of a surrogate pair.
    high: Option<u16>,
}

impl Lexer {
    /// Adds a piece.
    pub fn push(&mut self, chunk: &str, take: &mut impl FnMut(Token<'_>)) {
        let mut rest = chunk;
        while !rest.is_empty() {
            rest = match self.state {
                ParserState::Outside => self.outside(rest, take),
                ParserState::Inside => self.inside(rest, take),
                ParserState::Broken => {
                    take(Token::Broken(rest));
                    ""
                }
            };
        }
    }

    /// Emits the rest. An unfinished string is ended without its quote.
    pub fn finish(&mut self, take: &mut impl FnMut(Token<'_>)) {
        match self.state {
            ParserState::Outside => self.bare(take),
            ParserState::Inside => {
                self.lone(take);
                let held = mem::take(&mut self.held);
                if !held.is_empty() {
                    take(Token::Text(&held));
                }
                take(Token::End);
            }
            ParserState::Broken => {}
        }
    }

    /// Reads up to the next string, or to the end of the piece.
    fn outside<'t>(&mut self, text: &'t str, take: &mut impl FnMut(Token<'_>)) -> &'t str {
        let word = |letter: char| !is_structure(letter) && letter != '"' && !self.is_over;
        if let Some((bare, rest)) = split(text, word).filter(|(bare, _)| !bare.is_empty()) {
            self.held.push_str(bare);
            if !rest.is_empty() || self.held.len() > MAX_BARE {
                self.bare(take);
            }
            return rest;
        }
        self.bare(take);
        if self.state == ParserState::Broken {
            return text;
        }
        let structure = text.chars().take_while(|letter| self.follow(*letter)).map(char::len_utf8).sum();
        let Some((structure, rest)) = text.split_at_checked(structure) else { return "" };
        if !structure.is_empty() {
            take(Token::Plain(structure));
        }
        if self.is_over && !rest.is_empty() {
            self.state = ParserState::Broken;
            return rest;
        }
        let Some(rest) = rest.strip_prefix('"') else { return rest };
        take(Token::Plain("\""));
        self.is_name = mem::take(&mut self.names);
        take(Token::Begin { key: self.is_name });
        self.state = ParserState::Inside;
        rest
    }

    /// Updates whether the next string is a name; returns whether the character is structural.
    fn follow(&mut self, letter: char) -> bool {
        match letter {
            _ if !is_structure(letter) => return false,
            '[' | ',' | ':' | '}' | ']' if self.is_over => return false,
            '{' | '[' => {
                self.open.push(letter == '{');
                self.names = letter == '{';
                self.is_over = false;
            }
            '}' | ']' => {
                self.open.pop();
                self.names = false;
                self.is_over = self.open.is_empty();
            }
            ',' => self.names = self.open.last().copied().unwrap_or_default(),
            ':' => self.names = false,
            _ => {}
        }
        true
    }

    /// Emits a complete number or word.
    fn bare(&mut self, take: &mut impl FnMut(Token<'_>)) {
        let held = mem::take(&mut self.held);
        if held.is_empty() {
            return;
        }
        if matches!(held.as_str(), "true" | "false" | "null") {
            take(Token::Plain(&held));
        } else if serde_json::from_str::<f64>(&held).is_ok() {
            take(Token::Number(&held));
        } else {
            self.state = ParserState::Broken;
            take(Token::Broken(&held));
        }
    }

    /// Reads up to the end of the string, or to the end of the piece.
    fn inside<'t>(&mut self, text: &'t str, take: &mut impl FnMut(Token<'_>)) -> &'t str {
        if !self.held.is_empty() {
            return self.escaped(text, take);
        }
        let Some((plain, rest)) = split(text, |letter| !matches!(letter, '"' | '\\')) else { return "" };
        if !plain.is_empty() {
            self.lone(take);
            take(Token::Text(plain));
        }
        if let Some(rest) = rest.strip_prefix('"') {
            self.lone(take);
            take(Token::End);
            take(Token::Plain("\""));
            self.state = ParserState::Outside;
            return rest;
        }
        match rest.strip_prefix('\\') {
            Some(rest) => {
                self.held.push('\\');
                rest
            }
            None => rest,
        }
    }

    /// Reads one more character of an escape.
    fn escaped<'t>(&mut self, text: &'t str, take: &mut impl FnMut(Token<'_>)) -> &'t str {
        let mut letters = text.chars();
        let Some(letter) = letters.next() else { return "" };
        let digits = self.held.strip_prefix("\\u").map(str::len);
        if digits.is_some() && !letter.is_ascii_hexdigit() {
            // an invalid escape is text
            self.lone(take);
            take(Token::Text(&mem::take(&mut self.held)));
            return text;
        }
        self.held.push(letter);
        let ends = match digits {
            Some(digits) => digits == 3,
            None => letter != 'u',
        };
        if ends {
            let held = mem::take(&mut self.held);
            self.escape(&held, take);
        }
        letters.as_str()
    }

    /// Emits the character of an escape.
    fn escape(&mut self, escape: &str, take: &mut impl FnMut(Token<'_>)) {
        let Some(hex) = escape.strip_prefix("\\u") else {
            self.lone(take);
            return take(Token::Text(match escape {
                "\\n" => "\n",
                "\\r" => "\r",
                "\\t" => "\t",
                "\\b" => "\u{8}",
                "\\f" => "\u{c}",
                "\\\"" => "\"",
                "\\/" => "/",
                "\\\\" => "\\",
                other => other,
            }));
        };
        let Ok(unit) = u16::from_str_radix(hex, 16) else { return };
        let pair: Vec<u16> = self.high.take().into_iter().chain([unit]).collect();
        if pair.len() == 1 && (0xd800..0xdc00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        take(Token::Text(&String::from_utf16_lossy(&pair)));
    }

    /// Handles half a surrogate pair, which is not a character.
    fn lone(&mut self, take: &mut impl FnMut(Token<'_>)) {
        if self.high.take().is_some() {
            take(Token::Text("\u{fffd}"));
        }
    }
}

/// Whether a character outside strings is not part of a number or a word.
fn is_structure(letter: char) -> bool {
    matches!(letter, '{' | '}' | '[' | ']' | ',' | ':' | ' ' | '\t' | '\n' | '\r')
}

/// Splits a text before the first character that does not satisfy `so`.
fn split(text: &str, so: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    text.split_at_checked(text.find(|letter| !so(letter)).unwrap_or(text.len()))
}

/// A string or a number of a text of JSON.
pub struct Leaf<'t> {
    /// The last name before it; `None` for a name itself.
    pub label: Option<&'t str>,
    /// Its text.
    pub text: &'t str,
    /// It is a number.
    pub number: bool,
}

/// Replaces every string and number of a JSON text for which `change` returns a value; a number becomes a
/// string.
pub fn rewrite(json: &str, mut change: impl FnMut(Leaf<'_>) -> Option<String>) -> RewrittenJson {
    if serde_json::from_str::<serde::de::IgnoredAny>(json).is_err() {
        return RewrittenJson::NotJson;
    }
    let mut out = String::with_capacity(json.len());
    let (mut text, mut label, mut is_key, mut changed) = (String::new(), None::<String>, false, false);
    let mut lexer = Lexer::default();
    let mut take = |token: Token<'_>| match token {
        Token::Plain(plain) | Token::Broken(plain) => out.push_str(plain),
        Token::Begin { key } => {
            is_key = key;
            text.clear();
        }
        Token::Text(more) => text.push_str(more),
        Token::End => {
            let known = label.as_deref().filter(|_| !is_key);
            let new = change(Leaf { label: known, text: &text, number: false });
            changed |= new.is_some();
            out.push_str(&escape(new.as_deref().unwrap_or(&text)));
            if is_key {
                label = Some(mem::take(&mut text));
            }
        }
        Token::Number(number) => match change(Leaf { label: label.as_deref(), text: number, number: true }) {
            Some(new) => {
                changed = true;
                out.push_str(&format!("\"{}\"", escape(&new)));
            }
            None => out.push_str(number),
        },
    };
    lexer.push(json, &mut take);
    lexer.finish(&mut take);
    if changed { RewrittenJson::Changed(out) } else { RewrittenJson::Same }
}

/// The result of rewriting a JSON text.
#[derive(Debug, PartialEq)]
pub enum RewrittenJson {
    /// It is another text now, and valid JSON.
    Changed(String),
    /// Nothing in it changes.
    Same,
    /// The text is not JSON.
    NotJson,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns every token, with adjacent texts joined.
    fn tokens(pieces: &[&str]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut lexer = Lexer::default();
        let mut take = |token: Token<'_>| {
            let (kind, text) = match token {
                Token::Plain(text) => ("plain", text),
                Token::Begin { key: true } => ("key", ""),
                Token::Begin { key: false } => ("value", ""),
                Token::Text(text) => ("text", text),
                Token::End => ("end", ""),
                Token::Number(text) => ("number", text),
                Token::Broken(text) => ("broken", text),
            };
            match out.last_mut().filter(|last| last.starts_with(kind)) {
                Some(last) => last.push_str(text),
                None => out.push(format!("{kind} {text}")),
            }
        };
        pieces.iter().for_each(|piece| lexer.push(piece, &mut take));
        lexer.finish(&mut take);
        out
    }

    #[test]
    fn strings_and_numbers_are_found() {
        for (json, want) in [
            (
                r#"{"a": "b\n", "c": [1.50, "d", true]}"#,
                vec![
                    "plain {\"",
                    "key ",
                    "text a",
                    "end ",
                    "plain \": \"",
                    "value ",
                    "text b\n",
                    "end ",
                    "plain \", \"",
                    "key ",
                    "text c",
                    "end ",
                    "plain \": [",
                    "number 1.50",
                    "plain , \"",
                    "value ",
                    "text d",
                    "end ",
                    "plain \", true]}",
                ],
            ),
            (r#""\u00e9\ud83d\ude00\/\"""#, vec!["plain \"", "value ", "text é😀/\"", "end ", "plain \""]),
            (r#""\ud83dx""#, vec!["plain \"", "value ", "text \u{fffd}x", "end ", "plain \""]),
            (r#""open\u00"#, vec!["plain \"", "value ", "text open\\u00", "end "]),
            ("{a: 1} \"x\"", vec!["plain {", "broken a: 1} \"x\""]),
            ("-1e3", vec!["number -1e3"]),
        ] {
            assert_eq!(tokens(&[json]), want, "{json}");
            let letters: Vec<String> = json.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(tokens(&letters), want, "{json} letter by letter");
        }
    }

    #[test]
    fn what_is_changed_is_json_again() {
        let upper = |leaf: Leaf<'_>| {
            (leaf.text.contains("x")).then(|| format!("{}={}\"", leaf.label.unwrap_or("-"), leaf.text))
        };
        for (json, want) in [
            (
                r#"{ "k" : "\u0078", "n": 1.0 }"#,
                RewrittenJson::Changed(r#"{ "k" : "k=x\"", "n": 1.0 }"#.into()),
            ),
            (r#"{"x":[1]}"#, RewrittenJson::Changed(r#"{"-=x\"":[1]}"#.into())),
            (r#"{"a":1}"#, RewrittenJson::Same),
            ("x", RewrittenJson::NotJson),
        ] {
            assert_eq!(rewrite(json, upper), want, "{json}");
        }
        let number = rewrite(r#"{"a":12}"#, |leaf| (leaf.text == "12").then(|| "p".to_owned()));
        assert_eq!(number, RewrittenJson::Changed(r#"{"a":"p"}"#.into()));
    }

    proptest! {
        #[test]
        fn escapes_are_read_back(text in any::<String>()) {
            let mut out = String::new();
            let mut lexer = Lexer::default();
            lexer.push(&format!("\"{}\"", escape(&text)), &mut |token| {
                if let Token::Text(text) = token {
                    out.push_str(text);
                }
            });
            prop_assert_eq!(out, text);
        }
    }
}
