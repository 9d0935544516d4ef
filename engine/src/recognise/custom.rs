//! The caller's detectors, deny list and allow list, compiled once per call.

use std::{borrow::Cow, ops::Range};

use textveil_weights as weights;

use crate::{
    api::{
        error::Error,
        limits::{
            MAX_CUSTOM_DETECTORS, MAX_LIST, MAX_NAME_BYTES, MAX_PATTERN_BYTES, MAX_PATTERN_STATES,
            MAX_PATTERNS_STATES,
        },
        options::{AllowRule, CustomDetector, DenyRule},
        schema::Check,
    },
    catalogue::{
        self, DETECTORS,
        part::{Requirement, requirements},
        shape::{self, Signature},
    },
    checks::digits::CheckDigits,
    evidence::{
        candidate::{Candidate, Extra, Signal, Source, Verdict},
        labels::{Contexts, Labels},
        siblings::{Apparent, Pass},
        words as evidence,
    },
    lexicon::{self, vocabulary::Vocabulary},
    pattern::{Fault, Meter, Pattern},
    phrase::{
        Phrase,
        case::lower_text,
        fold, words,
        work::{Stage, Work},
    },
    recognise::Compact,
    text::{fold::Folded, order},
};

/// The longest distance from a match to its context words, in bytes.
const REACH: usize = 96;
/// Punctuation before an entry of a deny list, which a text need not have.
const OPENING: &[char] = &[' ', '"', '\'', '(', '[', '{', '<', '„', '“', '‘', '«', '¿', '¡'];
/// Punctuation after an entry of a deny list, which a text need not have.
const CLOSING: &[char] =
    &[' ', '"', '\'', ')', ']', '}', '>', '”', '“', '’', '»', '.', ',', ';', ':', '!', '?', '…', '。', '，'];
/// The longest entry of a deny list and the longest label, in words.
const MAX_WORDS: usize = 16;
/// Most rules and combined rules in the check of a detector.
const MAX_CHECKS: usize = 100;
/// Steps of a match: it becomes a candidate, which competes with others.
const MATCH: usize = 100;
/// Steps of the search for labels around a match.
const LABELS: usize = 100;
/// Steps of the search for context words around a match: some 25 words are looked up in phrases of up to four.
const NEARBY: usize = 200;
/// Steps of a rule of check digits: it reads a value of up to some 40 characters.
const CHECK: usize = 40;

/// A compiled custom detector.
struct Custom {
    name: String,
    category: crate::api::entity::Category,
    pattern: Option<Pattern>,
    parts: Vec<Requirement>,
    check: Option<Check>,
    odds: f32,
    has_labels: bool,
    /// Sorted.
    context: Vec<Phrase>,
    /// Steps that a candidate takes besides the search for it.
    steps: usize,
}

/// A layout of a custom detector's shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CustomLayout {
    pub signature: Signature,
    /// The detector, by its position in the request.
    pub detector: u16,
    /// The literal prefix of the shape, upper case.
    pub literal: String,
    /// It needs a label.
    pub labelled: bool,
}

/// A compiled entry of a deny list.
struct Denied {
    kind: String,
    letters: String,
    /// The signs before the first word and after the last one, as in `.NET` and `C++`.
    before: String,
    after: String,
}

impl Denied {
    fn new(kind: String, value: &str) -> Self {
        let value = Folded::new(value.trim(), &Work::default()).text;
        let (mut start, mut end) = (value.len(), 0);
        for (from, to) in words(&value) {
            start = start.min(from);
            end = end.max(to);
        }
        let side = |part: Option<&str>, punctuation: &[char]| {
            part.unwrap_or_default().trim_matches(punctuation).to_owned()
        };
        Self {
            letters: letters(&value),
            before: side(value.get(..start), OPENING),
            after: side(value.get(end..), CLOSING),
            kind,
        }
    }

    /// Returns the place of the entry whose words are at `start..end`, with its signs.
    fn place(&self, text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
        let before = text.get(..start)?.strip_suffix(self.before.as_str())?;
        let after = text.get(end..)?.strip_prefix(self.after.as_str())?;
        Some((before.len(), text.len() - after.len()))
    }
}

