//! Writes `docs/detectors.md`: an index by country and by category, and an entry for each detector.

use std::{collections::BTreeMap, fs, path::PathBuf};

use textveil_phrase::languages;
use textveil_schema::file::{Change, Entry, File, Label};

use super::country;
use confusions::Confusions;

mod checks;
mod confusions;
mod names;
mod parts;
mod shapes;

/// Most labels that are examples.
const MOST_LABELS: usize = 5;
/// Most beginnings of a token; the others are counted.
const MOST_STARTS: usize = 6;
/// Most forms; the others are counted.
const MOST_FORMS: usize = 6;
/// Most types with a value in common; the others are counted.
const MOST_CONFUSIONS: usize = 8;
/// Most forms in one line; more have a line each.
const MOST_FORMS_IN_LINE: usize = 2;
/// Most characters of an example.
const MOST_EXAMPLE: usize = 80;

/// The document of all detectors.
pub(super) fn document(entries: &[Entry]) -> String {
    let regions = by_region(entries);
    let confusions = Confusions::new(entries);
    let mut text = head(entries, &regions, &confusions) + &countries(&regions) + &categories(entries);
    for (region, own) in &regions {
        text += &format!("## {} <a id=\"{}\"></a>\n\n", names::region(region), region.to_lowercase());
        own.iter().for_each(|one| text += &entry(one, &confusions.of(one, entries)));
    }
    text.truncate(text.trim_end().len() + 1);
    text
}

/// The number of detectors, for the README.
pub(super) fn summary(entries: &[Entry]) -> String {
    let regions = by_region(entries);
    let countries = regions.iter().filter(|(region, _)| country(region).is_some()).count();
    format!(
        "{} detectors for {countries} countries and territories; [docs/detectors.md](docs/detectors.md) describes each, by country and by category.\n",
        reported(entries).count()
    )
}

fn reported<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> impl Iterator<Item = &'e Entry> {
    entries.into_iter().filter(|entry| entry.is_reported())
}

/// The entries of each region, by the name of the region; those of all countries first.
fn by_region(entries: &[Entry]) -> Vec<(&str, Vec<&Entry>)> {
    let mut regions: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        regions.entry(&entry.region).or_default().push(entry);
    }
    let mut regions: Vec<_> = regions.into_iter().collect();
    regions.sort_by_key(|(region, _)| (country(region).is_some(), names::region(region)));
    regions
}

fn head(entries: &[Entry], regions: &[(&str, Vec<&Entry>)], confusions: &Confusions) -> String {
    let countries = regions.iter().filter(|(region, _)| country(region).is_some()).count();
    let of_anything: Vec<String> = confusions.of_anything.iter().map(|name| link(name)).collect();
    format!(
        "<!-- written by `BLESS=1 cargo test -p textveil-engine --test catalogue` from engine/catalogue -->\n\
         # Detectors\n\
         {} detectors for {countries} countries and territories. Each entry has:\n\n\
         - **Type**: the `type` of a finding, and other names that callers may use. A type of one country may also be \
           named with its country in front: `cz_vat` for `vat_cz`.\n\
         - **Form**: how people write the value. In a pattern, `0` is a digit, `A` a letter and `X` either of them. \
           Examples are specimens of the issuers or generated.\n\
         - **Label**: a word next to the value that names it. Some types are found only after one.\n\
         - **Use**: where the value is used. The category is in brackets.\n\
         - **Check**: the rules that a value must follow. If only the form is checked, `validated` is `false`.\n\
         - **Positions**: the characters that must be in fixed places, counted without separators and without a literal \
           prefix.\n\
         - **Derived**: facts in `metadata`, with their names there.\n\
         - **Also accepted as**: other types with a value in common, by the engine's own `validate`. The \
           nearest are first: of the same country, then those found without a label. Names, places, and types that accept more than a fifth \
           of the examples of the catalogue are left out: {}.\n\
         - **Source**: the law, the standard or the issuer.\n\n\
         A suppressor is not reported. It claims its place, so that nothing else is found there.\n\n",
        reported(entries).count(),
        shapes::and(&of_anything),
    )
}

fn countries(regions: &[(&str, Vec<&Entry>)]) -> String {
    let mut text =
        String::from("## By country\n| country | code | detectors | types |\n| --- | --- | --- | --- |\n");
    for (region, own) in regions {
        let links: Vec<String> = reported(own.iter().copied()).map(|entry| link(&entry.name)).collect();
        let (name, id) = (names::region(region), region.to_lowercase());
        text += &format!("| [{name}](#{id}) | `{region}` | {} | {} |\n", links.len(), links.join(", "));
    }
    text + "\n"
}

