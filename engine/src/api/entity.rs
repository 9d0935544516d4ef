//! The engine's results: entities, their facts and evidence, countries.

use std::{borrow::Cow, collections::BTreeMap, fmt, num::NonZeroU8};

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};

/// An ISO 3166-1 alpha-2 country code, upper case.
///
/// # Examples
/// ```
/// use textveil_engine::Country;
///
/// let poland = Country::parse("pl").unwrap();
/// assert_eq!((poland.upper(), poland.lower()), ("PL".to_owned(), "pl".to_owned()));
/// assert_eq!(Country::parse("UK"), Country::parse("GB"));
/// assert_eq!(Country::parse("Poland"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([NonZeroU8; 2]);

impl Country {
    /// Parses a code of two ASCII letters in any case.
    ///
    /// `UK` is read as `GB` and `EL` as `GR`. Returns `None` for anything else.
    pub fn parse(code: &str) -> Option<Self> {
        let [a, b] = *code.trim().as_bytes() else { return None };
        if !a.is_ascii_alphabetic() || !b.is_ascii_alphabetic() {
            return None;
        }
        let code = match [a.to_ascii_uppercase(), b.to_ascii_uppercase()] {
            [b'U', b'K'] => [b'G', b'B'],
            [b'E', b'L'] => [b'G', b'R'],
            code => code,
        };
        Some(Self([NonZeroU8::new(code[0])?, NonZeroU8::new(code[1])?]))
    }

    /// Returns whether the code is that of a country.
    ///
    /// The codes are those of ISO 3166-1, and `XK` for Kosovo.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::Country;
    ///
    /// assert!(Country::parse("pl").is_some_and(|country| country.is_assigned()));
    /// assert!(Country::parse("EN").is_some_and(|country| !country.is_assigned()));
    /// ```
    pub fn is_assigned(self) -> bool {
        let [first, second] = self.0.map(NonZeroU8::get);
        let seconds = match first {
            b'A' => "DEFGILMOQRSTUWXZ",
            b'B' => "ABDEFGHIJLMNOQRSTVWYZ",
            b'C' => "ACDFGHIKLMNORUVWXYZ",
            b'D' => "EJKMOZ",
            b'E' => "CEGHRST",
            b'F' => "IJKMOR",
            b'G' => "ABDEFGHILMNPQRSTUWY",
            b'H' => "KMNRTU",
            b'I' => "DELMNOQRST",
            b'J' => "EMOP",
            b'K' => "EGHIMNPRWYZ",
            b'L' => "ABCIKRSTUVY",
            b'M' => "ACDEFGHKLMNOPQRSTUVWXYZ",
            b'N' => "ACEFGILOPRUZ",
            b'O' => "M",
            b'P' => "AEFGHKLMNRSTWY",
            b'Q' => "A",
            b'R' => "EOSUW",
            b'S' => "ABCDEGHIJKLMNORSTVXYZ",
            b'T' => "CDFGHJKLMNORTVWZ",
            b'U' => "AGMSYZ",
            b'V' => "ACEGINU",
            b'W' => "FS",
            b'X' => "K",
            b'Y' => "ET",
            b'Z' => "AMW",
            _ => "",
        };
        seconds.bytes().any(|letter| letter == second)
    }

    /// Creates a country for tables compiled from the catalogue; the build has checked that these are two
    /// capital letters.
    pub(crate) const fn literal(code: [u8; 2]) -> Self {
        match (NonZeroU8::new(code[0]), NonZeroU8::new(code[1])) {
            (Some(a), Some(b)) => Self([a, b]),
            _ => Self([NonZeroU8::MAX; 2]),
        }
    }

    /// Returns the two letters in upper case, as in detection.
    pub fn upper(self) -> String {
        self.0.iter().map(|letter| char::from(letter.get())).collect()
    }

    /// Returns the two letters in lower case, as in protection.
    pub fn lower(self) -> String {
        self.upper().to_ascii_lowercase()
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.upper())
    }
}

impl Serialize for Country {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.upper())
    }
}

/// One detector-specific fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Fact {
    /// A flag, such as `checksum_valid`.
    Flag(bool),
    /// A text, such as `birth_date` = `1944-05-14`.
    Text(Cow<'static, str>),
}

/// Facts by name, in the order they were found.
///
/// On the wire they are a JSON object.
///
/// # Examples
/// ```
/// use textveil_engine::{Fact, Metadata};
///
/// let mut facts = Metadata::default();
/// assert!(facts.is_empty());
/// facts.text("gender", "female");
/// facts.flag("checksum_valid", false);
/// facts.set("checksum_valid", Fact::Flag(true));
/// assert_eq!(facts.get("checksum_valid"), Some(&Fact::Flag(true)));
/// assert_eq!(facts.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["gender", "checksum_valid"]);
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Metadata(Vec<(&'static str, Fact)>);

impl Metadata {
    /// Adds a fact, or replaces the one with that name.
    pub fn set(&mut self, name: &'static str, fact: Fact) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = fact,
            None => self.0.push((name, fact)),
        }
    }

    /// Adds a text fact, see [`Metadata::set`].
    pub fn text(&mut self, name: &'static str, value: impl Into<Cow<'static, str>>) {
        self.set(name, Fact::Text(value.into()));
    }

    /// Adds a flag, see [`Metadata::set`].
    pub fn flag(&mut self, name: &'static str, value: bool) {
        self.set(name, Fact::Flag(value));
    }

    /// Returns the fact with that name.
    pub fn get(&self, name: &str) -> Option<&Fact> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, fact)| fact)
    }

    /// Returns every fact.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Fact)> {
        self.0.iter().map(|(name, fact)| (*name, fact))
    }

    /// Whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, fact) in &self.0 {
            map.serialize_entry(name, fact)?;
        }
        map.end()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Metadata {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Metadata")
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Facts by name, such as `normalized` (email), `e164` and `line_type` \
                (phone_number), `checksum_valid`, `birth_date` (ISO 8601) and `gender` (identifiers).",
            "type": "object",
            "additionalProperties": generator.subschema_for::<Fact>(),
        })
    }
}

