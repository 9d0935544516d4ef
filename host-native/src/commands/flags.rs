//! Flags shared by several subcommands, and their conversion to the engine's options.

use std::{
    borrow::Cow,
    fs,
    io::Read,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context, Result, bail};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IntoDeserializer, value::Error as NameError},
};
use serde_json::Value;
use textveil::{DetectOptions, Key, ProtectOptions};
use textveil_documents::{Chunks, Encoding, Format, Passage, Reading, Record, Records, UTF_8, encoding};
use textveil_engine::{
    OffsetUnit, byte_at,
    limits::MAX_TEXT_CHARS,
    options::{Action, AllowRule, CustomDetector, DenyRule, Hint, Mode, Operator, Policy, Preset},
    wire,
};

use super::{key_file, run::Notes};
use crate::documents::{Source, Sources, Walking};

/// Parses one of these names, written as on the REST surface.
fn one_of<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names)
        .try_map(|name| T::deserialize(IntoDeserializer::<NameError>::into_deserializer(name)))
}

/// The documents to read, and their format.
#[derive(Args)]
pub struct InputFlags {
    /// Files and folders; standard input if absent, or for `-`
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Format of every document; by default that of the file's extension, or else plain text
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Encoding of every document, such as `windows-1250`; by default UTF-8, or else the likely one. The output is UTF-8
    #[arg(long, value_parser = encoding, value_name = "NAME")]
    encoding: Option<&'static Encoding>,
    /// Separator of CSV cells: one character, or `tab`; detected from the first rows by default
    #[arg(long, value_parser = delimiter, value_name = "CHARACTER")]
    delimiter: Option<u8>,
    /// Read only the files of folders that match this pattern, as `.gitignore` has them; `!` before it leaves them out.
    /// May be repeated. A pattern wins over .gitignore
    #[arg(long, short, value_name = "PATTERN")]
    glob: Vec<String>,
    /// Read hidden files and folders, too, as by default; `.git` is left out
    #[arg(long, overrides_with = "no_hidden")]
    #[allow(dead_code, reason = "it takes `--no-hidden` back")]
    hidden: bool,
    /// Leave out hidden files and folders, such as `.env`
    #[arg(long, overrides_with = "hidden")]
    no_hidden: bool,
    /// Read files, too, that .gitignore, .ignore or the settings of git leave out
    #[arg(long)]
    no_ignore: bool,
    /// Exit with status 0 although files of a folder were skipped, such as pictures; each is still listed
    #[arg(long)]
    pub allow_skipped: bool,
    /// Documents that are read at the same time; by default as many as there are processors
    #[arg(long, short = 'j', value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Print errors only, apart from the result
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the numbers of files, bytes and findings to standard error
    #[arg(long)]
    pub stats: bool,
}

impl InputFlags {
    /// Lists the documents.
    ///
    /// # Errors
    /// If a pattern is not valid.
    pub fn sources(&self) -> Result<Sources> {
        let walking = Walking {
            globs: self.glob.clone(),
            reads_hidden: !self.no_hidden,
            reads_ignored: self.no_ignore,
        };
        Sources::list(&self.paths, self.format, &walking)
    }

    /// Returns the number of documents to read at the same time.
    pub fn threads(&self) -> usize {
        let available = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(available, usize::from)
    }

