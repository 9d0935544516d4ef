//! The table of layouts: for each way of writing an identifier, the detectors that use it.
//!
//! Code optimised for speed contains the table. Code optimised for size, for a web page, builds it on first
//! use from the detectors' shapes: the page has those anyway, and the table would be a sixteenth of the
//! download.
//!
//! The build of the catalogue uses this file too.

use textveil_weights::shape as weights;

use crate::{
    catalogue::shape::{self, Layout, Signature, Symbol},
    lexicon::table::Table,
    text::order,
};

/// A detector with a layout of some signature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    /// The detector, with the lowest bit set if it needs a label.
    pub packed: u16,
    /// The index into [`Layouts::priors`].
    pub prior: u8,
    /// The index into [`Layouts::literals`], 0 without a literal.
    pub literal: u8,
}

impl Fit {
    /// Returns the detector.
    pub fn detector(&self) -> u16 {
        self.packed >> 1
    }

    /// Whether it needs one of the detector's labels next to it.
    pub fn labelled(&self) -> bool {
        self.packed & 1 == 1
    }
}

/// The notations of an identifier of a detector.
pub(crate) struct Written {
    /// Shapes, one per line.
    pub shapes: &'static str,
    /// Shapes that need one of the detector's labels next to them, one per line.
    pub labelled: &'static str,
    /// The log-odds of the shapes in the detector's file, in hundredths.
    pub prior: Option<i16>,
}

/// The layouts of all detectors.
#[derive(Debug, PartialEq)]
pub(crate) struct Layouts {
    /// By signature; contains the signatures of all prefixes of layouts, too.
    pub table: Table<Fit>,
    /// Literal prefixes, in upper case; the first one is empty.
    pub literals: &'static [&'static str],
    /// Log-odds in hundredths.
    pub priors: &'static [i16],
}

/// A row of the table: a signature, and the detector that has it; `None` for a prefix of a layout.
type LayoutRow = (u32, Option<Fit>);

impl Layouts {
    /// Builds the layouts of the detectors, in their order. Invalid shapes are ignored.
    pub fn new(detectors: impl Iterator<Item = Written>) -> Self {
        let mut signatures = Signatures { entries: Vec::new(), before: Vec::new(), met: vec![0; MET] };
        let (mut literals, mut priors) = (vec![""], Vec::new());
        for (detector, written) in (0_u16..).zip(detectors) {
            for (shapes, labelled) in [(written.shapes, 0), (written.labelled, 1)] {
                for shape in shapes.lines() {
                    let packed = detector << 1 | labelled;
                    let literal = place(&mut literals, shape::literal(shape));
                    // the layouts that were expanded before an error in the shape do no harm
                    let _ = shape::each_layout(shape, &mut |layout| {
                        let prior = place(&mut priors, prior(written.prior, shape, layout));
                        signatures.add(&layout.symbols, Fit { packed, prior, literal });
                    });
                }
            }
        }
        let entries = without_repeats(order::by_number(signatures.entries));
        Self { table: Table::new(entries, 32), literals: literals.leak(), priors: priors.leak() }
    }

    /// Returns the detectors with a layout of this signature. `None` if no layout has it as a prefix.
    #[inline]
    pub fn fits(&self, signature: Signature) -> Option<&'static [Fit]> {
        self.table.get(signature.value())
    }

    /// Returns the log-odds of a fit's layout.
    #[inline]
    pub fn prior(&self, fit: &Fit) -> f32 {
        self.priors.get(usize::from(fit.prior)).map_or(0.0, |prior| f32::from(*prior) / 100.0)
    }

    /// Returns the literal prefix of a fit's layout, in upper case; `None` without one.
    #[inline]
    pub fn literal(&self, fit: &Fit) -> Option<&'static str> {
        if fit.literal == 0 { None } else { self.literals.get(usize::from(fit.literal)).copied() }
    }
}

/// The size of the cache of prefixes, a power of two.
const MET: usize = 4_096;

/// The signatures of layouts and of their prefixes.
///
/// A page waits for this, and most shapes share prefixes, so those already added are skipped.
struct Signatures {
    entries: Vec<LayoutRow>,
    /// The symbols of the last layout, each with the signature of the prefix that ends with it.
    before: Vec<(Symbol, Signature)>,
    /// A cache of the prefixes added, each at the index of its lowest bits.
    met: Vec<u32>,
}