fn categories(entries: &[Entry]) -> String {
    let mut categories: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for entry in reported(entries) {
        categories.entry(&entry.file.category).or_default().push(link(&entry.name));
    }
    let mut text =
        String::from("## By category\n| category | used | detectors | types |\n| --- | --- | --- | --- |\n");
    for (category, links) in categories {
        text += &format!(
            "| `{category}` | {} | {} | {} |\n",
            names::category(category),
            links.len(),
            links.join(", ")
        );
    }
    text + "\n"
}

fn link(name: &str) -> String {
    format!("[`{name}`](#{name})")
}

/// Items as code, and the number of the others.
fn code(items: &[String], most: usize) -> String {
    let shown: Vec<String> = items.iter().take(most).map(|item| format!("`{item}`")).collect();
    with_others(shown, items.len().saturating_sub(most))
}

fn with_others(shown: Vec<String>, others: usize) -> String {
    match others {
        0 => shown.join(", "),
        1 => format!("{} and 1 other", shown.join(", ")),
        others => format!("{} and {others} others", shown.join(", ")),
    }
}

fn entry(entry: &Entry, confusions: &[&Entry]) -> String {
    let Entry { name, region, file, .. } = entry;
    let mut text = format!("### {} <a id=\"{name}\"></a>\n\n- Type: {}\n", file.description, kind(entry));
    text += &format!("- Form: {}\n", form(entry));
    text += &label(entry).map(|label| format!("- Label: {label}\n")).unwrap_or_default();
    text += &format!("- Use: {}\n", usage(region, file));
    text += &format!("- Check: {}\n", checks::in_words(entry));
    text += &file.changes.iter().map(|change| format!("- {}\n", change_in_words(change))).collect::<String>();
    if !file.parts.is_empty() {
        text += &format!("- Positions: {}\n", shapes::and(&parts::in_words(&file.parts)));
    }
    text += &derived(file).map(|facts| format!("- Derived: {facts}\n")).unwrap_or_default();
    text += &confused(entry, confusions)
        .map(|others| format!("- Also accepted as: {others}\n"))
        .unwrap_or_default();
    text + &format!("- Source: {}\n\n", file.source)
}

/// Says a rule with the days from and until which it holds.
fn change_in_words(change: &Change) -> String {
    let dates = [("Issued since", &change.issued_since), ("Valid until", &change.valid_until)];
    let dates = dates.into_iter().filter_map(|(what, date)| Some(format!("{what} {}", date.as_ref()?)));
    format!("{}: {}", dates.collect::<Vec<_>>().join(", "), change.rule)
}

fn kind(entry: &Entry) -> String {
    let mut text = format!("`{}`", entry.kind());
    if entry.kind() != entry.name {
        text += &format!(", detector `{}`", entry.name);
    }
    if !entry.is_reported() {
        text += ", a suppressor: it is not reported";
    }
    if !entry.file.aliases.is_empty() {
        text += &format!("; other names {}", code(&entry.file.aliases, usize::MAX));
    }
    text
}

/// The forms with an example: in one line, or one line each where there are many.
fn form(entry: &Entry) -> String {
    let file = &entry.file;
    let after_label = if needs_label(&entry.file) { "" } else { ", only after a label" };
    let mut forms = shapes::forms(&file.shapes);
    forms.extend(shapes::forms(&file.labelled).into_iter().map(|form| format!("{form}{after_label}")));
    if !file.starts.is_empty() {
        forms.push(format!("characters that begin with {}", code(&file.starts, MOST_STARTS)));
    }
    // the shapes of dates say more than their recogniser
    if let Some(recogniser) = file.recogniser.as_ref().filter(|_| forms.is_empty()) {
        forms.push(names::recognised(recogniser).unwrap_or(&file.description).to_owned());
    }
    let others = forms.len().saturating_sub(MOST_FORMS);
    forms.truncate(MOST_FORMS);
    let example = format!("for example {}", example(file));
    if forms.len() <= MOST_FORMS_IN_LINE {
        return format!("{}; {example}", forms.join(", or "));
    }
    forms.extend((others > 0).then(|| format!("{others} more")));
    format!("{example}\n  - {}", forms.join("\n  - "))
}