/// Shows only the names of the facts, which may contain a normalised value.
impl fmt::Debug for Metadata {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// The unit of offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum OffsetUnit {
    /// Unicode scalar values; the default on REST and WIT.
    #[default]
    CodePoint,
    /// UTF-16 code units; the default in JavaScript. `text.slice(start, end)` is then the original.
    Utf16,
    /// UTF-8 bytes.
    Byte,
}

/// One reason for or against a finding, in log-odds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The name of the signal.
    ///
    /// Of a finding: `shape`, `check`, `label`, `context`, `sibling`, `country`, `neighbour`, `hint`, `competing` or
    /// `calibration`. Of a name also `letters`, `case`, `lexicon`, `words`, `signs` or `repetition`. Of a country: `phone`,
    /// `domain`, `iban`, `bic`, `vat`, `identifier`, `place`, `postal_code`, `language`, `language_given` or `currency`.
    pub signal: &'static str,
    /// The weight added to the log-odds.
    pub weight: f64,
    /// Position in the text, in the requested unit. Absent if the evidence is the finding itself.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// A half-open range of the text, in the requested unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// Offset of the first unit.
    pub start: usize,
    /// Offset after the last unit.
    pub end: usize,
}

/// The number of findings by entity type.
pub type TypeCounts = BTreeMap<Cow<'static, str>, usize>;

/// A piece of personal data in a text.
#[derive(Clone, PartialEq)]
pub struct Entity {
    /// Entity type, such as `pesel`; several detectors may share one.
    pub kind: Cow<'static, str>,
    /// The category of the detector.
    pub category: Category,
    /// The finding's text, unchanged.
    pub original: String,
    /// Country of the detector; `None` for detectors without a country.
    pub country: Option<Country>,
    /// 0 to 1, four decimals.
    pub confidence: f64,
    /// A checksum or a structural rule was applied and holds.
    pub validated: bool,
    /// Position, in the requested unit.
    pub span: Span,
    /// Position in bytes of UTF-8, whatever the requested unit.
    pub bytes: Span,
    /// Detector-specific facts.
    pub metadata: Metadata,
    /// The evidence; empty unless `explain` was requested.
    pub evidence: Vec<Evidence>,
}

impl Entity {
    /// Returns the normalised text: the same for `+420 777 123 456` and `+420777123456`.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, detect};
    ///
    /// let found = detect("call +420 777 123 456", &DetectOptions::default())?;
    /// assert_eq!(found.entities[0].normalised(), "+420777123456");
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn normalised(&self) -> &str {
        ["normalized", "e164"].iter().find_map(|name| self.text_of(name)).unwrap_or(&self.original)
    }

    /// Returns the full name of a person, otherwise the normalised text.
    ///
    /// A part of a name means the person whose full name is before it, if that is one.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::{DetectOptions, detect};
    ///
    /// let found = detect("Dear Anna Kellermann, thanks. Yours, Peter. PS: ask Anna", &DetectOptions::default())?;
    /// let names: Vec<_> = found.entities.iter().map(|name| name.referent()).collect();
    /// assert_eq!(names, ["Anna Kellermann", "Peter", "Anna Kellermann"]);
    /// # Ok::<(), textveil_engine::Error>(())
    /// ```
    pub fn referent(&self) -> &str {
        self.text_of("person").unwrap_or_else(|| self.normalised())
    }

    fn text_of(&self, fact: &str) -> Option<&str> {
        match self.metadata.get(fact) {
            Some(Fact::Text(value)) => Some(value.as_ref()),
            _ => None,
        }
    }
}

/// Omits the text; shows its length only.
impl fmt::Debug for Entity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Entity")
            .field("kind", &self.kind)
            .field("original", &format_args!("{} bytes", self.original.len()))
            .field("country", &self.country)
            .field("confidence", &self.confidence)
            .field("validated", &self.validated)
            .field("span", &self.span)
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}

/// A country that the text is probably about.
#[derive(Clone, Debug, PartialEq)]
pub struct CountryDetection {
    /// The country.
    pub code: Country,
    /// 0 to 1, four decimals. The confidences of several countries need not sum to 1.
    pub confidence: f64,
    /// The evidence; empty unless `explain` was requested.
    pub evidence: Vec<Evidence>,
}

/// The category of a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Category {
    /// Identities: national identifiers, tax numbers of persons.
    Identity,
    /// Ways to reach a person: e-mail addresses, phone numbers.
    Contact,
    /// Accounts, cards, banks.
    Financial,
    /// Places on the map or on a network.
    Location,
    /// Other facts about a person, such as a date of birth.
    Personal,
    /// Companies and their registers.
    Business,
    /// Health insurance, patients, physicians.
    Medical,
    /// Documents and registers of the state.
    Government,
    /// Passwords, keys, tokens and codes that give access.
    Credential,
}

impl Category {
    /// Returns the name on the wire.
    ///
    /// # Examples
    /// ```
    /// use textveil_engine::Category;
    ///
    /// assert_eq!(Category::Financial.as_str(), "financial");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Contact => "contact",
            Self::Financial => "financial",
            Self::Location => "location",
            Self::Personal => "personal",
            Self::Business => "business",
            Self::Medical => "medical",
            Self::Government => "government",
            Self::Credential => "credential",
        }
    }
}
