//! Overlaps: one finding a place, and every character that was found is covered.

use std::collections::BTreeMap;

use crate::{order, weigh::Finding};

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
        (self.start, self.end) != (self.finding.hypothesis.start, self.finding.hypothesis.end)
    }
}

/// Settles overlaps among findings, all of them above the threshold or suppressors.
///
/// What lies inside a container, or inside a longer finding that is not much less sure, goes. Of others
/// that overlap the surer one stays whole, then the longer one; what sticks out of the other is reported
/// as a finding of its own.
///
/// `reserved` places belong to nothing.
pub(crate) fn resolve<'h>(
    mut findings: Vec<Finding<'h>>,
    reserved: &[(u32, u32)],
    text: &str,
) -> Vec<Resolved<'h>> {
    drop_inner(&mut findings);
    let apart =
        findings.windows(2).all(|pair| matches!(pair, [a, b] if a.hypothesis.end <= b.hypothesis.start));
    if apart && reserved.is_empty() {
        let whole = |finding: Finding<'h>| Resolved {
            finding,
            start: finding.hypothesis.start,
            end: finding.hypothesis.end,
        };
        return findings.into_iter().filter(|finding| !finding.suppressor).map(whole).collect();
    }
    order::sort(&mut findings, |a, b| {
        let rank = |finding: &Finding<'_>| (finding.container, finding.confidence);
        rank(b)
            .0
            .cmp(&rank(a).0)
            .then(rank(b).1.total_cmp(&rank(a).1))
            .then(b.hypothesis.len().cmp(&a.hypothesis.len()))
    });
    let mut taken = Taken::new();
    taken.extend(reserved.iter().map(|(start, end)| (*start, (*end, None))));
    for finding in findings {
        if !finding.suppressor && suppressed(&taken, &finding) {
            continue;
        }
        for (start, end) in free(&taken, finding.hypothesis.start, finding.hypothesis.end) {
            let whole = end - start == finding.hypothesis.len();
            let part = text.get(start as usize..end as usize).unwrap_or_default();
            let trimmed = part.trim_matches(|letter: char| !letter.is_alphanumeric());
            if whole {
                taken.insert(start, (end, Some(finding)));
            } else if !finding.suppressor && !trimmed.is_empty() {
                let start = start
                    + (part.len() - part.trim_start_matches(|letter: char| !letter.is_alphanumeric()).len())
                        as u32;
                taken.insert(start, (start + trimmed.len() as u32, Some(finding)));
            }
        }
    }
    let resolved = taken
        .into_iter()
        .filter_map(|(start, (end, finding))| Some(Resolved { finding: finding?, start, end }));
    resolved.filter(|resolved| !resolved.finding.suppressor).collect()
}

/// Places that are taken, by their start: their end, and the finding, if it is one.
type Taken<'h> = BTreeMap<u32, (u32, Option<Finding<'h>>)>;

/// Drops what lies inside something longer.
fn drop_inner(findings: &mut Vec<Finding<'_>>) {
    // by their starts, the longest first
    order::sort(findings, |a, b| {
        let (a, b) = (a.hypothesis, b.hypothesis);
        a.start.cmp(&b.start).then(b.end.cmp(&a.end))
    });
    let mut open: Vec<(u32, f32, bool)> = Vec::new();
    findings.retain(|finding| {
        let (start, end) = (finding.hypothesis.start, finding.hypothesis.end);
        open.retain(|(until, ..)| *until > start);
        let inside = open.iter().any(|(until, confidence, container)| {
            *until >= end && (*container || *confidence >= 0.5 * finding.confidence)
        });
        if !inside {
            open.push((end, finding.confidence, finding.container));
        }
        !inside
    });
}

/// Whether a part of a finding is claimed by what is surer to be no personal data: then no piece of it is left.
fn suppressed(taken: &Taken<'_>, finding: &Finding<'_>) -> bool {
    let (start, end) = (finding.hypothesis.start, finding.hypothesis.end);
    let suppressor = |(_, (until, other)): (&u32, &(u32, Option<Finding<'_>>))| {
        *until > start && other.is_some_and(|other| other.suppressor)
    };
    taken.range(..start).next_back().is_some_and(suppressor) || taken.range(start..end).any(suppressor)
}

/// The parts of a range that nothing has taken.
fn free(taken: &Taken<'_>, start: u32, end: u32) -> Vec<(u32, u32)> {
    let before = taken.range(..start).next_back().map(|(start, (end, _))| (*start, *end));
    let within = taken.range(start..end).map(|(start, (end, _))| (*start, *end));
    let mut parts = Vec::new();
    let mut from = start;
    for (start, until) in before.into_iter().chain(within) {
        if until <= from {
            continue;
        }
        if start > from {
            parts.push((from, start));
        }
        from = until;
    }
    if from < end {
        parts.push((from, end));
    }
    parts
}
