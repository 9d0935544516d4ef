//! Finds the user of a request in the log of a web server: `203.0.113.7 - mkowalski [03/Jun/2025:08:01:12 +0000] "GET / …"`.
//!
//! Source: the Common Log Format of the NCSA HTTPd, which Apache and nginx write.

use std::sync::OnceLock;

use super::scan::Scanner;
use crate::{catalogue, evidence::hypothesis::Verdict, phrase::work::Stage};

/// The longest text before the time of a request, in bytes.
const MAX: usize = 160;
/// Rarity of the form in other text, in log-odds.
const SHAPE: f32 = 5.0;

impl Scanner<'_> {
    /// Reads the user before the bracket that the time of a request begins with.
    pub(super) fn log_user(&mut self, at: usize) {
        let day = self.bytes.get(at + 1..at + 8);
        if !matches!(day, Some([one, two, b'/', month, _, _, b'/'])
            if one.is_ascii_digit() && two.is_ascii_digit() && month.is_ascii_alphabetic())
        {
            return;
        }
        self.work.add(Stage::Recognise, MAX / 8);
        let Some((start, end)) = user(self.text, at) else { return };
        if let Some(index) = username() {
            self.push(index, start, end, Verdict::Unchecked, SHAPE);
        }
    }
}

/// Returns the place of the third word of the line before a bracket: host, identity, user.
fn user(text: &str, at: usize) -> Option<(usize, usize)> {
    let before = text.get(text.floor_char_boundary(at.saturating_sub(MAX))..at)?;
    let line = before.rsplit('\n').next()?.strip_suffix(' ')?;
    let mut words = line.split(' ');
    let (host, _, user) = (words.next()?, words.next()?, words.next()?);
    let is_user = words.next().is_none() && host.contains(['.', ':']) && user != "-" && !user.contains('@');
    is_user.then(|| (at - 1 - user.len(), at - 1))
}

/// Returns the detector of user names.
fn username() -> Option<u16> {
    static USERNAME: OnceLock<Option<u16>> = OnceLock::new();
    let find =
        || catalogue::DETECTORS.iter().position(|known| known.name() == "username").map(|at| at as u16);
    *USERNAME.get_or_init(find)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users() {
        for (line, expected) in [
            ("203.0.113.7 - mkowalski [03/Jun/2025:08:01:12 +0000]", Some("mkowalski")),
            ("x\n2001:db8::7 ident jürgen [03/Jun/2025:08:01:12 +0000]", Some("jürgen")),
            ("www.example.com - b.ivanova [03/Jun/2025", Some("b.ivanova")),
            ("203.0.113.7 - - [03/Jun/2025:08:01:12 +0000]", None),
            ("see also page 3 [03/Jun/2025]", None),
            ("on it [03/Jun/2025]", None),
            ("[03/Jun/2025]", None),
        ] {
            let at = line.find('[').unwrap();
            assert_eq!(user(line, at).map(|(start, end)| &line[start..end]), expected, "{line}");
        }
    }
}
