//! Protects the body of a chat request: searches every string and decides on it before any part is sent.

mod readings;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::Range,
    sync::Arc,
};

use serde_json::Value;
use textveil_engine::{
    Action, Context, Decider, DetectOptions, Entity, Error, Finder, Keyring, Metadata, Policy, Protected,
    TypeCounts, Work, encoded_texts,
};

use readings::Readings;

use super::{
    escapes::Readable,
    placeholder::{Placeholders, ValueSource},
    request::{self, At, Left, RequestSchema, Spelling},
    seams::{self, Seams},
};
use crate::{
    error::ApiError,
    limits::MAX_MASKED_CHARS,
    order,
    types::{counted_as, protected_as},
};

/// Texts in base64 inside texts in base64 that are searched.
const MAX_ENCODINGS: usize = 2;

/// Findings by type and action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionCounts(BTreeMap<(&'static str, Action), usize>);

impl ActionCounts {
    /// Returns types, actions and the number of findings of each.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Action, usize)> {
        self.0.iter().map(|((kind, action), count)| (*kind, *action, *count))
    }

    /// Returns the strictest action applied; `None` without findings.
    pub fn strictest(&self) -> Option<Action> {
        self.0.keys().map(|(_, action)| *action).max()
    }

    fn add(&mut self, kind: Cow<'static, str>, action: Action) {
        *self.0.entry((protected_as(kind), action)).or_default() += 1;
    }
}

/// The policies for each part of a request: those of the workspace that apply to a role.
pub trait Rules {
    /// Returns the policies for texts of this role, and the default action.
    fn for_role(&self, role: &str) -> (Vec<Policy>, Option<Action>);

    /// Returns the same for a result of this tool.
    fn for_result(&self, role: &str, _tool: &str) -> (Vec<Policy>, Option<Action>) {
        self.for_role(role)
    }

    /// Whether this tool receives a value in its arguments; `None` if no policy decides.
    fn restores(&self, _source: &ValueSource, _tool: &str) -> Option<bool> {
        None
    }
}

impl<F: Fn(&str) -> (Vec<Policy>, Option<Action>)> Rules for F {
    fn for_role(&self, role: &str) -> (Vec<Policy>, Option<Action>) {
        self(role)
    }
}

/// Finds personal data in the texts of one direction and decides on it.
pub struct Guard<R> {
    rules: R,
    /// By role and tool.
    deciders: BTreeMap<(String, Option<String>), Decider>,
    keys: Keyring,
    finder: Arc<Finder>,
    counts: ActionCounts,
    /// Names of policies that decided.
    policies: BTreeSet<String>,
    /// The values that are replaced, by type and normalised value; `None` if they are not needed.
    replaced: Option<BTreeSet<(Cow<'static, str>, String)>>,
    /// The texts with every finding as its type, if they are recorded.
    masked: Option<String>,
}

impl<R: Rules> Guard<R> {
    /// Creates a guard with these options; hashes and tokens are made with `keys`.
    ///
    /// # Errors
    /// `invalid_request` naming the option at fault.
    pub fn new(detection: &DetectOptions, rules: R, keys: Keyring) -> Result<Self, ApiError> {
        Ok(Self::with_finder(Arc::new(Finder::new(detection)?), rules, keys))
    }

    /// Creates a guard with compiled detection.
    pub fn with_finder(finder: Arc<Finder>, rules: R, keys: Keyring) -> Self {
        Self {
            rules,
            deciders: BTreeMap::new(),
            keys,
            finder,
            counts: ActionCounts::default(),
            policies: BTreeSet::new(),
            replaced: None,
            masked: None,
        }
    }

    /// Makes the guard keep the texts with every finding masked, whatever the decision.
    pub fn that_records(self) -> Self {
        Self { masked: Some(String::new()), ..self }
    }

    /// Whether ordinary words may be a finding, by the caller's detectors and lists.
    pub fn finds_any_words(&self) -> bool {
        self.finder.finds_any_words()
    }

    /// Whether this tool receives a value in its arguments; `None` if no policy decides.
    pub fn restores(&self, source: &ValueSource, tool: &str) -> Option<bool> {
        self.rules.restores(source, tool)
    }

