//! `textveil protect`: replaces personal data in documents.

use std::{
    io::{self, BufRead, BufWriter, IsTerminal, Write},
    time::Instant,
};

use anyhow::Result;
use clap::Args;
use textveil::{DetectOptions, Engine, Key, ProtectOptions, Protection};
use textveil_engine::{OffsetUnit, Offsets, Protected, TypeCounts, wire::ProtectResponse};

use super::{
    Outcome, Terminal,
    component::ComponentFlag,
    flags::{
        DetectFlags, InputFlags, KeyFlags, OutputFlags, ProtectFlags, check_length, for_passage, require_key,
    },
    report::{Located, Styles},
    run::{Found, Notes, Run},
};
use crate::documents::{Progress, Source, Target, Targets};
use textveil_documents::{Analysis, Record, Value, analyse, edited};

/// Replace personal data in files, folders or standard input
///
/// Plain text of any length is streamed in constant memory. Of other formats, only values change: cells of CSV,
/// keys, strings and numbers of JSON (a number becomes a string), text and attributes of HTML and XML, fields and
/// parts of a message. Everything else is kept as it is. Of a Word document, the text comes out.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    input: InputFlags,
    #[command(flatten)]
    output: OutputFlags,
    /// Exit with status 1 if anything is found
    #[arg(long)]
    check: bool,
    /// Answer as the REST service does, instead of writing the document: one line per plain text, or one line
    /// per value of CSV or JSON with findings
    #[arg(long, conflicts_with = "in_place")]
    json: bool,
    #[command(flatten)]
    protection: ProtectFlags,
    #[command(flatten)]
    key: KeyFlags,
    #[command(flatten)]
    detection: DetectFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments, component: &ComponentFlag, terminal: &Terminal) -> Result<Outcome> {
    let sources = arguments.input.sources()?;
    let OutputFlags { output, in_place } = &arguments.output;
    let targets = match arguments.json && output.is_none() {
        true => Targets::Standard,
        false => Targets::choose(output.as_deref(), *in_place, &sources.all)?,
    };
    let (detection, unit) = arguments.detection.options(&sources)?;
    let protection = arguments.protection.options(&arguments.detection)?;
    let keys = arguments.key.keys()?;
    require_key(&protection, &keys)?;
    let standard = matches!(targets, Targets::Standard);
    let progress =
        Progress::new(sources.bytes, standard && io::stdout().is_terminal(), arguments.input.quiet);
    let work = Work {
        engine: component.load()?,
        detection,
        protection,
        keys,
        unit,
        arguments,
        colored: standard && !arguments.json && terminal.colored(),
    };
    let mut found = 0;
    let done = Run { sources: &sources, input: &arguments.input, progress: &progress }.each(
        &mut BufWriter::new(io::stdout().lock()),
        |source, input, out, notes| {
            let mut target = targets.open(source, out)?;
            let found = work.document(source, input, &mut target, notes)?;
            target.finish()?;
            Ok(found)
        },
        |counts| {
            found += counts.iter().flatten().map(|(_, count)| count).sum::<usize>();
            counts
        },
    )?;
    Ok(if arguments.check && found > 0 { Outcome::Found } else { done })
}

struct Work<'a> {
    engine: Engine,
    detection: DetectOptions,
    protection: ProtectOptions,
    keys: Vec<Key>,
    unit: OffsetUnit,
    arguments: &'a Arguments,
    colored: bool,
}

impl Work<'_> {
    fn document(
        &self,
        source: &Source,
        input: Box<dyn BufRead>,
        out: &mut Target<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Found> {
        // a stream does not report findings, so it is used only if none are requested
        let Arguments { json, check, input: InputFlags { stats, .. }, .. } = self.arguments;
        let is_counted = *json || *check || *stats || self.colored || !self.detection.hints.is_empty();
        if source.is_plain() && !is_counted {
            self.stream(source, input, out, notes)?;
            return Ok(None);
        }
        self.records(source, input, out, notes).map(Some)
    }

    fn stream(
        &self,
        source: &Source,
        input: Box<dyn BufRead>,
        out: &mut Target<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<()> {
        let mut stream = self.engine.stream(&self.detection, &self.protection, &self.keys)?;
        self.arguments.input.each_chunk(source, input, notes, |chunk| {
            out.write_all(stream.push(chunk)?.as_bytes())?;
            Ok(out.flush()?)
        })?;
        Ok(out.write_all(stream.finish()?.as_bytes())?)
    }

    fn records(
        &self,
        source: &Source,
        document: Box<dyn BufRead>,
        out: &mut Target<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<TypeCounts> {
        let Arguments { json, input, .. } = self.arguments;
        let styles = Styles::new(self.colored);
        let show = |replacement: &str| format!("{0}{replacement}{0:#}", styles.finding);
        let is_whole = *json || !self.detection.hints.is_empty();
        let mut counts = TypeCounts::new();
        input.each_record(source, document, is_whole, notes, |record, _| {
            check_length(&self.detection, record)?;
            let started = Instant::now();
            let analysis = analyse(&record.values, |passage| {
                let detection = for_passage(&self.detection, self.unit, passage)?;
                let Protection { entities, countries, .. } =
                    self.engine.protect(passage.text(), &detection, &self.protection, &self.keys)?;
                Ok((entities, countries))
            })?;
            for found in analysis.findings.iter().flatten() {
                *counts.entry(found.entity.kind.clone()).or_default() += 1;
            }
            if *json {
                let elapsed = started.elapsed().as_secs_f64() * 1_000.0;
                self.answer(source, record, &analysis, elapsed, out)?;
            } else {
                out.write_all(record.rewritten(&analysis.edits(show)).as_bytes())?;
            }
            if source.path.is_none() {
                out.flush()?;
            }
            Ok(())
        })?;
        Ok(counts)
    }

    fn answer(
        &self,
        source: &Source,
        record: &Record,
        analysis: &Analysis<Protected>,
        elapsed: f64,
        out: &mut Target<'_>,
    ) -> Result<()> {
        let plain = source.is_plain();
        let edits = analysis.edits(str::to_owned);
        let mut positions = record.positions();
        for ((value, edits), entities) in record.values.iter().zip(&edits).zip(&analysis.findings) {
            if edits.is_empty() && !plain {
                continue;
            }
            let Value { text, .. } = value;
            let mut entities = entities.clone();
            let protected = edited(text, edits);
            let offsets = Offsets::new(text, self.unit);
            entities.iter_mut().for_each(|protected| offsets.convert(&mut protected.entity));
            let mut countries = analysis.countries.clone();
            countries.iter_mut().for_each(|country| offsets.convert_country(country));
            let protection = Protection { text: protected, entities, countries, mode: self.protection.mode };
            let answer = ProtectResponse::new(text, protection, elapsed);
            let located = match plain {
                true => Located::document(source, answer),
                false => Located::value(source, &mut positions, value, answer),
            };
            located.print(out)?;
        }
        Ok(())
    }
}
