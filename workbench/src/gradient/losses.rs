//! Losses from the command line.

use std::path::PathBuf;

use least_action::drive::gradient::{Loss, LossError, Observed, Squares, Target};
use least_action::system::Layout;
use least_action_optimization::fit::Motions;

use crate::error::{Error, Names, Result};
use crate::prepared::Prepared;
use crate::start::check_entry;
use crate::streams::Streams;
use crate::view;

/// The parts of a loss as they are written, each with its text.
pub(crate) struct Written(Vec<(String, Part)>);

enum Part {
    /// A number at the end, or in the mean.
    Aim { is_mean: bool, name: String, target: f64 },
    /// A recording.
    Data(PathBuf),
}

/// Reads the texts of `--loss`.
pub(crate) fn read(texts: &[String]) -> Result<Written> {
    let part = |text: &String| {
        let forms = "write `end: NAME = TARGET`, `mean: NAME = TARGET` or `data: FILE`";
        let wrong = |reason: String| Error::Mistake(format!("--loss `{text}`: {reason}; {forms}"));
        let (kind, rest) = text.split_once(':').ok_or_else(|| wrong("a colon is missing".to_owned()))?;
        let part = match kind.trim() {
            kind @ ("end" | "mean") => {
                let missing = || wrong("the target is missing".to_owned());
                let (name, target) = rest.split_once('=').ok_or_else(missing)?;
                let number = target.trim().parse().ok().filter(|number: &f64| number.is_finite());
                let target =
                    number.ok_or_else(|| wrong(format!("`{}` is no finite number", target.trim())))?;
                Part::Aim { is_mean: kind == "mean", name: name.trim().to_owned(), target }
            }
            "data" => Part::Data(rest.trim().into()),
            other => {
                let kinds: Names = ["end", "mean", "data"].into_iter().collect();
                return Err(wrong(format!("unknown loss `{other}`{}", kinds.near(other))));
            }
        };
        Ok((text.clone(), part))
    };
    texts.iter().map(part).collect::<Result<_, _>>().map(Written)
}

impl Written {
    /// The sum of the parts for a motion of a model.
    pub(crate) fn on(self, motion: &Prepared<'_>, streams: &mut Streams<'_>) -> Result<Losses> {
        let Prepared { instance, start, step, .. } = motion;
        let layout = instance.system.lagrangian().layout();
        let parts = self.0.into_iter().map(|(text, part)| {
            let loss: Box<dyn Loss> = match part {
                Part::Aim { is_mean, name, target } => {
                    check_entry("--loss", &text, &name, layout)?;
                    if !is_mean {
                        return Ok(Box::new(Target::new(name, target)) as Box<dyn Loss>);
                    }
                    let steps = motion.plan()?.steps;
                    let times: Vec<f64> = (1..=steps).map(|k| start.t + k as f64 * step).collect();
                    let values = vec![target; times.len()];
                    Box::new(Squares::at(times).column(name, 1.0 / steps as f64, values))
                }
                Part::Data(path) => {
                    let names = motion.coordinates();
                    let (times, columns, ending) = view::samples(instance, &path, &names)?;
                    ending.into_iter().for_each(|ending| streams.note(ending));
                    let named = names.into_iter().zip(columns);
                    let add = |all: Squares, (name, column)| all.column(name, 1.0, column);
                    Box::new(named.fold(Squares::at(times), add))
                }
            };
            Ok(loss)
        });
        parts.collect::<Result<_, _>>().map(Losses)
    }
}

/// A sum of losses.
pub(crate) struct Losses(Vec<Box<dyn Loss>>);

impl Loss for Losses {
    fn begin(&mut self, layout: &Layout, start: f64, step: f64, steps: u64) -> Result<(), LossError> {
        self.0.iter_mut().try_for_each(|loss| loss.begin(layout, start, step, steps))
    }

    fn sees(&self, step: u64, of: u64) -> bool {
        self.0.iter().any(|loss| loss.sees(step, of))
    }

    fn add(&mut self, at: &Observed<'_>, of_q: &mut [f64], of_v: &mut [f64]) -> f64 {
        let seeing = self.0.iter_mut().filter(|loss| loss.sees(at.step, at.of));
        seeing.map(|loss| loss.add(at, of_q, of_v)).sum()
    }
}
