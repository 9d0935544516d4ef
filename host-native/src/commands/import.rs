//! `textveil import`: options from the settings of other programs.

use std::{fs, io::Write, path::PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde::Serialize;
use textveil::{DetectOptions, Engine};
use textveil_engine::{
    limits::{MAX_CUSTOM_DETECTORS, MAX_LIST},
    options::{CustomDetector, DenyRule},
};
use yaml_rust2::{Yaml, YamlLoader};

use super::{Outcome, component::ComponentFlag, counted};

/// The flags of Python's `re` that a pattern can begin with, by their values there.
const FLAGS: [(i64, char); 3] = [(2, 'i'), (8, 'm'), (16, 's')];

/// Presidio's default: IGNORECASE, MULTILINE and DOTALL.
const DEFAULT_FLAGS: i64 = 26;

/// Convert the settings of another program into options
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    from: Origin,
}

#[derive(Subcommand)]
enum Origin {
    Presidio(Presidio),
}

/// Convert Presidio's recognizers into custom detectors and a deny list
///
/// Writes a file for --options to standard output. Standard error names each pattern that cannot be carried over, and why.
#[derive(Args)]
struct Presidio {
    /// The file of recognizers, in YAML
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments, component: &ComponentFlag) -> Result<Outcome> {
    let Origin::Presidio(Presidio { file }) = &arguments.from;
    let name = || file.display().to_string();
    let text = fs::read_to_string(file).with_context(name)?;
    // the message of a YAML error has no text of the file
    let documents = YamlLoader::load_from_str(&text).with_context(name)?;
    let engine = component.load()?;
    let imported = Imported::of(documents.first().unwrap_or(&Yaml::BadValue), &engine).with_context(name)?;
    for note in &imported.notes {
        eprintln!("{note}");
    }
    let Imported { options, .. } = imported;
    let (patterns, words) = (options.custom_detectors.len(), options.deny_list.len());
    eprintln!("carried over: {}, {}", counted(patterns, "pattern"), counted(words, "word"));
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &options)?;
    writeln!(out)?;
    Ok(Outcome::Done)
}

/// The options that have a counterpart in Presidio's recognizers.
#[derive(Default, Serialize)]
struct Carried {
    custom_detectors: Vec<CustomDetector>,
    deny_list: Vec<DenyRule>,
}

/// Carried, and what could not be carried over.
#[derive(Default)]
struct Imported {
    options: Carried,
    notes: Vec<String>,
}

impl Imported {
    fn of(document: &Yaml, engine: &Engine) -> Result<Self> {
        let Some(recognizers) = document["recognizers"].as_vec() else {
            bail!("the file has no list `recognizers`; give a file of Presidio's recognizers");
        };
        let mut imported = Self::default();
        let flags = document["global_regex_flags"].as_i64().unwrap_or(DEFAULT_FLAGS);
        if FLAGS.iter().fold(flags, |rest, (flag, _)| rest & !flag) != 0 {
            imported.notes.push(format!(
                "global_regex_flags: only IGNORECASE (2), MULTILINE (8) and DOTALL (16) of {flags} are carried over"
            ));
        }
        let set = FLAGS.iter().filter(|(flag, _)| flags & flag != 0).map(|(_, letter)| letter);
        let prefix: String = set.collect();
        let prefix = if prefix.is_empty() { prefix } else { format!("(?{prefix})") };
        for recognizer in recognizers {
            imported.recognizer(recognizer, &prefix, engine);
        }
        imported.limit();
        Ok(imported)
    }

