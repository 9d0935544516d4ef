//! Names, addresses and organisations: the candidates of [`textveil_names`] as candidates of the engine.
//!
//! Code optimised for size, for a web page, does not contain the lexicons. They are a separate module, which
//! the page loads when it wants names and registers with [`find_names_with`].

use std::sync::OnceLock;

use textveil_names::{Day, Gender, Kind, Known, Reason, Role};
use textveil_weights as weights;

use crate::{
    api::{
        entity::{Country, Metadata},
        facts::{Date, Facts},
    },
    catalogue,
    evidence::{
        candidate::{Candidate, Extra, LocalNumber, Signal, Source, TRUNK_LENGTHS, Verdict},
        labels::{Contexts, Labels},
        siblings::{Apparent, Pass},
        words,
    },
    lexicon,
    phone::digits::Digits,
    phrase::work::Work,
    recognise::{scan::Scan, table::Recognise},
};

/// Length of the text before a place that is read again for the words before a name, in bytes.
const BEFORE: usize = 256;

/// The longest gap between both, in bytes.
const MAX_GAP: usize = 3;
/// The maximum number of stretches of one chain that may be a telephone number.
const FEW: usize = 4;

/// Names, addresses and organisations, which a walk of their own finds.
pub(super) struct NamedThings;

impl Recognise for NamedThings {
    type State = ();
}

/// A function that finds names in a text.
///
/// It adds names that are certain to `known`, and gives the reasons if `explain` asks for them.
pub type FindNames = fn(text: &str, known: &mut Known, explain: bool) -> Vec<textveil_names::Candidate>;

static FINDER: OnceLock<FindNames> = OnceLock::new();

/// Registers the function that finds names without compiled-in lexicons.
///
/// With lexicons, the function is not used. Later calls have no effect.
///
/// # Examples
/// ```
/// use textveil_engine::{DetectOptions, detect, find_names_with};
///
/// find_names_with(textveil_names::find);
/// let names = DetectOptions { entities: vec!["name".to_owned()], ..DetectOptions::default() };
/// assert_eq!(detect("Patient: Emily Carter", &names)?.entities[0].original, "Emily Carter");
/// # Ok::<(), textveil_engine::Error>(())
/// ```
pub fn find_names_with(find: FindNames) {
    FINDER.get_or_init(|| find);
}

/// Finds names with the compiled-in lexicons, or with the registered function.
fn find(text: &str, known: &mut Known, explain: bool, work: &Work) -> Vec<textveil_names::Candidate> {
    if cfg!(feature = "names") {
        return textveil_names::find_counted(text, known, explain, work);
    }
    FINDER.get().map(|find| find(text, known, explain)).unwrap_or_default()
}

/// Whether a name or an age may begin with this word.
///
/// The word is in lower case, and follows the text `before`. Always `false` without compiled-in lexicons.
///
/// # Examples
/// ```
/// use textveil_engine::may_begin;
///
/// assert!(!may_begin("the price of ", "bread"));
/// ```
pub fn may_begin(before: &str, word: &str) -> bool {
    cfg!(feature = "names") && textveil_names::may_begin(before, word)
}

/// Whether a word may begin a dictated e-mail address.
///
/// The text behind the word decides: `None` if it has not arrived. Always `Some(false)` without compiled-in lexicons.
///
/// # Examples
/// ```
/// use textveil_engine::may_be_dictated;
///
/// assert_eq!(may_be_dictated("and so on "), Some(false));
/// ```
pub fn may_be_dictated(rest: &str) -> Option<bool> {
    if cfg!(feature = "names") { textveil_names::may_be_dictated(rest) } else { Some(false) }
}

/// Whether a dictated number may begin with this word.
///
/// Always `false` without compiled-in lexicons.
///
/// # Examples
/// ```
/// use textveil_engine::begins_dictation;
///
/// assert!(!begins_dictation("bread"));
/// ```
pub fn begins_dictation(word: &str) -> bool {
    cfg!(feature = "names") && textveil_names::begins_dictation(word)
}

/// Whether a text breaks off within a possible name, if names are found.
pub(crate) fn breaks_off(text: &str) -> bool {
    !are_missing() && textveil_names::breaks_off(text)
}

/// Whether neither lexicons nor a registered function is present.
pub(crate) fn are_missing() -> bool {
    !cfg!(feature = "names") && FINDER.get().is_none()
}

