//! Overlaps: one finding a place, and every character that was found is covered.

use std::collections::BTreeMap;

use textveil_weights::confidence as weights;

use crate::{
    api::entity::Category,
    catalogue,
    evidence::candidate::{Candidate, Source},
    phrase::work::{Stage, Work},
    resolve::compete::Finding,
    text::order,
};

/// A finding and the part of it that is reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved<'h> {
    pub finding: Finding<'h>,
    /// In the copy, in bytes.
    pub start: u32,
    pub end: u32,
}

impl Resolved<'_> {
    /// Whether another finding took a part of it.
    pub fn trimmed(&self) -> bool {
        (self.start, self.end) != (self.finding.candidate.start, self.finding.candidate.end)
    }
}

/// Settles overlaps among findings, all of them above the threshold or suppressors.
///
/// Drops findings inside a container, inside a longer finding that is not much less confident, and inside a
/// suppressor that is at least as confident. Of other overlapping findings, the more confident one stays whole, then
/// the longer one; the rest of the other is reported as a finding of its own. No suppressor claims a text of the
/// caller's deny list.
///
/// Findings are sorted by start, the longest first. `reserved` are the ranges of the engine's own tokens and
/// placeholders, sorted by start; no finding may overlap them.
pub(crate) fn resolve<'h>(
    mut findings: Vec<Finding<'h>>,
    mut reserved: &[(u32, u32)],
    text: &str,
    work: &Work,
) -> Vec<Resolved<'h>> {
    drop_labels(&mut findings, work);
    drop_inner(&mut findings, work);
    let mut resolved = Vec::with_capacity(findings.len());
    let mut rest = findings.as_mut_slice();
    while let Some(first) = rest.first() {
        let start = first.candidate.start;
        while let Some((_, later)) = reserved.split_first().filter(|((_, end), _)| *end <= start) {
            reserved = later;
        }
        let (touching, later) = rest.split_at_mut(touching(rest));
        match touching {
            // most overlap nothing
            [finding] if reserved.first().is_none_or(|(from, _)| *from >= finding.candidate.end) => {
                let Candidate { start, end, .. } = *finding.candidate;
                resolved.extend((!finding.suppressor).then_some(Resolved { finding: *finding, start, end }));
            }
            _ => settle(touching, reserved, text, &mut resolved, work),
        }
        rest = later;
    }
    resolved
}

/// Counts the leading findings that each overlap the ones before it.
fn touching(findings: &[Finding<'_>]) -> usize {
    let mut reach = u32::MAX;
    let overlaps = |finding: &&Finding<'_>| {
        let candidate = finding.candidate;
        let overlaps = candidate.start < reach;
        reach = if reach == u32::MAX { candidate.end } else { reach.max(candidate.end) };
        overlaps
    };
    findings.iter().take_while(overlaps).count()
}

/// Places that are taken, by their starts: where each ends, and the finding, if it is one. None of them overlap.
type Taken<'h> = BTreeMap<u32, (u32, Option<Finding<'h>>)>;

/// Settles the overlaps among findings, in the order of their starts, that overlap no other ones.
fn settle<'h>(
    findings: &mut [Finding<'h>],
    reserved: &[(u32, u32)],
    text: &str,
    resolved: &mut Vec<Resolved<'h>>,
    work: &Work,
) {
    let start = findings.first().map_or(0, |first| first.candidate.start);
    let end = findings.iter().map(|finding| finding.candidate.end).max().unwrap_or_default();
    let mut taken = Taken::new();
    for (from, to) in reserved.iter().take_while(|(from, _)| *from < end).filter(|(_, to)| *to > start) {
        if taken.last_key_value().is_none_or(|(_, (last, _))| last <= from) {
            taken.insert(*from, (*to, None));
        }
    }
    order::sort(findings, |a, b| {
        let first = |finding: &Finding<'_>| (finding.container, is_denied(finding));
        first(b)
            .cmp(&first(a))
            .then(b.confidence.total_cmp(&a.confidence))
            .then(b.candidate.len().cmp(&a.candidate.len()))
    });
    for finding in findings.iter() {
        let candidate = finding.candidate;
        work.add(Stage::Resolve, 8 + within(&taken, candidate.start, candidate.end).count());
        if !finding.suppressor && suppressed(&taken, candidate.start, candidate.end) {
            continue;
        }
        for (start, end) in free(&taken, candidate.start, candidate.end) {
            let part = text.get(start as usize..end as usize).unwrap_or_default();
            let bare = part.trim_start_matches(|letter: char| !letter.is_alphanumeric());
            let trimmed = bare.trim_end_matches(|letter: char| !letter.is_alphanumeric());
            let (start, end) = match end - start == candidate.len() {
                true => (start, end),
                false if finding.suppressor || trimmed.is_empty() => continue,
                false => {
                    let start = start + (part.len() - bare.len()) as u32;
                    (start, start + trimmed.len() as u32)
                }
            };
            taken.insert(start, (end, Some(*finding)));
        }
    }
    let found = taken.into_iter().filter_map(|(start, (end, finding))| {
        finding.filter(|finding| !finding.suppressor).map(|finding| Resolved { finding, start, end })
    });
    resolved.extend(found);
}

