//! The tables and the page of a paper, which grow with every experiment and so outlive an interruption.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::ProgressBar;

use least_action_pages::files;

use crate::error::Error;
use crate::experiment::{Columns, Experiment, number};
use crate::page;

/// The flag that names the page.
const FLAG: &str = "--out";

/// The part of a paper to recompute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// The part that takes about a minute.
    Short,
    /// All experiments, which may take many minutes.
    Full,
}

/// A paper while it is recomputed.
pub(super) struct Press<'p> {
    title: &'static str,
    remarks: &'static [&'static str],
    length: Length,
    experiments: Vec<Experiment>,
    path: PathBuf,
    bar: ProgressBar,
    out: &'p mut dyn Write,
}

impl<'p> Press<'p> {
    /// The press of a paper with its page at `path`.
    pub(super) fn new(
        title: &'static str,
        remarks: &'static [&'static str],
        length: Length,
        path: PathBuf,
        out: &'p mut dyn Write,
    ) -> Result<Self, Error> {
        files::check(FLAG, &path)?;
        // Visible on a terminal only.
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(100));
        Ok(Self { title, remarks, length, experiments: Vec::new(), path, bar, out })
    }

    /// The part of the paper to recompute.
    pub(super) fn length(&self) -> Length {
        self.length
    }

    /// Tells the next computation.
    pub(super) fn begin(&mut self, part: &str) {
        self.bar.set_message(part.to_owned());
    }

    /// Prints an experiment and adds it to the page.
    pub(super) fn publish(&mut self, experiment: Experiment) -> Result<(), Error> {
        let Self { bar, out, .. } = self;
        bar.suspend(|| print(&experiment, *out)).map_err(Error::Output)?;
        self.experiments.push(experiment);
        self.write(false)
    }

    /// Ends: nothing is missing.
    pub(super) fn finish(self) -> Result<(), Error> {
        self.bar.finish_and_clear();
        self.write(true)?;
        writeln!(self.out, "The page with the pictures: {}", self.path.display()).map_err(Error::Output)
    }

    fn write(&self, complete: bool) -> Result<(), Error> {
        let page = page::html(self.title, self.remarks, &self.experiments, complete);
        Ok(files::replace(FLAG, &self.path, &page)?)
    }
}

/// Computes an experiment at a length.
pub(super) type Part = fn(Length) -> Result<Experiment, Error>;

/// The parts of a paper in their order, each with a name for the progress.
pub(super) fn in_turn(press: &mut Press<'_>, parts: &[(&str, Part)]) -> Result<(), Error> {
    for (name, compute) in parts {
        press.begin(name);
        let experiment = compute(press.length())?;
        press.publish(experiment)?;
    }
    Ok(())
}

fn print(experiment: &Experiment, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{}\n", experiment.heading)?;
    if let Some(Columns { measure, names }) = &experiment.columns {
        write!(out, "    {measure:<46}")?;
        for column in names {
            write!(out, "{column:>12}")?;
        }
        writeln!(out)?;
    }
    for row in &experiment.rows {
        write!(out, "    {:<46}", row.name)?;
        for value in &row.values {
            write!(out, "{:>12}", number(*value, row.digits()))?;
        }
        writeln!(out)?;
        if !row.known.is_empty() {
            write!(out, "    {:<46}", format!("    known, {}", row.verdict().words()))?;
            for known in &row.known {
                write!(out, "{:>12}", number(known.value, row.digits()))?;
            }
            writeln!(out)?;
        }
    }
    writeln!(out)?;
    for claim in &experiment.claims {
        writeln!(out, "    {}: {}\n        {}", claim.verdict.words(), claim.statement, claim.found)?;
    }
    writeln!(out)
}