/// The compiled rules of an allow list.
#[derive(Default)]
struct Allowed {
    /// Values by their letters, sorted.
    letters: Vec<String>,
    patterns: Vec<Pattern>,
    /// Domains in lower case, sorted.
    domains: Vec<String>,
}

/// The caller's detectors and lists.
#[derive(Default)]
pub(crate) struct Customs {
    detectors: Vec<Custom>,
    shapes: Vec<CustomLayout>,
    vocabulary: Vocabulary,
    denied: Vec<Denied>,
    /// Entries of the deny list by their letters, sorted.
    denied_at: Vec<(Phrase, u16)>,
    denied_words: usize,
    allowed: Allowed,
    /// The states of all patterns.
    states: usize,
}

impl Customs {
    /// Whether detectors or a deny list find words that nothing else finds.
    pub fn finds_any_words(&self) -> bool {
        !self.detectors.is_empty() || !self.denied.is_empty()
    }

    /// Compiles the caller's detectors and lists.
    ///
    /// # Errors
    /// `invalid_request` with the path of the entry at fault, such as `custom_detectors[0].pattern`.
    pub fn new(detectors: &[CustomDetector], deny: &[DenyRule], allow: &[AllowRule]) -> Result<Self, Error> {
        let mut customs = Self::default();
        at_most(
            detectors.len(),
            MAX_CUSTOM_DETECTORS,
            "custom_detectors",
            "has more than 50 entries; send fewer",
        )?;
        at_most(deny.len(), MAX_LIST, "deny_list", "has more than 1000 entries; send fewer")?;
        at_most(allow.len(), MAX_LIST, "allow_list", "has more than 1000 entries; send fewer")?;
        let mut labels = Vec::new();
        for (index, detector) in detectors.iter().enumerate() {
            customs.add_detector(index, detector)?;
            let label = lexicon::packed_use(number(index as u16), false);
            labels.extend(detector.labels.iter().map(|written| (written.as_str(), label)));
            at_most(
                labels.len(),
                MAX_LIST,
                &format!("custom_detectors[{index}].labels"),
                "are more than 1000 in all; send fewer",
            )?;
        }
        customs.vocabulary = Vocabulary::new(labels.into_iter());
        for (index, rule) in deny.iter().enumerate() {
            customs.add_denied(index, rule)?;
        }
        order::sort(&mut customs.denied_at, Ord::cmp);
        order::sort(&mut customs.shapes, Ord::cmp);
        customs.shapes.dedup();
        for (index, rule) in allow.iter().enumerate() {
            customs.add_allowed(rule, &format!("allow_list[{index}]"))?;
        }
        order::sort(&mut customs.allowed.letters, Ord::cmp);
        order::sort(&mut customs.allowed.domains, Ord::cmp);
        Ok(customs)
    }