/// Drops names that are words of the label of a surer finding: `Carné de identidad: 91123151234`.
fn drop_labels(findings: &mut Vec<Finding<'_>>, work: &Work) {
    let mut mistaken: Vec<(u32, u32)> = Vec::new();
    for finding in findings.iter() {
        let (label, (start, end)) = (finding.candidate.label.weight, finding.candidate.label.place);
        if label <= 0.0 || end > finding.candidate.start {
            continue;
        }
        let first = findings.partition_point(|other| other.candidate.start < start);
        for other in findings.iter().skip(first).take_while(|other| other.candidate.start < end) {
            work.add(Stage::Resolve, 1);
            if is_name(other) && other.candidate.end <= end && other.confidence < finding.confidence {
                mistaken.push((other.candidate.start, other.candidate.end));
            }
        }
    }
    without(findings, mistaken);
}

/// Drops the findings with these places.
fn without(findings: &mut Vec<Finding<'_>>, mut places: Vec<(u32, u32)>) {
    if !places.is_empty() {
        order::sort(&mut places, Ord::cmp);
        findings.retain(|finding| {
            places.binary_search(&(finding.candidate.start, finding.candidate.end)).is_err()
        });
    }
}

fn is_name(finding: &Finding<'_>) -> bool {
    matches!(finding.candidate.source, Source::Catalogue(index) if catalogue::NAME.contains(&index))
}

fn is_secret(finding: &Finding<'_>) -> bool {
    let detector = finding.candidate.source.detector();
    detector.is_some_and(|detector| detector.category == Category::Credential)
}

/// Drops findings inside longer ones, and names that have the label of a surer one or a surer secret for a part.
fn drop_inner(findings: &mut Vec<Finding<'_>>, work: &Work) {
    let mut open: Vec<Finding<'_>> = Vec::new();
    let mut mistaken: Vec<(u32, u32)> = Vec::new();
    findings.retain(|finding| {
        let (start, end) = (finding.candidate.start, finding.candidate.end);
        open.retain(|outer| outer.candidate.end > start);
        work.add(Stage::Resolve, 1 + open.len());
        open.retain(|outer| {
            let is_mistaken = outer.candidate.end >= end && takes_label_or_secret(outer, finding);
            if is_mistaken {
                mistaken.push((outer.candidate.start, outer.candidate.end));
            }
            !is_mistaken
        });
        let inside = open.iter().any(|outer| outer.candidate.end >= end && claims(outer, finding));
        if !inside {
            open.push(*finding);
        }
        !inside
    });
    without(findings, mistaken);
}

/// Whether a name contains the label of a surer finding inside it (`bob password marigold`), or goes on behind a surer secret
/// (`-p marigold admin`). An address may: `postcode 3511 AB`.
fn takes_label_or_secret(outer: &Finding<'_>, inner: &Finding<'_>) -> bool {
    let (candidate, label) = (outer.candidate, inner.candidate.label);
    is_name(outer)
        && inner.confidence > outer.confidence
        && label.weight > 0.0
        && label.place.1 <= inner.candidate.start
        && (candidate.start < label.place.0 || candidate.start == inner.candidate.start && is_secret(inner))
}

