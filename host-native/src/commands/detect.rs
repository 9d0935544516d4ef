//! `textveil detect`: finds personal data in documents.

use std::{
    io::{self, BufRead, BufWriter, IsTerminal, Write},
    time::Instant,
};

use anyhow::Result;
use clap::Args;
use textveil::{DetectOptions, Detection, Engine};
use textveil_engine::{OffsetUnit, Offsets, TypeCounts, wire::DetectResponse};

use super::{
    Outcome, Terminal,
    component::ComponentFlag,
    flags::{DetectFlags, InputFlags, check_length, for_passage},
    output_format::{DocumentReport, ReportFlags},
    report::{self, Located, Styles},
    run::{Notes, Run},
};
use crate::documents::{Progress, Source};
use textveil_documents::{Positions, Value, analyse};

/// Find personal data in files, folders or standard input
///
/// Prints path:line:column, type, country, confidence and text of each finding; on a terminal, the lines with
/// the findings highlighted. The values of a row of CSV, of a JSON document or of a page are read together, each
/// labelled with the name of its column, key or element.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    input: InputFlags,
    /// Exit with status 1 if anything is found; prints positions and types, but not the text itself
    #[arg(long)]
    check: bool,
    /// Answer as the REST service does: one line per plain text, or one line per value of CSV or JSON with
    /// findings, with its `path`, `line` and `field`. A plain text is held in memory
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    detection: DetectFlags,
    #[command(flatten)]
    reports: ReportFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments, component: &ComponentFlag, terminal: &Terminal) -> Result<Outcome> {
    let sources = arguments.input.sources()?;
    let (options, unit) = arguments.detection.options(&sources)?;
    let progress = Progress::new(sources.bytes, io::stdout().is_terminal(), arguments.input.quiet);
    let engine = component.load()?;
    // without flags of reports, findings are printed as they are found
    let mut report = arguments.reports.report(&engine)?;
    let search = Search {
        has_report: report.is_some(),
        engine,
        options,
        unit,
        arguments,
        colored: terminal.colored(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut found = 0;
    let done = Run { sources: &sources, input: &arguments.input, progress: &progress }.each(
        &mut out,
        |source, input, out, notes| search.document(source, input, out, notes),
        |(counts, document)| {
            found += counts.values().sum::<usize>();
            if let Some((report, document)) = report.as_mut().zip(document) {
                report.add(document);
            }
            Some(counts)
        },
    );
    if let Some(report) = report {
        found = report.finish(&mut out)?;
    }
    out.flush()?;
    let is_found = arguments.check && found > 0;
    Ok(if is_found { done.and(Ok(Outcome::Found))? } else { done? })
}

struct Search<'a> {
    engine: Engine,
    options: DetectOptions,
    unit: OffsetUnit,
    arguments: &'a Arguments,
    colored: bool,
    has_report: bool,
}

impl Search<'_> {
    fn document(
        &self,
        source: &Source,
        input: Box<dyn BufRead>,
        mut out: &mut dyn Write,
        notes: &mut Notes<'_>,
    ) -> Result<(TypeCounts, Option<DocumentReport>)> {
        let is_whole = self.arguments.json || !self.options.hints.is_empty();
        let mut report = self.has_report.then(|| DocumentReport::new(source));
        let mut counts = TypeCounts::new();
        self.arguments.input.each_record(source, input, is_whole, notes, |record, notes| {
            check_length(&self.options, record)?;
            let started = Instant::now();
            let analysis = analyse(&record.values, |passage| {
                let options = for_passage(&self.options, self.unit, passage)?;
                let Detection { entities, countries, .. } = self.engine.detect(passage.text(), &options)?;
                Ok((entities, countries))
            })?;
            let elapsed = started.elapsed().as_secs_f64() * 1_000.0;
            for entity in analysis.findings.iter().flatten() {
                *counts.entry(entity.kind.clone()).or_default() += 1;
            }
            if let Some(report) = &mut report {
                for problem in report.record(record, analysis.findings) {
                    notes.note(format!("{}:{problem}", source.name()));
                }
                return Ok(());
            }
            let mut positions = record.positions();
            for (value, entities) in record.values.iter().zip(analysis.findings) {
                let found = Detection {
                    entities,
                    countries: analysis.countries.clone(),
                    preset: self.options.preset(),
                };
                self.report(&mut out, source, &mut positions, value, found, elapsed)?;
            }
            if source.path.is_none() {
                out.flush()?;
            }
            Ok(())
        })?;
        Ok((counts, report))
    }

    fn report(
        &self,
        out: &mut impl Write,
        source: &Source,
        positions: &mut Positions<'_>,
        value: &Value,
        mut found: Detection,
        elapsed: f64,
    ) -> Result<()> {
        let Arguments { check, json, .. } = *self.arguments;
        let plain = source.is_plain();
        if found.entities.is_empty() && !(json && plain) {
            return Ok(());
        }
        let styles = Styles::new(self.colored);
        if json {
            let offsets = Offsets::new(&value.text, self.unit);
            found.entities.iter_mut().for_each(|entity| offsets.convert(entity));
            found.countries.iter_mut().for_each(|country| offsets.convert_country(country));
            let answer = DetectResponse::new(&value.text, found, elapsed);
            let located = match plain {
                true => Located::document(source, answer),
                false => Located::value(source, positions, value, answer),
            };
            return located.print(out);
        }
        if self.colored && !check && !self.options.explain {
            report::highlight(out, styles, source, positions, value, &found.entities)?;
        } else {
            report::list(out, styles, source, positions, value, &found.entities, !check)?;
        }
        Ok(())
    }
}
