//! The interface for training the judge: the regions of a text with their features, and a judge with other weights.

use textveil_phrase::work::Work;

use super::{
    Ask, BITS, Bits, Domain, Judges, LEAST_OWN, Models, Script, Source, Tag, characters, regions,
    words::{self, SeenWord, WeighedWord},
};
use crate::{Anchors, Known, Part, inflection::Forms, token, token::Token};

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
    /// Its tag.
    pub tag: Tag,
    /// Its script.
    pub script: Script,
    /// The range, in bytes.
    pub start: u32,
    /// The first byte after.
    pub end: u32,
    /// By how much it is likelier a name than none, in steps of log-odds.
    pub margin: i32,
}

/// All features.
static ALL: Bits = [[0xff; 8]; 1 << (BITS - 6)];

/// Returns a text as it is judged for a domain: without passages of the other one.
fn source<'t>(anchors: &'t Anchors, domain: Domain, text: &'t str, tokens: &'t [Token]) -> Source<'t> {
    let source = anchors.source(text, tokens);
    match domain {
        Domain::Plain => Source { passages: &[], ..source },
        Domain::Caseless => source,
    }
}

/// Returns the regions of a text that are of a domain, with features of names that are known.
pub fn examples(domain: Domain, text: &str, known: &Known) -> Vec<Example> {
    let tokens = token::tokens(text);
    let anchors = Anchors::new(text, &tokens);
    let source = source(&anchors, domain, text, &tokens);
    let mut forms = Forms::new(text, &tokens);
    let mut out = Vec::new();
    let windows = regions::windows(source, |_, _| true);
    regions(source, &windows, |region| {
        if region.script.domain() != domain {
            return;
        }
        let mut lists: Vec<Vec<u32>> = Vec::with_capacity(region.units.len());
        if region.script == Script::Characters {
            characters::features(text, region, known, &ALL, &mut |features| lists.push(features.indices()));
        } else {
            let (mut read, mut own) = (Vec::new(), Vec::new());
            words::read(text, &tokens, region, &mut read, |token, is| {
                let written = token.text(text);
                let seen = SeenWord::new(written, token, is, known, &mut forms);
                WeighedWord::new(written, seen, &ALL, |features| {
                    own.push((token.start, features.indices()));
                    Default::default()
                })
            });
            words::around(text, &tokens, region, &read, &ALL, |_, features| lists.push(features.indices()));
            for (list, unit) in lists.iter_mut().zip(&region.units) {
                let token = tokens.get(unit.token as usize).map(|token| token.start);
                own.iter().filter(|(start, _)| Some(*start) == token).for_each(|(_, own)| list.extend(own));
            }
        }
        out.push(Example {
            units: region.units.iter().map(|unit| (unit.start, unit.end)).collect(),
            gaps: region.units.iter().map(|unit| unit.gap).collect(),
            features: lists,
        });
    });
    out
}

/// Returns the names of a domain in a text with these models.
pub fn names(models: &Models<'_>, domain: Domain, text: &str, known: &Known, bonus: i32) -> Vec<Name> {
    let tokens = token::tokens(text);
    let anchors = Anchors::new(text, &tokens);
    let source = source(&anchors, domain, text, &tokens);
    let mut known = known.clone();
    let mut out = Vec::new();
    let ask = Ask { bonus, reasons: false };
    super::names(models, source, &mut known, ask, &Work::default(), |_, region, name| {
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

/// Returns the words of sure names of several words in a text, of a domain. Those of one word are left out: each would be known at
/// its own place, too.
pub fn known(models: &Models<'_>, domain: Domain, text: &str) -> Known {
    let mut known = Known::default();
    let tokens = token::tokens(text);
    let anchors = Anchors::new(text, &tokens);
    let source = source(&anchors, domain, text, &tokens);
    let mut forms = Forms::new(text, &tokens);
    let unknown = Known::default();
    let mut judges = Judges::new(models, text, &tokens, &unknown);
    let windows = judges.windows(source, &Work::default(), &mut forms);
    regions(source, &windows, |region| {
        if region.script.domain() != domain {
            return;
        }
        let judge = judges.of(region.script);
        let names = judge.names(region, Ask { bonus: 0, reasons: false }, &mut forms);
        names.iter().filter(|name| name.end - name.start > 1).for_each(|name| {
            super::remember(text, region, name, &mut known);
        });
    });
    known
}

/// Calls `take` with the hash of each word in lower case, and whether it may be part of a name by its own features.
pub fn own(models: &Models<'_>, text: &str, mut take: impl FnMut(u32, bool)) {
    let tokens = token::tokens(text);
    let mut forms = Forms::new(text, &tokens);
    let unknown = Known::default();
    let mut judges = Judges::new(models, text, &tokens, &unknown);
    for token in tokens.iter().filter(|token| token.case == token::Case::Lower) {
        let [begin, inside, ..] = judges.of(Script::Small).own(token, &mut forms).sums.each();
        take(token.phrase.value(), begin.max(inside) >= LEAST_OWN);
    }
}
