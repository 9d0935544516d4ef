//! The texts of an answer in events: each continues under its path, independently of the others.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt, mem,
    rc::Rc,
};

use serde_json::{Map, Value};

use super::{
    events::SseEvent,
    protect::Rules,
    stream::Answer,
    text::{self, Form, JsonStream},
};
use crate::error::ApiError;

/// The maximum number of open texts. OpenAI returns up to 128 choices; each may have a text and a tool call.
const MAX_FIELDS: usize = 256;

/// The maximum number of tools called in one answer, equal to that of open texts.
const MAX_TOOLS: usize = MAX_FIELDS;

/// The maximum number of annotations that wait for the end of one text.
const MAX_ANNOTATIONS: usize = 1_024;

/// The texts that are open, by their places.
pub(super) struct Fields<P>(BTreeMap<P, OpenText>);

/// A text that more events may add to.
struct OpenText {
    stream: JsonStream,
    annotations: Vec<Value>,
}

/// The end of a text.
#[derive(Debug, PartialEq)]
pub(super) struct EndedText<P> {
    pub place: P,
    /// The text that was held back.
    pub rest: String,
    /// The annotations that waited, with the positions that the application needs.
    pub annotations: Vec<Value>,
}

impl<P: Ord> Fields<P> {
    /// Adds a piece to the text at that path and returns the text that is final.
    ///
    /// # Errors
    /// As [`JsonStream::push`]; `upstream_error` if too many texts are open.
    pub fn push<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        place: P,
        form: Form,
        piece: &str,
    ) -> Result<String, ApiError> {
        // many providers name every text in every event
        if piece.is_empty() {
            return Ok(String::new());
        }
        let full = self.0.len() >= MAX_FIELDS;
        let text = match self.0.entry(place) {
            Entry::Occupied(text) => text.into_mut(),
            Entry::Vacant(_) if full => {
                return Err(ApiError::upstream("the stream of the provider has more texts at once than 256"));
            }
            Entry::Vacant(place) => {
                place.insert(OpenText { stream: JsonStream::new(form), annotations: Vec::new() })
            }
        };
        text.stream.push(answer, piece)
    }

    /// Keeps an annotation of the text at that path until the text ends, since a position may be in text that is
    /// held back. Gives it back if no such text is open.
    ///
    /// # Errors
    /// `upstream_error` if too many wait.
    pub fn annotate(&mut self, place: &P, annotation: Value) -> Result<Option<Value>, ApiError> {
        let Some(text) = self.0.get_mut(place) else { return Ok(Some(annotation)) };
        if text.annotations.len() >= MAX_ANNOTATIONS {
            return Err(ApiError::upstream("a text of the provider has more than 1024 annotations"));
        }
        text.annotations.push(annotation);
        Ok(None)
    }

    /// Ends the texts of these places and returns what was held of them, in the order of the places.
    ///
    /// # Errors
    /// As [`JsonStream::push`].
    pub fn finish<R: Rules>(
        &mut self,
        answer: &mut Answer<R>,
        ends: impl Fn(&P) -> bool,
    ) -> Result<Vec<EndedText<P>>, ApiError> {
        let (ended, open) = mem::take(&mut self.0).into_iter().partition(|(place, _)| ends(place));
        self.0 = open;
        let ended: BTreeMap<P, OpenText> = ended;
        let mut held = Vec::new();
        for (place, OpenText { stream, mut annotations }) in ended {
            let (rest, edits) = stream.end(answer)?;
            annotations.iter_mut().for_each(|annotation| edits.annotate(annotation));
            if !rest.is_empty() || !annotations.is_empty() {
                held.push(EndedText { place, rest, annotations });
            }
        }
        Ok(held)
    }

    /// Whether a text of such a place is open.
    pub fn any(&self, is: impl Fn(&P) -> bool) -> bool {
        self.0.keys().any(is)
    }
}

impl<P> Default for Fields<P> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

/// Texts and their places stay out: only how many there are is shown.
impl<P> fmt::Debug for Fields<P> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Fields({} texts)", self.0.len())
    }
}

/// The tools of the calls of an answer, by their places: only the first event of a call names its tool.
pub(super) struct Tools<P>(BTreeMap<P, Rc<str>>);

impl<P: Ord + Clone> Tools<P> {
    /// Reads the name of the tool at this place, if an event contains it.
    ///
    /// # Errors
    /// `upstream_error` if the answer calls too many tools.
    pub fn name(&mut self, place: &P, call: &Value) -> Result<(), ApiError> {
        let Some(named) = call.as_object().filter(|call| call.contains_key("name")) else { return Ok(()) };
        if self.0.len() >= MAX_TOOLS {
            return Err(ApiError::upstream("the stream of the provider calls more than 256 tools"));
        }
        self.0.entry(place.clone()).or_insert_with(|| text::tool(named));
        Ok(())
    }

    /// Forgets the tool at a place where another call begins.
    pub fn forget(&mut self, place: &P) {
        self.0.remove(place);
    }

    /// Returns the form of the arguments of the call at this place.
    pub fn form(&self, place: &P) -> Form {
        Form::arguments(&self.0.get(place).cloned().unwrap_or_default())
    }
}

