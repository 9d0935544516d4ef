//! Finds names of people: runs of capitalised words, weighed by the words themselves and by those around
//! them.

use std::ops::Range;

use textveil_phrase::{Phrase, markup::tag, work::Work};
use textveil_weights::person as weights;

use crate::{
    Candidate, Gender, Known, Part, Role, burmese,
    cues::{self, Cue, Cues, Says, says},
    east_asia,
    inflection::{self, Forms},
    judge::{self, Ask, Judged, Region, Script, Source, Tag, is_unlearnt},
    lexicon,
    signs::Signs,
    speakers, spelling,
    token::{Case, Gap, Token, signs_off, span},
    word_list,
    words::people::{CONTRACTED_ARTICLES, SHORT_TITLES},
};

/// The maximum number of words of a name, and of a run of words.
const MAX_WORDS: usize = 6;
const MAX_RUN: usize = 12;
/// The maximum number of consecutive particles: `de la`.
const MAX_PARTICLES: usize = 3;
/// The maximum number of initials before a name.
const MAX_INITIALS: usize = 4;
/// The maximum number of words of a lower-case name, and its penalty.
const MAX_LOWER: usize = 3;
/// The maximum number of words of a family name, and of the given names, in a list of inverted names.
const MAX_FAMILY: usize = 2;
/// The maximum number of words of a field's label that ends a name.
const MAX_LABEL: usize = 3;
/// The maximum number of titles of a name.
const MAX_TITLES: usize = 4;
/// The maximum number of consecutive words in a script without capitals.
const MAX_PLAIN: usize = 4;

/// The maximum length of a nickname before its last word, in bytes.
const MAX_NICKNAME: usize = 40;

/// The frequency of a family name that only its ending tells.
const USUAL: usize = 2;

const LONG: u32 = 6;
/// The same for a title before a word of the lists: `Frau Ott`, but not `Panie Ministrze`.
const LONG_TITLE: u32 = 4;

/// Finds the names in a text: those that its words introduce, from the words that one may begin with, and those that
/// the judge takes for names.
pub(crate) fn find(source: Source<'_>, known: &mut Known, out: &mut Vec<Candidate>, work: &Work) {
    let Source { text, tokens, beginnings, .. } = source;
    let mut forms = Forms::new(text, tokens);
    let mut told = Vec::new();
    // the judge reads no words in lower case
    let mut small = Vec::new();
    // nor what it has learnt nothing of
    let mut unlearnt = Vec::new();
    let mut fields = Vec::new();
    let mut done = 0;
    for &at in beginnings {
        let Some(token) = tokens.get(at).filter(|_| at >= done) else { continue };
        let plain = token.case == Case::None && !token.is_alone;
        if token.is_capital() || plain && may_begin(text, tokens, at, token) {
            done = run_end(text, tokens, at);
            fields.extend(field(text, tokens, at..done, fields.last()));
            let is_unlearnt = plain && token.text(text).starts_with(is_unlearnt);
            if is_unlearnt || is_told(text, tokens, at..done) {
                let mut names = Vec::new();
                Run::new(text, tokens, at..done, &mut forms, false).names(known, &mut names);
                match is_unlearnt {
                    true => unlearnt.extend(names),
                    false => {
                        told.extend(names.into_iter().filter(|candidate| candidate.label >= weights::TOLD))
                    }
                }
            }
        } else if token.case == Case::Lower {
            small.extend(lower(text, tokens, at));
        }
    }
    east_asia::find(text, tokens, beginnings, known, &mut told);
    burmese::find(text, tokens, beginnings, &mut unlearnt);
    crate::sort(&mut unlearnt);
    // the parts of a full name are names at any place
    for candidate in told.iter().chain(&small).chain(&unlearnt) {
        let parts = [candidate.part(Role::Given), candidate.part(Role::Family)];
        if parts.iter().all(Option::is_some) && candidate.odds() > weights::SURE {
            parts.into_iter().flatten().for_each(|part| remember(text, part, known));
        }
    }
    let (mut names, mut organizations) = (Vec::new(), Vec::new());
    let learnt = judge::learnt();
    let ask = Ask { bonus: judge::BONUS, reasons: false };
    judge::names(&learnt, source, known, ask, work, |forms, region, name| match name.tag {
        Tag::Organization => organizations.extend(organization(region, name)),
        _ => names.extend(judged(text, tokens, region, name, forms)),
    });
    weigh(tokens, &mut told, &names);
    told.extend(small);
    names.retain(|name| overlapping(&unlearnt, name).next().is_none());
    told.extend(unlearnt);
    crate::sort(&mut told);
    // `signora Ferrari` is no company, nor is `Family name: SMITH`
    organizations.retain(|company| {
        !overlapping(&told, company).any(is_titled) && !is_value_of_person(tokens, &fields, company)
    });
    let mut names = merged(told, names);
    invert(text, tokens, &mut names);
    // at the end, so that a text with many fields is not moved for each
    let untold: Vec<Candidate> =
        fields.iter().filter_map(|field| complete(text, tokens, field, &mut names)).collect();
    names.extend(untold);
    crate::sort(&mut names);
    repeat(text, tokens, known, &mut names);
    // nor is a person of the text behind a title: `Pan Hruška`
    let is_introduced_person = |name: &Candidate| name.label >= weights::REPEATED && name.label_at.is_some();
    organizations.retain(|company| !overlapping(&names, company).any(is_introduced_person));
    out.extend(organizations);
    word_list::weigh(text, &mut names);
    let is_likely =
        |candidate: &Candidate| candidate.odds() > weights::LEAST && !is_thing(text, tokens, candidate);
    out.extend(names.into_iter().filter(is_likely));
}

/// Returns the words of a name.
fn words_of(tokens: &[Token], name: &Candidate) -> Range<usize> {
    let first = tokens.partition_point(|token| token.start < name.start);
    first..tokens.partition_point(|token| token.start < name.end)
}

/// Whether words that look like a name are goods or another thing: `Caesar salad`, `Parkinson's`, `Test Customer`,
/// `Madame la Présidente`.
fn is_thing(text: &str, tokens: &[Token], name: &Candidate) -> bool {
    let place = words_of(tokens, name);
    let (at, words) = (place.start, place.len());
    let Some(inside) = tokens.get(place) else { return false };
    // `Bloody Mary`: the name may be its end
    let goods = |first: usize| cues::from(text, tokens, first, Says::THING).filter(|goods| goods.words > 1);
    let ends_goods = |back: usize| goods(at - back).is_some_and(|goods| goods.words >= words + back);
    // `Two Caesar salads`
    let begins_goods = |first: usize| goods(at + first).is_some_and(|goods| first + goods.words > words);
    if (0..=at.min(1)).any(ends_goods) || (1..words).any(begins_goods) {
        return true;
    }
    // the article may be part of the name
    let articles = usize::from(inside.first().is_some_and(|first| first.case == Case::Lower));
    let role = cues::before(text, tokens, at + articles, Says::THING_BEFORE);
    let is_space = tokens.get(at + articles).is_some_and(|noun| noun.gap == Gap::Space);
    if is_space && name.label < weights::LABELLED && role.is_some_and(|role| role.words > 1) {
        return true;
    }
    let is_never = |last: &Token| last.case != Case::Initial && says(last.phrase).any(Says::NEVER);
    // `Catharon Package`; but `Laura Hill`
    let is_thing = |last: &Token| says(last.phrase).any(Says::THING) && !is_name(last);
    words > 1
        && inside.last().is_some_and(|last| is_thing(last) || is_never(last) && !inside.iter().any(is_name))
}

/// The value of a field that has the name of a person and nothing else.
struct Field {
    words: Range<usize>,
    label: Part,
    kind: FieldKind,
}

/// The evidence that the value of a field is a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    /// The label of a name.
    Name,
    /// The label of a given or of a family name, or one beside such a field.
    Part,
    /// The time before the speaker of a chat.
    Speaker,
}

/// The labels of given and of family names.
const PART: Says = Says::LABEL_GIVEN.or(Says::LABEL_FAMILY);

/// Returns the field with these words as its value, if that is the name of a person: `First name:`, `Full name:`,
/// `customerName=`, or the speaker of a chat.
///
/// One word may be the label of anything (`Name:`, `Contact:`), but not beside a field with a given or a family name.
/// `last` is the field before it in the text.
fn field(text: &str, tokens: &[Token], words: Range<usize>, last: Option<&Field>) -> Option<Field> {
    let at = words.start;
    let first = tokens.get(at)?;
    if first.gap != Gap::Colon {
        let end = tokens.get(words.end.checked_sub(1)?)?.end;
        let label = speakers::time_before(text, first.start as usize, end as usize)?;
        return Some(Field { words, label, kind: FieldKind::Speaker });
    }
    if is_of_thing(text, tokens, at) {
        return None;
    }
    let cue = cues::before(text, tokens, at, Says::LABEL).filter(|cue| !is_end_of_word(tokens, at, *cue))?;
    let label = at - cue.words;
    let is_beside = || {
        last.is_some_and(|last| last.kind == FieldKind::Part && last.words.end == label)
            || cues::from(text, tokens, words.end, PART).is_some_and(|next| {
                tokens.get(words.end + next.words).is_some_and(|value| value.gap == Gap::Colon)
            })
    };
    let kind = match is_of_people(tokens, at, cue) {
        _ if cue.says.any(PART) => FieldKind::Part,
        true => FieldKind::Name,
        false if is_beside() => FieldKind::Part,
        false => return None,
    };
    Some(Field { words, label: span(tokens, label, at)?, kind })
}

