//! `reproduce`: a paper's numbers recomputed beside what is known of them, as a table and as one self-contained page.

mod ariel_sanz_serna_tsai;
mod calvo_sanz_serna;
mod experiment;
mod gonzalez_schmidt_ortiz;
mod page;
mod tao_owhadi;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;

use crate::arguments::Reproduce;
use crate::error::{Error, Names};
use experiment::Report;

/// Recomputes a paper at a length; the function that it is given is told what is computed next.
type Compute = fn(Length, &mut dyn FnMut(&str)) -> Result<Report, Error>;

/// How much of a paper is recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// What takes about a minute.
    Short,
    /// All of it, which may take many.
    Full,
}

/// A paper that can be reproduced.
struct Paper {
    name: &'static str,
    title: &'static str,
    compute: Compute,
}

/// All of them; a new paper is one entry.
const PAPERS: &[Paper] = &[
    Paper {
        name: "tao-owhadi",
        title: "M. Tao and H. Owhadi, Variational and linearly-implicit integrators, with applications",
        // All of it is short.
        compute: |_, progress| tao_owhadi::compute(progress),
    },
    Paper {
        name: "calvo-sanz-serna",
        title: "M. P. Calvo and J. M. Sanz-Serna, Heterogeneous multiscale methods for mechanical systems with vibrations",
        compute: |_, progress| calvo_sanz_serna::compute(progress),
    },
    Paper {
        name: "ariel-sanz-serna-tsai",
        title: "G. Ariel, J. M. Sanz-Serna and R. Tsai, A multiscale technique for finding slow manifolds of stiff mechanical systems",
        compute: |_, progress| ariel_sanz_serna_tsai::compute(progress),
    },
    Paper {
        name: "gonzalez-schmidt-ortiz",
        title: "M. Gonzalez, B. Schmidt and M. Ortiz, Force-stepping integrators in Lagrangian mechanics",
        compute: gonzalez_schmidt_ortiz::compute,
    },
];

/// Recomputes a paper, prints its tables and writes its page.
pub(crate) fn reproduce(arguments: &Reproduce, out: &mut dyn Write) -> Result<(), Error> {
    let paper = PAPERS.iter().find(|paper| paper.name == arguments.paper).ok_or_else(|| {
        let known: Names = PAPERS.iter().map(|paper| paper.name).collect();
        Error::UnknownPaper { name: arguments.paper.clone(), hint: known.near(&arguments.paper), known }
    })?;
    let refused = |path: &Path, error: std::io::Error| Error::Uncreatable {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    std::fs::create_dir_all(&arguments.out).map_err(|error| refused(&arguments.out, error))?;
    // Seen on a terminal only.
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(100));
    let length = if arguments.full { Length::Full } else { Length::Short };
    let report = (paper.compute)(length, &mut |part| bar.set_message(part.to_owned()));
    bar.finish_and_clear();
    let report = report?;
    let path = arguments.out.join(format!("{}.html", paper.name));
    std::fs::write(&path, page::html(paper.title, &report)).map_err(|error| refused(&path, error))?;
    print(&report, out).map_err(|error| Error::stdout(&error))?;
    writeln!(out, "\nThe page with the pictures: {}", path.display()).map_err(|error| Error::stdout(&error))
}

fn print(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    for experiment in &report.experiments {
        writeln!(out, "{}\n", experiment.heading)?;
        if !experiment.rows.is_empty() {
            let (measure, columns) = experiment.header();
            write!(out, "    {measure:<46}")?;
            for column in columns {
                write!(out, "{column:>12}")?;
            }
            writeln!(out)?;
        }
        for row in &experiment.rows {
            write!(out, "    {:<46}", row.name)?;
            for value in &row.values {
                write!(out, "{:>12}", number(*value))?;
            }
            writeln!(out)?;
            if !row.known.is_empty() {
                write!(out, "    {:<46}", format!("    known, {}", row.verdict().words()))?;
                for known in &row.known {
                    write!(out, "{:>12}", number(known.value))?;
                }
                writeln!(out)?;
            }
        }
        writeln!(out)?;
        for claim in &experiment.claims {
            writeln!(out, "    {}: {}\n        {}", claim.verdict.words(), claim.statement, claim.found)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A number of a table; a dash where there is none.
fn number(value: f64) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{value:.2e}") }
}
