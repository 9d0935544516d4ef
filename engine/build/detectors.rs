//! The detectors, each a constant.

use std::{collections::BTreeMap, fmt::Write as _};

use textveil_schema::{
    Part,
    file::{Entries, Entry, File, Regions},
};

use crate::{
    catalogue::part::{Requirement, Test, requirements},
    layouts::shapes,
    rules::rules,
    write::{Output, country_literal, hundredths, option, pascal},
};

impl Output {
    pub(crate) fn detectors(&mut self, entries: &[Entry]) {
        let mut table = String::new();
        let mut by_recogniser: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let Entry { name, file, .. } = entry;
            let known = [
                "identity",
                "contact",
                "financial",
                "location",
                "personal",
                "business",
                "medical",
                "government",
                "credential",
            ];
            assert!(known.contains(&file.category.as_str()), "{name}: no such category");
            assert!(!file.source.is_empty(), "{name}: no source");
            assert!(
                !(file.shapes.is_empty()
                    && file.labelled.is_empty()
                    && file.starts.is_empty()
                    && file.recogniser.is_none()),
                "{name}: nothing finds it"
            );
            if let Some(recogniser) = &file.recogniser {
                by_recogniser.entry(recogniser).or_default().push(index);
            }
            let category = format!("{}{}", file.category[..1].to_uppercase(), &file.category[1..]);
            let check = file.check.as_ref().map(|check| self.check(check));
            let rule = file.rule.as_ref().map(|rule| format!("crate::checks::{rule}::facts"));
            assert!(!file.details || rule.is_some(), "{name}: details without a rule");
            let details =
                file.details.then(|| rule.as_ref().map(|rule| rule.replace("::facts", "::details")));
            assert!(!file.impersonal || rule.is_some(), "{name}: impersonal without a rule");
            let impersonal =
                file.impersonal.then(|| rule.as_ref().unwrap().replace("::facts", "::is_impersonal"));
            let llr = (0.98 / file.chance.unwrap_or(0.98).max(1e-6)).ln().clamp(0.0, 8.0) as f32;
            let countries: Vec<String> = file.also.iter().map(|code| country_literal(code)).collect();
            let token = !file.starts.is_empty();
            writeln!(
                table,
                "Detector {{ texts: {:?}, country: {}, also: &[{}], category: Category::{category}, suppressor: {}, upper: {}, \
                 exact: {}, container: {}, token: {token}, keep: {:?}, recogniser: {}, parts: &[{}], regions: {}, check: {}, unchecked: {}, \
                 rules: &[{}], details: {}, alone: {}, llr: {llr:?}_f32, prior: {}, checksummed: {}, impersonal: {} }},",
                texts(entry),
                option(entry.country().map(country_literal)),
                countries.join(", "),
                !entry.is_reported(),
                file.upper,
                file.exact,
                file.container,
                file.keep,
                option(file.recogniser.as_deref().map(|name| format!("Recogniser::{}", pascal(name)))),
                file.parts.iter().flat_map(|part| self::part(name, part)).collect::<Vec<_>>().join(", "),
                option(file.regions.as_ref().map(|regions| self::regions(name, regions))),
                option(check.map(|check| format!("&{check}"))),
                option(unchecked(name, file)),
                rules(name, file).join(", "),
                option(details.flatten()),
                file.alone,
                option(file.prior.map(|prior| hundredths(prior).to_string())),
                file.has_check_digits(),
                option(impersonal),
            )
            .unwrap();
        }
        writeln!(self.text, "pub(crate) static DETECTORS: [Detector; {}] = [\n{table}];", entries.len())
            .unwrap();
        self.recognisers(&by_recogniser);
    }

    /// Writes the recognisers that files name, and the detectors of each.
    ///
    /// `src/recognise/mod.rs` matches them, so that a name without a row there does not compile.
    fn recognisers(&mut self, detectors: &BTreeMap<&str, Vec<usize>>) {
        let variants: Vec<String> = detectors.keys().map(|name| pascal(name)).collect();
        writeln!(
            self.text,
            "/// The recogniser of an identifier, if its shape alone is not enough.\n\
             #[derive(Clone, Copy, Debug, PartialEq, Eq)]\n\
             pub(crate) enum Recogniser {{ {} }}",
            variants.join(", ")
        )
        .unwrap();
        for (recogniser, detectors) in detectors {
            let name = recogniser.to_uppercase();
            writeln!(
                self.text,
                "#[allow(dead_code, reason = \"some are looked up by their labels\")]\n\
                 pub(crate) static {name}: &[u16] = &{detectors:?};"
            )
            .unwrap();
        }
    }
}

