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
        Ok(self.detect_each(texts)?.collect())
    }

    /// Finds personal data in each of 1 to 50 texts when its turn comes.
    ///
    /// The texts are checked at once, and searched one by one: the caller may do other work between two of them.
    ///
    /// # Errors
    /// As [`crate::detect_batch()`] for its texts.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, Finder};
    ///
    /// let finder = Finder::new(&DetectOptions::default())?;
    /// let mut detections = finder.detect_each(&["PESEL 44051401359", "nothing"])?;
    /// assert_eq!(detections.next().unwrap().entities.len(), 1);
    /// assert_eq!(detections.next().unwrap().entities.len(), 0);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn detect_each<T: AsRef<str>>(&self, texts: &[T]) -> Result<impl Iterator<Item = Detection>, Error> {
        check_batch(texts)?;
        let work = Work::default();
        Ok(texts.iter().map(move |text| detect::run(text.as_ref(), &self.0, &work)))
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
        self.protect_each(texts, protection, keys)?.collect()
    }

    /// Finds personal data in each of 1 to 50 texts and replaces it when its turn comes.
    ///
    /// Options and texts are checked at once, and the texts searched one by one: the caller may do other work between
    /// two of them.
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
        let protector = Protector::new(protection, &self.0, keys)?;
        check_batch(texts)?;
        let work = Work::default();
        Ok(texts.iter().map(move |text| protector.protect(text.as_ref(), &self.0, keys, &work)))
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