    /// Passes each record of a document to `work`; `is_whole` keeps a plain text in one record.
    ///
    /// # Errors
    /// If the document cannot be read, and those of `work`.
    pub fn each_record(
        &self,
        source: &Source,
        input: impl Read,
        is_whole: bool,
        notes: &mut Notes<'_>,
        mut work: impl FnMut(&Record, &mut Notes<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { delimiter, encoding, .. } = *self;
        let mut records =
            Records::open(input, Reading { format: source.format, is_whole, delimiter, encoding });
        while let Some(record) = records.next_record()? {
            work(&record, notes)?;
        }
        self.note_encoding(source, records.encoding(), notes);
        Ok(())
    }

    /// Passes a plain text to `work` in pieces as they come.
    ///
    /// # Errors
    /// If the text cannot be read, and those of `work`.
    pub fn each_chunk(
        &self,
        source: &Source,
        input: impl Read,
        notes: &mut Notes<'_>,
        mut work: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let mut chunks = Chunks::new(input, self.encoding);
        while let Some(chunk) = chunks.next_chunk()? {
            work(&chunk)?;
        }
        self.note_encoding(source, chunks.encoding(), notes);
        Ok(())
    }

    /// Says which encoding was found, since it may be another.
    fn note_encoding(&self, source: &Source, found: Option<&'static Encoding>, notes: &mut Notes<'_>) {
        if let Some(found) = found.filter(|found| self.encoding.is_none() && *found != UTF_8) {
            let (source, found) = (source.name(), found.name());
            notes.note(format!("{source}: was read as {found}; if it is another encoding, say --encoding"));
        }
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n') => Ok(*byte),
        _ => Err("one ASCII character is needed, or `tab`".into()),
    }
}

/// The destination of documents.
#[derive(Args)]
pub struct OutputFlags {
    /// Write to this file or, for several documents, into this folder; standard output by default
    #[arg(long, short, value_name = "PATH", conflicts_with = "in_place")]
    pub output: Option<PathBuf>,
    /// Replace the content of each file; a file without findings is not written
    #[arg(long, short)]
    pub in_place: bool,
}

/// The key of hashes and tokens.
#[derive(Args)]
pub struct KeyFlags {
    /// The keys of hashes and tokens: a file made by `textveil key-file new`
    #[arg(long, env = "TEXTVEIL_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl KeyFlags {
    /// Reads the keys, the current one first; empty if no file is given.
    pub fn keys(&self) -> Result<Vec<Key>> {
        self.key_file.as_deref().map_or_else(|| Ok(Vec::new()), key_file::read)
    }
}

/// Findings that stay as they are.
#[derive(Args, Default)]
pub struct AllowFlags {
    /// Do not report this text, ignoring case; may be repeated
    #[arg(long, value_name = "TEXT")]
    allow: Vec<String>,
    /// Do not report findings that match this pattern; may be repeated
    #[arg(long, value_name = "PATTERN")]
    allow_regex: Vec<String>,
    /// Do not report e-mail addresses and URLs of this domain; may be repeated
    #[arg(long, value_name = "DOMAIN")]
    allow_domain: Vec<String>,
}

impl AllowFlags {
    /// Returns the entries of the allow list.
    pub fn rules(&self) -> impl Iterator<Item = AllowRule> {
        let values = self.allow.iter().cloned().map(AllowRule::Value);
        let patterns = self.allow_regex.iter().cloned().map(AllowRule::Regex);
        values.chain(patterns).chain(self.allow_domain.iter().cloned().map(AllowRule::Domain))
    }
}

/// Options of detection.
#[derive(Args)]
#[command(next_help_heading = "What is found")]
pub struct DetectFlags {
    /// ISO 3166-1 alpha-2 code of the country that the text is about; inferred when absent
    #[arg(long, value_name = "CODE")]
    country: Option<String>,
    /// Language of the text, such as `de`
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// Minimum confidence of a finding, by name [default: balanced]
    #[arg(long, value_name = "PRESET", value_parser = one_of::<Preset>(&["conservative", "balanced", "aggressive"]))]
    preset: Option<Preset>,
    /// Find these types only (see `textveil detectors`)
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',')]
    entities: Vec<String>,
    /// Never find these types
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',')]
    exclude_entities: Vec<String>,
    /// Minimum confidence of a finding, 0 to 1, instead of the preset
    #[arg(long, value_name = "NUMBER")]
    min_confidence: Option<f64>,
    #[command(flatten)]
    allowed: AllowFlags,
    /// Always report this text, with this type; may be repeated. `=TEXT` if TEXT contains a `=`
    #[arg(long, value_name = "[TYPE=]TEXT", value_parser = deny_rule)]
    deny: Vec<DenyRule>,
    /// A custom type and its pattern; may be repeated
    #[arg(long, value_name = "NAME=PATTERN", value_parser = custom_detector)]
    custom_detector: Vec<CustomDetector>,
    /// Findings of your own model, as evidence: a JSON list of objects with `type`, `start`, `end` and `confidence`.
    /// Only for one plain text of at most 50,000 characters; offsets count in --offset-unit
    #[arg(long, value_name = "FILE")]
    hints: Option<PathBuf>,
    /// Unit of offsets, in JSON output and in --hints [default: code_point]
    #[arg(long, value_name = "UNIT", value_parser = one_of::<OffsetUnit>(&["code_point", "utf16", "byte"]))]
    pub offset_unit: Option<OffsetUnit>,
    /// Report the evidence of each finding
    #[arg(long)]
    pub explain: bool,
    /// Options as a JSON object with the field names of the REST service; flags win over it, lists add up
    #[arg(long, value_name = "FILE")]
    options: Option<PathBuf>,
}