impl Signatures {
    /// Adds a layout, and the prefixes that it does not share with the preceding one.
    fn add(&mut self, symbols: &[Symbol], fit: Fit) {
        let alike =
            symbols.iter().zip(&self.before).take_while(|(symbol, known)| **symbol == known.0).count();
        self.before.truncate(alike);
        let mut signature = self.before.last().map_or(Signature::EMPTY, |(_, signature)| *signature);
        for (at, symbol) in symbols.iter().enumerate().skip(alike) {
            // the last symbol completes the layout, which is not a prefix
            if at > alike {
                self.begin(signature.value());
            }
            signature = signature.with(*symbol);
            self.before.push((*symbol, signature));
        }
        self.entries.push((signature.value(), Some(fit)));
    }

    /// Adds a prefix, unless it is in the cache.
    fn begin(&mut self, signature: u32) {
        let Some(met) = self.met.get_mut(signature as usize % MET) else { return };
        if *met != signature {
            *met = signature;
            self.entries.push((signature, None));
        }
    }
}

/// Removes duplicates from entries sorted by signature. Of two equal layouts of a detector, the first counts.
fn without_repeats(entries: Vec<LayoutRow>) -> Vec<LayoutRow> {
    let mut kept: Vec<LayoutRow> = Vec::with_capacity(entries.len());
    for (signature, fit) in entries {
        let mut known = kept.iter().rev().take_while(|known| known.0 == signature);
        let is_known = match fit {
            Some(fit) => known
                .map_while(|known| known.1.filter(|known| known.detector() == fit.detector()))
                .any(|known| known.literal == fit.literal),
            None => known.next().is_some(),
        };
        if !is_known {
            kept.push((signature, fit));
        }
    }
    kept
}

/// Returns the index of an item in a list, to which it is added if necessary.
fn place<T: PartialEq>(list: &mut Vec<T>, thing: T) -> u8 {
    let at = list.iter().position(|known| *known == thing).unwrap_or_else(|| {
        list.push(thing);
        list.len() - 1
    });
    at as u8
}

/// Returns the prior of a layout in hundredths of log-odds: how likely a value in it is the identifier,
/// without other evidence.
///
/// The rarer the layout is in ordinary text, the higher the prior: bare digits have a low one, separators at
/// the right places a high one. The file's value replaces the base, but not the weight of the separators.
fn prior(given: Option<i16>, shape: &str, layout: &Layout) -> i16 {
    let (mut len, mut letters, mut tight, mut spaces) = (0, 0, 0, 0);
    for symbol in &layout.symbols {
        match *symbol {
            Symbol::Digits(run) => len += usize::from(run),
            Symbol::Letters(run) | Symbol::Any(run) => letters += usize::from(run),
            Symbol::Separator(b' ') => spaces += 1,
            Symbol::Separator(_) => tight += 1,
        }
    }
    let base = given.unwrap_or(if !layout.literal.is_empty() {
        hundredths(weights::LITERAL)
    } else if letters > 0 {
        hundredths(weights::LETTERS)
    } else {
        hundredths(match len {
            0..=7 => weights::DIGITS_UP_TO_7,
            8 => weights::DIGITS_8,
            9 => weights::DIGITS_9,
            10 => weights::DIGITS_10,
            11 | 12 => weights::DIGITS_11_OR_12,
            _ => weights::DIGITS_FROM_13,
        })
    });
    let tight = if tight > 0 && is_grouped_number(shape, layout) { 0 } else { tight.min(2) };
    base + hundredths(weights::SEPARATOR) * tight + if spaces > 0 { hundredths(weights::SPACES) } else { 0 }
}

/// Returns a weight in hundredths, as priors are stored.
fn hundredths(weight: f32) -> i16 {
    (weight * 100.0).round() as i16
}

/// Whether any large number may be written like this: `12.345.678`.
///
/// Some identifiers have groups of three digits or fewer; all groups of a number after the first have three.
fn is_grouped_number(shape: &str, layout: &Layout) -> bool {
    let mut groups = layout.symbols.split(|symbol| *symbol == Symbol::Separator(b'.'));
    let first = groups.next().is_some_and(|group| matches!(group, [Symbol::Digits(1..=3)]));
    let mut rest = groups.peekable();
    first
        && rest.peek().is_some()
        && rest.all(|group| group == [Symbol::Digits(3)])
        && !shape.contains(".d1..")
}
