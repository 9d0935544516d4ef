//! Values of an identifier, by the rules of its issuer.
//!
//! A value is drawn from a shape within the rules of its parts, and check digits are found by trying the last
//! places. Where a rule leaves too little of that, such as a date in the middle, a good value of the file
//! is changed place by place, as long as it stays good.

use std::collections::BTreeMap;

use textveil_engine::{Fact, validate};

use crate::{catalogue::Detector, random::Random, world::Country};

const DIGITS: &str = "0123456789";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SEPARATORS: &str = " -./:()";
/// The number of draws from a shape before a good value is changed instead.
const DRAWS: usize = 12;

/// A value; `labelled` allows the shapes that are only found next to a label.
pub fn value(
    detector: &Detector,
    labelled: bool,
    country: Option<(&str, &Country)>,
    random: &mut Random,
) -> Option<String> {
    match detector.file.recogniser.as_deref() {
        Some("email") => return Some(email(country, random)),
        Some("url") => return Some(url(country, random)),
        Some("phone") => return phone(country, !labelled, random),
        Some("iban") => return iban(country, random),
        Some("date") => return Some(date(country, random)),
        // another word would not be a valid answer
        Some("phrase") => return Some((*random.pick(&detector.examples())).to_owned()),
        _ => {}
    }
    let shapes: Vec<&String> =
        detector.file.shapes.iter().chain(detector.file.labelled.iter().filter(|_| labelled)).collect();
    if !shapes.is_empty() {
        for _ in 0..DRAWS {
            let shape = *random.pick(&shapes);
            let drawn = Drawn::new(shape, detector, random);
            if let Some(value) = drawn.mended(detector, random) {
                return Some(value);
            }
        }
    }
    changed(detector, labelled, random)
}

/// Returns a value with one wrong digit, which the check digits tell; `None` if a dozen such changes leave it valid.
pub fn mistyped(value: &str, detector: &Detector, random: &mut Random) -> Option<String> {
    let digits: Vec<usize> =
        value.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()).map(|(at, _)| at).collect();
    (0..DRAWS).find_map(|_| {
        let at = *digits.get(random.below(digits.len().max(1)))?;
        let mut wrong = value.to_owned();
        wrong.replace_range(at..=at, &random.digit().to_string());
        let is_valid = validate(&wrong, &detector.name, detector.country.as_deref())
            .is_ok_and(|validation| validation.valid);
        (wrong != value && !is_valid).then_some(wrong)
    })
}

/// Whether a value is good, and of somebody who may live.
fn holds(value: &str, detector: &Detector) -> bool {
    let country = detector.country.as_deref();
    validate(value, &detector.name, country).is_ok_and(|validation| {
        let lives = match validation.metadata.get("birth_date") {
            Some(Fact::Text(born)) => born.get(..4).is_some_and(|year| ("1926".."2027").contains(&year)),
            _ => true,
        };
        validation.valid && lives
    })
}

/// A value as a shape writes it.
struct Drawn {
    /// The characters, and whether each may be changed.
    letters: Vec<(char, Class)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Fixed,
    Digit,
    Letter,
    Any,
}

impl Class {
    fn letters(self) -> &'static str {
        match self {
            Self::Digit => DIGITS,
            Self::Letter => LETTERS,
            Self::Any => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            Self::Fixed => "",
        }
    }
}

impl Drawn {
    fn new(shape: &str, detector: &Detector, random: &mut Random) -> Self {
        let mut letters = layout(shape, random);
        for (letter, class) in &mut letters {
            if *class != Class::Fixed {
                *letter = random.letter(class.letters());
            }
        }
        let mut drawn = Self { letters };
        drawn.fill_parts(detector, random);
        drawn
    }

    /// Returns the positions of the compact value: without separators and without the literal prefix.
    fn places(&self, detector: &Detector) -> Vec<usize> {
        let body = self.letters.iter().enumerate().filter(|(_, (letter, class))| {
            *class != Class::Fixed || SEPARATORS.contains(*letter) && detector.keeps(*letter)
        });
        body.map(|(at, _)| at).collect()
    }

    fn write(&mut self, places: &[usize], at: i8, text: &str) {
        let from = if at < 0 { places.len() as isize + isize::from(at) } else { isize::from(at) };
        for (offset, letter) in text.chars().enumerate() {
            let place = usize::try_from(from + offset as isize).ok().and_then(|from| places.get(from));
            if let Some(place) = place {
                self.letters[*place].0 = letter;
            }
        }
    }