impl DetectFlags {
    /// Returns the options, and the unit of offsets in reports and hints; the engine always reports bytes.
    ///
    /// # Errors
    /// If a file cannot be read, or if there are hints, which belong to one text, and other documents.
    pub fn options(&self, sources: &Sources) -> Result<(DetectOptions, OffsetUnit)> {
        let (mut options, _) = from_file(self.options.as_ref())?;
        let unit = self.offset_unit.or(options.offset_unit).unwrap_or_default();
        options.offset_unit = Some(OffsetUnit::Byte);
        options.country = self.country.clone().or(options.country);
        options.language = self.language.clone().or(options.language);
        options.privacy_preset = self.preset.or(options.privacy_preset);
        options.entities.extend_from_slice(&self.entities);
        options.exclude_entities.extend_from_slice(&self.exclude_entities);
        options.min_confidence = self.min_confidence.or(options.min_confidence);
        options.allow_list.extend(self.allowed.rules());
        options.deny_list.extend_from_slice(&self.deny);
        options.custom_detectors.extend_from_slice(&self.custom_detector);
        if let Some(path) = &self.hints {
            options.hints.extend(hints(path)?);
        }
        if !options.cells.is_empty() {
            bail!("cells belong to one text; leave them out of --options");
        }
        if !options.hints.is_empty() && !matches!(sources.all.as_slice(), [source] if source.is_plain()) {
            bail!(
                "hints belong to one plain text; name one file, with --format text if its name ends otherwise"
            );
        }
        options.explain |= self.explain;
        Ok((options, unit))
    }
}

/// Checks that the text of a record is read in one call if there are hints, whose offsets count from its start.
///
/// # Errors
/// If the text is too long.
pub fn check_length(options: &DetectOptions, record: &Record) -> Result<()> {
    let is_long = |value: &textveil_documents::Value| value.text.chars().count() > MAX_TEXT_CHARS;
    if !options.hints.is_empty() && record.values.iter().any(is_long) {
        bail!(
            "a text with hints has at most {MAX_TEXT_CHARS} characters; send its parts with the hints of each"
        );
    }
    Ok(())
}

/// Returns the options for a passage: its cells, and offsets of hints in bytes.
///
/// # Errors
/// If a hint is outside the text.
pub fn for_passage<'o>(
    options: &'o DetectOptions,
    unit: OffsetUnit,
    passage: &Passage,
) -> Result<Cow<'o, DetectOptions>> {
    let text = passage.text();
    let is_one_value = matches!(passage.cells(), [cell] if cell.end - cell.start == text.len());
    if options.hints.is_empty() && is_one_value {
        return Ok(Cow::Borrowed(options));
    }
    let mut options = options.clone();
    options.cells = passage.cells().to_vec();
    for (index, hint) in options.hints.iter_mut().enumerate() {
        for (field, offset) in [("start", &mut hint.start), ("end", &mut hint.end)] {
            *offset = byte_at(text, unit, *offset).with_context(|| {
                format!("hints[{index}].{field} must be the offset of a character of the text")
            })?;
        }
    }
    Ok(Cow::Owned(options))
}

