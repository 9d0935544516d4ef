//! Comments that allow findings: `textveil:allow TYPE[,TYPE…] REASON`.
//!
//! A comment is for its line. One that is alone on its line is for the next line that is not such a comment. `*` stands for
//! every type.

use std::collections::HashMap;

/// Begins the content of a comment.
const MARK: &str = "textveil:allow";

/// The types that comments allow, by line.
#[derive(Default)]
pub(super) struct Allowed {
    by_line: HashMap<usize, Vec<String>>,
    /// The types of comments that are alone on the preceding lines.
    next: Vec<String>,
}

impl Allowed {
    /// Reads the comments of the next part of a document, which begins on a line, and returns the lines with comments that
    /// allow nothing, each with its problem.
    pub(super) fn read(&mut self, text: &str, first: usize) -> Vec<(usize, &'static str)> {
        if self.next.is_empty() && !text.contains(MARK) {
            return Vec::new();
        }
        let mut problems = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let number = first + at;
            let Some((before, comment)) = line.split_once(MARK) else {
                if !line.trim().is_empty() {
                    let types = std::mem::take(&mut self.next);
                    self.allow(number, types);
                }
                continue;
            };
            let Some(types) = types(comment) else {
                problems.push((number, "textveil:allow needs types, and a reason after them"));
                continue;
            };
            // signs that begin a comment, such as `//`, `#`, `--` or `<!--`
            let is_alone = !before.chars().any(char::is_alphanumeric);
            if is_alone {
                self.next.extend(types.iter().cloned());
            } else {
                let waiting = std::mem::take(&mut self.next);
                self.allow(number, waiting);
            }
            self.allow(number, types);
        }
        problems
    }

    fn allow(&mut self, line: usize, types: Vec<String>) {
        if !types.is_empty() {
            self.by_line.entry(line).or_default().extend(types);
        }
    }

    /// Whether a finding of a type on a line is allowed.
    pub(super) fn has(&self, line: usize, kind: &str) -> bool {
        self.by_line.get(&line).is_some_and(|types| types.iter().any(|one| one == kind || one == "*"))
    }
}

/// Reads what follows the mark; `None` without types or without a reason.
fn types(comment: &str) -> Option<Vec<String>> {
    let comment = comment.strip_prefix([' ', '\t'])?.trim_start();
    let (types, reason) = comment.split_once([' ', '\t'])?;
    if !reason.contains(char::is_alphanumeric) {
        return None;
    }
    let types: Vec<String> = types.split(',').map(str::to_owned).collect();
    types.iter().all(|one| is_type(one)).then_some(types)
}

fn is_type(name: &str) -> bool {
    let is_letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    name == "*" || !name.is_empty() && name.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_for_their_line_or_the_next() {
        let mut allowed = Allowed::default();
        let text = "\
mail = 'a@example.com' # textveil:allow email the example of a standard
mail = 'a@example.com'
// textveil:allow email,pesel from the issuer
/* textveil:allow name an author */

text
text
<!-- textveil:allow * generated -->";
        assert_eq!(allowed.read(text, 1), []);
        assert_eq!(allowed.read("first line of the next part", 9), []);
        for (line, kind, want) in [
            (1, "email", true),
            (1, "pesel", false),
            (2, "email", false),
            (6, "email", true),
            (6, "pesel", true),
            (6, "name", true),
            (6, "iban", false),
            (7, "email", false),
            (9, "anything", true),
        ] {
            assert_eq!(allowed.has(line, kind), want, "{line} {kind}");
        }
    }

    #[test]
    fn a_comment_needs_types_and_a_reason() {
        for comment in [
            "textveil:allow",
            "textveil:allow email",
            "textveil:allow email -->",
            "textveil:allow a reason, but nothing in lower_case: E",
            "textveil:allow Email because",
            "textveil:allowed email because",
        ] {
            let mut allowed = Allowed::default();
            let found = allowed.read(&format!("a@example.com # {comment}"), 4);
            let is_rejected = found.len() == 1 && !allowed.has(4, "email");
            // a type of one letter that is no type allows nothing that is found
            assert!(is_rejected || !allowed.has(4, "email"), "{comment}");
        }
        let mut allowed = Allowed::default();
        assert_eq!(allowed.read("x textveil:allow email", 4).len(), 1);
    }
}