    fn add_detector(&mut self, index: usize, detector: &CustomDetector) -> Result<(), Error> {
        let field = |name: &str| format!("custom_detectors[{index}].{name}");
        check_name(&detector.name, &field("name"))?;
        if detector.pattern.is_none() && detector.shapes.is_empty() && detector.labelled.is_empty() {
            return Err(Error::invalid(field("pattern"), "is missing; send a pattern or shapes"));
        }
        check_labels(&detector.labels, &field("labels"))?;
        if detector.labels.is_empty() && !detector.labelled.is_empty() {
            return Err(Error::invalid(field("labels"), "are missing; the shapes of labelled need them"));
        }
        let pattern = detector
            .pattern
            .as_deref()
            .map(|pattern| self.compile(pattern, &field("pattern")))
            .transpose()?;
        for (shapes, name, labelled) in
            [(&detector.shapes, "shapes", false), (&detector.labelled, "labelled", true)]
        {
            for shape in shapes {
                let layouts = shape::expand(shape).map_err(|why| Error::invalid(field(name), why))?;
                self.shapes.extend(layouts.into_iter().map(|layout| CustomLayout {
                    signature: layout.signature(),
                    detector: index as u16,
                    literal: layout.literal,
                    labelled,
                }));
            }
            at_most(self.shapes.len(), MAX_LIST, &field(name), "stand for too many layouts; send fewer")?;
        }
        at_most(detector.parts.len(), MAX_LIST, &field("parts"), "has more than 1000 entries; send fewer")?;
        if !detector.parts.is_empty() && detector.shapes.is_empty() && detector.labelled.is_empty() {
            return Err(Error::invalid(field("parts"), "need shapes; a pattern has no places"));
        }
        let mut parts = Vec::new();
        for (at, part) in detector.parts.iter().enumerate() {
            let field = || field(&format!("parts[{at}]"));
            parts.extend(requirements(part).map_err(|why| Error::invalid(field(), why))?);
        }
        if detector.check.as_ref().is_some_and(calls_function) {
            return Err(Error::invalid(field("check"), "names a function; send a rule of data"));
        }
        let checks = detector.check.as_ref().map_or(0, rules);
        at_most(checks, MAX_CHECKS, &field("check"), "has more than 100 rules; send fewer")?;
        let confidence = detector.confidence.unwrap_or(weights::confidence::CUSTOM);
        if !(0.0..=1.0).contains(&confidence) {
            return Err(Error::invalid(field("confidence"), "must be a number from 0 to 1"));
        }
        at_most(detector.context.len(), MAX_LIST, &field("context"), "has more than 1000 words; send fewer")?;
        let confidence = confidence.clamp(0.000_1, 0.999_9);
        let mut context: Vec<Phrase> = detector.context.iter().map(|word| Phrase::EMPTY.with(word)).collect();
        order::sort(&mut context, Ord::cmp);
        let around = |is_read: bool, steps: usize| if is_read { steps } else { 0 };
        let steps = MATCH
            + around(!detector.labels.is_empty(), LABELS)
            + around(!context.is_empty(), NEARBY)
            + parts.iter().map(Requirement::steps).sum::<usize>()
            + checks * CHECK;
        self.detectors.push(Custom {
            name: detector.name.clone(),
            category: detector.category.unwrap_or(crate::api::entity::Category::Personal),
            pattern,
            parts,
            check: detector.check.clone(),
            odds: (confidence / (1.0 - confidence)).ln() as f32,
            has_labels: !detector.labels.is_empty(),
            context,
            steps,
        });
        Ok(())
    }

    /// Compiles a caller's pattern.
    fn compile(&mut self, pattern: &str, field: &str) -> Result<Pattern, Error> {
        at_most(pattern.len(), MAX_PATTERN_BYTES, field, "is longer than 512 bytes; send a shorter one")?;
        let compiled = Pattern::new(pattern, MAX_PATTERN_STATES).map_err(|fault| {
            Error::invalid(
                field,
                match fault {
                    Fault::Syntax => "is not a regular expression",
                    Fault::Size => {
                        "has more than 1024 states, one or two for each count of a repetition; send smaller counts, or + \
                         and *, as in [a-z ]+Q instead of (?:[a-z ]{0,30}){0,30}Q"
                    }
                },
            )
        })?;
        self.states += compiled.states();
        at_most(
            self.states,
            MAX_PATTERNS_STATES,
            field,
            "and the patterns before it have more than 32768 states in all; send fewer, or smaller counts",
        )?;
        if compiled.find("", 0, &mut Meter::new(u64::MAX)).is_some() {
            return Err(Error::invalid(
                field,
                "matches the empty text; make it match at least one character",
            ));
        }
        Ok(compiled)
    }

    fn add_allowed(&mut self, rule: &AllowRule, field: &str) -> Result<(), Error> {
        let (value, name) = match rule {
            AllowRule::Value(value) => (value, "value"),
            AllowRule::Regex(value) => (value, "regex"),
            AllowRule::Domain(value) => (value, "domain"),
        };
        let field = format!("{field}.{name}");
        at_most(value.len(), MAX_PATTERN_BYTES, &field, "is longer than 512 bytes; send a shorter one")?;
        if letters(value).is_empty() && !matches!(rule, AllowRule::Regex(_)) {
            return Err(Error::invalid(field, "has no letter and no digit; send the text to allow"));
        }
        match rule {
            AllowRule::Value(value) => self.allowed.letters.push(letters(value)),
            AllowRule::Regex(pattern) => {
                let whole = self.compile(&format!("^(?:{pattern})$"), &field)?;
                self.allowed.patterns.push(whole);
            }
            AllowRule::Domain(domain) => {
                self.allowed.domains.push(lower_text(domain.trim_start_matches(['@', '.'])));
            }
        }
        Ok(())
    }