    /// Whether a policy may change or block texts of this role, rather than only count findings.
    pub fn changes(&self, role: &str) -> bool {
        let (policies, default_action) = self.rules.for_role(role);
        let changes = |action: Action| !matches!(action, Action::Allow | Action::Flag);
        changes(default_action.unwrap_or(Action::Mask))
            || policies.iter().any(|policy| changes(policy.action))
    }

    /// Returns the counts of the findings so far.
    pub fn counts(&self) -> &ActionCounts {
        &self.counts
    }

    /// Sets the counts of the findings so far.
    pub(super) fn recount(&mut self, counts: ActionCounts) {
        self.counts = counts;
    }

    /// Finds personal data in `text` from byte `from` on, and adds its country evidence to `context`.
    ///
    /// Each call has a budget of its own for custom detectors: an answer arrives at its provider's pace.
    ///
    /// # Errors
    /// `budget_exceeded`
    pub fn find(&self, text: &str, from: usize, context: &mut Context) -> Result<Vec<Entity>, Error> {
        self.finder.find(text, from, context, &Work::default())
    }

    /// Decides on the findings of one text of this role, and counts them.
    ///
    /// # Errors
    /// `policy_violation` if a policy blocks; `invalid_request` naming the policy at fault.
    pub fn decide(
        &mut self,
        role: &str,
        tool: Option<&str>,
        found: Vec<Entity>,
    ) -> Result<Vec<Protected>, Error> {
        let decided = self.by_policy(role, tool, found)?;
        for protected in &decided {
            self.count(protected, protected.action.unwrap_or(Action::Mask));
        }
        Ok(decided)
    }

    /// Counts findings of a text that cannot be changed as flagged, whatever the policies' actions.
    ///
    /// # Errors
    /// As [`Guard::decide`].
    pub fn flag(&mut self, role: &str, found: Vec<Entity>) -> Result<(), Error> {
        for protected in self.by_policy(role, None, found)? {
            let allowed = protected.action == Some(Action::Allow);
            self.count(&protected, if allowed { Action::Allow } else { Action::Flag });
        }
        Ok(())
    }

    fn by_policy(
        &mut self,
        role: &str,
        tool: Option<&str>,
        found: Vec<Entity>,
    ) -> Result<Vec<Protected>, Error> {
        let place = (role.to_owned(), tool.map(str::to_owned));
        if let Some(decider) = self.deciders.get(&place) {
            return decider.decide(found, Some(&self.keys));
        }
        let (policies, default_action) = match tool {
            Some(tool) => self.rules.for_result(role, tool),
            None => self.rules.for_role(role),
        };
        let decider = Decider::new(policies, default_action)?;
        let decided = decider.decide(found, Some(&self.keys));
        self.deciders.insert(place, decider);
        decided
    }

    fn count(&mut self, protected: &Protected, action: Action) {
        self.counts.add(protected.entity.kind.clone(), action);
        self.policies.extend(protected.policy.clone());
    }

    /// Adds a text to the record, with each finding as its type. The texts of `encoded` places have records of their own.
    fn record(&mut self, text: &str, from: usize, found: &[Entity], encoded: &[(Range<usize>, String)]) {
        let Some(masked) = &mut self.masked else { return };
        if masked.len() >= MAX_MASKED_CHARS {
            return;
        }
        let named = found.iter().map(|entity| {
            (entity.bytes.start..entity.bytes.end, counted_as(&entity.kind).to_ascii_uppercase())
        });
        let mut shown: Vec<_> = named.collect();
        shown.extend(encoded.iter().map(|(place, _)| (place.clone(), "BASE64".to_owned())));
        order::sort_by_key(&mut shown, |(place, _)| place.start);
        let mut read = from;
        for (place, name) in shown {
            masked.push_str(text.get(read..place.start).unwrap_or_default());
            masked.push_str(&format!("[{name}]"));
            read = place.end;
        }
        masked.push_str(text.get(read..).unwrap_or_default());
        masked.push('\n');
    }

    /// Returns the protected string; `None` without findings. `parts` are findings that go on in other strings.
    fn protect(
        &mut self,
        at: At<'_>,
        text: &str,
        parts: Vec<Entity>,
        placeholders: &mut Placeholders,
        readings: &mut Readings,
    ) -> Result<Option<String>, Refused> {
        self.protect_string(at, text, parts, placeholders, readings, 0)
    }