/// Returns the detector of a kind of candidate.
fn detector(kind: Kind) -> Option<u16> {
    let detectors = match kind {
        // an age has a detector in the catalogue, for a value with a label
        Kind::Age => {
            static AGE: OnceLock<Option<u16>> = OnceLock::new();
            let find =
                || catalogue::DETECTORS.iter().position(|known| known.name() == "age").map(|at| at as u16);
            return *AGE.get_or_init(find);
        }
        Kind::Name => catalogue::NAME,
        Kind::Address => catalogue::ADDRESS,
        Kind::Organization => catalogue::ORGANIZATION,
        Kind::City => catalogue::CITY,
        Kind::Birthplace => catalogue::BIRTHPLACE,
        Kind::BirthDate => catalogue::DATE,
        // the digits tell the detector
        Kind::Dictated => return None,
    };
    detectors.first().copied()
}

/// Adds the candidates for names in a text from `from` on to `into`; nothing without lexicons.
pub(crate) fn search(
    text: &str,
    from: usize,
    known: &mut Known,
    explain: bool,
    into: &mut Scan<'_>,
    work: &Work,
) {
    if are_missing() {
        return;
    }
    let before = text.get(..from).unwrap_or_default();
    let start = before.len().saturating_sub(BEFORE);
    // from the start of a word
    let word =
        before.as_bytes().get(start..).and_then(|bytes| bytes.iter().position(u8::is_ascii_whitespace));
    let start = if start == 0 { 0 } else { word.map_or(from, |space| start + space + 1) };
    into.labels.begin(Pass::Names);
    let mut bare = Vec::new();
    let mut births = Births { labels: &mut into.labels, contexts: Contexts::default() };
    for mut found in find(text.get(start..).unwrap_or_default(), known, explain, work) {
        found.shift(start as u32);
        if found.odds() < weights::named::HOPELESS {
            continue;
        }
        if found.kind == Kind::Name {
            // `SIRET 732 829 320`: the label of another type
            let written = text.get(found.start as usize..found.end as usize).unwrap_or_default();
            if found.label == 0.0 && lexicon::is_label(written) {
                continue;
            }
            // of a name that is final, too
            if found.odds() > weights::named::SURE {
                bare.extend(number_behind(text, found.end as usize, from, &mut into.local_numbers));
            }
        }
        if found.end as usize <= from {
            continue;
        }
        // the part before `from` is final; the rest is not
        let cut = text.get(from..found.end as usize).unwrap_or_default();
        let skipped = cut.len() - cut.trim_start_matches(|letter: char| !letter.is_alphanumeric()).len();
        found.start = found.start.max((from + skipped) as u32);
        if found.kind == Kind::Dictated {
            into.dictated.push(found);
            continue;
        }
        let Some(index) = detector(found.kind) else { continue };
        if let Some(day) = found.day {
            into.candidates.extend(births.on(day, &found, index));
            continue;
        }
        into.candidates.push(candidate(&found, index, into.named.len()));
        into.named.push(found);
    }
    into.local_numbers.append(&mut bare);
}

/// Notes that a telephone number directly follows a name: `Dana Whitlock 646.555.0118`.
///
/// Returns a number in one group from `from` on, which the scan leaves out without a label: `Dana Whitlock, 07911123456`.
fn number_behind(text: &str, end: usize, from: usize, numbers: &mut [LocalNumber]) -> Option<LocalNumber> {
    let rest = text.as_bytes().get(end..)?;
    let gap = rest.iter().take_while(|byte| b" ,:(-".contains(byte)).count();
    let starts = end..=end + gap.min(MAX_GAP);
    let first = numbers.partition_point(|number| (number.candidate.start as usize) < end);
    // stretches of one chain are not in order
    let near = numbers.iter_mut().skip(first.saturating_sub(FEW)).take(2 * FEW);
    let mut is_known = false;
    for number in near.filter(|number| starts.contains(&(number.candidate.start as usize))) {
        let written = text.as_bytes().get(..number.candidate.end as usize).unwrap_or_default();
        // `0612345678-1` is the number of a file
        number.behind_name = !matches!(written, [.., b'-' | b'/', _]);
        is_known = true;
    }
    let is_bare = !is_known && (1..=MAX_GAP).contains(&gap) && from <= end + gap;
    if is_bare { ungrouped(rest.get(gap..)?, end + gap) } else { None }
}