    fn fill_parts(&mut self, detector: &Detector, random: &mut Random) {
        let places = self.places(detector);
        for part in &detector.file.parts {
            // a part up to the end has digits and letters at the places of its shape
            if part.len == 0 || part.length != 0 && usize::from(part.length) != places.len() {
                continue;
            }
            let text = if !part.within.is_empty() {
                let range = random.pick(&part.within).as_str();
                let (min, max) = range.split_once('-').unwrap_or((range, range));
                let number = random.between(min.parse().unwrap_or(0), max.parse().unwrap_or(0));
                format!("{number:0width$}", width = usize::from(part.len))
            } else if !part.one_of.is_empty() {
                random.pick(&part.one_of).clone()
            } else if !part.chars.is_empty() {
                (0..part.len).map(|_| random.letter(&part.chars)).collect()
            } else if part.min.is_some() || part.max.is_some() {
                let most = 10_u32.saturating_pow(u32::from(part.len)) - 1;
                let (min, max) = (part.min.unwrap_or(0), part.max.unwrap_or(most).min(most));
                let number = random.between(min as usize, max as usize);
                format!("{number:0width$}", width = usize::from(part.len))
            } else {
                continue;
            };
            self.write(&places, part.at, &text);
        }
        if let Some(regions) = &detector.file.regions {
            let codes: Vec<&String> = regions.codes.keys().collect();
            let code = random.pick(&codes).as_str();
            self.write(&places, regions.at as i8, code);
        }
    }

    fn text(&self) -> String {
        self.letters.iter().map(|(letter, _)| letter).collect()
    }

    /// The value with check digits that hold, found by trying the last places, then the first ones.
    fn mended(mut self, detector: &Detector, random: &mut Random) -> Option<String> {
        let text = self.text();
        if holds(&text, detector) {
            return Some(text);
        }
        let free: Vec<usize> =
            (0..self.letters.len()).filter(|at| self.letters[*at].1 != Class::Fixed).collect();
        let tried = [free.last(), free.first()];
        for place in tried.into_iter().flatten() {
            let (kept, class) = self.letters[*place];
            let all = if class == Class::Digit { DIGITS } else { class.letters() };
            let offset = random.below(all.len());
            for letter in all.chars().cycle().skip(offset).take(all.len()) {
                self.letters[*place].0 = letter;
                let text = self.text();
                if holds(&text, detector) {
                    return Some(text);
                }
            }
            self.letters[*place].0 = kept;
        }
        None
    }
}

/// One layout of a shape: equal brackets take the same choice.
fn layout(shape: &str, random: &mut Random) -> Vec<(char, Class)> {
    let mut choices: BTreeMap<String, Option<char>> = BTreeMap::new();
    let mut letters = Vec::new();
    let mut rest = shape;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            'd' | 'a' | 'n' => {
                let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
                let min: usize = rest[..end].parse().unwrap_or(1);
                rest = &rest[end..];
                let mut len = min;
                if let Some(after) = rest.strip_prefix("..") {
                    let end = after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len());
                    len = random.between(min, after[..end].parse().unwrap_or(min));
                    rest = &after[end..];
                }
                let class = match first {
                    'd' => Class::Digit,
                    'a' => Class::Letter,
                    _ => Class::Any,
                };
                letters.extend(std::iter::repeat_n(('0', class), len));
            }
            '[' => {
                let end = rest.find(']').unwrap_or(rest.len());
                let inside = &rest[..end];
                rest = rest.get(end + 1..).unwrap_or_default();
                let optional = rest.starts_with('?');
                rest = rest.strip_prefix('?').unwrap_or(rest);
                let choice = *choices.entry(format!("{inside}{optional}")).or_insert_with(|| {
                    let separators: Vec<char> = inside.chars().collect();
                    // most people write a number as the first layout has it
                    (!optional || random.chance(50)).then(|| *random.pick(&separators))
                });
                letters.extend(choice.map(|letter| (letter, Class::Fixed)));
            }
            other => letters.push((other, Class::Fixed)),
        }
    }
    letters
}

/// Returns a valid value of the file, changed at each position; the value itself if nothing can be changed.
fn changed(detector: &Detector, labelled: bool, random: &mut Random) -> Option<String> {
    let examples = detector.examples();
    if examples.is_empty() {
        return None;
    }
    let mut value: Vec<char> = random.pick(&examples).chars().collect();
    // an example that is only found next to a label is not suitable for an unlabelled value
    if !(labelled || detector.file.shapes.is_empty()) {
        let fits = |example: &&&str| detector.file.shapes.iter().any(|shape| fits(shape, example));
        let alone: Vec<&&str> = examples.iter().filter(fits).collect();
        if !alone.is_empty() {
            value = random.pick(&alone).chars().collect();
        }
    }
    // the prefix of a token identifies its issuer, and may be base64 of a fixed text
    let from = if detector.file.shapes.is_empty() && detector.file.labelled.is_empty() {
        value.len() / 2
    } else {
        0
    };
    let mut accepted = 0;
    for _ in 0..120 {
        let mut next = value.clone();
        for _ in 0..random.between(1, 3) {
            let at = random.between(from, next.len() - 1);
            next[at] = match next[at] {
                letter if letter.is_ascii_digit() => random.digit(),
                letter if letter.is_ascii_uppercase() => random.letter(LETTERS),
                letter if letter.is_ascii_lowercase() => random.letter(LETTERS).to_ascii_lowercase(),
                other => other,
            };
        }
        let text: String = next.iter().collect();
        if next != value && holds(&text, detector) {
            value = next;
            accepted += 1;
            if accepted == 12 {
                break;
            }
        }
    }
    Some(value.into_iter().collect())
}