    fn recognizer(&mut self, recognizer: &Yaml, flags: &str, engine: &Engine) {
        let name = recognizer
            .as_str()
            .or_else(|| recognizer["name"].as_str())
            .unwrap_or("a recognizer without a name");
        let is_predefined =
            recognizer.as_str().is_some() || recognizer["type"].as_str() == Some("predefined");
        if is_predefined {
            self.notes.push(format!("{name}: is predefined; this engine has detectors of its own"));
            return;
        }
        if recognizer["enabled"].as_bool() == Some(false) {
            self.notes.push(format!("{name}: is not enabled"));
            return;
        }
        let Some(kind) = recognizer["supported_entity"].as_str().and_then(type_name) else {
            self.notes.push(format!("{name}: has no supported_entity that can be the name of a type"));
            return;
        };
        let context = contexts(recognizer);
        for (index, pattern) in list(&recognizer["patterns"]).enumerate() {
            let own = pattern["name"].as_str().map_or_else(|| format!("patterns[{index}]"), str::to_owned);
            let score = number(&pattern["score"]);
            let (Some(regex), Some(score)) = (pattern["regex"].as_str(), score) else {
                self.notes.push(format!("{name}, {own}: needs regex and score"));
                continue;
            };
            let detector = CustomDetector {
                name: kind.clone(),
                pattern: Some(format!("{flags}{regex}")),
                context: context.clone(),
                confidence: Some(score),
                ..CustomDetector::default()
            };
            match fault(engine, &detector) {
                Some(reason) => self.notes.push(format!("{name}, {own}: {reason}")),
                None => self.options.custom_detectors.push(detector),
            }
        }
        let words = list(&recognizer["deny_list"]).filter_map(Yaml::as_str);
        let words = words.map(|word| DenyRule { value: word.to_owned(), kind: Some(kind.clone()) });
        self.options.deny_list.extend(words);
        if number(&recognizer["deny_list_score"]).is_some_and(|score| score < 1.0) {
            self.notes.push(format!(
                "{name}: deny_list_score is not carried over; words of a list are always reported"
            ));
        }
    }

    /// Cuts the lists at the engine's limits.
    fn limit(&mut self) {
        let Carried { custom_detectors, deny_list } = &mut self.options;
        if custom_detectors.len() > MAX_CUSTOM_DETECTORS {
            let lost = custom_detectors.split_off(MAX_CUSTOM_DETECTORS);
            let names: Vec<_> = lost.iter().map(|detector| detector.name.as_str()).collect();
            self.notes.push(format!(
                "there are more than {MAX_CUSTOM_DETECTORS} patterns; left out: {}",
                names.join(", ")
            ));
        }
        if deny_list.len() > MAX_LIST {
            let lost = deny_list.split_off(MAX_LIST).len();
            self.notes.push(format!("there are more than {MAX_LIST} words; the last {lost} were left out"));
        }
    }
}

/// Returns the reason why the engine rejects a detector, without the path of the field.
fn fault(engine: &Engine, detector: &CustomDetector) -> Option<String> {
    let options = DetectOptions { custom_detectors: vec![detector.clone()], ..DetectOptions::default() };
    let error = engine.detect("a", &options).err()?.to_string();
    Some(error.strip_prefix("custom_detectors[0].").map_or(error.clone(), str::to_owned))
}

fn list(value: &Yaml) -> impl Iterator<Item = &Yaml> {
    value.as_vec().into_iter().flatten()
}

fn number(value: &Yaml) -> Option<f64> {
    value.as_f64().or_else(|| value.as_i64().map(|number| number as f64))
}

/// Returns the context words of a recognizer in all of its languages.
fn contexts(recognizer: &Yaml) -> Vec<String> {
    let own = list(&recognizer["context"]);
    let of_languages =
        list(&recognizer["supported_languages"]).flat_map(|language| list(&language["context"]));
    let mut words: Vec<String> =
        own.chain(of_languages).filter_map(Yaml::as_str).map(str::to_owned).collect();
    let mut seen = std::collections::HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words
}

/// Returns the name of a type: lower-case letters, digits and `_`, beginning with a letter.
fn type_name(entity: &str) -> Option<String> {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    let name: String = entity.trim().chars().map(letter).collect();
    name.starts_with(|first: char| first.is_ascii_lowercase()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types() {
        for (entity, want) in
            [("EMPLOYEE_ID", Some("employee_id")), ("Zip code", Some("zip_code")), ("1ST", None), ("", None)]
        {
            assert_eq!(type_name(entity).as_deref(), want, "{entity}");
        }
    }

    #[test]
    fn context_words_of_all_languages() {
        let yaml = "context: [zip, code]\nsupported_languages:\n- language: en\n  context: [zip]\n- language: de\n  context: [PLZ]\n- es\n";
        let document = YamlLoader::load_from_str(yaml).unwrap();
        assert_eq!(contexts(&document[0]), ["zip", "code", "PLZ"]);
    }
}
