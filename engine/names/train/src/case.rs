//! Copies of annotated texts in another letter case: as people write messages, and in capitals.

use crate::{
    crf::Random,
    data::{Document, Label},
};

/// The letter case of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Casing {
    /// No capitals.
    Lower,
    /// Capitals only.
    Upper,
    /// A capital at the beginnings of sentences and nowhere else, as phones set it.
    Sentences,
}

/// The copies of a document from which the judge learns: the letter case, and in how many of 100 documents.
const COPIES: [(Casing, usize); 3] = [(Casing::Lower, 60), (Casing::Sentences, 20), (Casing::Upper, 20)];
/// Texts without names are few, and have a copy more often.
const NEGATIVES: usize = 3;

/// Returns the copies of a document from which the judge learns, drawn by chance; none of scripts without capitals.
pub fn drawn(document: &Document, random: &mut Random) -> Vec<Document> {
    if !has_capitals(&document.text) {
        return Vec::new();
    }
    let more = if document.negative { NEGATIVES } else { 1 };
    let mut drawn = |share: usize| random.below(100) < more * share;
    let drawn: Vec<Casing> =
        COPIES.into_iter().filter(|(_, share)| drawn(*share)).map(|(copy, _)| copy).collect();
    drawn.into_iter().map(|copy| copied(document, copy)).collect()
}

/// Whether a text is in a script with capitals.
fn has_capitals(text: &str) -> bool {
    text.chars().any(char::is_uppercase)
}

/// Returns a document in another letter case, with its labels.
pub fn copied(document: &Document, copy: Casing) -> Document {
    let mut text = String::with_capacity(document.text.len());
    // the place of each byte of the original
    let mut places = vec![0; document.text.len() + 1];
    let (mut is_within, mut ends, mut begins) = (false, false, true);
    for (at, letter) in document.text.char_indices() {
        places[at] = text.len();
        if !letter.is_alphanumeric() {
            is_within = is_within && matches!(letter, '\'' | '\u{2019}');
            ends |= matches!(letter, '.' | '!' | '?');
            begins |= ends && letter.is_whitespace() || letter == '\n';
            text.push(letter);
            continue;
        }
        let is_first = !is_within;
        let is_upper = match copy {
            Casing::Lower => false,
            Casing::Upper => true,
            Casing::Sentences => is_first && begins,
        };
        match is_upper {
            true if letter.is_lowercase() => text.extend(letter.to_uppercase()),
            // without the dot that the small letter of `İ` has
            false => text.extend(letter.to_lowercase().take(1)),
            true => text.push(letter),
        }
        (is_within, ends, begins) = (true, false, false);
    }
    places[document.text.len()] = text.len();
    let labels = document.labels.iter().map(|label| Label {
        kind: label.kind.clone(),
        start: places[label.start],
        end: places[label.end],
    });
    Document { labels: labels.collect(), text, ..document.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_labels_of_the_document() {
        let text = "Straße. Das ist İpek O'Neill aus Köln.";
        let document = |text: &str, name: &str| {
            let start = text.find(name).unwrap();
            let label = Label { kind: "person".to_owned(), start, end: start + name.len() };
            Document {
                set: "s".to_owned(),
                lang: "de".to_owned(),
                text: text.to_owned(),
                labels: vec![label],
                negative: false,
            }
        };
        let original = document(text, "İpek O'Neill");
        for (copy, want, name) in [
            (Casing::Lower, "straße. das ist ipek o'neill aus köln.", "ipek o'neill"),
            (Casing::Upper, "STRASSE. DAS IST İPEK O'NEILL AUS KÖLN.", "İPEK O'NEILL"),
            (Casing::Sentences, "Straße. Das ist ipek o'neill aus köln.", "ipek o'neill"),
        ] {
            let copied = copied(&original, copy);
            assert_eq!(copied.text, want);
            assert_eq!(copied.spans("person"), document(want, name).spans("person"), "{want}");
        }
    }

    #[test]
    fn scripts_without_capitals_have_no_copies() {
        let document = |text: &str| Document {
            set: "s".to_owned(),
            lang: "x".to_owned(),
            text: text.to_owned(),
            labels: Vec::new(),
            negative: true,
        };
        let mut random = Random(1);
        let mut count = |text| (0..100).map(|_| drawn(&document(text), &mut random).len()).sum::<usize>();
        assert_eq!(count("محمد 山田 x"), 0);
        assert!(count("Жан") > 100);
    }
}