/// Reads a list of hints.
fn hints(path: &Path) -> Result<Vec<Hint>> {
    let name = || path.display().to_string();
    let list: Value = serde_json::from_str(&read(path)?).with_context(name)?;
    let DetectOptions { hints, .. } =
        wire::decode_known(serde_json::json!({ "hints": list }), &[]).with_context(name)?;
    Ok(hints)
}

fn deny_rule(text: &str) -> Result<DenyRule, String> {
    let is_type = |name: &str| name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    let (kind, value) = match text.split_once('=') {
        Some(("", value)) => (None, value),
        Some((kind, value)) if is_type(kind) => (Some(kind.to_owned()), value),
        _ => (None, text),
    };
    if value.is_empty() {
        return Err("the text is missing".into());
    }
    Ok(DenyRule { value: value.to_owned(), kind })
}

fn custom_detector(text: &str) -> Result<CustomDetector, String> {
    let (name, pattern) = text.split_once('=').ok_or("a name, `=` and a pattern are needed")?;
    Ok(CustomDetector {
        name: name.to_owned(),
        pattern: Some(pattern.to_owned()),
        ..CustomDetector::default()
    })
}

/// Options of protection.
#[derive(Args)]
#[command(next_help_heading = "What is done with it")]
pub struct ProtectFlags {
    /// `replace` with [REDACTED], `mask` with asterisks, `hash`, `tokenize` (reversible), or by `policy`
    /// [default: replace]
    #[arg(long, value_name = "MODE", value_parser = one_of::<Mode>(&Mode::NAMES))]
    mode: Option<Mode>,
    /// Another mode for one type; may be repeated. The settings are mask_char, keep_first, keep_last
    /// and new_value: credit_card=mask,keep_last=4
    #[arg(long, value_name = "TYPE=MODE[,SETTING=VALUE…]", value_parser = operator)]
    operator: Vec<(String, Operator)>,
    /// For mode `policy`: a JSON list of policies, or the gateway's answer to GET policies
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    /// For mode `policy`: action if no policy applies [default: MASK]
    #[arg(long, value_name = "ACTION", value_parser = one_of::<Action>(&["ALLOW", "FLAG", "MASK", "REDACT", "HASH", "TOKENIZE", "BLOCK"]))]
    default_action: Option<Action>,
}

impl ProtectFlags {
    /// Returns the options; those in the file of `detection` apply here too.
    pub fn options(&self, detection: &DetectFlags) -> Result<ProtectOptions> {
        let (_, mut options) = from_file(detection.options.as_ref())?;
        options.mode = self.mode.unwrap_or(options.mode);
        options.operators.extend(self.operator.iter().cloned());
        if let Some(path) = &self.policies {
            options.policies.extend(policies(path)?);
        }
        options.default_action = self.default_action.or(options.default_action);
        Ok(options)
    }
}

/// Checks that a key is given if the options need one.
///
/// # Errors
/// If a key is needed and absent; the message says how to give one.
pub fn require_key(options: &ProtectOptions, keys: &[Key]) -> Result<()> {
    let keyed = |mode: &Mode| matches!(mode, Mode::Hash | Mode::Tokenize);
    let actions = options.policies.iter().map(|policy| policy.action).chain(options.default_action);
    let mut modes = options.operators.values().map(|operator| operator.mode).chain([options.mode]);
    let needed = modes.any(|mode| keyed(&mode))
        || (options.mode == Mode::Policy
            && actions.into_iter().any(|action| matches!(action, Action::Hash | Action::Tokenize)));
    if needed && keys.is_empty() {
        bail!(
            "hash and tokenize need a key: make one with `textveil key-file new textveil.key` and say --key-file textveil.key; \
             keep that file, tokens can only be restored with it"
        );
    }
    Ok(())
}

