//! Placeholders such as `[[EMAIL_x7k2qd3maba]]`, which replace personal data in the input of a model.
//!
//! A placeholder is the type in upper case, a keyed digest of type and normalised value, and a check digit, by which
//! the engine knows it. So a value has the same placeholder in every turn and on every node, and the mapping is
//! rebuilt from each request instead of being stored.

mod reader;
mod session;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use base32ct::{Base32Unpadded, Encoding as _};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use textveil_engine::{
    Entity, Keyring, limits::MIN_SECRET_BYTES, placeholder_id, types_named, wire::protected_type,
};
use textveil_restore::Encoding;

pub(super) use reader::{Piece, Reader};
use reader::{name_of, split_id};
pub use session::SessionValues;

use crate::error::ApiError;

/// The number of characters of a digest. Among 10,000 values per request, two share 50 bits once in 20
/// million requests.
const DIGITS: usize = 10;
/// The number of characters of an id: a digest and its check digit.
const ID_DIGITS: usize = DIGITS + 1;
/// The number of digest bytes that these characters encode, with five bits each.
const DIGEST_BYTES: usize = 7;
/// The longest type in a placeholder, in bytes; the engine's type names are shorter.
const MAX_KIND: usize = 64;

/// The key of a workspace's placeholders.
#[derive(Clone)]
pub struct PlaceholderKey([u8; 32]);

impl PlaceholderKey {
    /// Derives the key from the workspace's secret (HKDF-SHA-256, RFC 5869). Another secret yields other
    /// placeholders.
    ///
    /// # Errors
    /// `internal_error` if the secret has fewer than 16 bytes.
    pub fn derive(secret: &[u8]) -> Result<Self, ApiError> {
        let unusable = || ApiError::internal("the secret of the workspace's placeholders is too short");
        if secret.len() < MIN_SECRET_BYTES {
            return Err(unusable());
        }
        let mut key = [0; 32];
        let derived = Hkdf::<Sha256>::new(None, secret).expand(b"textveil placeholder", &mut key);
        derived.map(|()| Self(key)).map_err(|_| unusable())
    }

    /// Returns the digest of a value, different for each attempt.
    fn digest(&self, kind: &str, value: &str, attempt: u32) -> Result<String, ApiError> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0)
            .map_err(|_| ApiError::internal("the key of the workspace's placeholders is unusable"))?;
        mac.update(&attempt.to_be_bytes());
        mac.update(kind.as_bytes());
        mac.update(&[0]);
        mac.update(value.as_bytes());
        let digest = mac.finalize().into_bytes();
        let mut digits = Base32Unpadded::encode_string(digest.get(..DIGEST_BYTES).unwrap_or_default());
        digits.truncate(DIGITS);
        Ok(digits)
    }
}

/// Omits the key.
impl fmt::Debug for PlaceholderKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PlaceholderKey(…)")
    }
}

/// Counts of the placeholders in an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestoreCounts {
    /// Placeholders of this request that were restored.
    pub restored: usize,
    /// Placeholders invented by the model, left unchanged.
    pub unknown: usize,
    /// Placeholders of this request withheld in what names a host that is not allowed.
    pub withheld_from_urls: usize,
    /// Placeholders of this request withheld because the tool may not receive their value.
    pub withheld_from_tools: usize,
}

impl RestoreCounts {
    /// Adds the counts of another text.
    pub fn add(&mut self, other: Self) {
        self.restored += other.restored;
        self.unknown += other.unknown;
        self.withheld_from_urls += other.withheld_from_urls;
        self.withheld_from_tools += other.withheld_from_tools;
    }

    /// Returns the number of withheld placeholders.
    pub fn withheld(&self) -> usize {
        self.withheld_from_urls + self.withheld_from_tools
    }
}

