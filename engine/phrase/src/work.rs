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
///
/// The steps of [`Stage::Customs`] may have a budget, since the caller decides how many a byte takes:
///
/// ```
/// use textveil_phrase::work::{Stage, Work};
///
/// let work = Work::default();
/// work.allow(2);
/// work.add(Stage::Customs, 3);
/// assert!(work.is_spent());
/// ```
#[derive(Debug)]
pub struct Work {
    counts: [Cell<u64>; Stage::ALL.len()],
    /// The budget of [`Stage::Customs`].
    allowed: Cell<u64>,
}

/// No steps, and no budget.
impl Default for Work {
    fn default() -> Self {
        Self { counts: Default::default(), allowed: Cell::new(u64::MAX) }
    }
}

impl Work {
    /// Adds steps to a stage.
    #[inline]
    pub fn add(&self, stage: Stage, steps: usize) {
        if let Some(count) = self.counts.get(stage as usize) {
            count.set(count.get() + steps as u64);
        }
    }

    /// Sets the budget of [`Stage::Customs`], in steps.
    pub fn allow(&self, steps: u64) {
        self.allowed.set(steps);
    }

    /// Returns the steps that the budget has left.
    ///
    /// # Examples
    /// ```
    /// use textveil_phrase::work::{Stage, Work};
    ///
    /// let work = Work::default();
    /// work.allow(3);
    /// work.add(Stage::Customs, 2);
    /// assert_eq!(work.left(), 1);
    /// work.add(Stage::Customs, 2);
    /// assert_eq!(work.left(), 0);
    /// ```
    pub fn left(&self) -> u64 {
        self.allowed.get().saturating_sub(self.of(Stage::Customs))
    }

    /// Whether [`Stage::Customs`] took more steps than its budget.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.of(Stage::Customs) > self.allowed.get()
    }

    /// Returns the steps of a stage.
    pub fn of(&self, stage: Stage) -> u64 {
        self.counts.get(stage as usize).map_or(0, Cell::get)
    }

    /// Returns the steps of all stages.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(Cell::get).sum()
    }
}
