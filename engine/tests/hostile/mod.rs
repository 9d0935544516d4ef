//! Hostile texts: short pieces that are repeated until the text is long.
//!
//! The pieces come from the files that the engine is generated from, so a new label or anchor is tried without being
//! listed here: every label with the separators that follow labels, every literal prefix of a token, every value of the
//! catalogue's cases, every phrase of the lexicon, and pairs of any two of them.
#![allow(dead_code, reason = "the test and the benchmark need different parts")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use textveil_schema::file::{Entry, read};

/// Prose in Latin letters, of nine languages.
pub const PROSE: &str = include_str!("../../benches/texts/prose.txt");

/// Prose in other scripts, and the letters that tell each. Japanese comes before Chinese, whose characters it has, too.
pub const SCRIPTS: [(&str, &str, RangeInclusive<char>); 8] = [
    ("cyrillic", include_str!("../../benches/texts/scripts/cyrillic.txt"), '\u{400}'..='\u{52f}'),
    ("hebrew", include_str!("../../benches/texts/scripts/hebrew.txt"), '\u{590}'..='\u{5ff}'),
    ("arabic", include_str!("../../benches/texts/scripts/arabic.txt"), '\u{600}'..='\u{77f}'),
    ("devanagari", include_str!("../../benches/texts/scripts/devanagari.txt"), '\u{900}'..='\u{97f}'),
    ("thai", include_str!("../../benches/texts/scripts/thai.txt"), '\u{e00}'..='\u{e7f}'),
    ("korean", include_str!("../../benches/texts/scripts/korean.txt"), '\u{ac00}'..='\u{d7a3}'),
    ("japanese", include_str!("../../benches/texts/scripts/japanese.txt"), '\u{3040}'..='\u{30ff}'),
    ("chinese", include_str!("../../benches/texts/scripts/chinese.txt"), '\u{4e00}'..='\u{9fff}'),
];

/// Returns the name of the script of a piece, and prose in it; Latin for a script without a text.
pub fn prose_for(piece: &str) -> (&'static str, &'static str) {
    let script =
        SCRIPTS.into_iter().find(|(.., letters)| piece.contains(|letter: char| letters.contains(&letter)));
    script.map_or(("latin", PROSE), |(name, text, _)| (name, text))
}

/// Texts after a label, with the start of the next repetition.
const AFTER_LABEL: [&str; 8] = [" ", ": ", ": xx ", ": f, ", " 12 ", ": 12/", " 123456789\n", "\t"];
/// Separators of two values.
const AFTER_VALUE: [&str; 7] = [" ", ", ", "", "\n", "-", "/", " or "];
/// Texts after the literal prefix of a token.
const AFTER_PREFIX: [&str; 3] = ["", " ", "a1"];
/// Separators of two parts of a pair.
const BETWEEN: [&str; 5] = [" ", ": ", ", ", "", "="];

/// Marks and short words that the engine starts from, and numbers of every length.
const ANCHORS: [&str; 90] = [
    "1",
    "@",
    "%40",
    "+",
    "AA11",
    "1 ",
    "a ",
    ":",
    "a:",
    "1:",
    "1-",
    "1.",
    "=",
    "a=",
    "://",
    "http://",
    "www.",
    "tok_",
    "tok_xx_",
    "eyJ",
    "ghp_",
    "[[",
    "sk-",
    "00",
    "+1 ",
    "12 ",
    "(1) ",
    "DE89",
    "a@",
    "a@b.",
    "a@b.1.1.1.1.1.1.1.1.",
    "a@b.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.",
    "a%40",
    "(at)a(dot)",
    "http://a/b@",
    "t.me/+",
    "x.com/a,",
    "www.a@",
    "::",
    "-----BEGIN ",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "\"",
    "1\u{200b}",
    "ＡＢ１",
    "é",
    "1980 ",
    "password:",
    "1.1.1.1.",
    "a1",
    "A-",
    "4111 1111 1111 1111 ",
    "密1a",
    "&",
    "&nbsp;",
    "<",
    ">",
    "<td>",
    "</td><td>",
    "<a",
    "\n",
    " ",
    "\t",
    "|",
    ";",
    "12,",
    "1,2;",
    "A",
    "Aa ",
    "A. ",
    "Ab-",
    "a'",
    "王",
    "김 ",
    "서울특별시 중구 ",
    "東京都",
    "12 Main St ",
    "5 May ",
    "(at) ",
    "°",
    "1°",
    "48.1234, ",
    "P<",
    "3O 23 ",
    "tel. 3O 2312 5O14 ",
    "<b>1</b> ",
    "a @ b . c ",
    "INSERT INTO a VALUES (1);\n",
    "INSERT INTO a\n",
    "INSERT INTO a (\n",
    "CREATE TABLE a (\n",
];

