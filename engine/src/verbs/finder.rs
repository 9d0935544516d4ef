//! The options of detection, compiled once for many texts.

use std::sync::Arc;

use crate::{
    api::{
        answer::{Detection, GivenFinding, Protection},
        entity::Span,
        error::Error,
        limits::{MAX_BATCH, MAX_CUSTOM_STEPS, MAX_TEXT_CHARS},
        options::{DetectOptions, ProtectOptions},
    },
    detect::{self, plan::Plan},
    phrase::work::Work,
    protect::{Keyring, Protector, Stream},
};

/// Finds and protects personal data with options that are compiled once.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, Finder};
///
/// let finder = Finder::new(&DetectOptions::default())?;
/// assert_eq!(finder.detect("PESEL 44051401359")?.entities.len(), 1);
/// assert_eq!(finder.detect("nothing")?.entities.len(), 0);
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub struct Finder {
    plan: Arc<Plan>,
    /// Whether the API's limits apply: 50,000 characters a text, 50 texts a batch, and the budget of the caller's own
    /// detectors and lists.
    limited: bool,
}

impl Finder {
    /// Compiles options.
    ///
    /// # Errors
    /// As [`crate::detect()`] for its options.
    pub fn new(options: &DetectOptions) -> Result<Self, Error> {
        Ok(Self { plan: Arc::new(Plan::new(options)?), limited: true })
    }