/// Whether a candidate is in a field that has the given or the family name of a person. The fields are in the order of the text.
fn is_value_of_person(tokens: &[Token], fields: &[Field], candidate: &Candidate) -> bool {
    let words = words_of(tokens, candidate);
    let field = fields.get(fields.partition_point(|field| field.words.end <= words.start));
    field.is_some_and(|field| field.kind == FieldKind::Part && field.words.start < words.end)
}

/// Whether a label of one character before the word `at` is the end of another word: `学名` is no `名`.
fn is_end_of_word(tokens: &[Token], at: usize, cue: Cue) -> bool {
    let is_alone = |at: usize| tokens.get(at).is_some_and(|token| token.is_alone);
    let label = at - cue.words;
    let touches = tokens.get(label).is_some_and(|first| first.gap == Gap::None);
    cue.words == 1 && touches && is_alone(label) && label.checked_sub(1).is_some_and(is_alone)
}

/// Whether a label before the word `at` is one of people only.
fn is_of_people(tokens: &[Token], at: usize, cue: Cue) -> bool {
    let is_key = tokens.get(at - cue.words).is_some_and(|first| first.case == Case::Mixed);
    cue.words > 1 || is_key || cue.says.any(PART)
}

/// Makes the name in a field all of its words: those that no list has belong to it. Without a name there, returns the words as
/// one.
fn complete(text: &str, tokens: &[Token], field: &Field, names: &mut [Candidate]) -> Option<Candidate> {
    let words = tokens.get(field.words.clone()).unwrap_or_default();
    let never = Says::NEVER
        .or(Says::ANY_TITLE)
        .or(Says::TITLE_AFTER)
        .or(Says::ROLE)
        .or(Says::MONTH)
        .or(Says::COMMON)
        .or(Says::THING)
        .or(Says::COUNTRY)
        .or(Says::LEGAL_FORM)
        .or(Says::LABEL);
    let is_part = |word: &Token| match word.case {
        Case::Lower => is_particle(word.text(text)),
        // `Oma Trude`
        _ => field.kind == FieldKind::Speaker || !says(word.phrase).any(never),
    };
    let (first, last) = (words.first()?, words.last()?);
    let at = names.partition_point(|name| name.end <= first.start);
    let rest = names.get_mut(at..).unwrap_or_default();
    let count = rest.iter().take_while(|name| name.start < last.end).count();
    let inside = rest.get_mut(..count).unwrap_or_default();
    let is_named = |word: &Token| inside.iter().any(|name| name.start <= word.start && word.end <= name.end);
    let is_within = |name: &Candidate| name.start >= first.start && name.end <= last.end;
    if words.len() > MAX_WORDS
        || !inside.iter().all(is_within)
        || !words.iter().all(|word| is_named(word) || is_part(word))
    {
        return None;
    }
    let place = Part { start: first.start, end: last.end };
    let Some(surest) = inside.iter().max_by(|one, two| one.odds().total_cmp(&two.odds())).cloned() else {
        let candidate = Candidate::new(crate::Kind::Name, place, weights::UNLIKELY);
        let label = if field.kind == FieldKind::Speaker {
            weights::LABELLED
        } else {
            weights::LABELLED * weights::AGAIN
        };
        return Some(Candidate { label, label_at: Some(field.label), ..candidate });
    };
    // the others are part of it
    inside.iter_mut().for_each(|name| name.shape = f32::NEG_INFINITY);
    if let Some(name) = inside.first_mut() {
        let (label, label_at) = match field.kind {
            FieldKind::Speaker => (weights::LABELLED, Some(field.label)),
            FieldKind::Part | FieldKind::Name => (surest.label, surest.label_at),
        };
        *name = Candidate { start: place.start, end: place.end, label, label_at, ..surest };
    }
    None
}

/// Returns a stretch that was judged to be a name of a person, with its parts.
fn judged<'t>(
    text: &'t str,
    tokens: &[Token],
    region: &Region,
    name: &Judged,
    forms: &mut Forms<'t>,
) -> Option<Candidate> {
    let odds = judge::odds(region.script, name.margin);
    let units = region.units.get(name.start..name.end).filter(|_| name.tag.is_person())?;
    let at = units.first()?.token as usize;
    let mut words = at..units.last()?.token as usize + 1;
    let mut place = region.span(name)?;
    match region.script {
        Script::Cased | Script::Capitals => {
            words = with_initials(text, tokens, without_titles(tokens, words));
            while is_second_part(tokens, words.end) || is_behind_article(text, tokens, words.end) {
                words.end += 1;
            }
            place = span(tokens, words.start, words.end)?;
            place.end = with_dot(text, tokens, &words, place.end);
        }
        Script::Small | Script::Opening => {
            words = without_strangers(text, tokens, without_titles(tokens, words))?;
            words.end += irish(text, tokens, words.end);
            place = span(tokens, words.start, words.end)?;
        }
        Script::Words => {
            words = without_titles(tokens, words);
            place = span(tokens, words.start, words.end)?;
            // without a proclitic
            place.start = units.iter().find(|unit| unit.token as usize == words.start)?.start;
        }
        Script::Characters => place.end = with_number(text, tokens, words.end, place.end),
    }
    // initials alone are no name
    let is_initial = |token: &Token| token.case == Case::Initial;
    if region.script.has_capitals() && tokens.get(words.clone())?.iter().all(is_initial) {
        return None;
    }
    let told = match region.script.is_window() {
        true if is_setting(text, tokens, words.clone()) => return None,
        true => Some(told_in_lower_case(text, tokens, words.clone())),
        false => None,
    };
    let candidate = if region.script == Script::Characters {
        east_asia::parts(text, tokens, words)
    } else {
        let run = Run::new(text, tokens, words, forms, region.script.is_window());
        read(&run.words).and_then(|reading| {
            let weighed = WeighedReading { reading, shape: odds, label: 0.0, label_at: None };
            run.candidate(0, run.words.len(), &weighed)
        })
    };
    let candidate = candidate.unwrap_or_else(|| Candidate::new(crate::Kind::Name, place, odds));
    let mut shape = odds + if is_of_thing(text, tokens, at) { weights::OTHER_LABEL } else { 0.0 };
    let Some(Told { weight, label, label_at }) = told else {
        return Some(Candidate { start: place.start, end: place.end, shape, ..candidate });
    };
    shape += weight;
    Some(Candidate { start: place.start, end: place.end, shape, label, label_at, ..candidate })
}

/// The longest part of a line that is read to see whether it is a comment, in bytes.
const MAX_COMMENT: usize = 120;

/// Returns a name in lower case without the common words at its ends that are in no list of names; `None` if one of those is
/// joined to the rest, or if nothing is left.
fn without_strangers(text: &str, tokens: &[Token], mut words: Range<usize>) -> Option<Range<usize>> {
    let is_strange = |token: &Token| says(token.phrase).any(Says::NO_NAME) && !is_name(token);
    let is_joined = |at: usize| tokens.get(at).is_some_and(|token| token.gap != Gap::Space);
    while tokens.get(words.end.checked_sub(1)?).is_some_and(is_strange) {
        words.end -= 1;
        if words.is_empty() || is_joined(words.end) {
            return None;
        }
    }
    let leads = |token: &Token| is_strange(token) && !is_particle(token.text(text));
    while tokens.get(words.start).is_some_and(leads) {
        words.start += 1;
        if words.is_empty() || is_joined(words.start) {
            return None;
        }
    }
    (words.len() <= MAX_WORDS).then_some(words)
}

/// Returns the number of words of an Irish surname in lower case at the word `at`: `kevin patrick o'brannigan`.
fn irish(text: &str, tokens: &[Token], at: usize) -> usize {
    let Some([of, name]) = tokens.get(at..at + 2) else { return 0 };
    let is_surname = of.gap == Gap::Space
        && of.text(text) == "o"
        && name.gap == Gap::Apostrophe
        && name.case == Case::Lower
        // `o'clock`
        && !says(name.phrase).any(Says::NO_NAME)
        && !judge::is_ordinary(name.phrase);
    if is_surname { 2 } else { 0 }
}

/// Whether a word is in a line that begins with `# `.
fn is_comment(text: &str, tokens: &[Token], at: usize) -> bool {
    let start = tokens.get(at).map_or(0, |token| token.start as usize);
    let before = text.get(..start).unwrap_or_default().as_bytes();
    let line = before.iter().rev().take(MAX_COMMENT).take_while(|byte| **byte != b'\n').count();
    before.get(before.len() - line..).is_some_and(|line| line.starts_with(b"# "))
}

/// The evidence of the words around a name in lower case, in addition to the judge.
struct Told {
    weight: f32,
    label: f32,
    label_at: Option<Part>,
}