/// Whether a text may have a shape, by its length and its separators.
fn fits(shape: &str, text: &str) -> bool {
    let separators = |text: &str| text.chars().filter(|letter| SEPARATORS.contains(*letter)).count();
    let open = shape.contains('[') || shape.contains("..");
    open || separators(text) == separators(shape) && length(shape) == text.chars().count()
}

fn length(shape: &str) -> usize {
    layout(shape, &mut Random::new(0)).len()
}

const BOXES: [&str; 8] = ["anna", "info", "jan.novak", "m.rossi", "k_meyer", "office", "l.silva", "petra77"];
const HOSTS: [&str; 6] = ["harbour", "linden-haus", "northwind", "atelier9", "verde", "bluestone"];
const COMMON: [&str; 4] = ["gmail.com", "outlook.com", "example.org", "proton.me"];

/// The domain of a country, or one that is used everywhere.
fn host(country: Option<(&str, &Country)>, random: &mut Random) -> String {
    match country {
        Some((_, country)) if random.chance(55) => format!("{}.{}", random.pick(&HOSTS), country.domain),
        _ => (*random.pick(&COMMON)).to_owned(),
    }
}

fn email(country: Option<(&str, &Country)>, random: &mut Random) -> String {
    format!("{}{}@{}", random.pick(&BOXES), random.below(90), host(country, random))
}

fn url(country: Option<(&str, &Country)>, random: &mut Random) -> String {
    let path =
        random.pick(&["/@jan41", "/profile/jan41", "/account?user=jan41", "/u/41?tab=2", "/~jan41/cv.html"]);
    format!("https://{}{}{path}", random.pick(&["", "www.", "my."]), host(country, random))
}

fn phone(country: Option<(&str, &Country)>, international: bool, random: &mut Random) -> Option<String> {
    let (code, country) = country?;
    for _ in 0..400 {
        let pattern = random.pick(&country.phones);
        let value = random.fill(pattern);
        let written = value.starts_with('+');
        let known = validate(&value, "phone_number", Some(code));
        if known.is_ok_and(|known| known.valid && known.country.is_some_and(|c| c.upper() == code))
            && (written || !international)
        {
            return Some(value);
        }
    }
    None
}

/// An IBAN by the registry's structure of the country, with its check digits.
fn iban(country: Option<(&str, &Country)>, random: &mut Random) -> Option<String> {
    const KNOWN: [(&str, &str); 5] = [
        ("DE", "##################"),
        ("CZ", "####################"),
        ("PL", "########################"),
        ("AT", "################"),
        ("NL", "@@@@##########"),
    ];
    let own = country.filter(|(_, country)| !country.iban.is_empty());
    for _ in 0..300 {
        let (code, pattern) = match own {
            Some((code, country)) => (code, country.iban.as_str()),
            None => *random.pick(&KNOWN),
        };
        let body = random.fill(pattern);
        let value = (0..98).rev().map(|check| format!("{code}{check:02}{body}")).find(|value| {
            let turned = value[4..].chars().chain(value[..4].chars());
            let rest = turned.fold(0_u32, |rest, letter| match letter.to_digit(36) {
                Some(digit @ 0..=9) => (rest * 10 + digit) % 97,
                Some(digit) => (rest * 100 + digit) % 97,
                None => rest,
            });
            rest == 1
        })?;
        if validate(&value, "iban", None).is_ok_and(|known| known.valid) {
            let letters: Vec<char> = value.chars().collect();
            let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
            return Some(if random.chance(50) { groups.join(" ") } else { value });
        }
    }
    None
}

/// A date of birth as the country writes dates.
fn date(country: Option<(&str, &Country)>, random: &mut Random) -> String {
    let form = country.map_or("d.m.y", |(_, country)| country.date.as_str());
    written_date(form, random.between(1945, 2007), random)
}

/// A day of a year, in the form `d.m.y`: two digits each, the year four.
pub fn written_date(form: &str, year: usize, random: &mut Random) -> String {
    let (day, month) = (random.between(1, 28), random.between(1, 12));
    let written = form.chars().map(|letter| match letter {
        'd' => format!("{day:02}"),
        'm' => format!("{month:02}"),
        'y' => year.to_string(),
        other => other.to_string(),
    });
    written.collect()
}