    fn add_denied(&mut self, index: usize, rule: &DenyRule) -> Result<(), Error> {
        let field = |name: &str| format!("deny_list[{index}].{name}");
        at_most(
            rule.value.len(),
            MAX_PATTERN_BYTES,
            &field("value"),
            "is longer than 512 bytes; send a shorter one",
        )?;
        let count = words(&rule.value).count();
        if letters(&rule.value).is_empty() || count > MAX_WORDS {
            return Err(Error::invalid(field("value"), "must have 1 to 16 words"));
        }
        if let Some(kind) = &rule.kind {
            check_name(kind, &field("type"))?;
        }
        let entry = self.denied.len() as u16;
        self.denied_at.push((Phrase::EMPTY.with(&rule.value), entry));
        self.denied_words = self.denied_words.max(count);
        let kind = rule.kind.clone().unwrap_or_else(|| "deny_list".to_owned());
        self.denied.push(Denied::new(kind, &rule.value));
        Ok(())
    }

    /// Returns the number of a type that hints have, which may be new.
    pub fn type_of_hints(&mut self, name: &str) -> u16 {
        let known = self.detectors.iter().position(|custom| custom.name == name);
        let index = known.unwrap_or_else(|| {
            self.detectors.push(Custom {
                name: name.to_owned(),
                category: crate::api::entity::Category::Personal,
                pattern: None,
                parts: Vec::new(),
                check: None,
                odds: 0.0,
                has_labels: false,
                context: Vec::new(),
                steps: 0,
            });
            self.detectors.len() - 1
        });
        index as u16
    }

    /// Returns the layouts of custom detectors for the scanner, sorted by signature.
    pub fn shapes(&self) -> &[CustomLayout] {
        &self.shapes
    }

    /// Returns the labels of the catalogue and of the custom detectors.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Whether a type is one of the caller's.
    pub fn names(&self, kind: &str) -> bool {
        self.detectors.iter().any(|custom| custom.name == kind)
            || self.denied.iter().any(|denied| denied.kind == kind)
    }