/// Returns what the words before a name in lower case tell: a title, a salutation, a label, the closing of a letter.
fn told_in_lower_case(text: &str, tokens: &[Token], words: Range<usize>) -> Told {
    let before = before(text, tokens, words.start);
    let is_number =
        |at: Option<usize>| at.and_then(|at| tokens.get(at)).is_some_and(|token| token.case == Case::Number);
    // `001 orla branca 313`, `001;orla branca;`: a row of goods
    let start = tokens.get(words.start).map_or(0, |token| token.start as usize);
    let is_cell = text.get(..start).is_some_and(|before| before.ends_with([';', '|', '\t']));
    let is_counted = is_number(words.start.checked_sub(1)) && (is_cell || is_number(Some(words.end)));
    if is_counted || is_comment(text, tokens, words.start) {
        return Told { weight: weights::LISTED, label: 0.0, label_at: None };
    }
    if before.weight >= weights::TOLD {
        return Told { weight: 0.0, label: before.weight * weights::AGAIN, label_at: before.at };
    }
    let is_word = |token: &Token| {
        lexicon::lookup(token.phrase).map_or_else(|| judge::is_ordinary(token.phrase), |(kind, _)| kind.word)
    };
    let parts = tokens.get(words).unwrap_or_default();
    let is_common = |token: &Token| says(token.phrase).any(Says::NO_NAME);
    // `mark the may report`
    let is_of_words =
        parts.iter().all(|token| is_word(token) || is_common(token) || is_particle(token.text(text)));
    let is_unknown = |pair: &[Token]| {
        pair.get(1).is_some_and(|second| second.gap == Gap::Hyphen) && !pair.iter().all(is_name)
    };
    let is_compound = parts.windows(2).any(is_unknown);
    let weight = if is_of_words { weights::WORD_ALONE } else { 0.0 }
        + if is_compound { weights::COMPOUND } else { 0.0 };
    Told { weight, label: 0.0, label_at: None }
}

/// Whether a word in lower case is the value of a label that things have, too: `name: jenkins`.
fn is_setting(text: &str, tokens: &[Token], words: Range<usize>) -> bool {
    let at = words.start;
    words.len() == 1
        && tokens.get(at).is_some_and(|token| token.gap == Gap::Colon)
        && cues::before(text, tokens, at, Says::LABEL).is_some_and(|cue| !is_of_people(tokens, at, cue))
}

/// Whether the words before a colon and the word `at` are a label of the name of a thing: `Project name: Apollo`.
///
/// The judge learnt from few such labels.
pub(crate) fn is_of_thing(text: &str, tokens: &[Token], at: usize) -> bool {
    let labels = Says::LABEL.or(Says::LABEL_OTHER).or(Says::THING_BEFORE);
    tokens.get(at).is_some_and(|token| token.gap == Gap::Colon)
        && cues::before(text, tokens, at, labels)
            .is_some_and(|cue| cue.says.any(Says::THING_BEFORE) && cue.says.any(Says::LABEL_OTHER))
}

/// Returns the end of a name with the dot of its last word, if that is an initial or an abbreviation: `Marius S.`,
/// `Sammy Davis, Jr.`
fn with_dot(text: &str, tokens: &[Token], words: &Range<usize>, end: u32) -> u32 {
    let is_short = |word: &Token| {
        word.case == Case::Initial || word.end - word.start == 2 && says(word.phrase).any(Says::TITLE_AFTER)
    };
    let last = words.end.checked_sub(1).filter(|last| *last > words.start).and_then(|last| tokens.get(last));
    let is_dotted = text.as_bytes().get(end as usize) == Some(&b'.');
    end + u32::from(is_dotted && last.is_some_and(is_short))
}

/// Returns the end of a name with the number of a ruler after it, which begins with the word `next`: `니콜라이 2세`.
fn with_number(text: &str, tokens: &[Token], next: usize, end: u32) -> u32 {
    let is_near = |number: &Token| matches!(number.gap, Gap::None | Gap::Space);
    match tokens.get(next + 1) {
        Some(last) if judge::is_regnal(text, tokens, next + 1) && tokens.get(next).is_some_and(is_near) => {
            last.end
        }
        _ => end,
    }
}

/// Returns the words with the initials before them, and with the given name before those: `M. A. de Koek`,
/// `Edwin M. McMillan`; and with the particles, if a title is before those: `Mme de Staël`.
fn with_initials(text: &str, tokens: &[Token], words: Range<usize>) -> Range<usize> {
    let gap = |at: usize| tokens.get(at).map(|token| token.gap);
    let before = |at: usize| at.checked_sub(1).and_then(|last| tokens.get(last));
    let is_small = |word: &Token| word.case == Case::Lower && is_particle(word.text(text));
    let mut surname = words.start;
    while words.start - surname < MAX_PARTICLES
        && gap(surname) == Some(Gap::Space)
        && before(surname).is_some_and(is_small)
    {
        surname -= 1;
    }
    let mut start = surname;
    while surname - start < MAX_INITIALS
        && gap(start) == Some(Gap::Dot)
        && before(start).is_some_and(|word| word.case == Case::Initial)
    {
        start -= 1;
    }
    let is_title = |word: &Token| word.is_capital() && says(word.phrase).any(Says::ANY_TITLE);
    // `Dr A Mukherjee`: without their dots after a title only
    let is_bare = |at: &usize| {
        gap(*at) == Some(Gap::Space) && before(*at).is_some_and(|word| word.case == Case::Initial)
    };
    let bare = (0..MAX_INITIALS)
        .take_while(|back| surname.checked_sub(*back).is_some_and(|at| is_bare(&at)))
        .count();
    if bare > 0 && before(surname - bare).is_some_and(is_title) {
        return surname - bare..words.end;
    }
    let is_given = |word: &Token| word.case == Case::Capital && is_name(word);
    if start < surname && gap(start) == Some(Gap::Space) && before(start).is_some_and(is_given) {
        return start - 1..words.end;
    }
    // `M. Dupont`: a title in French
    let is_french = surname - start == 1 && before(surname).is_some_and(|word| word.text(text) == "M");
    match start < surname {
        true if !is_french => start..words.end,
        true => surname..words.end,
        false if before(surname).is_some_and(is_title) => surname..words.end,
        false => words,
    }
}

/// The maximum length of the second part of a name that no list has, in bytes.
const MAX_PART: u32 = 6;

/// Whether a word is the second part of a name with a hyphen: `Kolk-Oosterhof`, `Min-jun`, `Jean-pierre`; but not
/// `Obama-era`.
pub(crate) fn is_second_part(tokens: &[Token], at: usize) -> bool {
    let [first, second] = [at.checked_sub(1), Some(at)].map(|at| at.and_then(|at| tokens.get(at)));
    let (Some(first), Some(second)) = (first, second) else { return false };
    if [first, second].iter().all(|part| part.case == Case::Capital) {
        let never = Says::NO_NAME.or(Says::THING).or(Says::STREET_AFTER).or(Says::MONTH);
        return second.gap == Gap::Hyphen && !says(second.phrase).any(never);
    }
    let is_name = || lexicon::lookup(second.phrase).is_some_and(|(kind, _)| kind.name() > 1);
    let is_rare = || second.end - second.start <= MAX_PART && !judge::is_ordinary(second.phrase);
    first.case == Case::Capital
        && second.case == Case::Lower
        && second.gap == Gap::Hyphen
        && !says(second.phrase).any(Says::NO_NAME)
        && (is_name() || is_rare())
}

/// Whether a word is written together with an article of Italian before it: `Dell'aquila`.
fn is_behind_article(text: &str, tokens: &[Token], at: usize) -> bool {
    let [article, word] = [at.checked_sub(1), Some(at)].map(|at| at.and_then(|at| tokens.get(at)));
    let (Some(article), Some(word)) = (article, word) else { return false };
    word.gap == Gap::Apostrophe
        && word.case == Case::Lower
        && article.case == Case::Capital
        && CONTRACTED_ARTICLES.contains(&article.text(text))
}

/// Returns the words without those before a name that are never part of it: titles, roles, salutations, labels.
fn without_titles(tokens: &[Token], words: Range<usize>) -> Range<usize> {
    let before = Says::ANY_TITLE.or(Says::ROLE).or(Says::SALUTATION).or(Says::LABEL);
    let is_before = |at: &usize| tokens.get(*at).is_some_and(|token| says(token.phrase).any(before));
    let titles = words.clone().take_while(is_before).count();
    if titles < words.len() { words.start + titles..words.end } else { words }
}

/// Returns a stretch that was judged to be an organisation, which has neither a legal form nor a label.
fn organization(region: &Region, name: &Judged) -> Option<Candidate> {
    let odds = judge::organization_odds(region.script, name.margin);
    (odds > weights::LEAST && !region.script.is_window()).then_some(Candidate::new(
        crate::Kind::Organization,
        region.span(name)?,
        odds,
    ))
}

/// Whether a written-out title or label introduces a name.
fn is_titled(name: &Candidate) -> bool {
    name.label_at.is_some_and(|words| words.end - words.start >= LONG)
}