/// The placeholders of one request.
///
/// First every text of the request is [read](Placeholders::read) for words that already look like
/// placeholders; then the placeholders of its values are [made](Placeholders::make).
#[derive(Clone)]
pub struct Placeholders {
    key: PlaceholderKey,
    /// Placeholders by type and normalised value. Two levels, so that a look-up copies neither.
    made: BTreeMap<String, BTreeMap<String, Made>>,
    /// Originals by the name between the brackets, in lower case.
    originals: BTreeMap<String, String>,
    /// Names by their ids; `None` for an id that several names have.
    ids: BTreeMap<String, Option<String>>,
    /// Names in the request's own texts.
    literal: BTreeSet<String>,
    /// Ids of those names.
    literal_ids: BTreeSet<String>,
    /// The sources of values, by the name between the brackets.
    sources: BTreeMap<String, ValueSource>,
    /// Names and identifiers with a placeholder inside, as they were, by the words that were sent.
    words: BTreeMap<String, String>,
    /// The keys that open tokens of answers; `None` if tokens are ordinary text.
    token_keys: Option<Arc<Keyring>>,
    /// Originals of the tokens read so far, by the tokens.
    opened: BTreeMap<String, String>,
}

/// A placeholder of a value.
#[derive(Clone)]
struct Made {
    placeholder: String,
    /// The name between its brackets, in lower case.
    name: String,
}

/// The source of a placeholder's value.
#[derive(Clone)]
pub struct ValueSource {
    /// The finding that the placeholder was made for first.
    pub entity: Entity,
    /// The origins of the value.
    pub origins: BTreeSet<ValueOrigin>,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ValueOrigin {
    /// The role of its message.
    pub role: String,
    /// The tool whose result contains it; empty if its name is unknown.
    pub tool: Option<String>,
}

impl ValueSource {
    /// Whether neither the caller nor this tool said the value, so that the tool needs a policy's permission.
    ///
    /// A value that only the model said may come from another tool, whose result the conversation no longer contains.
    pub fn is_of_other_tools(&self, tool: &str) -> bool {
        let mut tools = self.origins.iter().filter_map(|origin| origin.tool.as_deref());
        let is_the_callers =
            self.origins.iter().any(|origin| is_caller(&origin.role) && origin.tool.is_none());
        !is_the_callers && !self.origins.is_empty() && !tools.any(|name| name == tool && !name.is_empty())
    }
}

/// Whether texts of a role are written by the caller, rather than by a model or a tool.
fn is_caller(role: &str) -> bool {
    matches!(role, "user" | "system" | "developer")
}

impl Placeholders {
    /// Creates an empty set.
    pub fn new(key: PlaceholderKey) -> Self {
        Self {
            key,
            made: BTreeMap::new(),
            originals: BTreeMap::new(),
            ids: BTreeMap::new(),
            literal: BTreeSet::new(),
            literal_ids: BTreeSet::new(),
            sources: BTreeMap::new(),
            words: BTreeMap::new(),
            token_keys: None,
            opened: BTreeMap::new(),
        }
    }

    /// Makes tokens in answers equivalent to placeholders. A token carries its value, so the request is not needed.
    pub fn with_tokens(self, keys: Keyring) -> Self {
        Self { token_keys: Some(Arc::new(keys)), ..self }
    }

    /// Returns the keys that open tokens.
    pub(super) fn token_keys(&self) -> Option<Arc<Keyring>> {
        self.token_keys.clone()
    }

    /// Notes the original of a token.
    pub(super) fn open(&mut self, token: &str, original: String) {
        self.opened.insert(token.to_owned(), original);
    }

    /// Whether a name is a token, whose value has an unknown source.
    pub(super) fn is_token(&self, name: &str) -> bool {
        self.opened.contains_key(name)
    }

    /// Notes that a name or an identifier is sent as another word.
    pub(super) fn replaced_word(&mut self, sent: &str, was: &str) {
        if sent != was {
            self.words.insert(sent.to_owned(), was.to_owned());
        }
    }

    /// Returns the name or the identifier that was sent as this word.
    pub(super) fn word(&self, sent: &str) -> Option<&str> {
        self.words.get(sent).map(String::as_str)
    }