    /// Returns the type of a candidate.
    pub fn kind(&self, source: Source) -> Cow<'static, str> {
        let own = |name: Option<&String>| Cow::Owned(name.cloned().unwrap_or_default());
        match source {
            Source::Catalogue(index) => {
                Cow::Borrowed(catalogue::detector(index).map_or("", |detector| detector.kind()))
            }
            Source::Custom(index) => own(self.detectors.get(usize::from(index)).map(|custom| &custom.name)),
            Source::Denied(index) => own(self.denied.get(usize::from(index)).map(|denied| &denied.kind)),
        }
    }

    /// Returns the category of a custom detector's type.
    pub fn category_of(&self, kind: &str) -> Option<crate::api::entity::Category> {
        self.detectors.iter().find(|custom| custom.name == kind).map(|custom| custom.category)
    }

    /// Returns the category of a candidate.
    pub fn category(&self, source: Source) -> crate::api::entity::Category {
        let category = match source {
            Source::Catalogue(index) => catalogue::detector(index).map(|detector| detector.category),
            Source::Custom(index) => self.detectors.get(usize::from(index)).map(|custom| custom.category),
            Source::Denied(_) => None,
        };
        category.unwrap_or(crate::api::entity::Category::Personal)
    }

    /// Adds matches of the patterns and of the deny list; checks the candidates of the shapes.
    ///
    /// A pattern is matched against each whole line: as it is in the copy, and as it is written.
    pub fn search(
        &self,
        written: &str,
        folded: &Folded<'_>,
        candidates: &mut Vec<Candidate>,
        labels: &mut Labels<'_>,
        work: &Work,
    ) {
        let mut around = Around { text: &folded.text, labels, contexts: Contexts::default() };
        candidates.retain_mut(|candidate| match candidate.source {
            Source::Custom(index) => self.judge(index, &mut around, candidate, work),
            Source::Catalogue(_) | Source::Denied(_) => true,
        });
        for (index, custom) in self.detectors.iter().enumerate() {
            let Some(pattern) = &custom.pattern else { continue };
            let mut candidate = |start: usize, end: usize| {
                let mut candidate = Candidate::new(Source::Custom(index as u16), start, end);
                candidate.shape = custom.odds;
                around.apply(custom, index as u16, &mut candidate);
                candidate
            };
            // folding neither adds nor removes line breaks
            for ((at, line), (written_at, written)) in lines(&folded.text).zip(lines(written)) {
                let first = candidates.len();
                matches(pattern, line, custom.steps, work, |found| {
                    candidates.push(candidate(at + found.start, at + found.end));
                });
                let last = candidates.len();
                if written != line {
                    matches(pattern, written, custom.steps, work, |found| {
                        let copied = |offset: usize| folded.copied(written_at + offset);
                        let (start, end) = (copied(found.start), copied(found.end));
                        let known = candidates.get(first..last).unwrap_or_default();
                        let place = known.binary_search_by_key(&start, |known| known.start as usize);
                        let known = place.ok().and_then(|place| known.get(place));
                        if start < end && known.is_none_or(|known| known.end as usize != end) {
                            candidates.push(candidate(start, end));
                        }
                    });
                }
                if work.is_spent() {
                    return;
                }
            }
        }
        self.search_denied(&folded.text, candidates, work);
    }

    /// Checks the candidate of a custom detector's shape, and adds its evidence.
    fn judge(&self, index: u16, around: &mut Around<'_, '_>, candidate: &mut Candidate, work: &Work) -> bool {
        let Some(custom) = self.detectors.get(usize::from(index)) else { return false };
        if work.is_spent() {
            return false;
        }
        work.add(Stage::Customs, custom.steps);
        candidate.shape = custom.odds;
        let written = around.text.get(candidate.start as usize..candidate.end as usize).unwrap_or_default();
        let Some(compact) = Compact::new(written, "", false) else { return false };
        let Extra::Literal(length) = candidate.extra else { return false };
        let Some(body) = compact.as_str().get(usize::from(length)..) else { return false };
        candidate.extra = Extra::None;
        if !custom.parts.iter().all(|part| part.check(body).is_ok()) {
            return false;
        }
        if let Some(check) = &custom.check {
            if !check.holds(body) {
                return false;
            }
            candidate.verdict = Verdict::Valid;
        }
        around.apply(custom, index, candidate);
        true
    }

    fn search_denied(&self, text: &str, candidates: &mut Vec<Candidate>, work: &Work) {
        if self.denied.is_empty() {
            return;
        }
        let places: Vec<(usize, usize)> = words(text).collect();
        for (index, (start, _)) in places.iter().enumerate() {
            let mut phrase = Phrase::EMPTY;
            work.add(Stage::Customs, self.denied_words);
            for (word_start, end) in places.iter().skip(index).take(self.denied_words) {
                if work.is_spent() {
                    return;
                }
                phrase = phrase.with(text.get(*word_start..*end).unwrap_or_default());
                if let Some((entry, (start, end))) = self.denied_entry(phrase, text, *start, *end) {
                    work.add(Stage::Customs, MATCH + end - start);
                    let mut candidate = Candidate::new(Source::Denied(entry), start, end);
                    candidate.shape = weights::prior::DENIED;
                    candidates.push(candidate);
                }
            }
        }
    }

    /// Returns the longest entry of the deny list that is at these words, with its place.
    fn denied_entry(
        &self,
        phrase: Phrase,
        text: &str,
        start: usize,
        end: usize,
    ) -> Option<(u16, (usize, usize))> {
        let from = self.denied_at.partition_point(|(known, _)| *known < phrase);
        let same = self.denied_at.iter().skip(from).take_while(|(known, _)| *known == phrase);
        let mut entries = same.map(|(_, entry)| *entry).peekable();
        entries.peek()?;
        let found = letters(text.get(start..end)?);
        let places = entries.filter_map(|entry| {
            let denied = self.denied.get(usize::from(entry)).filter(|denied| denied.letters == found)?;
            Some((entry, denied.place(text, start, end)?))
        });
        // the first of several that are equally long
        places.reduce(|best, other| {
            let length = |(_, (start, end)): &(u16, (usize, usize))| end - start;
            if length(&other) > length(&best) { other } else { best }
        })
    }

    /// Whether the allow list suppresses a finding.
    pub fn allows(&self, kind: &str, found: &str, work: &Work) -> bool {
        // the call fails: what it finds does not count
        if work.is_spent() {
            return false;
        }
        let Allowed { letters: values, patterns, domains } = &self.allowed;
        if !values.is_empty() {
            work.add(Stage::Customs, 1 + found.len());
            if values.binary_search(&letters(found)).is_ok() {
                return true;
            }
        }
        if !domains.is_empty() && matches!(kind, "email" | "url") {
            work.add(Stage::Customs, 1 + found.len());
            if is_of_domains(found, domains) {
                return true;
            }
        }
        patterns.iter().any(|pattern| {
            let mut meter = Meter::new(work.left());
            let is_allowed = pattern.is_whole(found, &mut meter);
            work.add(Stage::Customs, 1 + meter.taken() as usize);
            is_allowed
        })
    }
}