/// Whether a title introduces a word that the lists of names have.
fn is_titled_name(tokens: &[Token], name: &Candidate) -> bool {
    let words = tokens.get(words_of(tokens, name)).unwrap_or_default();
    name.part(Role::Title).is_some_and(|title| title.end - title.start >= LONG_TITLE)
        && words.first().is_some_and(|first| first.gap == Gap::Space)
        && words.iter().any(is_name)
}

/// Weighs names that words introduce by what the judge thinks of the place, and drops those that it thinks little of.
fn weigh(tokens: &[Token], told: &mut Vec<Candidate>, judged: &[Candidate]) {
    told.retain_mut(|candidate| {
        // the judge may take a surname for a thing
        let stays = is_introduced(candidate) || is_titled_name(tokens, candidate);
        let least = stays.then_some(weights::UNLIKELY);
        let odds = overlapping(judged, candidate).map(Candidate::odds).chain(least).reduce(f32::max);
        let Some(odds) = odds else { return false };
        // any word in capitals looks like a name
        let is_weak = odds < weights::LEAST_IN_CAPITALS && candidate.label < weights::LABELLED;
        if is_weak && is_in_capitals(tokens, candidate) {
            return false;
        }
        candidate.shape = odds;
        candidate.label *= weights::AGAIN;
        true
    });
}

/// Whether a written-out label, or a phrase such as `my name is`, introduces a name.
fn is_introduced(name: &Candidate) -> bool {
    is_titled(name) && name.part(Role::Title).is_none() && name.label >= weights::INTRODUCED
}

/// Whether a name has capitals only.
fn is_in_capitals(tokens: &[Token], name: &Candidate) -> bool {
    let words = tokens.get(words_of(tokens, name)).unwrap_or_default();
    words.iter().all(|word| matches!(word.case, Case::Upper | Case::Initial))
}

/// The names that overlap another one.
fn overlapping<'g>(
    names: &'g [Candidate],
    with: &Candidate,
) -> impl Iterator<Item = &'g Candidate> + use<'g> {
    let (start, end) = (with.start, with.end);
    let first = names.partition_point(|name| name.end <= start);
    names.get(first..).unwrap_or_default().iter().take_while(move |name| name.start < end)
}

/// Merges the names that words introduce with those that were judged, both by position: each takes the place of those
/// that it overlaps.
///
/// The words say where it begins, and the judge where it ends. A name that is unlikely replaces no likelier one.
fn merged(told: Vec<Candidate>, judged: Vec<Candidate>) -> Vec<Candidate> {
    let mut out = Vec::with_capacity(told.len() + judged.len());
    let mut judged = judged.into_iter().peekable();
    for candidate in told {
        while let Some(name) = judged.next_if(|name| name.end <= candidate.start) {
            out.push(name);
        }
        let first = out.len();
        let (mut replaces, mut end) = (true, candidate.end);
        while let Some(name) = judged.next_if(|name| name.start < candidate.end) {
            replaces &= candidate.odds() > 0.0 || name.odds() <= candidate.odds();
            end = if name.odds() > 0.0 { name.end.max(end) } else { end };
            out.push(name);
        }
        if replaces {
            out.truncate(first);
            out.push(Candidate { end, ..candidate });
        }
    }
    out.extend(judged);
    out
}

/// Adds the family names of sure full names at the places where the judge sees none: `Zborlik wants a refund` after
/// `Margaret Zborlik called`. Only words count that no list has and that no language uses often, or that follow a title.
fn repeat(text: &str, tokens: &[Token], known: &mut Known, names: &mut Vec<Candidate>) {
    for name in names.iter().filter(|name| name.odds() > weights::SURE) {
        let family = name.part(Role::Given).and(name.part(Role::Family));
        if let Some(written) = family.and_then(|part| text.get(part.start as usize..part.end as usize)) {
            known.insert(family_key(written));
        }
    }
    let is_strange = |word: &Token| {
        lexicon::lookup(word.phrase).is_none()
            && says(word.phrase) == Says::default()
            && !judge::is_ordinary(word.phrase)
    };
    // `Pan Hruška`, which is a pear, too
    let title = |at: usize| {
        let word = at.checked_sub(1).and_then(|before| tokens.get(before))?;
        let is_next = tokens.get(at).is_some_and(|name| matches!(name.gap, Gap::Space | Gap::Dot));
        let title = Part { start: word.start, end: word.end };
        (is_next && cues::before(text, tokens, at, Says::ANY_TITLE).is_some()).then_some(title)
    };
    let is_repeated = |(at, word): &(usize, &Token)| {
        known.len() > 0
            && word.case == Case::Capital
            && known.contains(family_key(word.text(text)))
            && (is_strange(word) || title(*at).is_some())
    };
    let mut at = 0;
    let mut missed = Vec::new();
    for (index, word) in tokens.iter().enumerate().filter(is_repeated) {
        while names.get(at).is_some_and(|name| name.end <= word.start) {
            at += 1;
        }
        let place = Part { start: word.start, end: word.end };
        match names.get_mut(at).filter(|name| name.start < word.end) {
            Some(name) if (name.start, name.end) == (place.start, place.end) => {
                name.shape = name.shape.max(weights::UNLIKELY);
                name.label = name.label.max(weights::REPEATED);
            }
            Some(_) => {}
            None => missed.push(Candidate {
                label: weights::REPEATED,
                label_at: title(index),
                parts: vec![(Role::Family, place)],
                ..Candidate::new(crate::Kind::Name, place, weights::UNLIKELY)
            }),
        }
    }
    if !missed.is_empty() {
        names.extend(missed);
        crate::sort(names);
    }
}

/// The key of the family name of a full name among known words. It is no word, so that the judge knows none.
fn family_key(written: &str) -> Phrase {
    Phrase::EMPTY.with("family name of").with(written)
}

/// Makes the family name and the given name of a person one name in a list with semicolons: `Tholt, Jane; Kissner, Tim`.
fn invert(text: &str, tokens: &[Token], names: &mut Vec<Candidate>) {
    let gap = |from: u32, to: u32| text.get(from as usize..to as usize).unwrap_or_default();
    let is_listed = |family: &Candidate, given: &Candidate| {
        let before = text.get(..family.start as usize).unwrap_or_default().trim_end_matches(' ');
        let after = text.get(given.end as usize..).unwrap_or_default();
        let is_between = before.is_empty() || before.ends_with([';', '[', ':', '\n']);
        let is_last = after.is_empty() || after.starts_with([';', ']', '\n', '\r']);
        is_between && is_last && (before.ends_with([';', '[']) || after.starts_with([';', ']']))
    };
    let is_inverted = |family: &Candidate, given: &Candidate| {
        gap(family.end, given.start) == ", "
            && is_listed(family, given)
            && [family, given].iter().all(|name| words_of(tokens, name).len() <= MAX_FAMILY)
    };
    names.dedup_by(|given, family| {
        if !is_inverted(family, given) {
            return false;
        }
        let part = |name: &Candidate| Part { start: name.start, end: name.end };
        let parts = vec![(Role::Given, part(given)), (Role::Family, part(family))];
        let (start, end) = (family.start, given.end);
        if given.odds() > family.odds() {
            std::mem::swap(given, family);
        }
        (family.start, family.end, family.parts) = (start, end, parts);
        true
    });
}

/// Whether the words around a run of words may introduce a name in it.
fn is_told(text: &str, tokens: &[Token], run: Range<usize>) -> bool {
    run.into_iter().any(|at| {
        cues::before(text, tokens, at, TELLING).is_some()
            || tokens.get(at).is_some_and(|token| addressed(text, token))
    })
}

/// The meanings of phrases that introduce a name after them.
const TELLING: Says =
    Says::ANY_TITLE.or(Says::LABEL).or(Says::SALUTATION).or(Says::INTRODUCTION).or(Says::CLOSING);

/// Adds the words of a part of a name to those that are known.
fn remember(text: &str, part: Part, known: &mut Known) {
    let written = text.get(part.start as usize..part.end as usize).unwrap_or_default();
    for (start, end) in textveil_phrase::words(written) {
        let word = written.get(start..end).unwrap_or_default();
        if word.chars().count() >= 3 {
            known.insert(Phrase::EMPTY.with(word));
        }
    }
}

/// Whether the words before a lower-case word may introduce a name: a label, or a phrase of a sentence, of at
/// least two words unless it is a label as well.
#[inline]
pub(crate) fn may_be_told(tokens: &[Token], at: usize) -> bool {
    let before = |words: usize| at.checked_sub(words).and_then(|before| tokens.get(before));
    let has = |words: usize, sign: Signs| before(words).is_some_and(|word| word.signs.has(sign));
    has(1, Signs::NAMING)
        && match tokens.get(at).map(|token| token.gap) {
            Some(Gap::Space) => has(2, Signs::TELLING) || has(1, Signs::TELLING),
            gap => gap == Some(Gap::Colon),
        }
}

