//! Losses from the command line.

use std::path::PathBuf;

use least_action::drive::gradient::{Loss, LossError, Observed, Squares, Target};
use least_action::system::Layout;

use crate::error::{Error, Names};
use crate::prepared::Prepared;
use crate::streams::Streams;
use crate::view;

/// The parts of a loss as they are written, each with its text.
pub(crate) struct Written(Vec<(String, Part)>);

enum Part {
    End { name: String, target: f64 },
    Mean { name: String, target: f64 },
    Data(PathBuf),
}

/// Reads the texts of `--loss`.
pub(crate) fn read(texts: &[String]) -> Result<Written, Error> {
    let part = |text: &String| {
        let wrong = |reason: String| {
            Error::Mistake(format!(
                "--loss `{text}`: {reason}; write `end: NAME = TARGET`, `mean: NAME = TARGET` or `data: FILE`"
            ))
        };
        let (kind, rest) = text.split_once(':').ok_or_else(|| wrong("a colon is missing".to_owned()))?;
        let aim = || {
            let (name, target) =
                rest.split_once('=').ok_or_else(|| wrong("the target is missing".to_owned()))?;
            let number = target.trim().parse().ok().filter(|number: &f64| number.is_finite());
            let target = number.ok_or_else(|| wrong(format!("`{}` is no finite number", target.trim())))?;
            Ok::<_, Error>((name.trim().to_owned(), target))
        };
        let part = match kind.trim() {
            "end" => aim().map(|(name, target)| Part::End { name, target })?,
            "mean" => aim().map(|(name, target)| Part::Mean { name, target })?,
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
    pub(crate) fn on(self, motion: &Prepared<'_>, streams: &mut Streams<'_>) -> Result<Losses, Error> {
        let Prepared { instance, start, step, .. } = motion;
        let layout = instance.system.lagrangian().layout();
        let entries = || (0..layout.dimension()).map(|index| layout.name_of(index));
        let check = |text: &str, name: &str| {
            let bare = name.strip_prefix("der.").unwrap_or(name);
            if entries().any(|entry| entry == bare) {
                return Ok(());
            }
            let all = entries().chain(entries().map(|entry| format!("der.{entry}"))).collect();
            Err(Error::unknown_number("--loss", text, name, all))
        };
        let parts = self.0.into_iter().map(|(text, part)| {
            let loss: Box<dyn Loss> = match part {
                Part::End { name, target } => {
                    check(&text, &name)?;
                    Box::new(Target::new(name, target))
                }
                Part::Mean { name, target } => {
                    check(&text, &name)?;
                    let steps = motion.plan()?.steps;
                    let times: Vec<f64> = (1..=steps).map(|k| start.t + k as f64 * step).collect();
                    let values = vec![target; times.len()];
                    Box::new(Squares::at(times).column(name, 1.0 / steps as f64, values))
                }
                Part::Data(path) => {
                    let names: Vec<String> = entries().collect();
                    let (times, columns, ending) = view::samples(instance, &path, &names)?;
                    ending.into_iter().for_each(|ending| streams.note(ending));
                    let named = names.into_iter().zip(columns);
                    Box::new(
                        named.fold(Squares::at(times), |all, (name, column)| all.column(name, 1.0, column)),
                    )
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