fn example(file: &File) -> String {
    let value = &file.good().next().expect("a detector has a good case").value;
    let shown: String =
        value.chars().take(MOST_EXAMPLE).collect::<String>().replace('\n', "⏎").replace('`', "'");
    format!("`{shown}`{}", if value.chars().count() > MOST_EXAMPLE { " …" } else { "" })
}

/// Whether values are found only after a label.
fn needs_label(file: &File) -> bool {
    let File { shapes, starts, recogniser, prior, label, .. } = file;
    let is_required = *label == Label::Required;
    match recogniser.as_deref() {
        // a generated value of a known form is found without one
        Some("labelled" | "secret") => prior.is_none_or(|prior| prior <= 0.0),
        Some("phrase" | "city" | "birthplace") => true,
        Some(_) => is_required,
        None => is_required || shapes.is_empty() && starts.is_empty(),
    }
}

/// Whether a label is needed, and some labels.
fn label(entry: &Entry) -> Option<String> {
    let file = &entry.file;
    let words = some_labels(entry);
    let such_as =
        if words.is_empty() { String::new() } else { format!(", such as {}", code(&words, MOST_LABELS)) };
    if needs_label(&entry.file) {
        return Some(format!("required{such_as}"));
    }
    let needed_by_some = if file.labelled.is_empty() { "not required" } else { "required by some forms" };
    (!words.is_empty())
        .then(|| format!("{needed_by_some}; one next to the value raises the confidence{such_as}"))
}

/// Some labels: for one country in its languages and in English, else in English first.
fn some_labels(entry: &Entry) -> Vec<String> {
    let is_local = entry.country().is_some();
    let most = if is_local { MOST_LABELS.div_ceil(2) } else { MOST_LABELS };
    let mut words = words(&entry.file);
    words.sort_by_key(|(language, _)| (language == "en") == is_local);
    let first = words.first().map(|(_, list)| list.iter().take(most)).into_iter().flatten();
    let mut some: Vec<String> = first.cloned().collect();
    for (_, list) in words.iter().skip(1) {
        let missing = MOST_LABELS.saturating_sub(some.len()).min(2);
        some.extend(
            list.iter().filter(|word| !some.contains(word)).take(missing).cloned().collect::<Vec<_>>(),
        );
    }
    some
}

/// The labels of a file by language, with those that it shares.
fn words(file: &File) -> Vec<(String, Vec<String>)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut words = file.words.clone();
    if let Some(other) = &file.words_of {
        let text = fs::read_to_string(root.join(format!("catalogue/global/{other}.toml"))).unwrap();
        words.extend(toml::from_str::<File>(&text).unwrap().words);
    }
    if let Some(list) = file.labels {
        for (code, mut language) in languages::read(&root.join("lexicon")).unwrap() {
            let known = words.entry(code).or_default();
            let shared = language.labels.remove(&list).unwrap_or_default();
            known.splice(0..0, shared.iter().map(|label| label.to_lowercase()));
        }
    }
    words.into_iter().filter(|(_, list)| !list.is_empty()).collect()
}

fn usage(region: &str, file: &File) -> String {
    let regions: Vec<String> = [region]
        .into_iter()
        .chain(file.also.iter().map(String::as_str))
        .map(names::region_in_sentence)
        .collect();
    format!("in {}, {} (`{}`)", shapes::and(&regions), names::category(&file.category), file.category)
}

/// The facts that good cases have.
fn derived(file: &File) -> Option<String> {
    let mut facts: Vec<&str> = file.good().flat_map(|case| case.facts.keys().map(String::as_str)).collect();
    facts.sort_unstable();
    facts.dedup();
    let facts: Vec<String> = facts.iter().map(|fact| format!("{} (`{fact}`)", names::fact(fact))).collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}

/// The other types that accept a value of this one, and what decides between them.
fn confused(entry: &Entry, others: &[&Entry]) -> Option<String> {
    let shown: Vec<String> = others.iter().take(MOST_CONFUSIONS).map(|other| link(&other.name)).collect();
    let is_of_other_country = |other: &&Entry| other.region != entry.region;
    let decides = if others.iter().any(is_of_other_country) {
        "A label decides, or the country of the text"
    } else {
        "A label decides"
    };
    (!shown.is_empty())
        .then(|| format!("{}. {decides}", with_others(shown, others.len().saturating_sub(MOST_CONFUSIONS))))
}