/// Reads a lower-case name, as in a chat: `my name is jan novák`.
///
/// Its words must be names in the lists, and not ordinary words. A word that no language has may be one beside them:
/// `se llama encarni lozano`.
fn lower(text: &str, tokens: &[Token], at: usize) -> Option<Candidate> {
    let known = |token: &Token| {
        if says(token.phrase).any(Says::NO_NAME) {
            return None;
        }
        match lexicon::lookup(token.phrase) {
            Some((kind, _)) => (kind.name() > u8::from(kind.word)).then_some(Some(kind)),
            None => (token.end - token.start > 2 && !judge::is_ordinary(token.phrase)).then_some(None),
        }
    };
    let rest = tokens.get(at..)?.iter().take(MAX_LOWER).enumerate();
    let words = rest.map_while(|(index, token)| {
        let joined = index == 0 || matches!(token.gap, Gap::Space | Gap::Hyphen);
        (joined && token.case == Case::Lower).then_some(token).and_then(known)
    });
    let words: Vec<Option<lexicon::NameEntry>> = words.collect();
    if words.iter().flatten().count() == 0 {
        return None;
    }
    // `name: jenkins` is a configuration setting
    let cue = cues::before(text, tokens, at, Says::LABEL.or(Says::INTRODUCTION).or(Says::PERHAPS))
        .filter(|cue| is_of_people(tokens, at, *cue))?;
    let weight = match tokens.get(at)?.gap {
        Gap::Colon if cue.says.any(Says::LABEL) => weights::LABELLED,
        Gap::Space | Gap::Colon if cue.says.any(Says::INTRODUCTION) => weights::INTRODUCED,
        // `se llama lucía`
        Gap::Space if cue.words > 1 && cue.says.any(Says::PERHAPS) => weights::INTRODUCED,
        _ => return None,
    };
    // within a sentence one of the words must be a name only
    if weight < weights::LABELLED && words.iter().flatten().all(|kind| kind.word) {
        return None;
    }
    let end = at + words.len();
    let given = if end - at > 1 { end - 1 } else { end };
    let parts = [(Role::Given, span(tokens, at, given)), (Role::Family, span(tokens, given, end))];
    Some(Candidate {
        label: weight,
        label_at: span(tokens, at - cue.words, at),
        ..Candidate::new(crate::Kind::Name, span(tokens, at, end)?, weights::LOWER).with_parts(parts)
    })
}

/// Whether a word in a script without capitals may begin a name: it is a known name, or a phrase introduces
/// it.
fn may_begin(text: &str, tokens: &[Token], at: usize, token: &Token) -> bool {
    let is_form = || {
        let written = token.text(text);
        written.starts_with(is_unlearnt)
            && (lexicon::has_family_ending(written) || inflection::known(written).is_some())
    };
    is_name(token) || before(text, tokens, at).weight > weights::PERHAPS || is_form()
}

fn is_name(token: &Token) -> bool {
    lexicon::lookup(token.phrase).is_some_and(|(kind, _)| kind.name() > 0)
}

/// Returns the end of the run of words, which may be one name or several.
fn run_end(text: &str, tokens: &[Token], start: usize) -> usize {
    let mut end = start + 1;
    while end - start < MAX_RUN {
        let (Some(last), Some(next)) = (tokens.get(end - 1), tokens.get(end)) else { break };
        // the lists of a script that the judge has not learnt say where a name ends
        let most = if next.text(text).starts_with(is_unlearnt) { MAX_RUN } else { MAX_PLAIN };
        let plain = next.case == Case::None
            && !next.is_alone
            && end - start < most
            && (last.case == Case::None || is_name(next));
        if ends_field(text, tokens, start, end) {
            break;
        }
        if joins(text, last, next) && !signs_off(text, tokens, end) && (next.is_capital() || plain) {
            end += 1;
            continue;
        }
        // particles belong to the name after them
        if next.case != Case::Lower {
            break;
        }
        let rest = tokens.get(end..).unwrap_or_default();
        let follows = |token: &Token| token.is_capital() && matches!(token.gap, Gap::Space | Gap::Apostrophe);
        let particles = rest.iter().take(MAX_PARTICLES + 1).position(follows).unwrap_or_default();
        // `J. van Pelt`
        let dotted =
            |token: &Token| token.gap == Gap::Dot && last.case == Case::Initial && token.start == next.start;
        let particle =
            |token: &Token| (token.gap == Gap::Space || dotted(token)) && is_particle(token.text(text));
        if particles == 0 || !rest.iter().take(particles).all(particle) {
            break;
        }
        end += particles + 1;
    }
    end
}

/// Whether the label of the next field begins at `at`, after a run that begins at `start`: `First name: Jan
/// Surname: Novák`, `First Name Jan Last Name Novák`.
///
/// After a label, any word before a colon is a label.
pub(crate) fn ends_field(text: &str, tokens: &[Token], start: usize, at: usize) -> bool {
    let gap = |at: usize| tokens.get(at).map(|token| token.gap);
    if gap(at) != Some(Gap::Space) {
        return false;
    }
    if gap(start) == Some(Gap::Colon) && gap(at + 1) == Some(Gap::Colon) {
        return true;
    }
    // most words do not begin a label
    let ends = |token: &Token| token.gap == Gap::Colon || token.signs.has(Signs::NAMING);
    if !tokens.get(at + 1..).unwrap_or_default().iter().take(MAX_LABEL).any(ends) {
        return false;
    }
    let labels = Says::LABEL
        .or(Says::LABEL_OTHER)
        .or(Says::LABEL_ADDRESS)
        .or(Says::LABEL_CITY)
        .or(Says::LABEL_BIRTH_PLACE)
        .or(Says::LABEL_ORGANIZATION);
    cues::from(text, tokens, at, labels).is_some_and(|label| {
        gap(at + label.words) == Some(Gap::Colon) || label.words > 1 && label.says.any(Says::LABEL)
    })
}

/// Whether two capitalised words may belong to one name.
fn joins(text: &str, last: &Token, next: &Token) -> bool {
    match next.gap {
        Gap::Space | Gap::Hyphen => true,
        Gap::Apostrophe => last.text(text).chars().count() == 1,
        Gap::Dot => last.case == Case::Initial,
        // `NOVÁK, Jan`
        Gap::Comma => {
            let family_first = last.case == Case::Upper || addressed(text, next);
            family_first && next.case == Case::Capital
        }
        _ => false,
    }
}

include!(concat!(env!("OUT_DIR"), "/particles.rs"));

/// A word of a run, with its weights.
#[derive(Clone, Copy, Debug)]
struct RunWord {
    token: Token,
    says: Says,
    given: f32,
    family: f32,
    gender: u8,
    country: &'static str,
    /// It is a large city.
    city: bool,
    /// Its penalty as a common word, or as a word that is never a name.
    common: f32,
    /// It is a known name.
    known: bool,
    /// It is of a script of whose names the judge has learnt nothing.
    is_unlearnt: bool,
    /// The evidence before and after it.
    before: Before,
    after: After,
}

impl RunWord {
    fn new<'t>(text: &'t str, tokens: &[Token], at: usize, token: Token, forms: &mut Forms<'t>) -> Self {
        let written = token.text(text);
        let phrase = token.phrase;
        let mut word = Self {
            token,
            says: Says::default(),
            given: weights::GIVEN[0],
            family: weights::FAMILY[0],
            gender: 0,
            country: "",
            city: false,
            common: 0.0,
            known: false,
            is_unlearnt: token.case == Case::None && written.starts_with(is_unlearnt),
            before: before(text, tokens, at),
            after: after(text, tokens, at),
        };
        if word.is_particle() || word.is_initial() {
            return word;
        }
        word.says = says(phrase);
        let starts = starts_sentence(text, tokens, at);
        let plain = token.case == Case::None;
        let own = lexicon::lookup(phrase);
        let is_name = own.is_some_and(|(kind, _)| kind.name() > 0);
        let form = if is_name { None } else { forms.get(&token, inflection::known) };
        let mut weight = if form.is_some() { weights::INFLECTED } else { 0.0 };
        weight += if plain && is_name { weights::PLAIN } else { 0.0 };
        match form.or(own) {
            Some((kind, country)) => {
                word.given = weights::GIVEN.get(usize::from(kind.given)).copied().unwrap_or_default();
                word.family = weights::FAMILY.get(usize::from(kind.family)).copied().unwrap_or_default();
                word.gender = kind.gender;
                word.country = country;
                word.known = kind.name() > 0;
                let is_word = kind.word || own.is_some_and(|(own, _)| own.word);
                weight += match (is_word, starts) {
                    (false, _) => 0.0,
                    (true, false) => weights::WORD,
                    (true, true) => weights::WORD_AT_START,
                };
                weight += if kind.accented && written.is_ascii() { weights::BARE } else { 0.0 };
                word.city = kind.city > 1;
                if kind.city > 1 {
                    weight += if kind.name() < 2 { weights::PLACE } else { weights::PLACE_NAME };
                }
            }
            None if word.is_unlearnt && lexicon::has_family_ending(written) => {
                word.family = weights::FAMILY[USUAL];
                word.known = true;
                weight += weights::PLAIN;
            }
            None if plain => weight += weights::PLAIN_UNKNOWN,
            None => {
                weight += if starts { weights::UNKNOWN_AT_START } else { 0.0 };
                weight += (weights::SPELLING * spelling::looks_like_name(written))
                    .clamp(weights::SPELLING_LEAST, weights::SPELLING_MOST);
                weight += if token.case == Case::Mixed { weights::MIXED } else { 0.0 };
            }
        }
        let dated = word.says.any(Says::MONTH) && is_dated(tokens, at);
        // `Customer Name`; but `John Guest`
        let label = word.says.any(Says::LABEL) && !word.known;
        word.common = if dated || label || word.says.any(Says::NEVER.or(Says::ANY_TITLE).or(Says::COUNTRY)) {
            weights::NEVER
        } else if word.says.any(Says::COMMON.or(Says::SALUTATION).or(Says::CLOSING).or(Says::MONTH)) {
            weights::COMMON
        } else {
            0.0
        };
        word.given += weight + word.common;
        word.family += weight + word.common;
        word
    }

    fn is_particle(&self) -> bool {
        self.token.case == Case::Lower
    }

    fn is_initial(&self) -> bool {
        self.token.case == Case::Initial
    }

    /// Whether a hyphen or an apostrophe connects it to the word before it.
    fn is_joined(&self) -> bool {
        matches!(self.token.gap, Gap::Hyphen | Gap::Apostrophe)
    }
}

