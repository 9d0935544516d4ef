//! Counts the steps of an analysis, so that tests can bound them without a clock.

use std::cell::Cell;

/// A stage of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Makes the detection copy of the text.
    Fold,
    /// Walks over the text and cuts candidates.
    Scan,
    /// Reads the labels around candidates.
    Labels,
    /// Reads values from their anchors on.
    Recognise,
    /// Finds names, addresses and organisations.
    Names,
    /// Infers the countries.
    Countries,
    /// Weighs candidates against each other.
    Weigh,
    /// Applies the caller's detectors, deny list and allow list.
    Customs,
    /// Settles overlaps.
    Resolve,
    /// Writes findings and replacements.
    Protect,
}

impl Stage {
    /// All stages, in their order.
    pub const ALL: [Self; 10] = [
        Self::Fold,
        Self::Scan,
        Self::Labels,
        Self::Recognise,
        Self::Names,
        Self::Countries,
        Self::Weigh,
        Self::Customs,
        Self::Resolve,
        Self::Protect,
    ];
}

/// Counts the steps of each stage: bytes read, table lookups, candidates compared.
///
/// A step takes a bounded time. So a bound on the steps is a bound on the time, on any machine.
///
/// ```
/// use textveil_phrase::work::{Stage, Work};
///
/// let work = Work::default();
/// work.add(Stage::Scan, 3);
/// assert_eq!((work.of(Stage::Scan), work.total()), (3, 3));
/// ```
#[derive(Debug, Default)]
pub struct Work([Cell<u64>; Stage::ALL.len()]);

impl Work {
    /// Adds steps to a stage.
    #[inline]
    pub fn add(&self, stage: Stage, steps: usize) {
        if let Some(count) = self.0.get(stage as usize) {
            count.set(count.get() + steps as u64);
        }
    }

    /// Returns the steps of a stage.
    pub fn of(&self, stage: Stage) -> u64 {
        self.0.get(stage as usize).map_or(0, Cell::get)
    }

    /// Returns the steps of all stages.
    pub fn total(&self) -> u64 {
        self.0.iter().map(Cell::get).sum()
    }
}