    /// Adds the origin of a placeholder's value.
    pub(super) fn came_from(&mut self, entity: Entity, role: &str, tool: Option<&str>) {
        let of_kind = self.made.get(entity.kind.as_ref());
        let Some(Made { name, .. }) = of_kind.and_then(|made| made.get(entity.referent())) else { return };
        let origin = || ValueOrigin { role: role.to_owned(), tool: tool.map(str::to_owned) };
        match self.sources.get_mut(name) {
            Some(source) => {
                let is_it = |known: &ValueOrigin| known.role == role && known.tool.as_deref() == tool;
                if !source.origins.iter().any(is_it) {
                    source.origins.insert(origin());
                }
            }
            None => {
                let source = ValueSource { entity, origins: BTreeSet::from([origin()]) };
                self.sources.insert(name.clone(), source);
            }
        }
    }

    /// Returns the source of a placeholder's value.
    pub(super) fn source(&self, name: &str) -> Option<&ValueSource> {
        self.sources.get(name)
    }

    /// Converts the placeholders to literals of the request, so that none is restored.
    pub fn kept(mut self) -> Self {
        self.words.clear();
        self.literal.extend(std::mem::take(&mut self.originals).into_keys());
        self.made.clear();
        self
    }

    /// Adds the names in a text of the request that look like placeholders: they are literals, which are
    /// never restored, so no value may get them.
    pub fn read(&mut self, text: &str) {
        // without a bracket, the start of an escaped one, or a sign that every other form has
        if !text.contains(['[', '\\', '%', '&', '_']) {
            return;
        }
        let mut reader = Reader::default();
        let mut names = BTreeSet::new();
        let mut note = |piece: Piece<'_>| {
            if let Piece::Name { name, .. } = piece {
                names.insert(name);
            }
        };
        reader.push(text, &mut note);
        reader.finish(&mut note);
        self.literal_ids.extend(names.iter().filter_map(|name| Some(split_id(name)?.1)));
        self.literal.append(&mut names);
    }

    /// Returns the placeholder of a value.
    ///
    /// Values with the same normalised form share one, which is restored as the first of them was written.
    ///
    /// # Errors
    /// `internal_error` if the key is unusable.
    pub fn make(&mut self, kind: &str, normalised: &str, original: &str) -> Result<String, ApiError> {
        if let Some(made) = self.made.get(kind).and_then(|made| made.get(normalised)) {
            return Ok(made.placeholder.clone());
        }
        let shown = shown_kind(kind);
        let mut attempt = 0;
        let (id, name) = loop {
            // without an id where the digest is a number
            if let Some(id) = placeholder_id(&self.key.digest(kind, normalised, attempt)?) {
                let name = format!("{}_{id}", shown.to_ascii_lowercase());
                // used by a text of the request, or by another value
                if !self.literal.contains(&name) && !self.originals.contains_key(&name) {
                    break (id, name);
                }
            }
            attempt += 1;
        };
        let placeholder = format!("[[{shown}_{id}]]");
        let made = Made { placeholder: placeholder.clone(), name };
        self.insert(kind, normalised, original, id, made);
        Ok(placeholder)
    }

    fn insert(&mut self, kind: &str, normalised: &str, original: &str, id: String, made: Made) {
        let name = &made.name;
        self.originals.insert(name.clone(), original.to_owned());
        let known = self.ids.entry(id).or_insert_with(|| Some(name.clone()));
        *known = known.take().filter(|known| known == name);
        self.made.entry(kind.to_owned()).or_default().insert(normalised.to_owned(), made);
    }

    /// Whether this request made a placeholder for that value.
    pub fn has(&self, kind: &str, normalised: &str) -> bool {
        self.made.get(kind).is_some_and(|made| made.contains_key(normalised))
    }

    /// Returns the original of a name.
    pub(super) fn original(&self, name: &str) -> Option<&str> {
        self.originals.get(name).or_else(|| self.opened.get(name)).map(String::as_str)
    }

