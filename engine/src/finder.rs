//! The options of detection, compiled once for many texts.

use crate::{
    Error, Keyring, ProtectOptions,
    detect::{self, Detection, check_batch, check_text},
    options::DetectOptions,
    phrase::work::Work,
    plan::Plan,
    protect::{Protection, Protector},
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
pub struct Finder(Plan);

impl Finder {
    /// Compiles options.
    ///
    /// # Errors
    /// As [`crate::detect()`] for its options.
    pub fn new(options: &DetectOptions) -> Result<Self, Error> {
        Plan::new(options).map(Self)
    }

    /// Finds personal data in a text.
    ///
    /// # Errors
    /// As [`crate::detect()`] for its text.
    pub fn detect(&self, text: &str) -> Result<Detection, Error> {
        self.detect_counted(text, &Work::default())
    }

    /// Finds personal data in each of 1 to 50 texts; one detection a text, in their order.
    ///
    /// # Errors
    /// As [`crate::detect_batch()`] for its texts.
    pub fn detect_batch<T: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<Detection>, Error> {
        check_batch(texts)?;
        let work = Work::default();
        Ok(texts.iter().map(|text| detect::run(text.as_ref(), &self.0, &work)).collect())
    }

    /// Finds personal data in a text and replaces it.
    ///
    /// # Errors
    /// As [`crate::protect()`] for everything but the options of detection.
    pub fn protect(
        &self,
        text: &str,
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
    ) -> Result<Protection, Error> {
        self.protect_counted(text, protection, keys, &Work::default())
    }

    /// Finds personal data in each of 1 to 50 texts and replaces it; one protection a text, in their order.
    ///
    /// # Errors
    /// As [`crate::protect_batch()`] for everything but the options of detection.
    pub fn protect_batch<T: AsRef<str>>(
        &self,
        texts: &[T],
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
    ) -> Result<Vec<Protection>, Error> {
        let protector = Protector::new(protection, &self.0, keys)?;
        check_batch(texts)?;
        let work = Work::default();
        texts.iter().map(|text| protector.protect(text.as_ref(), &self.0, keys, &work)).collect()
    }

    /// Tells whether ordinary words may be found, by detectors or a deny list of the caller.
    pub fn finds_any_words(&self) -> bool {
        self.0.customs.finds_any_words()
    }

    pub(crate) fn detect_counted(&self, text: &str, work: &Work) -> Result<Detection, Error> {
        check_text(text, "text")?;
        Ok(detect::run(text, &self.0, work))
    }

    pub(crate) fn protect_counted(
        &self,
        text: &str,
        protection: &ProtectOptions,
        keys: Option<&Keyring>,
        work: &Work,
    ) -> Result<Protection, Error> {
        let protector = Protector::new(protection, &self.0, keys)?;
        check_text(text, "text")?;
        protector.protect(text, &self.0, keys, work)
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.0
    }
}

/// What was found stays out.
impl std::fmt::Debug for Finder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Finder").finish_non_exhaustive()
    }
}
