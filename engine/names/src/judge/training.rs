//! What the training of the judge needs: the regions of a text with their features, and a judge with other weights.

use textveil_phrase::work::Work;

use super::{Script, Tag, Weights, features, judge, regions};
use crate::{Known, Part, token};

/// A region of a text.
#[derive(Clone, Debug)]
pub struct Example {
    /// The range of each unit, in bytes.
    pub units: Vec<(u32, u32)>,
    /// The class of the gap before each unit.
    pub gaps: Vec<u8>,
    /// The features of each unit.
    pub features: Vec<Vec<u32>>,
}

/// A stretch of a text that is judged to be a name.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// What it is.
    pub tag: Tag,
    /// How it is written.
    pub script: Script,
    /// The range, in bytes.
    pub start: u32,
    /// The first byte after.
    pub end: u32,
    /// By how much it is likelier a name than none, in steps of log-odds.
    pub margin: i32,
}

/// Returns the regions of a text, with features of names that are known.
pub fn examples(text: &str, known: &Known) -> Vec<Example> {
    let tokens = token::tokens(text);
    let mut out = Vec::new();
    regions(text, &tokens, |region| {
        let mut lists = vec![Vec::new(); region.units.len()];
        features(text, &tokens, region, known, |unit, features| {
            if let Some(list) = lists.get_mut(unit) {
                *list = features.list().to_vec();
            }
        });
        out.push(Example {
            units: region.units.iter().map(|unit| (unit.start, unit.end)).collect(),
            gaps: region.units.iter().map(|unit| unit.gap).collect(),
            features: lists,
        });
    });
    out
}

/// Returns the names in a text with these weights.
pub fn names(weights: &Weights<'_>, text: &str, known: &Known, bonus: i32) -> Vec<Name> {
    let tokens = token::tokens(text);
    let mut known = known.clone();
    let mut out = Vec::new();
    super::names(weights, text, &tokens, &mut known, bonus, &Work::default(), |region, name| {
        out.extend(region.span(name).map(|Part { start, end }| Name {
            tag: name.tag,
            script: region.script,
            start,
            end,
            margin: name.margin,
        }));
    });
    out
}

/// Returns the words of sure names of several words in a text. Those of one word are left out: each would be known at its
/// own place, too.
pub fn known(weights: &Weights<'_>, text: &str) -> Known {
    let mut known = Known::default();
    let tokens = token::tokens(text);
    regions(text, &tokens, |region| {
        let names = judge(weights, text, &tokens, region, &Known::default(), 0);
        names.iter().filter(|name| name.end - name.start > 1).for_each(|name| {
            super::remember(text, region, name, &mut known);
        });
    });
    known
}