/// Returns the texts of a detector in the format that [`Detector`] reads.
fn texts(entry: &Entry) -> String {
    let Entry { region, name, file, .. } = entry;
    let aliases = file.aliases.join("\n");
    let [shapes, labelled] = shapes(file);
    let fields = [
        entry.kind(),
        if name == entry.kind() { "" } else { name },
        &file.description,
        region,
        &aliases,
        &shapes,
        &labelled,
        file.pattern.as_deref().unwrap_or_default(),
    ];
    assert!(fields.iter().all(|field| !field.contains('\t')), "{name}: a tab in a text");
    fields.join("\t")
}

/// Checks the rules that changed, and returns which values may be without valid check digits.
fn unchecked(name: &str, file: &File) -> Option<String> {
    for change in &file.changes {
        let dates = [&change.issued_since, &change.valid_until];
        assert!(dates.iter().any(|date| date.is_some()), "{name}: a change without a date");
        for date in dates.into_iter().flatten() {
            let digits = date.split('-').map(|part| part.parse::<u16>().map(|_| part.len()));
            assert!(digits.eq([Ok(4), Ok(2), Ok(2)]), "{name}: {date} is not of the form YYYY-MM-DD");
        }
    }
    let mut entries = file.changes.iter().filter_map(|change| change.unchecked.as_ref());
    let Entries { at, len, of } = entries.next()?;
    assert!(entries.next().is_none(), "{name}: two changes with unchecked values");
    assert!(file.check.is_some(), "{name}: unchecked values of what has no check");
    assert!(of.is_sorted() && of.iter().all(|entry| entry.len() == usize::from(*len)), "{name}: unchecked");
    Some(format!("&Unchecked {{ at: {at}, len: {len}, of: {:?} }}", of.join(" ")))
}

fn regions(name: &str, regions: &Regions) -> String {
    for (code, region) in &regions.codes {
        assert!(code.len() == usize::from(regions.len), "{name}: the code {code} is too long or too short");
        assert!(!region.contains(' '), "{name}: the region {region} is no code");
    }
    let codes: Vec<String> = regions.codes.iter().map(|(code, region)| format!("{code}{region}")).collect();
    format!("&Regions {{ at: {}, len: {}, codes: {:?} }}", regions.at, regions.len, codes.join(" "))
}

/// Returns the conditions of a part.
fn part(name: &str, part: &Part) -> Vec<String> {
    let tests = requirements(part).unwrap_or_else(|wrong| panic!("{name}: a part {wrong}"));
    let text = |text: &str| format!("Cow::Borrowed({text:?})");
    let written = |test: &Test| match test {
        Test::Characters(known) => format!("Test::Characters({})", text(known)),
        Test::OneOf(known) => format!("Test::OneOf({})", text(known)),
        Test::NoneOf(known) => format!("Test::NoneOf({})", text(known)),
        Test::Within(ranges) => format!("Test::Within(Cow::Borrowed(&{ranges:?}))"),
        Test::Number { min, max, not } => {
            format!("Test::Number {{ min: {min}, max: {max}, not: Cow::Borrowed(&{not:?}) }}")
        }
    };
    let of = |Requirement { at, len, length, test }: &Requirement| {
        format!("Requirement {{ at: {at}, len: {len}, length: {length}, test: {} }}", written(test))
    };
    tests.iter().map(of).collect()
}