    fn protect_string(
        &mut self,
        at: At<'_>,
        text: &str,
        parts: Vec<Entity>,
        placeholders: &mut Placeholders,
        readings: &mut Readings,
        depth: usize,
    ) -> Result<Option<String>, Refused> {
        // the key of a value is its label: `"passport_number": "C01234567"`
        let label = at.label.map(request::as_label).unwrap_or_default();
        let readable = match at.spelling {
            Spelling::Word if is_word(text) => Readable::of_word(text, false),
            Spelling::Participant if is_word(text) => Readable::of_word(text, true),
            _ => Readable::of(text),
        };
        let labelled = match label.is_empty() {
            true => Cow::Borrowed(readable.text()),
            false => Cow::Owned(format!("{label}{}", readable.text())),
        };
        let mut found = readings.find(self, at, &labelled, label.len())?;
        seams::add_parts(&mut found, parts);
        let mut inside = Vec::new();
        if depth < MAX_ENCODINGS {
            for encoded in encoded_texts(readable.text()) {
                let place = label.len() + encoded.place.start..label.len() + encoded.place.end;
                // a token that is found as a whole is replaced as a whole
                let has_all = |one: &Entity| one.bytes.start <= place.start && place.end <= one.bytes.end;
                if found.iter().any(has_all) {
                    continue;
                }
                let at = At { spelling: Spelling::Text, ..at };
                let new =
                    self.protect_string(at, &encoded.text, Vec::new(), placeholders, readings, depth + 1)?;
                if let Some(new) = new {
                    // a finding in the encoded form is no value
                    found.retain(|one| one.bytes.end <= place.start || place.end <= one.bytes.start);
                    inside.push((place, encoded.encode(&new)));
                }
            }
        }
        order::sort_by_key(&mut found, |entity| entity.bytes.start);
        self.record(&labelled, label.len(), &found, &inside);
        if found.is_empty() && inside.is_empty() {
            return Ok(None);
        }
        let written_at = |byte: usize| readable.written_at(byte.saturating_sub(label.len()));
        if at.is_word() {
            // the whole word is restored as it was
            for Entity { original, bytes, metadata, .. } in &mut found {
                text.get(written_at(bytes.start)..written_at(bytes.end))
                    .unwrap_or_default()
                    .clone_into(original);
                *metadata = Metadata::default();
            }
        }
        for protected in self.decide(at.role, at.tool, found)?.into_iter().filter(|one| !is_kept(one)) {
            let Entity { kind, bytes: span, .. } = &protected.entity;
            if let Some(replaced) = &mut self.replaced {
                replaced.insert((kind.clone(), protected.entity.referent().to_owned()));
            }
            inside.push((span.start..span.end, replacement(&protected, placeholders)?));
            if protected.action == Some(Action::Mask) {
                placeholders.came_from(protected.entity, at.role, at.tool);
            }
        }
        let mut out = replaced(text, inside, written_at);
        if at.is_word() {
            out.retain(is_of_word);
            placeholders.replaced_word(&out, text);
        }
        Ok(Some(out))
    }
}

/// Returns a text with its replacements, whose places `written_at` turns into places of the text.
fn replaced(
    text: &str,
    mut replacements: Vec<(Range<usize>, String)>,
    written_at: impl Fn(usize) -> usize,
) -> String {
    order::sort_by_key(&mut replacements, |(place, _)| place.start);
    let mut out = String::with_capacity(text.len());
    let mut read = 0;
    for (place, new) in replacements {
        out.push_str(text.get(read..written_at(place.start)).unwrap_or_default());
        out.push_str(&new);
        read = written_at(place.end);
    }
    out.push_str(text.get(read..).unwrap_or_default());
    out
}

/// Whether a text is of the characters that APIs take in names and identifiers.
fn is_word(text: &str) -> bool {
    text.chars().all(is_of_word)
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// Omits the findings.
impl<R> fmt::Debug for Guard<R> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Guard").field("counts", &self.counts).finish_non_exhaustive()
    }
}

/// Whether a finding stays unchanged.
fn is_kept(protected: &Protected) -> bool {
    matches!(protected.action, Some(Action::Allow | Action::Flag))
}