fn operator(text: &str) -> Result<(String, Operator), String> {
    let (kind, rest) = text.split_once('=').ok_or("a type, `=` and a mode are needed")?;
    let mut settings = rest.split(',');
    let mode = settings.next().unwrap_or_default();
    let mode = Mode::deserialize(IntoDeserializer::<NameError>::into_deserializer(mode))
        .ok()
        .filter(|mode| *mode != Mode::Policy)
        .ok_or("the mode must be one of replace, mask, hash, tokenize")?;
    let mut operator = Operator { mode, ..Operator::default() };
    for setting in settings {
        let (name, value) = setting.split_once('=').ok_or("a setting is a name, `=` and a value")?;
        let number = || value.parse().map_err(|_| format!("{name} must be a whole number"));
        match name {
            "keep_first" => operator.keep_first = number()?,
            "keep_last" => operator.keep_last = number()?,
            "mask_char" => {
                let character = value.parse().map_err(|_| "mask_char must be one character")?;
                operator.mask_char = Some(character);
            }
            "new_value" => operator.new_value = Some(value.to_owned()),
            _ => return Err("the settings are mask_char, keep_first, keep_last and new_value".into()),
        }
    }
    Ok((kind.to_owned(), operator))
}

/// Reads a list of policies, or the gateway's answer that contains one.
fn policies(path: &Path) -> Result<Vec<Policy>> {
    let name = || path.display().to_string();
    let json: Value = serde_json::from_str(&read(path)?).with_context(name)?;
    // the answer of a gateway has more fields, which newer gateways add to
    let ProtectOptions { policies, .. } = if json.is_array() {
        wire::decode_known(serde_json::json!({ "policies": json }), &[])
    } else {
        wire::decode(json)
    }
    .with_context(name)?;
    if policies.is_empty() {
        bail!("{} has no policies", path.display());
    }
    Ok(policies)
}

/// Reads a file of options, which is for `detect` and `protect` alike.
fn from_file(path: Option<&PathBuf>) -> Result<(DetectOptions, ProtectOptions)> {
    let Some(path) = path else { return Ok(Default::default()) };
    let text = read(path)?;
    let mut json = serde_json::Deserializer::from_str(&text);
    wire::decode_known(&mut json, &[]).with_context(|| path.display().to_string())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deny_rules() {
        let cases = [
            ("Jan", None, "Jan"),
            ("name=Jan", Some("name"), "Jan"),
            ("=a=b", None, "a=b"),
            ("A b=c", None, "A b=c"),
        ];
        for (text, kind, value) in cases {
            let rule = deny_rule(text).unwrap();
            assert_eq!((rule.kind.as_deref(), rule.value.as_str()), (kind, value), "{text}");
        }
        assert!(deny_rule("name=").is_err());
    }

    #[test]
    fn operators() {
        let (kind, card) = operator("credit_card=mask,keep_last=4,mask_char=#").unwrap();
        assert_eq!((kind.as_str(), card.mode), ("credit_card", Mode::Mask));
        assert_eq!((card.keep_first, card.keep_last, card.mask_char), (0, 4, Some('#')));
        for wrong in [
            "email",
            "email=",
            "email=policy",
            "email=mask,keep=4",
            "email=mask,keep_last=x",
            "email=mask,mask_char=ab",
        ] {
            assert!(operator(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_needs_a_key() {
        let needs = |options: &str| {
            let options: ProtectOptions = serde_json::from_str(options).unwrap();
            require_key(&options, &[]).is_err()
        };
        assert!(!needs(r#"{}"#));
        assert!(needs(r#"{"mode": "hash"}"#));
        assert!(needs(r#"{"operators": {"email": {"mode": "tokenize"}}}"#));
        assert!(needs(r#"{"mode": "policy", "policies": [{"name": "a", "action": "HASH"}]}"#));
        assert!(!needs(r#"{"mode": "policy", "policies": [{"name": "a", "action": "MASK"}]}"#));
    }
}