/// Adds every string of a TOML value.
fn strings(value: &toml::Value, into: &mut BTreeSet<String>) {
    match value {
        toml::Value::String(text) => {
            into.insert(text.clone());
        }
        toml::Value::Array(list) => list.iter().for_each(|value| strings(value, into)),
        toml::Value::Table(table) => table.values().for_each(|value| strings(value, into)),
        _ => {}
    }
}

fn parse(path: &Path) -> toml::Table {
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The files of a folder, in their order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The pieces of generated texts, each list in its order.
pub struct Pieces {
    /// Labels and other phrases.
    pub phrases: Vec<String>,
    /// Values of the catalogue's cases.
    pub values: Vec<String>,
    /// Literal prefixes of tokens.
    pub prefixes: Vec<String>,
}

impl Pieces {
    /// Reads the files that the engine is generated from.
    pub fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let [mut phrases, mut values, mut prefixes] = [const { BTreeSet::new() }; 3];
        for Entry { file, .. } in read(&root.join("catalogue")).unwrap() {
            phrases.extend([file.words, file.near].into_iter().flat_map(BTreeMap::into_values).flatten());
            prefixes.extend(file.starts);
            values.extend(file.cases.into_iter().map(|case| case.value));
        }
        strings(&toml::Value::Table(parse(&root.join("countries.toml"))), &mut phrases);
        for file in files(&root.join("lexicon")).into_iter().chain(files(&root.join("names/lexicon"))) {
            if file.extension().is_some_and(|ending| ending == "toml") {
                strings(&toml::Value::Table(parse(&file)), &mut phrases);
            }
        }
        let list = |set: BTreeSet<String>| set.into_iter().filter(|text| !text.is_empty()).collect();
        Self { phrases: list(phrases), values: list(values), prefixes: list(prefixes) }
    }

    /// Returns every piece alone; of the long lists only each `step`-th entry, from a different one for each
    /// separator.
    pub fn singles(&self, step: usize) -> Vec<String> {
        let mut all: Vec<String> = ANCHORS.map(str::to_owned).to_vec();
        let lists: [(&[String], &[&str]); 3] =
            [(&self.phrases, &AFTER_LABEL), (&self.values, &AFTER_VALUE), (&self.prefixes, &AFTER_PREFIX)];
        for (list, separators) in lists {
            for (at, separator) in separators.iter().enumerate() {
                all.extend(
                    list.iter().skip(at % step).step_by(step).map(|piece| format!("{piece}{separator}")),
                );
            }
        }
        all
    }

    /// So many pairs of pieces, the same in every run.
    pub fn pairs(&self, count: usize) -> Vec<String> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut below = |most: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % most
        };
        let anchors = ANCHORS.map(str::to_owned);
        let lists = [&self.phrases, &self.phrases, &self.values, &self.prefixes];
        let mut pairs = Vec::new();
        for _ in 0..count {
            let mut piece = || {
                let list = lists.get(below(5)).map_or(anchors.as_slice(), |list| list.as_slice());
                let between = BETWEEN[below(BETWEEN.len())];
                format!("{}{between}", list[below(list.len())])
            };
            pairs.push(piece() + &piece());
        }
        pairs
    }
}

/// A text of `length` bytes at least, the piece over and over.
pub fn filled(piece: &str, length: usize) -> String {
    piece.repeat(length.div_ceil(piece.len()))
}
