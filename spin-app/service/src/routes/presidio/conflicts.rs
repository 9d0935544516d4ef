//! Selects the findings that `/anonymize` operates on, as Presidio's `AnonymizerEngine` decides.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use super::{code_points::CodePoints, rewrite::RewrittenPiece};
use crate::order;

/// Resolves findings that overlap or touch: those of one type become one; one inside another goes, and
/// of two at the same place the less sure one; two of one type with only spaces between them become
/// one. Those that overlap otherwise both stay. From the last to the first.
pub(super) fn resolve(mut pieces: Vec<RewrittenPiece>, text: &CodePoints<'_>) -> Vec<RewrittenPiece> {
    order::sort_by_key(&mut pieces, |piece| (piece.start, piece.end));
    let mut pieces = join_spaced(without_contained(merge_types(pieces)), text);
    order::sort_by_key(&mut pieces, |piece| Reverse((piece.start, piece.end)));
    pieces
}

/// Findings of one type that overlap become one, at the position of the last.
fn merge_types(pieces: Vec<RewrittenPiece>) -> Vec<RewrittenPiece> {
    // the last one of each type, by its index in the result
    let mut last: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Option<RewrittenPiece>> = Vec::with_capacity(pieces.len());
    for mut piece in pieces {
        let index = kept.len();
        if let Some(before) = last.insert(piece.entity_type.clone(), index)
            && let Some(slot) = kept.get_mut(before)
            && let Some(other) = slot.take_if(|other| other.end.min(piece.end) > other.start.max(piece.start))
        {
            piece.start = other.start.min(piece.start);
            piece.end = other.end.max(piece.end);
            piece.score = other.score.into_iter().chain(piece.score).reduce(f64::max);
        }
        kept.push(Some(piece));
    }
    kept.into_iter().flatten().collect()
}

/// Without those that lie within another one.
fn without_contained(pieces: Vec<RewrittenPiece>) -> Vec<RewrittenPiece> {
    let mut sorted: Vec<(usize, &RewrittenPiece)> = pieces.iter().enumerate().collect();
    order::sort_by_key(&mut sorted, |(_, piece)| (piece.start, Reverse(piece.end)));
    let mut stays = HashSet::new();
    let mut seen_to = None;
    for group in sorted.chunk_by(|(_, a), (_, b)| (a.start, a.end) == (b.start, b.end)) {
        let surest = group.iter().max_by(|(a_index, a), (b_index, b)| {
            let score = |piece: &RewrittenPiece| piece.score.unwrap_or_default();
            score(a).total_cmp(&score(b)).then(a_index.cmp(b_index))
        });
        let Some((index, piece)) = surest else { continue };
        if seen_to.is_none_or(|end| end < piece.end) {
            stays.insert(*index);
            seen_to = Some(piece.end);
        }
    }
    let kept = pieces.iter().enumerate().filter(|(index, _)| stays.contains(index));
    kept.map(|(_, piece)| piece.clone()).collect()
}

/// Those of one type with spaces between them, one after the other, become one with the score of the last.
fn join_spaced(pieces: Vec<RewrittenPiece>, text: &CodePoints<'_>) -> Vec<RewrittenPiece> {
    let mut joined: Vec<RewrittenPiece> = Vec::with_capacity(pieces.len());
    for mut piece in pieces {
        if let Some(before) = joined.pop_if(|before| {
            before.entity_type == piece.entity_type
                && text.piece(before.end, piece.start).is_some_and(is_spaces)
        }) {
            piece.start = before.start;
        }
        joined.push(piece);
    }
    joined
}

/// Spaces, and a line break behind them, as Python's `^( )+$` has it.
fn is_spaces(between: &str) -> bool {
    let spaces = between.strip_suffix('\n').unwrap_or(between);
    !spaces.is_empty() && spaces.bytes().all(|byte| byte == b' ')
}
