//! Radial distribution functions of a run: counted while it goes on, told and written at its end.

use std::path::Path;

use least_action::advanced::carried::carried;
use least_action::drive::{RadialBin, RadialDistribution};
use least_action::error::MeasureError;
use least_action::system::{Lagrangian, State};
use least_action_pages::files::Draft;
use least_action_pages::plot::{Axis, Panel, Units, panels};
use serde::Serialize;

use crate::arguments::{BINS, Run};
use crate::error::{Error, Result};

/// The name by which `--observe` asks for it.
pub(crate) const NAME: &str = "radial_distribution";

/// A radial distribution function as it is told.
#[derive(Debug, Serialize)]
pub(crate) struct Radial {
    /// The kinds of points that make the pairs.
    kinds: [String; 2],
    samples: u64,
    bins: Vec<RadialBin>,
}

/// The formats of the file, by its ending.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Csv,
    Json,
    Svg,
}

impl Ending {
    fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            Some("svg") => Ok(Self::Svg),
            _ => Err(Error::unknown_ending("--radial", path, ".csv, .json or .svg")),
        }
    }
}

/// Refuses a file whose ending says no format.
pub(crate) fn check(path: &Path) -> Result {
    Ending::of(path).map(drop)
}

/// The flag of a wrong radial distribution.
fn flag_of(error: &MeasureError, arguments: &Run) -> &'static str {
    match error {
        MeasureError::Bins { .. } => "--bins",
        MeasureError::OutOfRange { .. } | MeasureError::Pairs(_) if arguments.reach.is_some() => "--reach",
        _ if arguments.radial.is_some() => "--radial",
        _ => "--observe",
    }
}

/// The functions while they are counted, and the file that they go to.
pub(crate) struct Counted {
    distribution: RadialDistribution,
    file: Option<(Ending, Draft)>,
}

impl Counted {
    /// Nothing, unless the arguments ask for it.
    pub(crate) fn new<S: Lagrangian + ?Sized>(system: &S, arguments: &Run) -> Result<Option<Self>> {
        if arguments.radial.is_none() && !arguments.observe.iter().any(|name| name.trim() == NAME) {
            let unused = [("--reach", arguments.reach.is_some()), ("--bins", arguments.bins != BINS)];
            return match unused.iter().find(|(_, is_given)| *is_given) {
                Some((flag, _)) => Err(Error::Mistake(format!(
                    "{flag}: it belongs to a radial distribution; add --radial FILE or --observe {NAME}"
                ))),
                None => Ok(None),
            };
        }
        let distribution = RadialDistribution::of(system, arguments.reach, arguments.bins)
            .map_err(|error| Error::Mistake(format!("{}: {error}", flag_of(&error, arguments))))?;
        let begun = |path| Ok::<_, Error>((Ending::of(path)?, Draft::create("--radial", path)?));
        let file = arguments.radial.as_deref().map(begun).transpose()?;
        Ok(Some(Self { distribution, file }))
    }

    pub(crate) fn sample(&mut self, state: &State) {
        self.distribution.sample(state);
    }

    /// The functions, as far as they are counted.
    pub(crate) fn told(&self) -> Vec<Radial> {
        let samples = self.distribution.samples();
        let functions = self.distribution.functions();
        functions.map(|(kinds, bins)| Radial { kinds: kinds.clone(), samples, bins }).collect()
    }

    /// Gives the file its content and its name.
    pub(crate) fn complete(&mut self, title: &str, units: &Units) -> Result {
        let Some((ending, mut draft)) = self.file.take() else { return Ok(()) };
        let told = self.told();
        let text = match ending {
            Ending::Csv => csv(&told),
            Ending::Json => serde_json::to_string(&told).map_err(|error| draft.unwritable(&error))?,
            Ending::Svg => panels(title, &[panel(&told, units)])?,
        };
        draft.write(&text)?;
        Ok(draft.complete()?)
    }
}

carried!([] Counted { distribution } besides { file });

impl Radial {
    /// `g_atoms_atoms`
    fn column(&self) -> String {
        let [first, second] = &self.kinds;
        format!("g_{first}_{second}")
    }

    /// The names of the kinds, and where g is largest, in words.
    pub(crate) fn words(&self) -> [String; 2] {
        let [first, second] = &self.kinds;
        let largest = self.bins.iter().max_by(|a, b| a.g.total_cmp(&b.g));
        let words = largest.map_or_else(String::new, |bin| {
            format!(
                "at most {:.3}, between {:.4} and {:.4}; {} samples",
                bin.g, bin.lower, bin.upper, self.samples
            )
        });
        [format!("radial distribution, {first} – {second}"), words]
    }
}

/// A line for each bin: its edges, and g of each pair of kinds.
fn csv(told: &[Radial]) -> String {
    let names: Vec<String> = told.iter().map(Radial::column).collect();
    let mut text = format!("lower,upper,{}\n", names.join(","));
    // All functions have the same bins.
    for (k, bin) in told.iter().take(1).flat_map(|first| first.bins.iter().enumerate()) {
        let values: Vec<String> = told.iter().map(|one| format!("{:?}", one.bins[k].g)).collect();
        text.push_str(&format!("{:?},{:?},{}\n", bin.lower, bin.upper, values.join(",")));
    }
    text
}

/// The functions as curves.
pub(crate) fn panel(told: &[Radial], units: &Units) -> Panel {
    let curve = |one: &Radial| {
        let points = one.bins.iter().map(|bin| (0.5 * (bin.lower + bin.upper), bin.g));
        (one.kinds.join(" – "), points.collect())
    };
    Panel {
        heading: "Radial distribution".to_owned(),
        along: units.length("distance r"),
        axis: Axis::number("g(r)"),
        curves: told.iter().map(curve).collect(),
    }
}