/// Returns the number of a custom detector among all detectors of a call.
fn number(index: u16) -> u16 {
    DETECTORS.len() as u16 + index
}

/// The text around the matches of custom detectors.
struct Around<'l, 't> {
    text: &'l str,
    labels: &'l mut Labels<'t>,
    contexts: Contexts<'t>,
}

impl Around<'_, '_> {
    /// Adds the evidence of the words around a match: of its labels, and of its context.
    fn apply(&mut self, custom: &Custom, index: u16, candidate: &mut Candidate) {
        if custom.has_labels {
            let (start, end) = (candidate.start as usize, candidate.end as usize);
            self.labels.begin(Pass::Custom(index));
            self.labels.rewind(start);
            self.labels.around(start, end, &mut self.contexts);
            evidence::apply(candidate, number(index), &self.contexts);
            self.labels.tell(start, end, &self.contexts, Apparent::default());
        }
        if !custom.context.is_empty() {
            self.apply_context(custom, candidate);
        }
    }

    /// Adds the evidence of the first context word near a match.
    fn apply_context(&self, custom: &Custom, candidate: &mut Candidate) {
        let text = self.text;
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at += 1;
            }
            at
        };
        let from = boundary((candidate.start as usize).saturating_sub(REACH));
        let to = boundary((candidate.end as usize + REACH / 2).min(text.len()));
        let Some(around) = text.get(from..to) else { return };
        let places: Vec<(usize, usize)> = words(around).collect();
        for (index, (start, _)) in places.iter().enumerate() {
            for (_, end) in places.iter().skip(index).take(4) {
                let phrase = Phrase::EMPTY.with(around.get(*start..*end).unwrap_or_default());
                if custom.context.binary_search(&phrase).is_ok() {
                    let place = ((from + start) as u32, (from + end) as u32);
                    candidate.near = Signal { weight: weights::prior::CUSTOM_CONTEXT, place };
                    return;
                }
            }
        }
    }
}

/// Whether a check calls a function of the catalogue, which callers may not use.
fn calls_function(check: &Check) -> bool {
    match check {
        Check::Function { .. } => true,
        Check::Part { check, .. } => check.iter().any(calls_function),
        Check::All { checks } | Check::Any { checks } => checks.iter().any(calls_function),
        Check::ByLength { lengths } => lengths.iter().any(|(_, check)| calls_function(check)),
        _ => false,
    }
}

/// Returns the number of rules in a check, with those that combine others.
fn rules(check: &Check) -> usize {
    let within: usize = match check {
        Check::Part { check, .. } => check.iter().map(rules).sum(),
        Check::All { checks } | Check::Any { checks } => checks.iter().map(rules).sum(),
        Check::ByLength { lengths } => lengths.iter().map(|(_, check)| rules(check)).sum(),
        _ => 0,
    };
    1 + within
}

fn at_most(count: usize, limit: usize, field: &str, message: &'static str) -> Result<(), Error> {
    if count > limit { Err(Error::invalid(field, message)) } else { Ok(()) }
}

/// Whether a text is a type name: at most 64 lower-case letters, digits and `_`, a letter first.
pub(crate) fn is_name(name: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() <= MAX_NAME_BYTES
        && name.bytes().all(letters)
        && name.starts_with(|first: char| first.is_ascii_lowercase())
}

fn check_name(name: &str, field: &str) -> Result<(), Error> {
    if is_name(name) {
        return Ok(());
    }
    Err(Error::invalid(field, "must be 1 to 64 lower-case letters, digits and _, with a letter first"))
}