/// Returns the replacement of a finding: a placeholder if it is masked.
///
/// # Errors
/// As [`Placeholders::make`].
pub fn replacement(protected: &Protected, placeholders: &mut Placeholders) -> Result<String, ApiError> {
    let Protected { entity, replacement, action, .. } = protected;
    match action {
        Some(Action::Mask) => placeholders.make(&entity.kind, entity.referent(), &entity.original),
        _ => Ok(replacement.clone()),
    }
}

/// Why a string could not be protected.
enum Refused {
    ByPolicy(Error),
    Failed(ApiError),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        match error.blocked() {
            Some(_) => Self::ByPolicy(error),
            None => Self::Failed(error.into()),
        }
    }
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

/// A body that may be sent.
#[derive(Debug)]
pub struct ProtectedBody {
    /// The parts that were not inspected.
    pub left: Left,
    /// The placeholders of this request.
    pub placeholders: Placeholders,
    /// The findings, by type and action.
    pub counts: ActionCounts,
    /// The policies that decided.
    pub policies: BTreeSet<String>,
    /// The texts with every finding masked, where the guard records them.
    pub masked: Option<String>,
    /// The country evidence of the body, for the answer.
    pub context: Context,
}

impl ProtectedBody {
    /// Creates the body of a request without a text, in a session whose earlier requests made `placeholders`.
    pub(crate) fn of_session(placeholders: Placeholders) -> Self {
        Self {
            left: Left::default(),
            placeholders,
            counts: ActionCounts::default(),
            policies: BTreeSet::new(),
            masked: None,
            context: Context::default(),
        }
    }
}

/// Protects `body` in place; `placeholders` must be empty.
///
/// After an error the body must not be sent: parts of it may be unprotected.
///
/// Every string is searched whole, whatever its length. `schema` is that of the protocol in which the body is
/// sent. `rest` is awaited after each message.
///
/// # Errors
/// `policy_violation` if a policy blocks, with the counts of the whole body; `invalid_request` naming the
/// option at fault, or `body` if it nests too deep; `internal_error` if a key is unusable.
pub async fn protect_body<R: Rules>(
    body: &mut Value,
    mut guard: Guard<R>,
    mut placeholders: Placeholders,
    schema: RequestSchema,
    rest: &mut impl AsyncFnMut(),
) -> Result<ProtectedBody, ApiError> {
    let mut has_beside = false;
    let mut seams = Seams::default();
    let mut readings = Readings::default();
    let mut failed: Option<ApiError> = None;
    // reads every literal first: no value may get the name of a later one
    let mut read = |at: At<'_>, text: &str| {
        // placeholders in signed text are the gateway's, from an earlier turn
        if at.signed {
            guard.replaced.get_or_insert_default();
        } else {
            placeholders.read(text);
        }
        has_beside |= at.beside;
        if at.is_said() {
            let find = &mut |text: &str| {
                let found = guard.finder.find(text, 0, &mut Context::default(), &readings.work);
                found.unwrap_or_else(|error| {
                    failed.get_or_insert(error.into());
                    Vec::new()
                })
            };
            seams.read(at.role, Readable::of(text).text(), find);
        }
        None
    };
    walk(body, schema, &mut read, rest).await?;
    let (mut blocked, mut signed) = (TypeCounts::new(), Vec::new());
    readings.has_beside = has_beside;
    let mut said = 0..;
    let mut protect = |at: At<'_>, text: &str| {
        if at.signed {
            match readings.find(&guard, at, text, 0) {
                Ok(found) => signed.push(found),
                Err(error) => drop(failed.get_or_insert(error.into())),
            }
            return None;
        }
        let parts = match at.is_said() {
            true => said.next().map(|number| seams.take(number)).unwrap_or_default(),
            false => Vec::new(),
        };
        match guard.protect(at, text, parts, &mut placeholders, &mut readings) {
            Ok(protected) => protected,
            // searches the rest too, so that the caller learns of all findings at once
            Err(Refused::ByPolicy(error)) => {
                for (kind, count) in error.blocked().into_iter().flatten() {
                    *blocked.entry(kind.clone()).or_default() += count;
                }
                None
            }
            Err(Refused::Failed(error)) => {
                failed.get_or_insert(error);
                None
            }
        }
    };
    let left = walk(body, schema, &mut protect, rest).await?;
    // the provider knows its own text, but not the caller's values that are replaced elsewhere
    let replaced = guard.replaced.take().unwrap_or_default();
    let is_the_callers =
        |entity: &Entity| replaced.contains(&(entity.kind.clone(), entity.referent().to_owned()));
    let unclean = signed.iter().filter(|found| found.iter().any(is_the_callers)).count();
    let left = Left { unclean, ..left };
    match failed {
        Some(error) => Err(error),
        None if !blocked.is_empty() => Err(Error::policy_violation(blocked).into()),
        None => {
            let context = readings.for_the_answer(&guard);
            let Guard { counts, policies, masked, .. } = guard;
            Ok(ProtectedBody { left, placeholders, counts, policies, masked, context })
        }
    }
}