/// Whether a month or a weekday is part of a date: `Tue Jan 09`.
fn is_dated(tokens: &[Token], at: usize) -> bool {
    let part = |token: &Token| token.case == Case::Number || says(token.phrase).any(Says::MONTH);
    let near = |token: &Token| !matches!(token.gap, Gap::Line | Gap::Colon | Gap::None | Gap::Other);
    let after = tokens.get(at + 1).filter(|token| near(token));
    let before =
        at.checked_sub(1).and_then(|before| tokens.get(before)).filter(|_| tokens.get(at).is_some_and(near));
    after.is_some_and(part) || before.is_some_and(part)
}

/// Whether any word would be capitalised here.
fn starts_sentence(text: &str, tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    match token.gap {
        Gap::Line | Gap::Colon => true,
        Gap::Dot => tokens.get(at.wrapping_sub(1)).is_none_or(|last| last.end - last.start > 2),
        Gap::Other => {
            let before = text.get(..token.start as usize).unwrap_or_default().trim_end_matches(' ');
            before.ends_with(['.', '!', '?', '"', '„', '“', '«', '(', '*', '-', '–', '•', '>', '#'])
        }
        _ => false,
    }
}

/// The evidence before a word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    pub weight: f32,
    pub at: Option<Part>,
    pub title: Option<Part>,
    pub gender: Option<Gender>,
    pub against: f32,
    /// It counts only for a name at the end of its line.
    pub line: bool,
}

/// The evidence after a word.
#[derive(Clone, Copy, Debug, Default)]
struct After {
    weight: f32,
    against: f32,
    ends_line: bool,
}

/// A run of words, which may be one name or several.
struct Run {
    words: Vec<RunWord>,
    /// The stretches of several words that are a city.
    cities: Vec<(usize, usize)>,
}

/// The order of the words of a name: given names first, or last.
#[derive(Clone, Copy, Debug)]
struct Reading {
    score: f32,
    /// The number of given names.
    given: usize,
    reversed: bool,
}

/// A stretch of a run as a possible name.
#[derive(Clone, Copy, Debug)]
struct WeighedReading {
    reading: Reading,
    shape: f32,
    label: f32,
    label_at: Option<Part>,
}

impl WeighedReading {
    fn odds(&self) -> f32 {
        self.shape + self.label
    }
}

impl Run {
    /// Reads the words of a run; `is_small` where names have no capitals either.
    fn new<'t>(
        text: &'t str,
        tokens: &[Token],
        run: Range<usize>,
        forms: &mut Forms<'t>,
        is_small: bool,
    ) -> Self {
        let as_capital = |token: Token| match token.case {
            Case::Lower if is_small && !is_particle(token.text(text)) => {
                Token { case: Case::Capital, ..token }
            }
            _ => token,
        };
        let words: Vec<RunWord> = run
            .filter_map(|at| Some(RunWord::new(text, tokens, at, as_capital(*tokens.get(at)?), forms)))
            .collect();
        Self { cities: cities(text, &words), words }
    }

    /// Adds the best names within the run.
    fn names(&self, known: &Known, out: &mut Vec<Candidate>) {
        let mut readings = Vec::new();
        for start in 0..self.words.len() {
            for end in start + 1..=self.words.len().min(start + MAX_WORDS) {
                // prefers the longer of two equally likely names
                let longer = weights::LONGER * (end - start) as f32;
                let weighed = self.weigh(start, end, known);
                readings.extend(weighed.map(|weighed| (weighed.odds() + longer, start..end, weighed)));
            }
        }
        self.names_between(0..self.words.len(), &readings, out);
    }

    /// Adds the best name within a part of the run, and the best ones before and after it.
    fn names_between(
        &self,
        part: Range<usize>,
        readings: &[(f32, Range<usize>, WeighedReading)],
        out: &mut Vec<Candidate>,
    ) {
        let within =
            readings.iter().filter(|(_, place, _)| part.start <= place.start && place.end <= part.end);
        let best = within.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((_, place, weighed)) = best else { return };
        if weighed.odds() < if place.len() == 1 { weights::HOPELESS_ALONE } else { weights::HOPELESS } {
            return;
        }
        out.extend(self.candidate(place.start, place.end, weighed));
        self.names_between(part.start..place.start, readings, out);
        self.names_between(place.end..part.end, readings, out);
    }

    /// Returns the candidate for a stretch of the run.
    fn weigh(&self, start: usize, end: usize, known: &Known) -> Option<WeighedReading> {
        let words = self.words.get(start..end)?;
        let (first, last) = (words.first()?, words.last()?);
        let next = self.words.get(end);
        let initials = start > 0 && first.token.gap == Gap::Dot;
        let cut = initials || start > 0 && first.is_joined() || next.is_some_and(RunWord::is_joined);
        if cut || first.is_particle() || last.is_particle() || last.is_initial() {
            return None;
        }
        // `آقای دکتر`: a role before a name is no part of it
        if first.token.case == Case::None
            && (next.is_some() || words.len() > 1)
            && first.says.any(Says::ROLE.or(Says::ANY_TITLE))
        {
            return None;
        }
        // `O Decreto`: an initial before a name needs its dot, except after a title
        if first.is_initial()
            && first.before.title.is_none()
            && words.get(1).is_some_and(|second| second.token.gap == Gap::Space)
        {
            return None;
        }
        // `S.A.M. Rocher` is not a person
        if words.iter().filter(|word| word.is_initial()).count() > 2 {
            return None;
        }
        let reading = read(words)?;
        let mut shape = reading.score + first.before.against + last.after.against;
        let previous = start.checked_sub(1).and_then(|before| self.words.get(before));
        for (edge, word) in [(first, previous), (last, next)] {
            let Some(word) = word else { continue };
            let crowds = !word.is_particle() && word.says == Says::default();
            shape += match word.token.case {
                _ if !crowds => 0.0,
                // the lists tell where it ends
                Case::None if edge.is_unlearnt && edge.known && !word.known => 0.0,
                Case::None => weights::CROWDED_PLAIN,
                _ => weights::CROWDED,
            };
        }
        let thing = |word: &RunWord| word.says.any(Says::THING) && !word.known;
        shape += if words.iter().skip(1).any(thing) { weights::THING } else { 0.0 };
        let is_stranger = |word: &&RunWord| word.is_unlearnt && !word.known;
        let is_beside = matches!(words, [first, second] if first.known && is_stranger(&second));
        shape += if is_beside { weights::UNKNOWN_BESIDE } else { 0.0 };
        shape += weights::STRANGER * words.iter().skip(2).filter(is_stranger).count() as f32;
        let within = |city: &(usize, usize)| city.0 <= start && end <= city.1;
        let city = words.len() == 1 && first.city || self.cities.iter().any(within);
        shape += if city { weights::CITY } else { 0.0 };
        shape += shouted(words);
        if words.iter().any(|word| known.contains(word.token.phrase)) {
            shape += weights::REPEATED;
        }
        // after a label a common word is a name: `Nguyễn Văn An`
        if first.before.weight >= weights::LABELLED {
            shape -= words.iter().skip(1).map(|word| word.common).sum::<f32>();
        }
        let counts = !first.before.line || last.after.ends_line;
        let label = (if counts { first.before.weight } else { 0.0 }).max(last.after.weight);
        Some(WeighedReading { reading, shape, label, label_at: first.before.at.filter(|_| counts) })
    }

    /// Converts the candidate for a stretch of the run.
    fn candidate(&self, start: usize, end: usize, weighed: &WeighedReading) -> Option<Candidate> {
        let words = self.words.get(start..end)?;
        let WeighedReading { reading, shape, label, label_at } = *weighed;
        let (given, family) = if reading.reversed {
            words.split_at_checked(words.len() - reading.given).map(|(family, given)| (given, family))?
        } else {
            words.split_at_checked(reading.given)?
        };
        let first = words.first()?;
        let parts =
            [(Role::Title, first.before.title), (Role::Given, place(given)), (Role::Family, place(family))];
        Some(Candidate {
            label,
            label_at,
            gender: first.before.gender.or(match given.first().unwrap_or(first).gender {
                1 => Some(Gender::Male),
                2 => Some(Gender::Female),
                _ => None,
            }),
            country: country(given, family),
            ..Candidate::new(crate::Kind::Name, place(words)?, shape).with_parts(parts)
        })
    }
}