/// Whether a finding keeps one inside it from being reported.
fn claims(outer: &Finding<'_>, inner: &Finding<'_>) -> bool {
    match outer.suppressor {
        true => outer.confidence >= inner.confidence && !is_denied(inner),
        false => outer.container || outer.confidence >= weights::INSIDE * inner.confidence,
    }
}

/// Whether a finding is of the caller's deny list, whose texts are always reported.
fn is_denied(finding: &Finding<'_>) -> bool {
    matches!(finding.candidate.source, Source::Denied(_))
}

/// The places that overlap a range, with their starts and ends.
fn within<'t, 'h>(
    taken: &'t Taken<'h>,
    start: u32,
    end: u32,
) -> impl Iterator<Item = (u32, u32, Option<&'t Finding<'h>>)> {
    // only the last one before the range may reach into it
    let before = taken.range(..start).next_back().filter(|(_, (until, _))| *until > start);
    let places = before.into_iter().chain(taken.range(start..end));
    places.map(|(start, (end, finding))| (*start, *end, finding.as_ref()))
}

/// Whether a part of a range is claimed by what is surer to be no personal data: then no piece of it is left.
fn suppressed(taken: &Taken<'_>, start: u32, end: u32) -> bool {
    within(taken, start, end).any(|(.., finding)| finding.is_some_and(|finding| finding.suppressor))
}