    /// Returns the name and the original of the placeholder that a model wrote as `name`.
    ///
    /// A distorted placeholder is recognised by its id, which is unique, whatever its type. Exceptions are
    /// another known type, and ids that the request itself contains.
    pub(super) fn resolve(&self, name: &str, is_exact: bool) -> Option<(&str, &str)> {
        if let Some((name, original)) = self.originals.get_key_value(name) {
            return Some((name, original));
        }
        let (kind, id) = split_id(name)?;
        let known = self.ids.get(&id)?.as_ref()?;
        let (known, original) = self.originals.get_key_value(known)?;
        let own = split_id(known)?.0;
        // `EMAIL_ADDRESS` is an email, `PHONE` is not
        let own_types = types_named(&own);
        let is_of_another = |name: &str| {
            let named = types_named(name);
            !named.is_empty() && !named.iter().any(|kind| own_types.contains(kind))
        };
        let is_another = kind != own && (is_of_another(&kind) || is_exact && is_of_another(&name_of(name)));
        let is_sure = !is_another && !self.literal_ids.contains(&id);
        is_sure.then_some((known, original))
    }

    /// Whether the request itself contains this name, so that the model did not invent it.
    pub(super) fn is_literal(&self, name: &str) -> bool {
        self.literal.contains(name)
    }

    /// Returns the number of values with a placeholder.
    pub fn len(&self) -> usize {
        self.originals.len()
    }

    /// Whether nothing in an answer can be restored.
    pub fn is_empty(&self) -> bool {
        self.originals.is_empty() && self.token_keys.is_none()
    }
}

/// Omits the values; shows their number only.
impl fmt::Debug for Placeholders {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Placeholders({} values)", self.len())
    }
}

/// Returns the type as in a placeholder; the type of a custom detector is reduced to the allowed characters.
fn shown_kind(kind: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    protected_type(kind.to_owned().into())
        .chars()
        .take(MAX_KIND)
        .map(|one| letter(one).to_ascii_uppercase())
        .collect()
}

/// Encodes a value to replace a placeholder that is written like `written`.
pub(super) fn encoded<'v>(value: &'v str, written: &str, encoding: Encoding) -> Cow<'v, str> {
    match encoding {
        // `%5B%5BEMAIL_…%5D%5D`
        _ if written.starts_with('%') => Encoding::Strict,
        Encoding::Plain if written.starts_with('&') => Encoding::Html,
        encoding => encoding,
    }
    .encode(value)
}

#[cfg(test)]
mod tests {
    use super::{reader::tests::read, *};

    const SECRET: &[u8] = b"0123456789abcdef";

    /// Whole texts, to which streams are compared.
    impl Placeholders {
        /// Restores this request's placeholders in a text, in any letter case and with any escapes.
        pub(crate) fn restore(&self, text: &str, counts: &mut RestoreCounts) -> String {
            self.restored(text, counts, str::to_owned)
        }

        /// Restores like [`Placeholders::restore`], within a JSON string: the originals are escaped.
        pub(crate) fn restore_escaped(&self, text: &str, counts: &mut RestoreCounts) -> String {
            self.restored(text, counts, crate::chat::json_text::escape)
        }