/// Returns the country of a name: that of both given and family name if they agree, otherwise that of the
/// family name.
fn country(given: &[RunWord], family: &[RunWord]) -> Option<[u8; 2]> {
    let of =
        |words: &[RunWord]| words.iter().rev().find(|word| !word.country.is_empty()).map(|word| word.country);
    of(family).or_else(|| of(given))?.as_bytes().first_chunk().copied()
}

/// Returns the cities of several words: `Buenos Aires`.
fn cities(text: &str, words: &[RunWord]) -> Vec<(usize, usize)> {
    let mut cities = Vec::new();
    for (start, first) in words.iter().enumerate() {
        let mut phrase = first.token.phrase;
        for (end, word) in words.iter().enumerate().skip(start + 1).take(2) {
            phrase = phrase.with(word.token.text(text));
            if lexicon::lookup(phrase).is_some_and(|(kind, _)| kind.city > 0 && kind.name() == 0) {
                cities.push((start, end + 1));
            }
        }
    }
    cities
}

fn place(words: &[RunWord]) -> Option<Part> {
    Some(Part { start: words.first()?.token.start, end: words.last()?.token.end })
}

/// Returns the penalty for words in capitals, as in `SSO Jan Novák`; small for names such as `NOVÁK Jan`, or
/// in a heading.
fn shouted(words: &[RunWord]) -> f32 {
    let capitals = words.iter().filter(|word| word.token.case == Case::Upper);
    let strangers = capitals.clone().filter(|word| !word.known).count();
    match (capitals.count() == words.len(), strangers) {
        (false, _) => weights::STRANGER * strangers as f32,
        (true, 0) if words.len() > 1 => weights::SHOUTED_KNOWN,
        (true, _) => weights::SHOUTED,
    }
}

/// Returns the likeliest division of the words into given and family names.
fn read(words: &[RunWord]) -> Option<Reading> {
    let mut best: Option<Reading> = None;
    for given in 0..=words.len() {
        let (front, back) = words.split_at_checked(given)?;
        // a hyphen or a particle cannot end the given names
        let parted = back.first().is_none_or(|word| front.is_empty() || !word.is_joined());
        if !parted || front.last().is_some_and(RunWord::is_particle) {
            continue;
        }
        let readings = match (front, back) {
            ([], _) => [Some((weights::FAMILY_ALONE + family_names(back), given, false)), None],
            (_, []) if front.iter().all(RunWord::is_initial) => continue,
            (_, []) => [Some((weights::GIVEN_ALONE + given_names(front), given, false)), None],
            _ => {
                let plain = weights::FULL + given_names(front) + family_names(back);
                let written_so = front.iter().all(|word| word.known || word.token.case == Case::Upper)
                    && !words.iter().any(|word| word.is_initial() || word.is_particle());
                let capitals = front.iter().all(|word| word.token.case == Case::Upper)
                    && back.iter().all(|word| word.token.case != Case::Upper);
                let reversed = weights::FULL
                    + if capitals { 0.0 } else { weights::REVERSED }
                    + family_names(front)
                    + given_names(back);
                [Some((plain, given, false)), written_so.then_some((reversed, back.len(), true))]
            }
        };
        for (score, given, reversed) in readings.into_iter().flatten() {
            if best.is_none_or(|best| score > best.score) {
                best = Some(Reading { score, given, reversed });
            }
        }
    }
    best
}

fn given_names(words: &[RunWord]) -> f32 {
    sum(words, |word| if word.is_initial() { weights::INITIAL } else { word.given })
}

fn family_names(words: &[RunWord]) -> f32 {
    sum(words, |word| if word.is_initial() { weights::GIVEN[0] } else { word.family })
}

/// Combines the weights of words: the best one, a share of the other positive ones, and all negative ones.
fn sum(words: &[RunWord], value: impl Fn(&RunWord) -> f32) -> f32 {
    let values = words.iter().filter(|word| !word.is_particle()).map(value);
    let (mut best, mut rest) = (f32::NEG_INFINITY, 0.0);
    for value in values {
        let (more, less) = if value > best { (value, best) } else { (best, value) };
        best = more;
        rest += match less {
            f32::NEG_INFINITY => 0.0,
            less if less > 0.0 => weights::SECOND_GUESS * less,
            less => less.min(weights::BESIDE),
        };
    }
    best + rest
}

/// Returns the evidence before the word `at`.
pub(crate) fn before(text: &str, tokens: &[Token], at: usize) -> Before {
    let mut before = Before::default();
    let mut begin = at;
    let mut cues = cues::all_before(text, tokens, at);
    // consecutive titles directly before it
    for _ in 0..MAX_TITLES {
        let Some(title) = title_before(text, tokens, begin, &cues) else { break };
        let end = before.title.map_or(tokens.get(begin - 1).map_or(0, |token| token.end), |title| title.end);
        begin -= title.words;
        before.title = tokens.get(begin).map(|first| Part { start: first.start, end });
        before.gender = before.gender.or(match title.says {
            says if says.any(Says::TITLE_MALE) => Some(Gender::Male),
            says if says.any(Says::TITLE_FEMALE) => Some(Gender::Female),
            _ => None,
        });
        before.weight = weights::TITLED;
        before.at = before.title;
        cues = cues::all_before(text, tokens, begin);
    }
    let told = match tokens.get(begin).map(|token| token.gap) {
        Some(gap @ (Gap::Space | Gap::Dot | Gap::Comma | Gap::Apostrophe | Gap::None)) => {
            spoken(tokens, begin, gap, &cues)
        }
        Some(Gap::Colon) => labelled(tokens, begin, &cues),
        Some(Gap::Line) => {
            let alone = |cue: &Cue| tokens.get(begin - cue.words).is_some_and(|first| first.gap == Gap::Line);
            let cue = cues.longest(Says::CLOSING.or(Says::LABEL)).filter(alone);
            let cue = cue.filter(|cue| !is_end_of_word(tokens, begin, *cue));
            before.line = cue.is_some();
            cue.map(|cue| (weights::SIGNED, cue.words))
        }
        _ => None,
    };
    match told {
        Some((weight, _)) if weight < 0.0 => before.against = weight,
        Some((weight, words)) if weight > before.weight => {
            before.weight = weight;
            before.at = span(tokens, begin - words, begin);
        }
        _ => {}
    }
    let Some(token) = tokens.get(at) else { return before };
    let touching = text.get(..token.start as usize).unwrap_or_default();
    let inside = |name: &str| name.ends_with(|letter: char| letter.is_ascii_alphanumeric());
    if touching.ends_with(['_', '/', '\\', '@', '#', '$', '.', '-', '&', '%', '°'])
        || touching.ends_with("::")
        // `Option<Name>`
        || touching.strip_suffix('<').is_some_and(inside)
    {
        before.against += weights::CODE;
    }
    let previous = at.checked_sub(1).and_then(|previous| tokens.get(previous));
    let counted = previous.is_some_and(|previous| previous.case == Case::Number) && token.gap == Gap::Space;
    before.against += if counted { weights::COUNTED } else { 0.0 };
    before
}

/// Returns the weight of the label before a colon and the word `at`.
fn labelled(tokens: &[Token], at: usize, cues: &Cues) -> Option<(f32, usize)> {
    // except labels of companies, some of which are named after their owners
    let others = Says::LABEL_OTHER.or(Says::LABEL_CITY).or(Says::LABEL_BIRTH_PLACE).or(Says::LABEL_ADDRESS);
    let name = Says::LABEL.or(Says::INTRODUCTION);
    let cue = cues.longest(name.or(others)).filter(|cue| !is_end_of_word(tokens, at, *cue))?;
    Some((if cue.says.any(name) { weights::LABELLED } else { weights::OTHER_LABEL }, cue.words))
}

