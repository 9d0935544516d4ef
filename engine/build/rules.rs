//! The rules of a value's structure, as constant expressions.

use textveil_schema::file::{Born, Century, Codes, Entries, File, Raised};

use crate::write::option;

/// Returns the rules of a file, in the order in which they apply.
pub(crate) fn rules(name: &str, file: &File) -> Vec<String> {
    let mut rules = Vec::new();
    rules.extend(file.has.map(|has| format!("Rule::{has:?}")));
    rules.extend(file.hex.then(|| "Rule::Hexadecimal".to_owned()));
    rules.extend(file.random.then(|| "Rule::Random".to_owned()));
    if !file.terms.is_empty() {
        assert!(file.terms.iter().all(|term| !term.contains(' ')), "{name}: a term of several words");
        rules.push(format!("Rule::Terms({:?})", file.terms.join(" ")));
    }
    rules.extend((!file.uniform).then(|| "Rule::Varied".to_owned()));
    rules.extend(file.born.as_slice().iter().map(|born| format!("Rule::Born({})", self::born(name, born))));
    rules.extend(file.gender.as_ref().map(|codes| format!("Rule::Gender({})", self::codes(name, codes))));
    rules.extend(file.country.map(|at| format!("Rule::Country({at})")));
    // a function's facts replace those of the other rules
    assert!(
        file.rule.is_none()
            || file.born.as_slice().is_empty() && file.gender.is_none() && file.country.is_none(),
        "{name}: `rule` beside a key that says facts"
    );
    rules.extend(file.rule.as_ref().map(|rule| format!("Rule::Function(crate::checks::{rule}::facts)")));
    rules
}

fn born(name: &str, born: &Born) -> String {
    let Born { date, days, since, length, century, raised, without, past, other } = born;
    let by_count = date.is_empty() && !days.is_empty() && !since.is_empty();
    assert!(by_count || days.is_empty() && since.is_empty(), "{name}: `days` and `since`, or `date`");
    let (year, month, day) = if by_count {
        (run(name, days, 'D'), (0, 2), (0, 2))
    } else {
        (run(name, date, 'Y'), run(name, date, 'M'), run(name, date, 'D'))
    };
    assert!((2..=6).contains(&year.1) && (month.1, day.1) == (2, 2), "{name}: no date {date}{days}");
    let since = by_count.then(|| {
        let parts: Vec<u16> = since.split('-').map(|part| part.parse().unwrap()).collect();
        let [year, month, day] = parts[..] else { panic!("{name}: no day {since}") };
        format!("({year}, {month}, {day})")
    });
    let raised: Vec<String> = raised.iter().map(|raised| self::raised(name, raised)).collect();
    format!(
        "structure::Born {{ length: {length}, year: {year:?}, month: {}, day: {}, since: {}, century: {}, raised: &[{}], \
         without: {}, past: {past}, other: {other} }}",
        month.0,
        day.0,
        option(since),
        option(century.as_ref().map(self::century)),
        raised.join(", "),
        option(without.as_ref().map(|without| entries(name, without))),
    )
}

/// Returns the position and the length of the run of a letter.
fn run(name: &str, mask: &str, letter: char) -> (usize, usize) {
    let at = mask.find(letter).unwrap_or_else(|| panic!("{name}: {mask} has no {letter}"));
    let len = mask.matches(letter).count();
    assert!(
        mask[at..].starts_with(&letter.to_string().repeat(len)),
        "{name}: {mask} has {letter} at two places"
    );
    (at, len)
}

fn century(Century { at, of }: &Century) -> String {
    let first = |century: &str| match century {
        "latest" => 0,
        century => century.parse::<u16>().unwrap() * 100,
    };
    let of: Vec<String> =
        of.iter().map(|(century, letters)| format!("({letters:?}, {})", first(century))).collect();
    format!("structure::Century {{ at: {at}, of: &[{}] }}", of.join(", "))
}

fn raised(name: &str, raised: &Raised) -> String {
    let by = raised.month.or(raised.day).filter(|by| *by > 0);
    let by = by.unwrap_or_else(|| panic!("{name}: raised without a number"));
    let says = match (raised.gender, raised.century, raised.organisation) {
        (None, None, false) => "structure::Says::Nothing".to_owned(),
        (Some(gender), None, false) => {
            format!("structure::Says::Gender(crate::api::facts::Gender::{gender:?})")
        }
        (None, Some(century), false) => format!("structure::Says::Century({})", century * 100),
        (None, None, true) => "structure::Says::Organisation".to_owned(),
        _ => panic!("{name}: raised for two reasons"),
    };
    format!("structure::Raised {{ month: {}, by: {by}, says: {says} }}", raised.month.is_some())
}

fn codes(name: &str, Codes { at, len, female, male }: &Codes) -> String {
    let fits = |codes: &String| codes.len().is_multiple_of(usize::from(*len));
    assert!(*len > 0 && fits(female) && fits(male), "{name}: codes of another length");
    format!("structure::Codes {{ at: {at}, len: {len}, female: {female:?}, male: {male:?} }}")
}

fn entries(name: &str, Entries { at, len, of }: &Entries) -> String {
    let fits = |entry: &String| entry.len() == usize::from(*len) && !entry.contains(' ');
    assert!(of.iter().all(fits), "{name}: entries of another length");
    format!("structure::Entries {{ at: {at}, len: {len}, of: {:?} }}", of.join(" "))
}