        fn restored(&self, text: &str, counts: &mut RestoreCounts, write: fn(&str) -> String) -> String {
            let mut out = String::with_capacity(text.len());
            let mut take = |piece: Piece<'_>| match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Name { name, written, is_exact } => match self.resolve(&name, is_exact) {
                    Some((_, original)) => {
                        counts.restored += 1;
                        out.push_str(&write(&encoded(original, written, Encoding::Plain)));
                    }
                    None => {
                        counts.unknown += usize::from(is_exact && !self.is_literal(&name));
                        out.push_str(written);
                    }
                },
            };
            let mut reader = Reader::default();
            reader.push(text, &mut take);
            reader.finish(&mut take);
            out
        }
    }

    fn placeholders() -> Placeholders {
        Placeholders::new(PlaceholderKey::derive(SECRET).unwrap())
    }

    #[test]
    fn a_value_has_one_placeholder_under_a_key() {
        let mut one = placeholders();
        let made = one.make("email", "jan@example.cz", "Jan@example.cz").unwrap();
        assert_eq!(made, "[[EMAIL_ogvz5obs5wl]]");
        let mut other = placeholders();
        other.make("phone_number", "+420777123456", "777 123 456").unwrap();
        for (kind, value, same) in [
            ("email", "jan@example.cz", true),
            ("email", "jan@example.com", false),
            ("iban", "jan@example.cz", false),
        ] {
            assert_eq!(other.make(kind, value, value).unwrap() == made, same, "{kind} {value}");
        }
        let mut rekeyed = Placeholders::new(PlaceholderKey::derive(b"fedcba9876543210").unwrap());
        assert_ne!(rekeyed.make("email", "jan@example.cz", "").unwrap(), made);
        assert!(PlaceholderKey::derive(b"short").is_err());
        assert!(other.has("email", "jan@example.cz") && !one.has("email", "jan@example.com"));
    }

    #[test]
    fn types_are_written_so_that_they_can_be_read() {
        for (kind, begins) in [
            ("phone_number", "[[PHONE_"),
            ("rodne_cislo", "[[RODNE_CISLO_"),
            ("osobní číslo", "[[OSOBN____SLO_"),
            (&"x".repeat(200), &format!("[[{}_", "X".repeat(64))),
        ] {
            let mut placeholders = placeholders();
            let made = placeholders.make(kind, "value", "value").unwrap();
            assert!(made.starts_with(begins), "{kind}: {made}");
            let mut counts = RestoreCounts::default();
            assert_eq!(placeholders.restore(&made, &mut counts), "value");
        }
    }

    /// Names that the request itself contains are not restored.
    #[test]
    fn text_that_looks_like_a_placeholder_is_literal() {
        let first = placeholders().make("email", "a@b.cz", "a@b.cz").unwrap();
        for literal in [
            first.clone(),
            first.to_lowercase(),
            first.replace('[', r"\u005b"),
            first.replace('[', r"\[").replace(']', r"\]").replace('_', r"\_"),
        ] {
            let mut placeholders = placeholders();
            placeholders.read(&format!("before {literal} after"));
            let made = placeholders.make("email", "a@b.cz", "a@b.cz").unwrap();
            assert_ne!(made, first, "{literal}");
            let mut counts = RestoreCounts::default();
            let restored = placeholders.restore(&format!("{literal} {made}"), &mut counts);
            assert_eq!(restored, format!("{literal} a@b.cz"));
            assert_eq!(counts, RestoreCounts { restored: 1, ..RestoreCounts::default() });
        }
    }

    #[test]
    fn two_values_never_share_one() {
        let mut placeholders = placeholders();
        let first = placeholders.make("email", "a@b.cz", "a@b.cz").unwrap();
        let name = first.trim_matches(['[', ']']).to_lowercase();
        // simulates a digest collision with another value
        placeholders.made.clear();
        placeholders.originals.insert(name, "another".to_owned());
        let second = placeholders.make("email", "a@b.cz", "a@b.cz").unwrap();
        let mut counts = RestoreCounts::default();
        assert_eq!(placeholders.restore(&(first + &second), &mut counts), "anothera@b.cz");
    }

    #[test]
    fn forms_that_are_restored() {
        let mut placeholders = placeholders();
        let made = placeholders.make("email", "a@b.cz", "\"a\"@b.cz").unwrap();
        let id = made.trim_start_matches("[[EMAIL_").trim_end_matches("]]").to_owned();
        for (text, want, restored, unknown) in [
            (format!("to {made}."), "to \"a\"@b.cz.".to_owned(), 1, 0),
            (made.to_lowercase(), "\"a\"@b.cz".to_owned(), 1, 0),
            (made.to_uppercase(), "\"a\"@b.cz".to_owned(), 1, 0),
            (format!("[[Email_{id}]]"), "\"a\"@b.cz".to_owned(), 1, 0),
            (made.replace('[', "\\u005b").replace(']', "\\u005D"), "\"a\"@b.cz".to_owned(), 1, 0),
            (made.replace('E', "\\u0045").replace('_', "\\u005f"), "\"a\"@b.cz".to_owned(), 1, 0),
            (format!("\\[\\[EMAIL\\_{id}\\]\\]"), "\"a\"@b.cz".to_owned(), 1, 0),
            (
                format!("https://x.cz/?q=%5B%5Bemail%5f{id}%5D%5d&p=100%"),
                "https://x.cz/?q=%22a%22%40b.cz&p=100%".to_owned(),
                1,
                0,
            ),
            (format!("DOMAIN\\{made}"), "DOMAIN\\\"a\"@b.cz".to_owned(), 1, 0),
            (format!("[[[{made}]]]"), "[[[\"a\"@b.cz]]]".to_owned(), 1, 0),
            (format!("{made}{made}"), "\"a\"@b.cz\"a\"@b.cz".to_owned(), 2, 0),
            ("[[EMAIL_abcdefghij]]".to_owned(), "[[EMAIL_abcdefghij]]".to_owned(), 0, 1),
            ("[[EMAIL_x7k2qd]]".to_owned(), "[[EMAIL_x7k2qd]]".to_owned(), 0, 1),
            (format!("[[IBAN_{id}]]"), format!("[[IBAN_{id}]]"), 0, 1),
            ("[[my_link]] [1] [[ ]] [[EMAIL_".to_owned(), "[[my_link]] [1] [[ ]] [[EMAIL_".to_owned(), 0, 0),
            ("\\u005".to_owned(), "\\u005".to_owned(), 0, 0),
            (String::new(), String::new(), 0, 0),
        ] {
            let mut counts = RestoreCounts::default();
            assert_eq!(placeholders.restore(&text, &mut counts), want, "{text}");
            assert_eq!(counts, RestoreCounts { restored, unknown, ..RestoreCounts::default() }, "{text}");
        }
        let mut counts = RestoreCounts::default();
        let json = format!("{{\"to\": \"{made}\"}}");
        let restored = placeholders.restore_escaped(&json, &mut counts);
        assert_eq!(restored, "{\"to\": \"\\\"a\\\"@b.cz\"}");
    }

    /// Distortions of placeholders by real models, whole and at every cut.
    #[test]
    fn distortions() {
        let mut placeholders = placeholders();
        let made = placeholders.make("email", "a@b.cz", "a@b.cz").unwrap();
        let id = made.trim_start_matches("[[EMAIL_").trim_end_matches("]]").to_owned();
        let upper = id.to_uppercase();
        let (head, tail) = id.split_at(4);
        for (text, want) in [
            // case
            (format!("[[email_{id}]]"), "a@b.cz"),
            (format!("[[Email_{upper}]]"), "a@b.cz"),
            // spaces, also those that are not ASCII, and hyphens
            (format!("[[ EMAIL_{id} ]]"), "a@b.cz"),
            (format!("[[EMAIL _ {id}]]"), "a@b.cz"),
            (format!("[[EMAIL {id}]]"), "a@b.cz"),
            (format!("[[E-MAIL-{id}]]"), "a@b.cz"),
            (format!("[[\u{a0}EMAIL_{head} {tail}\u{a0}]]"), "a@b.cz"),
            // backslashes, of Markdown and of JSON
            (format!("\\[\\[EMAIL\\_{id}\\]\\]"), "a@b.cz"),
            (format!("[[EMAIL\\_{id}]]"), "a@b.cz"),
            (format!("\\u005b\\u005bEMAIL_{id}\\u005d\\u005d"), "a@b.cz"),
            // a translated type
            (format!("[[COURRIEL_{id}]]"), "a@b.cz"),
            (format!("[[E-POŠTA_{id}]]"), "a@b.cz"),
            (format!("[[ПОЧТА_{id}]]"), "a@b.cz"),
            (format!("[[電子メール_{id}]]"), "a@b.cz"),
            (format!("[[Correo electrónico_{id}]]"), "a@b.cz"),
            // another name of the type
            (format!("[[EMAIL_ADDRESS_{id}]]"), "a@b.cz"),
            // missing brackets
            (format!("[EMAIL_{id}]"), "a@b.cz"),
            (format!("[[EMAIL_{id}] "), "a@b.cz "),
            (format!("[EMAIL_{id}]]"), "a@b.cz"),
            (format!("[EMAIL_{id}](https://x.cz)"), "[a@b.cz](https://x.cz)"),
            (format!("[[[EMAIL_{id}]]](https://x.cz)"), "[a@b.cz](https://x.cz)"),
            // bold, code
            (format!("**[[EMAIL_{id}]]**"), "**a@b.cz**"),
            (format!("[[**EMAIL_{id}**]]"), "a@b.cz"),
            (format!("[[*EMAIL*_{id}]]"), "a@b.cz"),
            (format!("[[`EMAIL_{id}`]]"), "a@b.cz"),
            // other brackets, and none
            (format!("<EMAIL_{id}>"), "a@b.cz"),
            (format!("{{{{EMAIL_{id}}}}}"), "a@b.cz"),
            (format!("{{EMAIL_{id}}}"), "a@b.cz"),
            (format!("【EMAIL_{id}】"), "a@b.cz"),
            (format!("EMAIL_{id}"), "a@b.cz"),
            (format!("to EMAIL_{id}, please"), "to a@b.cz, please"),
            (format!("[ EMAIL_{id} ]"), "[ a@b.cz ]"),
            // entities, and invisible characters
            (format!("&#91;&#91;EMAIL_{id}&#93;&#93;"), "a@b.cz"),
            (format!("&lsqb;&lsqb;EMAIL&lowbar;{id}&rsqb;&rsqb;"), "a@b.cz"),
            (format!("[\u{200b}[EMAIL_\u{200b}{head}\u{feff}{tail}]\u{200d}]"), "a@b.cz"),
            (format!("[\u{2060}EMAIL_{id}]"), "a@b.cz"),
        ] {
            let mut counts = RestoreCounts::default();
            assert_eq!(placeholders.restore(&text, &mut counts), want, "{text}");
            assert_eq!(counts, RestoreCounts { restored: 1, ..RestoreCounts::default() }, "{text}");
            for (cut, _) in text.char_indices() {
                let (before, behind) = text.split_at(cut);
                assert_eq!(read(&[before, behind]), read(&[&text]), "{text} at {cut}");
            }
        }
        // another type, another id, or nothing like one
        for text in [
            format!("[[IBAN_{id}]]"),
            format!("[[CREDIT_CARD_{id}]]"),
            format!("[[ IBAN {id} ]]"),
            format!("[[EMAIL_{}]]", "a".repeat(10)),
            format!("[[EMAIL_{tail}]]"),
            format!("[[EMAIL_{id}x]]"),
            format!("[{id}]"),
            format!("<{id}> {{EMAIL_{id}x}} xEMAIL_{id} EMAIL_{id}é EMAIL_{id}_ email_{id}"),
            "<div>{ x } {{name}} 【1】 A THE EMAIL_ABC Email_abc X_2".to_owned(),
            "[link text](https://x.cz) [1] [[wiki page]] [[a-b_c]] [ ] [x]: y".to_owned(),
        ] {
            let mut counts = RestoreCounts::default();
            assert_eq!(placeholders.restore(&text, &mut counts), text);
            assert_eq!(counts.restored, 0, "{text}");
        }
        // names that the request contains are not restored, in any form
        let mut other = self::placeholders();
        other.read(&format!("[[COURRIEL_{id}]]"));
        let made = other.make("email", "a@b.cz", "a@b.cz").unwrap();
        assert_eq!(made, format!("[[EMAIL_{id}]]"));
        let mut counts = RestoreCounts::default();
        assert_eq!(
            other.restore(&format!("[[COURRIEL_{id}]] {made}"), &mut counts),
            format!("[[COURRIEL_{id}]] a@b.cz")
        );
    }

    #[test]
    fn debug_shows_no_value() {
        let mut placeholders = placeholders();
        placeholders.make("email", "secret@b.cz", "secret@b.cz").unwrap();
        let shown = format!("{placeholders:?} {:?}", placeholders.key);
        assert_eq!(shown, "Placeholders(1 values) PlaceholderKey(…)");
    }
}
