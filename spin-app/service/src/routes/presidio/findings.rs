//! Findings as they are answered, none overlapping another.

use std::collections::BTreeMap;

use serde::Serialize;

use super::explanation::Explanation;
use crate::order;

/// A finding, in Presidio's words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RecognizerResult"))]
pub(crate) struct Finding {
    /// Why it was found; null unless `return_decision_process` was asked for.
    pub analysis_explanation: Option<Explanation>,
    /// First code point after it.
    pub end: usize,
    /// The type, by Presidio's name where Presidio has one.
    pub entity_type: String,
    /// The confidence of the finding, 0 to 1.
    pub score: f64,
    /// First code point of it.
    pub start: usize,
}

/// Cuts findings that overlap: the surest stays whole, and the rest of another one is a finding by itself, so that
/// every character that was found stays found. Presidio reports both whole, and clients that replace both then
/// garble the text.
///
/// In Presidio's order: the surest first.
pub(super) fn apart(mut findings: Vec<Finding>) -> Vec<Finding> {
    order::sort_by(&mut findings, before);
    // taken places by their starts, with their ends
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut apart = Vec::with_capacity(findings.len());
    for finding in findings {
        let pieces = free(&taken, finding.start, finding.end);
        for (start, end) in pieces {
            taken.insert(start, end);
            apart.push(Finding { start, end, ..finding.clone() });
        }
    }
    order::sort_by(&mut apart, before);
    apart
}

fn before(a: &Finding, b: &Finding) -> std::cmp::Ordering {
    let longer = |finding: &Finding| finding.end.saturating_sub(finding.start);
    b.score.total_cmp(&a.score).then(a.start.cmp(&b.start)).then(longer(b).cmp(&longer(a)))
}

/// The parts of a range that nothing has taken.
fn free(taken: &BTreeMap<usize, usize>, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let before = taken.range(..=start).next_back().map_or(start, |(_, end)| *end);
    let mut from = start.max(before);
    for (next, next_end) in taken.range(start + 1..end.max(start + 1)) {
        if from < *next {
            pieces.push((from, *next));
        }
        from = from.max(*next_end);
    }
    if from < end {
        pieces.push((from, end));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surest_keeps_its_place() {
        type Spans<'s> = &'s [(usize, usize, f64)];
        let cases: [(Spans<'_>, Spans<'_>); 7] = [
            (&[(0, 5, 0.5), (5, 9, 0.9)], &[(5, 9, 0.9), (0, 5, 0.5)]),
            (&[(0, 5, 0.5), (3, 9, 0.9)], &[(3, 9, 0.9), (0, 3, 0.5)]),
            (&[(0, 9, 0.5), (3, 5, 0.9)], &[(3, 5, 0.9), (0, 3, 0.5), (5, 9, 0.5)]),
            (&[(0, 9, 0.9), (3, 5, 0.5)], &[(0, 9, 0.9)]),
            (&[(0, 9, 0.5), (0, 9, 0.5)], &[(0, 9, 0.5)]),
            (
                &[(2, 4, 0.9), (6, 8, 0.9), (0, 9, 0.1)],
                &[(2, 4, 0.9), (6, 8, 0.9), (0, 2, 0.1), (4, 6, 0.1), (8, 9, 0.1)],
            ),
            (&[(0, 4, 0.7), (2, 9, 0.7)], &[(0, 4, 0.7), (4, 9, 0.7)]),
        ];
        for (given, want) in cases {
            let findings = given.iter().map(|(start, end, score)| Finding {
                analysis_explanation: None,
                entity_type: "X".to_owned(),
                start: *start,
                end: *end,
                score: *score,
            });
            let apart = apart(findings.collect());
            let got: Vec<_> = apart.iter().map(|left| (left.start, left.end, left.score)).collect();
            assert_eq!(got, want, "{given:?}");
        }
    }
}