    /// Compiles options for texts of any length and batches of any size.
    ///
    /// The limits of the API protect a service from its callers; a library in the caller's process needs none
    /// of them. An empty text has no findings.
    ///
    /// # Errors
    /// As [`Finder::new`].
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder};
    ///
    /// let finder = Finder::unlimited(&DetectOptions::default())?;
    /// let text = "a word ".repeat(10_000) + "PESEL 44051401359";
    /// assert_eq!(finder.detect(&text)?.entities.len(), 1);
    /// assert_eq!(finder.detect("")?.entities.len(), 0);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn unlimited(options: &DetectOptions) -> Result<Self, Error> {
        Ok(Self { plan: Arc::new(Plan::new(options)?), limited: false })
    }

    /// Finds personal data in a text.
    ///
    /// # Errors
    /// As [`crate::detect()`] for its text.
    pub fn detect(&self, text: &str) -> Result<Detection, Error> {
        self.detect_counted(text, &Work::default())
    }

    /// Finds personal data in each of 1 to 50 texts.
    ///
    /// Returns one detection per text, in their order.
    ///
    /// # Errors
    /// As [`crate::detect_batch()`] for its texts.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let found = finder.detect_batch(&["a@example.com b@example.com", "nothing"])?;
    /// assert_eq!((found[0].entities.len(), found[1].entities.len()), (2, 0));
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn detect_batch<T: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<Detection>, Error> {
        self.detect_each(texts)?.collect()
    }

    /// Finds personal data in each text when its turn comes.
    ///
    /// There may be 1 to 50 texts. They are checked at once, and searched one by one: the caller may do other
    /// work between two of them.
    ///
    /// # Errors
    /// As [`crate::detect_batch()`] for its texts; an item fails as [`crate::detect()`] does.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let mut detections = finder.detect_each(&["PESEL 44051401359", "nothing"])?;
    /// assert_eq!(detections.next().unwrap()?.entities.len(), 1);
    /// assert_eq!(detections.next().unwrap()?.entities.len(), 0);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn detect_each<T: AsRef<str>>(
        &self,
        texts: &[T],
    ) -> Result<impl Iterator<Item = Result<Detection, Error>>, Error> {
        self.check_batch(texts)?;
        let work = Work::default();
        self.set_budget(&work);
        Ok(texts.iter().map(move |text| {
            let found = detect::run(text.as_ref(), &self.plan, &work);
            within_budget(&work).map(|()| found)
        }))
    }

    /// Finds personal data in a text and replaces it.
    ///
    /// # Errors
    /// As [`crate::protect()`] for everything but the options of detection.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, ProtectOptions};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let protected = finder.protect("to jan.novak@example.com", &ProtectOptions::default(), None)?;
    /// assert_eq!(protected.text, "to [REDACTED]");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn protect(
        &self,
        text: &str,
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
    ) -> Result<Protection, Error> {
        self.protect_counted(text, protection, keys, &Work::default())
    }

    /// Finds and replaces personal data in each of 1 to 50 texts.
    ///
    /// Returns one protection per text, in their order.
    ///
    /// # Errors
    /// As [`crate::protect_batch()`] for everything but the options of detection.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, Mode, ProtectOptions};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let mask = ProtectOptions { mode: Mode::Mask, ..ProtectOptions::default() };
    /// let protected = finder.protect_batch(&["PESEL 44051401359", "nothing"], &mask, None)?;
    /// assert_eq!(protected[0].text, "PESEL ***********");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn protect_batch<T: AsRef<str>>(
        &self,
        texts: &[T],
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
    ) -> Result<Vec<Protection>, Error> {
        self.protect_each(texts, protection, keys)?.collect()
    }

    /// Finds and replaces personal data in each text when its turn comes.
    ///
    /// There may be 1 to 50 texts. Options and texts are checked at once, and the texts searched one by one: the
    /// caller may do other work between two of them.
    ///
    /// # Errors
    /// As [`crate::protect_batch()`] for everything but the options of detection; an item fails as
    /// [`crate::protect()`] does.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, ProtectOptions};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let options = ProtectOptions::default();
    /// let mut protections = finder.protect_each(&["PESEL 44051401359", "nothing"], &options, None)?;
    /// assert_eq!(protections.next().unwrap()?.entities.len(), 1);
    /// assert_eq!(protections.next().unwrap()?.text, "nothing");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn protect_each<T: AsRef<str>>(
        &self,
        texts: &[T],
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
    ) -> Result<impl Iterator<Item = Result<Protection, Error>>, Error> {
        let protector = Protector::new(protection, &self.plan, keys)?;
        self.check_batch(texts)?;
        let work = Work::default();
        self.set_budget(&work);
        Ok(texts.iter().map(move |text| {
            let protected = protector.protect(text.as_ref(), &self.plan, keys, &work);
            within_budget(&work).and(protected)
        }))
    }

    /// Replaces the given findings and no others.
    ///
    /// The findings may come from an earlier detection, from a review of it, or from a model of the caller's. Their
    /// offsets count in the unit of the options.
    ///
    /// # Errors
    /// As [`crate::protect()`], and naming a finding that overlaps another or is outside the text, such as
    /// `findings[2].end`.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, GivenFinding, ProtectOptions};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let name = GivenFinding { kind: "name".to_owned(), start: 5, end: 10, ..GivenFinding::default() };
    /// let protected = finder.apply("Dear Emily", &[name], &ProtectOptions::default(), None)?;
    /// assert_eq!(protected.text, "Dear [REDACTED]");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn apply(
        &self,
        text: &str,
        findings: &[GivenFinding],
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
    ) -> Result<Protection, Error> {
        let protector = Protector::new(protection, &self.plan, keys)?;
        self.check_text(text)?;
        protector.apply(text, findings, &self.plan, keys)
    }

    /// Whether the caller's detectors or deny list may find ordinary words.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, options::DenyRule};
    ///
    /// assert!(!Finder::new(&DetectOptions::default())?.finds_any_words());
    /// let deny_list = vec![DenyRule { value: "Project Heron".to_owned(), kind: None }];
    /// let options = DetectOptions { deny_list, ..DetectOptions::default() };
    /// assert!(Finder::new(&options)?.finds_any_words());
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn finds_any_words(&self) -> bool {
        self.plan.customs.finds_any_words()
    }

    /// Finds personal data in a text and adds the steps to `work`.
    ///
    /// Texts that share `work` share the budget of the caller's own detectors and lists.
    ///
    /// # Errors
    /// As [`crate::detect()`] for its text.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, Work};
    ///
    /// let (finder, work) = (Finder::new(&DetectOptions::default())?, Work::default());
    /// assert_eq!(finder.detect_counted("PESEL 44051401359", &work)?.entities.len(), 1);
    /// assert!(work.total() > 0);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn detect_counted(&self, text: &str, work: &Work) -> Result<Detection, Error> {
        self.check_text(text)?;
        self.set_budget(work);
        let found = detect::hinted(text, &self.plan, work);
        within_budget(work).and(found)
    }

    /// Finds and replaces personal data, and adds the steps to `work`.
    ///
    /// Texts that share `work` share the budget of the caller's own detectors and lists.
    ///
    /// # Errors
    /// As [`Finder::protect`].
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, ProtectOptions, Work};
    ///
    /// let (finder, work) = (Finder::new(&DetectOptions::default())?, Work::default());
    /// let options = ProtectOptions::default();
    /// assert_eq!(finder.protect_counted("PESEL 44051401359", &options, None, &work)?.text, "PESEL [REDACTED]");
    /// assert!(work.total() > 0);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn protect_counted(
        &self,
        text: &str,
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
        work: &Work,
    ) -> Result<Protection, Error> {
        let protector = Protector::new(protection, &self.plan, keys)?;
        self.check_text(text)?;
        self.set_budget(work);
        let protected = protector.protect(text, &self.plan, keys, work);
        within_budget(work).and(protected)
    }

    /// Finds and replaces personal data in the cells of a text.
    ///
    /// Cells are in bytes. Adds the steps to `work`. As [`Finder::protect_counted`] with
    /// [`DetectOptions::cells`], for a finder of many texts.
    ///
    /// # Errors
    /// As [`Finder::protect`].
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, ProtectOptions, Span, Work};
    ///
    /// let (finder, work) = (Finder::new(&DetectOptions::default())?, Work::default());
    /// let text = "street: 12 High St\nzip: LS1 1AA";
    /// let cells = [Span { start: 8, end: 18 }, Span { start: 24, end: 31 }];
    /// let protected = finder.protect_cells(text, &cells, &ProtectOptions::default(), None, &work)?;
    /// assert_eq!(protected.text, "street: [REDACTED]\nzip: [REDACTED]");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn protect_cells(
        &self,
        text: &str,
        cells: &[Span],
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
        work: &Work,
    ) -> Result<Protection, Error> {
        let protector = Protector::new(protection, &self.plan, keys)?;
        self.check_text(text)?;
        self.set_budget(work);
        let found = detect::in_cells(text, cells, &self.plan, work);
        let protected = protector.replaced(text, found, keys, work);
        within_budget(work).and(protected)
    }

    /// Protects a text that arrives in pieces.
    ///
    /// The limits of the API do not apply to streams.
    ///
    /// # Errors
    /// As [`crate::protect()`] for its options of protection; `hints` and `cells` belong to one text.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder, ProtectOptions};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// for _ in 0..2 {
    ///     let mut stream = finder.stream(&ProtectOptions::default(), None)?;
    ///     assert_eq!(stream.push("PESEL 440514")? + &stream.push("01359\n")?, "PESEL [REDACTED]\n");
    /// }
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn stream(&self, protection: &ProtectOptions, keys: Option<Keyring>) -> Result<Stream, Error> {
        Stream::of(Arc::clone(&self.plan), protection, keys)
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Sets the budget of the caller's own detectors and lists.
    pub(crate) fn set_budget(&self, work: &Work) {
        if self.limited {
            work.allow(MAX_CUSTOM_STEPS);
        }
    }

    fn check_text(&self, text: &str) -> Result<(), Error> {
        if self.limited { check_text(text, "text") } else { Ok(()) }
    }

    fn check_batch<T: AsRef<str>>(&self, texts: &[T]) -> Result<(), Error> {
        self.plan.hints.must_be_absent()?;
        self.plan.cells.must_be_absent()?;
        if self.limited { check_batch(texts) } else { Ok(()) }
    }
}

/// Checks that the caller's own detectors and lists kept their budget.
pub(crate) fn within_budget(work: &Work) -> Result<(), Error> {
    if work.is_spent() { Err(Error::budget_exceeded()) } else { Ok(()) }
}

/// Checks the length of a text.
fn check_text(text: &str, field: &str) -> Result<(), Error> {
    if text.is_empty() {
        return Err(Error::invalid(field, "is empty; send 1 to 50000 characters"));
    }
    // a character has one to four bytes
    if text.len() > MAX_TEXT_CHARS && text.chars().count() > MAX_TEXT_CHARS {
        return Err(Error::invalid(field, "is too long; send 1 to 50000 characters"));
    }
    Ok(())
}

/// Checks the number of texts and the length of each.
fn check_batch<T: AsRef<str>>(texts: &[T]) -> Result<(), Error> {
    if texts.is_empty() || texts.len() > MAX_BATCH {
        return Err(Error::invalid("texts", "must have 1 to 50 texts"));
    }
    texts
        .iter()
        .enumerate()
        .try_for_each(|(index, text)| check_text(text.as_ref(), &format!("texts[{index}]")))
}

/// Omits the options, which may contain personal data.
impl std::fmt::Debug for Finder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Finder").finish_non_exhaustive()
    }
}
