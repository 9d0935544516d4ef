//! The plurals of labels: `passport numbers`, `Reisepassnummern`, `PESELs`.

use std::collections::BTreeMap;

use textveil_phrase::{
    self as phrase,
    languages::{Language, PluralHead},
};

/// A rule from the end of a plural to that of its singular.
struct PluralRule {
    plural: String,
    singular: String,
    number: Number,
}

/// The grammatical number of a label.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Singular,
    Plural,
    /// The plural of a thing, which may be counted.
    Counted,
}

/// A form of a label.
pub(crate) struct LabelForm {
    pub written: String,
    pub number: Number,
}

/// The rules of all languages.
pub(crate) struct Plurals {
    labels: BTreeMap<String, (PluralHead, Vec<PluralRule>)>,
    types: Vec<PluralRule>,
}

impl Plurals {
    pub(crate) fn new(languages: &BTreeMap<String, Language>) -> Self {
        let labels = languages.iter().map(|(code, language)| {
            let of_labels = rules(code, &language.inflection.label_plural, Number::Plural);
            let of_things = rules(code, &language.inflection.counted_plural, Number::Counted);
            let rules = of_labels.into_iter().chain(of_things).collect();
            (code.clone(), (language.inflection.plural_head, rules))
        });
        let types = languages
            .iter()
            .flat_map(|(code, language)| rules(code, &language.inflection.type_plural, Number::Plural));
        Self { labels: labels.collect(), types: types.collect() }
    }

    /// Returns a label of a language and its plurals: of each of its words alone and of all that have one, or of the last
    /// one.
    ///
    /// The name of the type `name` has a plural in the languages that form one of every name.
    pub(crate) fn forms(&self, code: &str, name: &str, label: &str) -> Vec<LabelForm> {
        let words: Vec<&str> = label.split(' ').collect();
        let (head, rules) = self
            .labels
            .get(code)
            .map_or((PluralHead::Any, &[][..]), |(head, rules)| (*head, rules.as_slice()));
        let mut plurals: Vec<Vec<LabelForm>> = words.iter().map(|word| plurals(word, rules)).collect();
        if head == PluralHead::Last
            && let Some(last) = plurals.iter().rposition(|plurals| !plurals.is_empty())
        {
            plurals.iter_mut().take(last).for_each(Vec::clear);
        }
        let mut found = vec![LabelForm { written: label.to_owned(), number: Number::Singular }];
        for (at, plurals) in plurals.iter().enumerate() {
            for plural in plurals {
                let mut words = words.clone();
                words[at] = &plural.written;
                found.push(LabelForm { written: words.join(" "), number: plural.number });
            }
        }
        let all = words.iter().zip(&plurals);
        let all = all.map(|(word, plurals)| plurals.first().map_or(*word, |plural| &plural.written));
        let counted = plurals.iter().flatten().all(|plural| plural.number == Number::Counted);
        let number = if counted { Number::Counted } else { Number::Plural };
        found.push(LabelForm { written: all.collect::<Vec<_>>().join(" "), number });
        if is_name(name, label) {
            found.extend(self.types.iter().filter_map(|rule| with(label, rule)));
        }
        // the plural of some words is the word itself
        let others = found.split_off(1).into_iter().filter(|form| form.written != label);
        found.extend(others.collect::<Vec<LabelForm>>());
        found
    }
}

/// Whether a label is the name of the type, with or without its country.
fn is_name(name: &str, label: &str) -> bool {
    let word = phrase::case::lower_text(label);
    let short = name.rsplit_once('_').map(|(short, country)| (short, country.len()));
    word == name || short.is_some_and(|(short, length)| length == 2 && word == short)
}

/// Returns the plurals of a word by the rules with the longest ending.
fn plurals(word: &str, rules: &[PluralRule]) -> Vec<LabelForm> {
    let longest =
        rules.iter().filter(|rule| with(word, rule).is_some()).map(|rule| rule.singular.len()).max();
    let rules = rules.iter().filter(|rule| Some(rule.singular.len()) == longest);
    rules.filter_map(|rule| with(word, rule)).collect()
}

/// Returns the plural of a word by a rule; `None` if its ending is another.
fn with(word: &str, rule: &PluralRule) -> Option<LabelForm> {
    let start = word.len().checked_sub(rule.singular.len())?;
    let (stem, ending) = word.split_at_checked(start)?;
    let fits = phrase::case::lower_text(ending) == rule.singular;
    fits.then(|| LabelForm { written: format!("{stem}{}", rule.plural), number: rule.number })
}

fn rules(code: &str, written: &[String], number: Number) -> Vec<PluralRule> {
    let rules = written.iter().flat_map(|rule| {
        let (plural, singulars) =
            rule.split_once('>').unwrap_or_else(|| panic!("{code}.toml: inflection: {rule}: no singular"));
        let rule =
            |singular: &str| PluralRule { plural: plural.to_owned(), singular: singular.to_owned(), number };
        singulars.split('|').map(rule).collect::<Vec<PluralRule>>()
    });
    rules.collect()
}
