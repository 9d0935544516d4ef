//! Runs a command over its documents: in threads, with the results in the order of the documents.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, IsTerminal, Write},
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use anyhow::{Result, bail};
use textveil_engine::TypeCounts;

use super::{Outcome, counted, flags::InputFlags, is_broken_pipe};
use crate::documents::{Progress, Source, Sources};

/// The number of documents that may be finished before their turn: their results are held in memory.
const AHEAD: usize = 256;

/// The notes on one document.
pub enum Notes<'p> {
    /// They are printed at once.
    Shown(&'p Progress),
    /// They wait for the turn of their document.
    Held(Vec<String>),
}

impl Notes<'_> {
    /// Adds a line.
    pub fn note(&mut self, line: String) {
        match self {
            Self::Shown(progress) => progress.note(&line),
            Self::Held(lines) => lines.push(line),
        }
    }
}

/// The findings by type; `None` if they are not counted.
pub type Found = Option<TypeCounts>;

/// The documents of a run, and how they are read.
pub struct Run<'r> {
    /// The documents.
    pub sources: &'r Sources,
    /// The flags of reading.
    pub input: &'r InputFlags,
    /// The lines on standard error.
    pub progress: &'r Progress,
}

/// The result of the work on one document.
enum Done<T> {
    Read(T),
    /// It is of a format that is not read, and was found in a folder.
    Skipped(String),
    Failed(anyhow::Error),
}

impl Run<'_> {
    /// Runs `work` for every document, and hands its results to `take` in their order. A failure is reported, and the other
    /// documents are processed; so is a file of a folder that is skipped.
    ///
    /// One document writes to `out` while it is read. The output of several is held until their turn.
    ///
    /// # Errors
    /// If any document failed; at once if the reader of the output has closed it.
    pub fn each<T: Send>(
        &self,
        out: &mut dyn Write,
        work: impl Fn(&Source, Box<dyn BufRead>, &mut dyn Write, &mut Notes<'_>) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Found,
    ) -> Result<Outcome> {
        let Self { sources, input, progress } = self;
        sources.left_out().for_each(|line| progress.note(&line));
        let mut tally = Tally { failed: sources.failed.len(), ..Tally::default() };
        sources.failed.iter().for_each(|problem| progress.error(&format!("error: {problem}")));
        let one = |source: &Source, out: &mut dyn Write, notes: &mut Notes<'_>| match source.open(progress) {
            Err(error) => Done::Failed(error),
            Ok(Err(reason)) => Done::Skipped(reason),
            Ok(Ok((source, document))) => match work(&source, document, out, notes) {
                Ok(result) => Done::Read(result),
                Err(error) => Done::Failed(error),
            },
        };
        let mut settle = |source: &Source, done: Done<T>| {
            match done {
                Done::Read(result) => tally.add(take(result)),
                Done::Skipped(reason) => {
                    tally.skipped += 1;
                    progress.note(&format!("skipped: {}: {reason}", source.name()));
                }
                Done::Failed(error) if is_broken_pipe(&error) => return Err(error),
                Done::Failed(error) => {
                    tally.failed += 1;
                    progress.error(&format!("error: {}: {error:#}", source.name()));
                }
            }
            Ok(())
        };
        match input.threads().min(sources.all.len()) {
            0 | 1 => {
                for source in &sources.all {
                    let done = one(source, out, &mut Notes::Shown(progress));
                    settle(source, done)?;
                }
            }
            threads => in_threads(&sources.all, threads, one, |source, (written, lines, done)| {
                out.write_all(&written)?;
                lines.iter().for_each(|line| progress.note(line));
                settle(source, done)
            })?,
        }
        out.flush()?;
        progress.finish();
        self.outcome(&tally)
    }

    fn outcome(&self, tally: &Tally) -> Result<Outcome> {
        let Self { sources, input, progress } = self;
        if tally.skipped > 0 {
            let files = if tally.skipped == 1 { "file was" } else { "files were" };
            progress.note(&format!("{} {files} skipped and may have personal data", tally.skipped));
        }
        if input.stats {
            self.statistics(tally).iter().for_each(|line| progress.error(line));
        } else if io::stderr().is_terminal() && sources.all.len() > 1 {
            progress.note(&tally.summary());
        }
        match tally.failed {
            0 if tally.skipped == 0 || input.allow_skipped => Ok(Outcome::Done),
            0 => Ok(Outcome::Skipped),
            failed => bail!("{failed} of {} documents failed", sources.all.len() + sources.failed.len()),
        }
    }

    fn statistics(&self, tally: &Tally) -> Vec<String> {
        let Tally { read, skipped, failed, .. } = tally;
        let (bytes, time) = self.progress.so_far();
        let left_out = self.sources.hidden.count + self.sources.ignored.count;
        let (megabytes, seconds) = (bytes as f64 / 1e6, time.as_secs_f64());
        let mut lines = vec![
            format!("files     {read} read, {skipped} skipped, {failed} failed, {left_out} left out"),
            format!("bytes     {bytes} in {seconds:.1} s, {:.1} MB/s", megabytes / seconds.max(0.001)),
        ];
        if let Some(counts) = &tally.counts {
            let all = counted(counts.values().sum(), "finding");
            lines.push(format!("findings  {all} in {}", counted(tally.with_findings, "file")));
            let mut counts: Vec<_> = counts.iter().collect();
            counts.sort_by_key(|(kind, count)| (std::cmp::Reverse(**count), (*kind).clone()));
            lines.extend(counts.into_iter().map(|(kind, count)| format!("  {count:>8} {kind}")));
        }
        lines
    }
}

