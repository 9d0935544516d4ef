//! Replacing pieces of a text, in Presidio's way: from the last to the first.

use serde::Serialize;

use super::code_points::CodePoints;
use crate::{error::ApiError, limits::MAX_REWRITTEN_BYTES};

/// A piece to be replaced.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RewrittenPiece {
    /// First code point of it.
    pub start: usize,
    /// First code point after it.
    pub end: usize,
    pub entity_type: String,
    /// The score of the finding, if known.
    pub score: Option<f64>,
}

impl RewrittenPiece {
    /// # Errors
    /// `invalid_request` of `field` if it ends before it starts, or has no type.
    pub(super) fn new(
        start: usize,
        end: usize,
        entity_type: String,
        score: Option<f64>,
        field: &str,
    ) -> Result<Self, ApiError> {
        if start > end || entity_type.is_empty() {
            let message =
                format!("{field} must each have an entity_type, and a start that is not behind its end");
            return Err(ApiError::invalid(field, message).unprocessable());
        }
        Ok(Self { start, end, entity_type, score })
    }
}

/// A text with pieces of it replaced.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EngineResult"))]
pub(crate) struct Rewritten {
    /// The new text.
    text: String,
    /// The replacements, from the last to the first.
    items: Vec<Item>,
}

/// The replacement in the new text.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OperatorResult"))]
struct Item {
    /// First code point of it.
    start: usize,
    /// First code point after it.
    end: usize,
    /// The type.
    entity_type: String,
    /// The replacement.
    text: String,
    /// The operator used.
    operator: &'static str,
    /// The score of the finding; null if unknown.
    score: Option<f64>,
}

/// Replaces each piece of `text` by the result of `operate`, which also returns the name of the operator.
///
/// `pieces` are in order from the last to the first, and `field` is their path in the request.
///
/// Overlapping pieces are both operated on as a whole, and the first is truncated at the overlap.
///
/// # Errors
/// `invalid_request` if a piece is not within the text, or all of them together are far larger than it; those
/// of `operate`.
pub(super) fn rewrite(
    text: &str,
    pieces: Vec<RewrittenPiece>,
    field: &str,
    mut operate: impl FnMut(&str, &str) -> Result<(String, &'static str), ApiError>,
) -> Result<Rewritten, ApiError> {
    let invalid = |message: &str| Err(ApiError::invalid(field, format!("{field} {message}")).unprocessable());
    let source = CodePoints::new(text);
    // the new text from its end: what was put together, and how many characters that are
    let mut parts: Vec<&str> = Vec::new();
    let mut items: Vec<Item> = Vec::with_capacity(pieces.len());
    let mut replacements = Vec::with_capacity(pieces.len());
    let (mut behind, mut rest, mut work) = (0, source.count(), 0);
    for piece in pieces {
        let Some(old) = source.piece(piece.start, piece.end) else {
            return invalid("must lie within the text; offsets count code points");
        };
        let (new, operator) = operate(&piece.entity_type, old)?;
        work += old.len() + new.len();
        if work > MAX_REWRITTEN_BYTES {
            return invalid("would make the text far too long; send fewer, or shorter replacements");
        }
        let end = piece.end.min(rest);
        let (length, kept) = (new.chars().count(), rest - end);
        behind += kept + length;
        replacements.push((end, rest));
        items.push(Item {
            // counted from the end, until the length of the whole is known
            start: behind,
            end: length,
            entity_type: piece.entity_type,
            text: new,
            operator,
            score: piece.score,
        });
        rest = piece.start;
    }
    let whole = behind + rest;
    for (item, (kept_from, kept_to)) in items.iter().zip(replacements) {
        parts.push(source.piece(kept_from, kept_to).unwrap_or_default());
        parts.push(&item.text);
    }
    parts.push(source.piece(0, rest).unwrap_or_default());
    parts.reverse();
    let text = parts.concat();
    for item in &mut items {
        item.start = whole - item.start;
        item.end += item.start;
    }
    Ok(Rewritten { text, items })
}
