//! `textveil restore`: restores the originals of the tokens in documents.

use std::io::{self, BufRead, BufWriter, IsTerminal, Write};

use anyhow::{Result, bail};
use clap::Args;
use textveil::{Engine, Key, Restored};
use textveil_engine::wire::RestoreResponse;

use super::{
    Outcome, Terminal,
    component::ComponentFlag,
    flags::{InputFlags, KeyFlags, OutputFlags},
    report::Located,
    run::{Notes, Run},
};
use crate::documents::{Progress, Source, Target, Targets};
use textveil_documents::{Edit, Record, pieces, tokens};

/// The prefix of every token.
const TOKEN: &str = "tok_";

/// Restore the originals of the tokens of `protect --mode tokenize`
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    input: InputFlags,
    #[command(flatten)]
    output: OutputFlags,
    /// Answer as the REST service does, one line per document; each is held in memory
    #[arg(long, conflicts_with = "in_place")]
    json: bool,
    #[command(flatten)]
    key: KeyFlags,
}

/// Runs the command.
pub fn run(arguments: &Arguments, component: &ComponentFlag, _terminal: &Terminal) -> Result<Outcome> {
    let sources = arguments.input.sources()?;
    let OutputFlags { output, in_place } = &arguments.output;
    let targets = match arguments.json && output.is_none() {
        true => Targets::Standard,
        false => Targets::choose(output.as_deref(), *in_place, &sources.all)?,
    };
    let keys = arguments.key.keys()?;
    if keys.is_empty() {
        bail!("restore needs the key that the tokens were made with: say --key-file FILE");
    }
    let engine = component.load()?;
    let standard = matches!(targets, Targets::Standard);
    let progress =
        Progress::new(sources.bytes, standard && io::stdout().is_terminal(), arguments.input.quiet);
    Run { sources: &sources, input: &arguments.input, progress: &progress }.each(
        &mut BufWriter::new(io::stdout().lock()),
        |source, input, out, notes| {
            let mut target = targets.open(source, out)?;
            let unknown = document(&engine, &keys, arguments, source, input, &mut target, notes)?;
            target.finish()?;
            if unknown > 0 {
                let name = source.name();
                notes.note(format!("{name}: {unknown} tokens stay: of another key, changed, or none"));
            }
            Ok(())
        },
        |()| None,
    )
}

/// Restores one document and returns the number of unknown tokens.
fn document(
    engine: &Engine,
    keys: &[Key],
    arguments: &Arguments,
    source: &Source,
    input: Box<dyn BufRead>,
    out: &mut Target<'_>,
    notes: &mut Notes<'_>,
) -> Result<usize> {
    let mut total = Restored { text: String::new(), restored: 0, unknown: 0 };
    arguments.input.each_record(source, input, false, notes, |record, _| {
        let edits = restored_values(engine, keys, record, &mut total)?;
        let text = record.rewritten(&edits);
        if arguments.json {
            total.text.push_str(&text);
        } else {
            out.write_all(text.as_bytes())?;
            if source.path.is_none() {
                out.flush()?;
            }
        }
        Ok(())
    })?;
    let unknown = total.unknown;
    if arguments.json {
        Located::document(source, RestoreResponse::new(total)).print(out)?;
    }
    Ok(unknown)
}

/// Returns the edits that restore the tokens of each value of a record, and adds their numbers to `total`.
pub(super) fn restored_values(
    engine: &Engine,
    keys: &[Key],
    record: &Record,
    total: &mut Restored,
) -> Result<Vec<Vec<Edit>>> {
    let mut edits = Vec::with_capacity(record.values.len());
    for value in &record.values {
        let mut of_value = Vec::new();
        for word in tokens(&value.text) {
            // a long one is more than the token, and takes several calls
            for piece in pieces(value.text.get(word.clone()).unwrap_or_default()) {
                let place = word.start + piece.start..word.start + piece.end;
                let written = value.text.get(place.clone()).unwrap_or_default();
                let Restored { text, restored, unknown } = engine.restore(written, keys)?;
                total.restored += restored;
                total.unknown += unknown;
                if text != written {
                    of_value.push(Edit { place, text });
                }
            }
        }
        edits.push(of_value);
    }
    Ok(edits)
}

/// Returns the text with its tokens restored; `None` if it has no tokens.
pub(super) fn restore(engine: &Engine, keys: &[Key], text: &str) -> Result<Option<Restored>> {
    if !text.contains(TOKEN) {
        return Ok(None);
    }
    let mut whole = Restored { text: String::with_capacity(text.len()), restored: 0, unknown: 0 };
    for piece in pieces(text) {
        let Restored { text, restored, unknown } =
            engine.restore(text.get(piece).unwrap_or_default(), keys)?;
        whole.text.push_str(&text);
        whole.restored += restored;
        whole.unknown += unknown;
    }
    Ok(Some(whole))
}