/// The parts of a range that nothing has taken.
fn free(taken: &Taken<'_>, start: u32, end: u32) -> Vec<(u32, u32)> {
    let mut parts = Vec::new();
    let mut from = start;
    for (place, until, _) in within(taken, start, end) {
        if place > from {
            parts.push((from, place));
        }
        from = until;
    }
    if from < end {
        parts.push((from, end));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::candidate::Signal;

    /// The kind of a finding, without its place and its confidence.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Expected {
        Plain,
        Container,
        Suppressor,
        Denied,
    }
    use Expected::{Container, Denied, Plain, Suppressor};

    /// A finding that is neither a suppressor nor a container.
    fn plain(candidate: &Candidate, confidence: f32) -> Finding<'_> {
        Finding { candidate, confidence, competing: 0.0, suppressor: false, container: false }
    }

    fn places(resolved: &[Resolved<'_>]) -> Vec<(u32, u32)> {
        resolved.iter().map(|resolved| (resolved.start, resolved.end)).collect()
    }

    #[test]
    fn overlaps() {
        let text = "abcdef, ghijkl";
        for (findings, reserved, want) in [
            // nothing overlaps
            (vec![(0, 6, 0.9, Plain), (8, 14, 0.6, Plain)], vec![], vec![(0, 6), (8, 14)]),
            // the longer one wins, unless it is much less sure
            (vec![(0, 6, 0.6, Plain), (0, 3, 0.9, Plain)], vec![], vec![(0, 6)]),
            (vec![(0, 6, 0.3, Plain), (0, 3, 0.9, Plain)], vec![], vec![(0, 3), (3, 6)]),
            // a container keeps its inside, however sure that is
            (vec![(0, 6, 0.2, Container), (0, 3, 0.9, Plain)], vec![], vec![(0, 6)]),
            // the surer one stays whole, the rest of the other is a finding without its punctuation
            (vec![(0, 10, 0.6, Plain), (8, 14, 0.9, Plain)], vec![], vec![(0, 6), (8, 14)]),
            (vec![(0, 10, 0.9, Plain), (8, 14, 0.6, Plain)], vec![], vec![(0, 10), (10, 14)]),
            // a suppressor is not reported, and leaves nothing of what it claims
            (vec![(0, 6, 0.9, Suppressor)], vec![], vec![]),
            (vec![(0, 10, 0.6, Plain), (8, 14, 0.9, Suppressor)], vec![], vec![]),
            (vec![(0, 10, 0.9, Plain), (8, 14, 0.6, Suppressor)], vec![], vec![(0, 10)]),
            // a suppressor hides a finding inside it only if it is as sure
            (vec![(0, 10, 0.5, Suppressor), (0, 6, 0.99, Plain)], vec![], vec![(0, 6)]),
            (vec![(0, 10, 0.9, Suppressor), (0, 6, 0.9, Plain)], vec![], vec![]),
            // and never a text of the deny list
            (vec![(0, 10, 0.99, Suppressor), (0, 6, 0.9, Denied)], vec![], vec![(0, 6)]),
            (vec![(0, 10, 0.99, Suppressor), (8, 14, 0.9, Denied)], vec![], vec![(8, 14)]),
            // reserved ranges are nobody's
            (vec![(0, 10, 0.9, Plain)], vec![(8, 14)], vec![(0, 6)]),
            (vec![(0, 10, 0.9, Plain)], vec![(0, 10)], vec![]),
            // of three in a row each keeps a part
            (
                vec![(0, 4, 0.6, Plain), (2, 9, 0.9, Plain), (8, 14, 0.7, Plain)],
                vec![],
                vec![(0, 2), (2, 9), (9, 14)],
            ),
        ] {
            let candidates: Vec<Candidate> = findings
                .iter()
                .map(|(start, end, _, kind)| {
                    let source = if *kind == Denied { Source::Denied(0) } else { Source::Catalogue(0) };
                    Candidate::new(source, *start, *end)
                })
                .collect();
            let input =
                candidates.iter().zip(&findings).map(|(candidate, (_, _, confidence, kind))| Finding {
                    suppressor: *kind == Suppressor,
                    container: *kind == Container,
                    ..plain(candidate, *confidence)
                });
            let resolved = resolve(input.collect(), &reserved, text, &Work::default());
            assert_eq!(places(&resolved), want, "{findings:?} {reserved:?}");
            for resolved in &resolved {
                let whole = resolved.finding.candidate;
                let is_whole = (resolved.start, resolved.end) == (whole.start, whole.end);
                assert_eq!(resolved.trimmed(), !is_whole, "{findings:?}");
            }
        }
    }

    #[test]
    fn a_word_of_a_label_is_no_name() {
        let text = "Carné de identidad: 91123151234";
        let name = *catalogue::NAME.first().unwrap();
        let number = Candidate {
            label: Signal { weight: 9.0, place: (0, 18) },
            ..Candidate::new(Source::Denied(0), 20, 31)
        };
        for (names, confidence, want) in [
            (vec![(0, 6, 0.5)], 0.9, vec![(20, 31)]),
            // a longer one that begins in the label hides none
            (vec![(0, 19, 0.1), (9, 18, 0.5)], 0.9, vec![(0, 19), (20, 31)]),
            // a finding that is less sure proves no label
            (vec![(0, 6, 0.5)], 0.4, vec![(0, 6), (20, 31)]),
        ] {
            let candidates: Vec<Candidate> = names
                .iter()
                .map(|(start, end, _)| Candidate::new(Source::Catalogue(name), *start, *end))
                .chain([number])
                .collect();
            let confidences = names.iter().map(|(.., confidence)| *confidence).chain([confidence]);
            let findings = candidates
                .iter()
                .zip(confidences)
                .map(|(candidate, confidence)| plain(candidate, confidence));
            let resolved = resolve(findings.collect(), &[], text, &Work::default());
            assert_eq!(places(&resolved), want, "{names:?}");
        }
    }

    #[test]
    fn a_secret_begins_no_name_that_is_less_sure() {
        let text = "mongosh -u root -p marigold admin";
        let name = Candidate::new(Source::Catalogue(catalogue::NAME[0]), 19, 33);
        for (kind, confidence, want) in
            [("password", 0.9, (19, 27)), ("password", 0.5, (19, 33)), ("username", 0.9, (19, 33))]
        {
            let source = Source::Catalogue(catalogue::numbered_by_type(kind).next().unwrap().0);
            let label = Signal { weight: 9.0, place: (16, 18) };
            let value = Candidate { label, ..Candidate::new(source, 19, 27) };
            let findings = vec![plain(&name, 0.6), plain(&value, confidence)];
            let resolved = resolve(findings, &[], text, &Work::default());
            assert_eq!(places(&resolved), [want], "{kind} {confidence}");
        }
    }
}