/// The numbers of a run.
#[derive(Default)]
struct Tally {
    read: usize,
    skipped: usize,
    failed: usize,
    with_findings: usize,
    counts: Found,
}

impl Tally {
    fn add(&mut self, found: Found) {
        self.read += 1;
        let Some(found) = found else { return };
        self.with_findings += usize::from(!found.is_empty());
        let counts = self.counts.get_or_insert_default();
        for (kind, count) in found {
            *counts.entry(kind).or_default() += count;
        }
    }

    /// Counts the files and the findings in one line.
    fn summary(&self) -> String {
        let read = counted(self.read, "file");
        match &self.counts {
            None => format!("{read} read"),
            Some(counts) => {
                let findings = counted(counts.values().sum(), "finding");
                format!("{findings} in {} of {read}", self.with_findings)
            }
        }
    }
}

/// The output, the notes and the result of a document.
type Held<T> = (Vec<u8>, Vec<String>, Done<T>);

/// Runs `one` for every document in so many threads, and hands the results to `settle` in the order of the documents.
fn in_threads<T: Send>(
    sources: &[Source],
    threads: usize,
    one: impl Fn(&Source, &mut dyn Write, &mut Notes<'_>) -> Done<T> + Sync,
    mut settle: impl FnMut(&Source, Held<T>) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let has_stopped = AtomicBool::new(false);
    // the document whose turn it is
    let (turn, has_moved) = (Mutex::new(0), Condvar::new());
    let may_begin = |index: usize| {
        let is_early = |turn: &mut usize| index >= *turn + AHEAD && !has_stopped.load(Ordering::Relaxed);
        let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        drop(has_moved.wait_while(turn, is_early));
        !has_stopped.load(Ordering::Relaxed)
    };
    let move_to = |index: usize| {
        *turn.lock().unwrap_or_else(PoisonError::into_inner) = index;
        has_moved.notify_all();
    };
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let (sender, one, next, may_begin) = (sender.clone(), &one, &next, &may_begin);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(source) = sources.get(index).filter(|_| may_begin(index)) else { return };
                    let (mut written, mut notes) = (Vec::new(), Notes::Held(Vec::new()));
                    let done = one(source, &mut written, &mut notes);
                    let lines = if let Notes::Held(lines) = notes { lines } else { Vec::new() };
                    if sender.send((index, (written, lines, done))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut done = 0;
        for (index, held) in results {
            waiting.insert(index, held);
            while let Some((source, held)) = sources.get(done).zip(waiting.remove(&done)) {
                done += 1;
                if let Err(error) = settle(source, held) {
                    has_stopped.store(true, Ordering::Relaxed);
                    move_to(done);
                    return Err(error);
                }
                move_to(done);
            }
        }
        Ok(())
    })
}