/// Returns the weight of the phrase of a sentence before the word `at`.
fn spoken(tokens: &[Token], at: usize, gap: Gap, cues: &Cues) -> Option<(f32, usize)> {
    let counts = Says::SALUTATION
        .or(Says::INTRODUCTION)
        .or(Says::RELATION)
        .or(Says::PERHAPS)
        .or(Says::ROLE)
        .or(Says::THING_BEFORE);
    // `Customer Name`, `Dear Customer`
    if tokens.get(at).is_some_and(|token| says(token.phrase).any(Says::LABEL)) {
        return None;
    }
    if let Some(label) = cues.longest(Says::LABEL)
        && gap == Gap::Space
        && tokens.get(at).is_some_and(Token::is_capital)
        && (label.words > 1 || label.says.any(Says::LABEL_GIVEN.or(Says::LABEL_FAMILY)))
    {
        // `Last Name Smith`
        let is_of_part = label.words > 1 && label.says.any(PART);
        return Some((if is_of_part { weights::INTRODUCED } else { weights::UNMARKED }, label.words));
    }
    let cue = cues.longest(counts)?;
    // `born in`
    if cues
        .longest(Says::LABEL_BIRTH_PLACE.or(Says::LABEL_CITY))
        .is_some_and(|place| place.words > 1 && place.words >= cue.words)
    {
        return None;
    }
    let begins = |token: &Token| matches!(token.gap, Gap::Line | Gap::Dot | Gap::Other | Gap::Colon);
    let opens = tokens.get(at - cue.words).is_some_and(begins);
    // in a script without capitals, `I am` and `dear` are weak evidence
    let plain = tokens.get(at).is_some_and(|token| token.case == Case::None);
    let weight = match cue.says {
        says if says.any(Says::INTRODUCTION) && plain && cue.words == 1 => weights::PERHAPS,
        says if says.any(Says::INTRODUCTION) => weights::INTRODUCED,
        says if says.any(Says::SALUTATION) && opens && plain => weights::SALUTED_PLAIN,
        says if says.any(Says::SALUTATION) && opens => weights::SALUTED,
        says if says.any(Says::RELATION) => weights::RELATED,
        says if says.any(Says::ROLE) => weights::IN_ROLE,
        says if says.any(Says::PERHAPS) => weights::PERHAPS,
        says if says.any(Says::THING_BEFORE) && gap != Gap::Comma => weights::THING,
        _ => return None,
    };
    Some((weight, cue.words))
}

/// Returns the title directly before a word; an abbreviation of one or two letters needs its dot.
fn title_before(text: &str, tokens: &[Token], at: usize, cues: &Cues) -> Option<Cue> {
    let token = tokens.get(at)?;
    if !matches!(token.gap, Gap::Space | Gap::Dot) {
        return None;
    }
    let cue = cues.longest(Says::ANY_TITLE)?;
    let begin = at - cue.words;
    let (first, last) = (tokens.get(begin)?, tokens.get(at - 1)?);
    let previous = begin.checked_sub(1).and_then(|before| tokens.get(before));
    // `Karin M. Beike`, `S.A.M. Rocher`
    if first.case == Case::Initial
        && matches!(first.gap, Gap::Space | Gap::Dot)
        && previous.is_some_and(Token::is_capital)
    {
        return None;
    }
    let written = first.text(text);
    let abbreviated = last.end - first.start <= 2 && written.is_ascii() && !SHORT_TITLES.contains(&written);
    // `4.9 g.`
    let counted = previous.is_some_and(|before| before.case == Case::Number);
    (!abbreviated || token.gap == Gap::Dot && !counted).then_some(cue)
}

/// Returns the evidence after the word `at`.
fn after(text: &str, tokens: &[Token], at: usize) -> After {
    let mut after = After::default();
    let Some(last) = tokens.get(at) else { return after };
    let previous = at.checked_sub(1).and_then(|previous| tokens.get(previous));
    let next = tokens.get(at + 1);
    after.ends_line = next.is_none_or(|next| matches!(next.gap, Gap::Line | Gap::Comma));
    let rest = text.get(last.end as usize..).unwrap_or_default();
    if addressed(text, last) {
        after.weight = weights::ADDRESSED;
    }
    if next.is_some_and(|next| next.is_capital() && matches!(next.gap, Gap::Space | Gap::Comma))
        && titled_after(text, tokens, at + 1)
    {
        after.weight = after.weight.max(weights::TITLED_AFTER);
    }
    if let Some(next) = next.filter(|next| matches!(next.gap, Gap::Space | Gap::Hyphen) && next.is_capital())
        && says(next.phrase).any(Says::THING)
    {
        after.against += weights::THING;
    }
    let code = match rest.as_bytes() {
        [b'_' | b'/' | b'\\' | b'@' | b'=' | b'(' | b'[' | b'{' | b'#' | b'$', ..] => true,
        // `Name<T>`, `as Name>`
        [b'<', ..] => tag(rest.as_bytes(), 0).is_none(),
        // `FIRST: UINT = 0`
        [b' ', b'=', ..] => last.gap == Gap::Colon,
        // `impl Hash for Name {`
        [b' ', b'{', ..] => last.gap == Gap::Space && previous.is_some_and(|word| word.case == Case::Lower),
        [b'>', ..] => !nicknamed(text, last),
        [b'.' | b':' | b'-', beyond, ..] => beyond.is_ascii_alphanumeric() || *beyond == b':',
        _ => false,
    };
    after.against += if code { weights::CODE } else { 0.0 };
    let counted = next.is_some_and(|next| next.case == Case::Number && next.gap == Gap::Space);
    after.against += if counted { weights::COUNTED } else { 0.0 };
    after
}

/// Whether a word ends a nickname in angle brackets: `<Jana> hi`; but not `Option<Name>` or `<T as Name>`.
fn nicknamed(text: &str, last: &Token) -> bool {
    let before = text.get(..last.start as usize).unwrap_or_default();
    let part = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b' ' || *byte >= 0x80;
    let words = before.bytes().rev().take(MAX_NICKNAME).take_while(part).count();
    let (outside, inside) = before.split_at_checked(before.len() - words).unwrap_or_default();
    let opens = outside.strip_suffix('<');
    opens.is_some_and(|outside| !outside.ends_with(|letter: char| letter.is_ascii_alphanumeric()))
        && !inside.ends_with(" as ")
}

/// Whether a title begins at the word `at`, such as `Ph.D.` or `CSc.`; two capitals may be a state.
fn titled_after(text: &str, tokens: &[Token], at: usize) -> bool {
    let Some(cue) = cues::from(text, tokens, at, Says::TITLE_AFTER) else { return false };
    cue.words > 1 || tokens.get(at).is_some_and(|title| title.end - title.start > 2)
}

/// Whether an e-mail address in angle brackets follows a word: `Jan Novák <jan.novak@example.com>`.
fn addressed(text: &str, word: &Token) -> bool {
    let rest = text.as_bytes().get(word.end as usize..).unwrap_or_default();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let [b'<' | b'(' | b'[', address @ ..] = rest.trim_ascii_start() else { return false };
    let mut address =
        address.iter().take(255).take_while(|byte| !matches!(byte, b' ' | b'<' | b'>' | b')' | b']' | b'\n'));
    address.any(|byte| *byte == b'@')
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Known};

    /// The names of people in a text that are likely, as written.
    fn names(text: &str) -> Vec<&str> {
        let found = crate::find(text, &mut Known::default(), false);
        let people = found.iter().filter(|candidate| candidate.kind == Kind::Name && candidate.odds() > 0.0);
        people.filter_map(|candidate| text.get(candidate.start as usize..candidate.end as usize)).collect()
    }

    #[test]
    fn where_names_begin_and_end() {
        let long = "It was a very long letter that nobody at the office wanted to read to its end. ";
        let signed = format!("{long}Thanks, Gregg\nGregg Penman");
        let wrapped = format!("{long}Then came Gregg\nPenman");
        for (text, want) in [
            // a small letter after a hyphen, but not of an adjective
            (
                "Kim Min-jun and Lee Seo-yeon met Jean-pierre Dupont.",
                vec!["Kim Min-jun", "Lee Seo-yeon", "Jean-pierre Dupont"],
            ),
            ("Il dottor Carlo Dell'aquila visita il lunedì.", vec!["Carlo Dell'aquila"]),
            ("It was a Clinton-era law.", vec!["Clinton"]),
            // the dot of an initial or an abbreviation belongs to the name
            ("Yesterday Marius S. called again.", vec!["Marius S."]),
            ("He thanked Martin Luther King Jr. and left.", vec!["Martin Luther King Jr."]),
            ("She met Marius Novak. Then it rained.", vec!["Marius Novak"]),
            ("In 1951 Edwin M. McMillan won it.", vec!["Edwin M. McMillan"]),
            // a long word before a dot ends a sentence
            ("They wrote to Garcia. Lopez answered.", vec!["Garcia", "Lopez"]),
            // particles after a title
            ("La voiture de M. de Mauroy fut volée.", vec!["de Mauroy"]),
            // a list of inverted names, and a list of names
            (
                "To: Kissner, Tim; Thompson, Debra; Hayslett, Rod",
                vec!["Kissner, Tim", "Thompson, Debra", "Hayslett, Rod"],
            ),
            ("They invited Debra, Tim and Rod.", vec!["Debra", "Tim", "Rod"]),
            // a signature, and a wrapped line
            (&signed, vec!["Gregg", "Gregg Penman"]),
            (&wrapped, vec!["Gregg\nPenman"]),
            // the numbers of rulers
            ("그는 니콜라이 2세 시대에", vec!["니콜라이 2세"]),
            ("エドワード4世の治世について", vec!["エドワード4世"]),
            // `and` is written as one word with the name after it
            ("جاء أحمد ومحمد.", vec!["أحمد", "ومحمد"]),
            ("آقای دکتر علوی پور گفت", vec!["علوی پور"]),
        ] {
            assert_eq!(names(text), want, "{text}");
        }
    }
}
