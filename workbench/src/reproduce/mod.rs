//! `reproduce`: a paper's numbers recomputed beside what is known of them, as a table and as one self-contained page.
//!
//! Experiments know their systems by a face, `&dyn Natural` or the like: an engine is compiled once for it, and not once for each model.

mod ariel_sanz_serna_tsai;
mod benchmark_problems;
mod calvo_sanz_serna;
mod experiment;
mod gonzalez_schmidt_ortiz;
mod moving;
mod page;
mod press;
mod tao_owhadi;

use std::io::Write;
use std::path::Path;

use crate::arguments::Reproduce;
use crate::error::{Error, Names};
use experiment::Experiment;
use press::Press;

/// Recomputes a paper and publishes one experiment after the other.
type Compute = fn(&mut Press<'_>) -> Result<(), Error>;

/// The part of a paper that is recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// The part that takes about a minute.
    Short,
    /// All experiments, which may take many minutes.
    Full,
}

/// A paper that can be reproduced.
struct Paper {
    name: &'static str,
    title: &'static str,
    /// Remarks that hold for all its experiments: signs, units, choices that the paper leaves open.
    remarks: &'static [&'static str],
    compute: Compute,
}

/// All papers; a new paper is one entry.
const PAPERS: &[Paper] = &[
    Paper {
        name: "tao-owhadi",
        title: "M. Tao and H. Owhadi, Variational and linearly-implicit integrators, with applications",
        remarks: tao_owhadi::REMARKS,
        compute: tao_owhadi::compute,
    },
    Paper {
        name: "calvo-sanz-serna",
        title: "M. P. Calvo and J. M. Sanz-Serna, Heterogeneous multiscale methods for mechanical systems with vibrations",
        remarks: calvo_sanz_serna::REMARKS,
        compute: calvo_sanz_serna::compute,
    },
    Paper {
        name: "ariel-sanz-serna-tsai",
        title: "G. Ariel, J. M. Sanz-Serna and R. Tsai, A multiscale technique for finding slow manifolds of stiff mechanical systems",
        remarks: ariel_sanz_serna_tsai::REMARKS,
        compute: ariel_sanz_serna_tsai::compute,
    },
    Paper {
        name: "gonzalez-schmidt-ortiz",
        title: "M. Gonzalez, B. Schmidt and M. Ortiz, Force-stepping integrators in Lagrangian mechanics",
        remarks: gonzalez_schmidt_ortiz::REMARKS,
        compute: gonzalez_schmidt_ortiz::compute,
    },
    Paper {
        name: "benchmark-problems",
        title: "Published benchmark problems",
        remarks: benchmark_problems::REMARKS,
        compute: benchmark_problems::compute,
    },
];

/// Recomputes a paper; prints its tables and writes its page as it goes.
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
    let path = arguments.out.join(format!("{}.html", paper.name));
    let length = if arguments.full { Length::Full } else { Length::Short };
    let mut press = Press::new(paper.title, paper.remarks, length, path, out)?;
    (paper.compute)(&mut press)?;
    press.finish()
}

/// Computes an experiment at a length.
type Part = fn(Length) -> Result<Experiment, Error>;

/// The parts of a paper in their order, each with a name for the progress.
fn in_turn(press: &mut Press<'_>, parts: &[(&str, Part)]) -> Result<(), Error> {
    for (name, compute) in parts {
        press.begin(name);
        let experiment = compute(press.length())?;
        press.publish(experiment)?;
    }
    Ok(())
}