/// Returns the telephone number that begins at `start` with the zero before an area or a mobile network, without separators.
fn ungrouped(rest: &[u8], start: usize) -> Option<LocalNumber> {
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (written, behind) = rest.split_at_checked(length)?;
    let ends = match behind {
        [] => true,
        [sign, next, ..] if b".,:-/".contains(sign) => !next.is_ascii_alphanumeric(),
        [sign, ..] => sign.is_ascii_whitespace() || b".,;:)|".contains(sign),
    };
    if !TRUNK_LENGTHS.contains(&length) || !matches!(written, [b'0', b'1'..=b'9', ..]) || !ends {
        return None;
    }
    Some(LocalNumber {
        digits: Digits::of(written)?,
        groups: 1,
        north_american: false,
        area_in_brackets: false,
        russian: false,
        candidate: Candidate::new(Source::Catalogue(*catalogue::PHONE.first()?), start, start + length),
        named: false,
        behind_name: true,
        told: None,
    })
}

/// Dates, and the labels around them that tell which are of births.
struct Births<'l, 't> {
    labels: &'l mut Labels<'t>,
    contexts: Contexts<'t>,
}

impl Births<'_, '_> {
    /// The date as that of a birth; none where the calendar has no such day.
    fn on(&mut self, day: Day, found: &textveil_names::Candidate, index: u16) -> Option<Candidate> {
        let birth_date = match day.month {
            Some(month) => Some(Date::new(day.year, month, day.day)?),
            None => None,
        };
        let (start, end) = (found.start as usize, found.end as usize);
        self.labels.rewind(start);
        self.labels.around(start, end, &mut self.contexts);
        let mut birth = Candidate {
            verdict: Verdict::Valid,
            facts: Facts { birth_date, ..Facts::default() },
            shape: weights::prior::DATE,
            needs_label: true,
            ..Candidate::new(Source::Catalogue(index), start, end)
        };
        words::apply(&mut birth, index, &self.contexts);
        self.labels.tell(start, end, &self.contexts, Apparent::default());
        Some(birth)
    }
}

fn candidate(found: &textveil_names::Candidate, index: u16, number: usize) -> Candidate {
    let place = found.label_at.map_or((found.start, found.end), |label| (label.start, label.end));
    Candidate {
        extra: Extra::Named(number as u32),
        named: found.label > 0.0,
        shape: found.shape,
        label: Signal { weight: found.label, place },
        impersonal: found.kind == Kind::Organization && found.label == 0.0,
        ..Candidate::new(Source::Catalogue(index), found.start as usize, found.end as usize)
    }
}

/// Writes what a name or an address is made of, up to where it ends now.
pub(crate) fn facts(found: &textveil_names::Candidate, end: u32, text: &str, metadata: &mut Metadata) {
    for (role, place) in found.parts.iter().filter(|(_, place)| place.end <= end) {
        let written = text.get(place.start as usize..place.end as usize).unwrap_or_default();
        metadata.text(key(*role), written.to_owned());
    }
    if let Some(gender) = found.gender {
        metadata.text("probable_gender", if gender == Gender::Male { "male" } else { "female" });
    }
    if let Some(country) = found.country.and_then(|code| Country::parse(std::str::from_utf8(&code).ok()?)) {
        metadata.text("probable_country", country.upper());
    }
}

/// Returns what the judge of names takes into account, as signals with their weights.
pub(crate) fn signals(
    found: &textveil_names::Candidate,
) -> impl Iterator<Item = (&'static str, f32)> + Clone {
    let name = |reason: Reason| match reason {
        Reason::Letters => "letters",
        Reason::Case => "case",
        Reason::Lexicon => "lexicon",
        Reason::Words => "words",
        Reason::Signs => "signs",
        Reason::Repetition => "repetition",
    };
    found.reasons.iter().map(move |(reason, weight)| (name(*reason), *weight))
}

fn key(role: Role) -> &'static str {
    match role {
        Role::Given => "given_name",
        Role::Family => "family_name",
        Role::Title => "title",
        Role::Street => "street",
        Role::Number => "house_number",
        Role::Unit => "unit",
        Role::PostalCode => "postal_code",
        Role::City => "city",
        Role::Region => "region",
        Role::Country => "address_country",
    }
}