async fn walk(
    body: &mut Value,
    schema: RequestSchema,
    visit: &mut impl request::Visit,
    rest: &mut impl AsyncFnMut(),
) -> Result<Left, ApiError> {
    request::walk(body, schema, visit, rest)
        .await
        .map_err(|_| ApiError::invalid("body", "body nests too deep; send at most 64 levels"))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use serde_json::json;

    use super::*;
    use crate::chat::placeholder::{PlaceholderKey, RestoreCounts};

    const SECRET: &[u8] = b"0123456789abcdef";

    /// Protects a body with one action, except that everything in instructions is allowed.
    fn protect_by(action: Action, body: &mut Value) -> Result<ProtectedBody, ApiError> {
        protect_with(|role| if role == "system" { Action::Allow } else { action }, body)
    }

    fn protect_with(action: impl Fn(&str) -> Action, body: &mut Value) -> Result<ProtectedBody, ApiError> {
        let rules = |role: &str| (Vec::new(), Some(action(role)));
        let guard = Guard::new(&DetectOptions::default(), rules, Keyring::new(0, SECRET).unwrap())?;
        let placeholders = Placeholders::new(PlaceholderKey::derive(SECRET).unwrap());
        let mut rest = async || {};
        let protected = protect_body(body, guard, placeholders, RequestSchema::Messages, &mut rest);
        protected.now_or_never().unwrap()
    }

    #[test]
    fn what_each_action_does() {
        for (action, want) in [
            (Action::Allow, "to jan.novak@example.cz"),
            (Action::Flag, "to jan.novak@example.cz"),
            (Action::Mask, "to [[EMAIL_"),
            (Action::Tokenize, "to tok_xx_email_"),
            (Action::Hash, "to "),
            (Action::Redact, "to [REDACTED]"),
        ] {
            let mut body = json!({ "messages": [{ "role": "user", "content": "to jan.novak@example.cz" }] });
            let protected = protect_by(action, &mut body).unwrap();
            let text = body["messages"][0]["content"].as_str().unwrap();
            assert!(text.starts_with(want), "{action:?}: {text}");
            let allowed = matches!(action, Action::Allow | Action::Flag);
            assert_eq!(text.contains("novak"), allowed, "{action:?}: {text}");
            assert_eq!(protected.counts.iter().collect::<Vec<_>>(), [("email", action, 1)]);
            assert_eq!(protected.counts.strictest(), Some(action));
            assert_eq!(protected.placeholders.len(), usize::from(action == Action::Mask));
        }
    }

    #[test]
    fn a_block_counts_the_whole_body() {
        let mut body = json!({ "messages": [
            { "role": "system", "content": "ask admin@example.cz" },
            { "role": "user", "content": "jan@example.cz" },
            { "role": "user", "content": "IBAN DE89 3704 0044 0532 0130 00, eva@example.cz" },
        ] });
        let error = protect_by(Action::Block, &mut body).unwrap_err();
        let shape = crate::error::Shape::Own;
        let details: Value = serde_json::from_str(&error.body(shape)).unwrap();
        assert_eq!(details["error"]["code"], "policy_violation");
        assert!(error.body(shape).contains("\"email\":2") && error.body(shape).contains("\"iban\":1"));
        assert!(!error.body(shape).contains("example.cz"));
    }

    /// Every part of a body that may contain an address, with restoring.
    #[test]
    fn nothing_of_a_body_stays() {
        let address = "jan.novak@example.cz";
        let arguments = json!({ "to": address, "card": 4111111111111111_u64 }).to_string();
        let body = json!({
            "model": "m", "user": address, "metadata": { "a": { "b": [address] }, address: 1 },
            "new_parameter": address, "stop": [address],
            "messages": [
                { "role": "user", "name": address, "content": [{ "type": "text", "text": address }] },
                { "role": "assistant", "content": null, "refusal": address, "tool_calls": [
                    { "id": "c1", "type": "function", "function": { "name": "f", "arguments": arguments } }] },
                { "role": "tool", "tool_call_id": "c1", "content": format!("{{\"mail\": \"{address}\"}}") },
            ],
        });
        let mut sent = body.clone();
        let protected = protect_by(Action::Mask, &mut sent).unwrap();
        let written = sent.to_string();
        assert!(!written.contains("novak") && !written.contains("41111"), "{written}");
        let mut counts = RestoreCounts::default();
        let restored = protected.placeholders.restore_escaped(&written, &mut counts);
        // a number is restored as a string
        let restored = restored.replace(r#"\"4111111111111111\""#, "4111111111111111");
        let restored: Value = serde_json::from_str(&restored).unwrap();
        // a name has no brackets, and is restored as a whole
        let name = sent["messages"][0]["name"].as_str().unwrap();
        assert_eq!(protected.placeholders.word(name), Some(address));
        assert_eq!(restored, body);
        assert_eq!(counts.restored, 11);
    }

    /// Earlier turns of a conversation are sent unchanged when it grows.
    #[test]
    fn turns_are_stable() {
        let mut turns = vec![
            json!({ "role": "user", "content": "My PESEL is 44051401359, mail jan@example.pl" }),
            json!({ "role": "assistant", "content": "Noted: jan@example.pl" }),
            json!({ "role": "user", "content": "Also +420 777 123 456 and jan@example.pl" }),
            json!({ "role": "tool", "tool_call_id": "1", "content": "44051401359" }),
        ];
        let sent = |turns: &[Value]| {
            let mut body = json!({ "messages": turns });
            protect_by(Action::Mask, &mut body).unwrap();
            body["messages"].as_array().unwrap().clone()
        };
        let whole = sent(&turns);
        while turns.pop().is_some() {
            assert_eq!(sent(&turns), whole[..turns.len()]);
        }
    }

    #[test]
    fn keys_are_labels_and_literals_stay() {
        let mut body = json!({ "metadata": { "passport_number": "C01234567" } });
        protect_by(Action::Redact, &mut body).unwrap();
        assert_eq!(body["metadata"]["passport_number"], "[REDACTED]");
        let mut first = json!({ "messages": [{ "role": "user", "content": "jan@example.cz" }] });
        protect_by(Action::Mask, &mut first).unwrap();
        let literal = first["messages"][0]["content"].clone();
        let mut body = json!({ "messages": [
            { "role": "user", "content": "jan@example.cz" },
            { "role": "user", "content": literal.clone() },
        ] });
        let protected = protect_by(Action::Mask, &mut body).unwrap();
        assert_ne!(body["messages"][0]["content"], literal);
        assert_eq!(body["messages"][1]["content"], literal);
        let mut counts = RestoreCounts::default();
        assert_eq!(protected.placeholders.restore(literal.as_str().unwrap(), &mut counts), literal);
    }

    /// Programs escape the text of a tool's result; PHP escapes more characters.
    #[test]
    fn escapes_hide_nothing() {
        for (written, secret) in [
            (r#"{"customer_name": "\u017dofie Dvo\u0159\u00e1kov\u00e1", "n": 1}"#, "ofie"),
            (r#"{"mail": "zofie\u0040example.cz"}"#, "example.cz"),
            (r#"{"inner": "{\"mail\": \"zofie\\u0040example.cz\"}"}"#, "example.cz"),
            (r#"{"to": "zofie\u0040example.cz", "cut off"#, "example.cz"),
            (r#"{"url": "https:\/\/x.cz\/?mail=zofie@example.cz"}"#, "zofie"),
        ] {
            let call =
                json!({ "id": "c", "type": "function", "function": { "name": "f", "arguments": written } });
            for message in [
                json!({ "role": "tool", "tool_call_id": "c", "content": written }),
                json!({ "role": "assistant", "tool_calls": [call] }),
            ] {
                let mut body = json!({ "messages": [message] });
                protect_by(Action::Mask, &mut body).unwrap();
                assert!(!body.to_string().contains(secret), "{body}");
            }
        }
        // allowed text stays as written, and replaced text leaves valid JSON
        let written = r#"{"a": "to \u006aan@example.cz\n", "b": "\u00e1"}"#;
        for action in [Action::Allow, Action::Mask] {
            let mut body = json!({ "messages": [{ "role": "tool", "content": written }] });
            protect_by(action, &mut body).unwrap();
            let sent = body["messages"][0]["content"].as_str().unwrap();
            assert_eq!(sent == written, action == Action::Allow, "{sent}");
            assert!(sent.ends_with(r#"\n", "b": "\u00e1"}"#), "{sent}");
            serde_json::from_str::<Value>(sent).unwrap();
        }
    }

    /// The order and the other members of a request do not change how the conversation is sent, so prompt
    /// caches stay valid.
    #[test]
    fn what_stands_beside_a_conversation_does_not_change_it() {
        let hotline = "Our hotline is 601 123 456.";
        let sent = |before: &str| {
            let body = format!(
                r#"{{ {before} "tools": [{{ "type": "function", "function": {{ "name": "f", "description": "{hotline}" }} }}],
                    "messages": [{{ "role": "user", "content": "{hotline}" }}],
                    "system": "{hotline}", "user": "IBAN CZ65 0800 0000 1920 0014 5399" }}"#
            );
            let mut body = serde_json::from_str(&body).unwrap();
            protect_by(Action::Mask, &mut body).unwrap();
            (body["messages"].clone(), body["tools"].clone(), body["system"].clone())
        };
        let metadata = r#""metadata": { "a": "DE89 3704 0044 0532 0130 00", "b": "+44 20 7946 0000" },"#;
        assert_eq!(sent(metadata), sent(""));
    }

    /// Evidence for another country later in a conversation does not undo replacements in its instructions,
    /// which were sent and cached.
    #[test]
    fn a_turn_only_adds_to_what_is_replaced_beside_the_conversation() {
        let said = [
            "PESEL 44051401359, tel. +48 601 123 456, NIP PL5260250274, PL61 1090 1014 0000 0712 1981 2874, jan@example.pl",
            "IBAN DE89 3704 0044 0532 0130 00, USt-IdNr. DE136695976, Tel. +49 30 901820, Berlin",
            "IBAN DE02 1203 0000 0000 2020 51, Tel. +49 30 901821, eva@example.de, 10115 Berlin",
            "Steuer-ID 86095742719, Tel. +49 89 2180 0, jan@example.de, 80539 München",
        ];
        let replaced = |first: usize, turns: usize| {
            let messages: Vec<Value> =
                said[first..turns].iter().map(|text| json!({ "role": "user", "content": text })).collect();
            let mut body =
                json!({ "messages": messages, "system": "Look for 526 025 02 74 and 8001011234." });
            protect_with(|_| Action::Mask, &mut body).unwrap();
            body["system"].as_str().unwrap().to_owned()
        };
        let first = replaced(0, 1);
        assert!(!first.contains("526 025") && !first.contains("800101"), "{first}");
        for turns in 2..=said.len() {
            assert_eq!(replaced(0, turns), first, "{turns}");
        }
        // the others alone say nothing of it
        assert_ne!(replaced(1, 4), first);
    }

    /// A model fills a schema in the order of its properties, and thinks before it answers where they say so.
    #[test]
    fn members_stay_in_their_order() {
        let written = r#"{"z":1,"messages":[],"response_format":{"schema":{"properties":{"reasoning":{},"answer":{}}}},"a":"x"}"#;
        let mut body = serde_json::from_str(written).unwrap();
        protect_by(Action::Mask, &mut body).unwrap();
        assert_eq!(body.to_string(), written);
    }

    #[test]
    fn long_strings_are_searched_to_their_end() {
        for before in [49_990, 50_000, 120_000] {
            let text = format!("{}jan.novak@example.cz and more", "word ".repeat(before / 5));
            let mut body = json!({ "messages": [{ "role": "user", "content": text }] });
            let protected = protect_by(Action::Mask, &mut body).unwrap();
            assert_eq!(protected.placeholders.len(), 1, "{before}");
            assert!(!body.to_string().contains("novak"));
        }
    }
}