/// Checks that labels have words.
fn check_labels(labels: &[String], field: &str) -> Result<(), Error> {
    for (at, label) in labels.iter().enumerate() {
        let fits = label.len() <= MAX_PATTERN_BYTES && (1..=MAX_WORDS).contains(&words(label).count());
        if !fits {
            return Err(Error::invalid(format!("{field}[{at}]"), "must have 1 to 16 words in 512 bytes"));
        }
    }
    Ok(())
}

/// The letters and digits of a text, folded.
fn letters(text: &str) -> String {
    text.chars().flat_map(fold).filter(|letter| letter.is_alphanumeric()).collect()
}

/// Whether an e-mail address or a URL has one of the sorted domains, or a subdomain of one.
fn is_of_domains(found: &str, domains: &[String]) -> bool {
    let host = found.split_once("://").map_or(found, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = lower_text(host.split(':').next().unwrap_or_default());
    let parents = std::iter::successors(Some(host.as_str()), |name| Some(name.split_once('.')?.1));
    parents.into_iter().any(|name| domains.binary_search_by(|domain| domain.as_str().cmp(name)).is_ok())
}

/// Returns the lines of a text with their starts, without their line breaks.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |whole| {
        let at = start;
        start += whole.len();
        let line = whole.strip_suffix('\n').map_or(whole, |line| line.strip_suffix('\r').unwrap_or(line));
        (at, line)
    })
}