impl<P> Default for Tools<P> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

/// Parses the JSON object of an event.
///
/// # Errors
/// `upstream_error` if it is not an object.
pub(super) fn object(event: &SseEvent) -> Result<Map<String, Value>, ApiError> {
    serde_json::from_str(&event.data)
        .map_err(|_| ApiError::upstream("an event of the provider is no object of JSON"))
}

/// Returns the index of an item among several.
///
/// # Errors
/// `upstream_error` if it is not a number, since two texts could be confused.
pub(super) fn index(members: &Map<String, Value>) -> Result<Option<u64>, ApiError> {
    match members.get("index") {
        None | Some(Value::Null) => Ok(None),
        Some(index) => match index.as_u64() {
            Some(index) => Ok(Some(index)),
            None => Err(ApiError::upstream("an index in the stream of the provider is no number")),
        },
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use textveil_engine::Action;

    use super::*;
    use crate::chat::text::tests::answer;

    /// Of texts that models say; `@P` stands for the placeholder of the request.
    pub const PARTS: [&str; 14] = [
        "{\"a\": \"",
        "\", \"b\": 4111111111111111}",
        "@P",
        "Write to @P soon. ",
        " eva@example.com ",
        ", not ",
        " [ [[ [[EMAIL_",
        "IBAN DE89 3704 0044 0532 0130 00 ",
        "Žluťoučký kůň 👩 ",
        "password: hunter2\n",
        "+420 777 123 456",
        " \\u005b\\\" ",
        "[[EMAIL_abcdefghij]]",
        "ordinary words, and many of them ",
    ];

    pub fn with_placeholder(text: &str) -> String {
        text.replace("@P", &answer(Action::Redact).1)
    }

    /// The text in pieces.
    pub fn cut(text: &str, cuts: &[prop::sample::Index]) -> Vec<String> {
        let place = |cut: &prop::sample::Index| text.floor_char_boundary(cut.index(text.len() + 1));
        let mut places: Vec<usize> = cuts.iter().map(place).chain([0, text.len()]).collect();
        places.sort_unstable();
        places.windows(2).map(|pair| text.get(pair[0]..pair[1]).unwrap().to_owned()).collect()
    }

    #[test]
    fn texts_do_not_mix() {
        let (mut answer, _) = answer(Action::Redact);
        let mut fields = Fields::default();
        for (place, piece, want) in [
            ("a", "eva@exam", ""),
            ("b", "because ", ""),
            ("a", "", ""),
            ("b", "ple.com x", "because "),
            ("a", "ple.com", ""),
        ] {
            assert_eq!(fields.push(&mut answer, place, Form::Data, piece).unwrap(), want, "{place}: {piece}");
        }
        assert!(fields.any(|place| *place == "a") && !fields.any(|place| *place == "c"));
        assert_eq!(format!("{fields:?}"), "Fields(2 texts)");
        let rests = fields.finish(&mut answer, |place| *place == "a").unwrap();
        assert_eq!(rests, [ended("a", "[REDACTED]")]);
        assert!(!fields.any(|place| *place == "a"));
        assert_eq!(fields.finish(&mut answer, |_| true).unwrap(), [ended("b", "ple.com x")]);
    }

    fn ended(place: &'static str, rest: &str) -> EndedText<&'static str> {
        EndedText { place, rest: rest.to_owned(), annotations: Vec::new() }
    }

    #[test]
    fn only_so_many_texts_are_open() {
        let (mut answer, _) = answer(Action::Redact);
        let mut fields = Fields::default();
        for place in 0..MAX_FIELDS {
            fields.push(&mut answer, place, Form::Data, "a").unwrap();
        }
        // open texts continue; an empty one does not count
        fields.push(&mut answer, 0, Form::Data, "a").unwrap();
        fields.push(&mut answer, MAX_FIELDS, Form::Data, "").unwrap();
        let error = fields.push(&mut answer, MAX_FIELDS, Form::Data, "secret").unwrap_err();
        assert_eq!(error.code(), crate::error::Code::UpstreamError);
        fields.finish(&mut answer, |place| *place == 0).unwrap();
        fields.push(&mut answer, MAX_FIELDS, Form::Data, "a").unwrap();
    }

    #[test]
    fn only_so_many_annotations_wait() {
        let (mut answer, _) = answer(Action::Redact);
        let mut fields = Fields::default();
        // without an open text, nothing has to wait
        assert_eq!(fields.annotate(&"a", Value::Null).unwrap(), Some(Value::Null));
        fields.push(&mut answer, "a", Form::Data, "text").unwrap();
        for number in 0..MAX_ANNOTATIONS {
            assert_eq!(fields.annotate(&"a", number.into()).unwrap(), None);
        }
        let error = fields.annotate(&"a", Value::Null).unwrap_err();
        assert_eq!(error.code(), crate::error::Code::UpstreamError);
        let [text] = &fields.finish(&mut answer, |_| true).unwrap()[..] else { panic!("one text") };
        assert_eq!(text.annotations.len(), MAX_ANNOTATIONS);
    }
}
