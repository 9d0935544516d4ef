//! Candidates that begin at an anchor (`@`, `://`, `:`, `<`) or at a word of a chain: addresses, URLs, IBANs, dates.

use super::{Atom, Scanner};
use crate::{
    api::{entity::Country, facts::Facts},
    catalogue,
    checks::geo,
    evidence::hypothesis::{Extra, Hypothesis, Source, Verdict, hypothesis, weight_of},
    phrase::work::Stage,
    recognise::{self, date, email, iban, ipv6, labelled::Joint, mrz, names, url},
};

impl Scanner<'_> {
    pub(super) fn email(&mut self, at: usize) {
        let (Some(email), Some(&index)) = (email::around(self.text, at), catalogue::EMAIL.first()) else {
            return;
        };
        let shape = if email.known { 5.0 } else { -1.0 };
        self.push(index, email.start, email.end, Verdict::Valid, shape);
    }

    /// Reads an address with `(at)` instead of `@`.
    pub(super) fn hidden_email(&mut self, at: usize) {
        if matches!(self.bytes.get(at + 1..at + 3), Some([b'a' | b'A', b't' | b'T'])) {
            self.email(at);
        }
    }

    pub(super) fn colon(&mut self, at: usize) {
        if at >= self.done.url {
            if self.bytes.get(at + 1..at + 3) == Some(b"//") {
                if let Some((start, end)) = url::around(self.text, at) {
                    self.done.url = end;
                    self.url(start, end);
                }
            } else {
                self.labelled(Joint::Sign, at, at + 1);
            }
        }
        if at >= self.done.ipv6 {
            let (found, read) = ipv6::around(self.text, at);
            self.done.ipv6 = read;
            if let Some((start, end)) = found {
                self.ipv6(start, end);
            }
        }
    }

    fn ipv6(&mut self, start: usize, end: usize) {
        self.judged(catalogue::IPV6, start, end);
    }

    /// Reads a machine readable zone from a `<` in its first line.
    pub(super) fn mrz(&mut self, at: usize) {
        if at >= self.done.mrz {
            let (found, read) = mrz::around(self.text, at);
            self.done.mrz = read;
            if let Some((start, end)) = found {
                self.judged(catalogue::MRZ, start, end);
            }
        }
    }

    /// Reads a pair of coordinates from the comma between them.
    pub(super) fn comma(&mut self, at: usize) {
        if at.checked_sub(1).and_then(|before| self.bytes.get(before)).is_some_and(u8::is_ascii_digit)
            && let Some((start, end)) = geo::around(self.text, at)
        {
            self.judged(catalogue::GEO, start, end);
        }
    }

    /// Adds the candidate of an anchor, if the parts and the rule of its detector accept it.
    pub(super) fn judged(&mut self, detectors: &[u16], start: usize, end: usize) {
        let Some(&index) = detectors.first() else { return };
        let (Some(detector), Some(written)) = (catalogue::detector(index), self.text.get(start..end)) else {
            return;
        };
        let Ok((verdict, facts)) = recognise::judge(detector, written) else { return };
        self.keep(Hypothesis {
            verdict,
            facts,
            impersonal: detector.is_impersonal(written),
            check_digits: detector.has_check_digits(0),
            shape: detector.prior().unwrap_or(3.0),
            ..hypothesis(Source::Catalogue(index), start, end)
        });
    }

    pub(super) fn bare_url(&mut self, start: usize) {
        let (found, end) = url::bare(self.text, start);
        self.done.url = end;
        if found {
            self.url(start, end);
        }
    }

    /// Reads the profile of a person whose host ends at `slash`.
    pub(super) fn profile(&mut self, slash: usize) {
        if let Some((start, end)) = url::profile(self.text, slash) {
            self.work.add(Stage::Recognise, end - start);
            self.done.url = end;
            self.url(start, end);
        }
    }

    fn url(&mut self, start: usize, end: usize) {
        let Some(&index) = catalogue::URL.first() else { return };
        let Some(detector) = catalogue::detector(index) else { return };
        let written = self.text.get(start..end).unwrap_or_default();
        self.keep(Hypothesis {
            verdict: Verdict::Valid,
            shape: detector.prior().unwrap_or(1.2),
            check: weight_of(Verdict::Valid, detector, &Facts::default(), 0),
            impersonal: !url::is_personal(written),
            ..hypothesis(Source::Catalogue(index), start, end)
        });
    }

    pub(super) fn iban(&mut self, start: usize) {
        let Some(&index) = catalogue::IBAN.first() else { return };
        let (Some(iban), Some(detector)) = (iban::at(self.text, start), catalogue::detector(index)) else {
            return;
        };
        let iban::Iban { end, compact, broken } = iban;
        let Ok((verdict, facts)) = recognise::judge(detector, compact.as_str()) else { return };
        if broken && verdict != Verdict::Valid {
            return;
        }
        let extra = compact.as_str().get(..2).and_then(Country::parse).map_or(Extra::None, Extra::Country);
        self.keep(Hypothesis {
            verdict,
            facts,
            extra,
            check_digits: detector.has_check_digits(0),
            shape: detector.prior().unwrap_or(0.5),
            check: weight_of(verdict, detector, &facts, 0),
            neighbour: self.edge_before(start, end) + self.edge_after(start, end),
            ..hypothesis(Source::Catalogue(index), start, end)
        });
    }

    pub(super) fn date_in_words(&mut self, year: &Atom) {
        let Some(&index) = catalogue::DATE.first() else { return };
        if !matches!(self.bytes.get(year.start..year.start + 2), Some(b"19" | b"20")) {
            return;
        }
        if let Some((start, date)) = date::ending_with(self.text, year.start, year.end) {
            self.keep(Hypothesis {
                verdict: Verdict::Valid,
                facts: Facts { birth_date: Some(date), ..Facts::default() },
                shape: names::DATE,
                needs_label: true,
                ..hypothesis(Source::Catalogue(index), start, year.end)
            });
        }
    }
}