/// Passes on the matches of a pattern in a line, while the budget lasts; a match takes `steps` besides the search.
fn matches(pattern: &Pattern, line: &str, steps: usize, work: &Work, mut take: impl FnMut(Range<usize>)) {
    let mut from = 0;
    while !work.is_spent() {
        let mut meter = Meter::new(work.left());
        let found = pattern.next(line, &mut from, &mut meter);
        work.add(Stage::Customs, 1 + meter.taken() as usize);
        let Some(found) = found else { return };
        work.add(Stage::Customs, steps);
        take(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::schema::Part;

    fn detector(name: &str) -> CustomDetector {
        CustomDetector { name: name.to_owned(), ..CustomDetector::default() }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let pattern = |pattern: &str| CustomDetector { pattern: Some(pattern.to_owned()), ..detector("own") };
        let shapes = |shape: &str| CustomDetector { shapes: vec![shape.to_owned()], ..detector("own") };
        let shape = |shape: &str| vec![shape.to_owned()];
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let month = || Part { len: 2, min: Some(1), max: Some(12), ..Part::default() };
        let function = Check::Function { name: Cow::Borrowed("nie"), call: None };
        for (detector, field) in [
            (pattern("[0-9]{4}"), None),
            (shapes("ABd4"), None),
            (CustomDetector { name: "Own".to_owned(), ..pattern("x") }, Some("name")),
            (CustomDetector { name: "9own".to_owned(), ..pattern("x") }, Some("name")),
            (CustomDetector { name: "o".repeat(65), ..pattern("x") }, Some("name")),
            (detector("own"), Some("pattern")),
            (pattern("("), Some("pattern")),
            (pattern("x*"), Some("pattern")),
            (pattern(&"x".repeat(513)), Some("pattern")),
            (shapes("dd"), Some("shapes")),
            (CustomDetector { labelled: shape("d4"), ..detector("own") }, Some("labels")),
            (CustomDetector { labelled: shape("d4"), labels: words(&["no"]), ..detector("own") }, None),
            (
                CustomDetector { labelled: shape("dd"), labels: words(&["no"]), ..detector("own") },
                Some("labelled"),
            ),
            (CustomDetector { labels: words(&["no", "."]), ..shapes("d4") }, Some("labels[1]")),
            (
                CustomDetector {
                    labels: words(&["no "].map(|word| word.repeat(17)).each_ref().map(String::as_str)),
                    ..shapes("d4")
                },
                Some("labels[0]"),
            ),
            (CustomDetector { labels: vec!["no".to_owned(); 1_001], ..shapes("d4") }, Some("labels")),
            (CustomDetector { parts: vec![Part::default()], ..shapes("d4") }, Some("parts[0]")),
            (
                CustomDetector {
                    parts: vec![month(), Part { within: words(&["a"]), ..month() }],
                    ..shapes("d4")
                },
                Some("parts[1]"),
            ),
            (CustomDetector { parts: vec![month()], ..pattern("x") }, Some("parts")),
            (CustomDetector { parts: vec![month()], ..shapes("d4") }, None),
            (CustomDetector { check: Some(function), ..shapes("d4") }, Some("check")),
            (CustomDetector { confidence: Some(1.1), ..pattern("x") }, Some("confidence")),
        ] {
            let refused = Customs::new(&[detector], &[], &[]).err();
            let field = field.map(|field| format!("custom_detectors[0].{field}"));
            assert_eq!(refused.as_ref().and_then(Error::field), field.as_deref());
        }
        for (deny, allow, field) in [
            (DenyRule { value: "..".to_owned(), kind: None }, None, "deny_list[0].value"),
            (DenyRule { value: "a ".repeat(17), kind: None }, None, "deny_list[0].value"),
            (DenyRule { value: "a".to_owned(), kind: Some("A".to_owned()) }, None, "deny_list[0].type"),
            (
                DenyRule { value: "a".to_owned(), kind: None },
                Some(AllowRule::Value("-".to_owned())),
                "allow_list[0].value",
            ),
            (
                DenyRule { value: "a".to_owned(), kind: None },
                Some(AllowRule::Regex("(".to_owned())),
                "allow_list[0].regex",
            ),
        ] {
            let allow: Vec<AllowRule> = allow.into_iter().collect();
            let refused = Customs::new(&[], &[deny], &allow).err().unwrap();
            assert_eq!(refused.field(), Some(field));
        }
    }

    #[test]
    fn matches_and_denied_words() {
        let own = CustomDetector {
            pattern: Some("[A-Z]{2}-[0-9]{4}".to_owned()),
            context: vec!["member".to_owned()],
            ..detector("own")
        };
        let denied = DenyRule { value: "Project X".to_owned(), kind: Some("secret".to_owned()) };
        let customs = Customs::new(&[own], &[denied], &[]).unwrap();
        for (text, want) in [
            ("AB-1234", vec![("own", "AB-1234", false)]),
            ("member AB-1234", vec![("own", "AB-1234", true)]),
            ("project-x starts", vec![("secret", "project-x", false)]),
            ("projects x", vec![]),
            ("ab-1234", vec![]),
        ] {
            let (mut found, work) = (Vec::new(), Work::default());
            let mut labels = Labels::new(text, customs.vocabulary(), &work);
            customs.search(text, &Folded::new(text, &work), &mut found, &mut labels, &work);
            let found: Vec<(String, &str, bool)> = found
                .iter()
                .map(|candidate| {
                    let place = &text[candidate.start as usize..candidate.end as usize];
                    (customs.kind(candidate.source).into_owned(), place, candidate.near.weight > 0.0)
                })
                .collect();
            let want: Vec<(String, &str, bool)> =
                want.into_iter().map(|(kind, place, near)| (kind.to_owned(), place, near)).collect();
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn allowed_values() {
        let rules = [
            AllowRule::Value("Jan Novák".to_owned()),
            AllowRule::Regex("[0-9]+".to_owned()),
            AllowRule::Domain("@example.cz".to_owned()),
        ];
        let customs = Customs::new(&[], &[], &rules).unwrap();
        for (kind, found, allowed) in [
            ("name", "jan novak", true),
            ("name", "Jan Novotný", false),
            ("pesel", "44051401359", true),
            ("pesel", "44051401359 ", false),
            ("email", "jan@example.cz", true),
            ("email", "jan@mail.example.cz", true),
            ("email", "jan@notexample.cz", false),
            ("url", "https://example.cz:80/page", true),
            ("url", "https://other.cz/example.cz", false),
            ("name", "example.cz", false),
        ] {
            assert_eq!(customs.allows(kind, found, &Work::default()), allowed, "{kind} {found}");
        }
    }

    #[test]
    fn lines_are_whole() {
        let long = "word ".repeat(1_000);
        let text = format!("{long}\r\nshort\n\n\rlast\r");
        let lines: Vec<(usize, &str)> = lines(&text).collect();
        assert_eq!(lines, [(0, &*long), (5_002, "short"), (5_008, ""), (5_009, "\rlast\r")]);
    }
}
