//! The verdicts that hang on the start of a model: every method that is listed or advised begins there.

use least_action::advanced::sparse::SymmetricMatrix;
use least_action::error::StartError;
use least_action::system::State;
use least_action_methods::{Entry, Given, METHODS, Needs, Options, Setup};

use super::{Faces, Fit, OMEGA, OnModels};
use crate::error::{Error, Result};
use crate::registry::Instance;

/// The most unknowns of a model whose start is tried: factors of more take too long for a description.
const MOST_UNKNOWNS: usize = 400;

/// Every method with its verdict on a model, wherever it starts: a list of all models tries no starts.
pub(crate) fn fits_by_kind(instance: &Instance) -> Vec<Fit> {
    METHODS.iter().map(|entry| entry.fit(&*instance.system)).collect()
}

/// Every method with its verdict on a model at the model's own start.
pub(crate) fn fits(instance: &Instance) -> Vec<Fit> {
    let unknowns = instance.system.lagrangian().dimension() + instance.system.description().equations;
    let start = instance.own_start().ok().filter(|_| unknowns <= MOST_UNKNOWNS);
    let verdicts = fits_by_kind(instance).into_iter().zip(METHODS);
    verdicts
        .map(|(fit, entry)| match &start {
            Some(start) if fit.fits => judged(fit, entry, instance, start),
            _ => fit,
        })
        .collect()
}

/// The verdict on a method that fits, where the method depends on the start.
fn judged(fit: Fit, entry: &Entry, instance: &Instance, start: &State) -> Fit {
    let is_condition = match entry.needs {
        Needs::Accelerations | Needs::Distances => true,
        Needs::Autonomous => false,
        _ if has_diagonal(&instance.system.lagrangian().mass_matrix(&start.q, &start.v, start.t)) => {
            return fit;
        }
        _ => false,
    };
    let mut options = Options::default();
    let (mut begun, mut asked) = (begin(entry, instance, start, &options), None);
    if let Err(Error::Start(StartError::OptionMissing { option, .. })) = begun {
        options.push(option, Given::Numbers(vec![1.0]));
        (begun, asked) = (begin(entry, instance, start, &options), Some(option));
    }
    let reason = match begun {
        Ok(()) if is_condition => return Fit { note: None, ..fit },
        Err(Error::Start(StartError::DependentRow { row, .. })) => {
            format!(
                "it needs constraints that do not depend on each other, and at the start `{row}` follows from the others"
            )
        }
        Err(Error::Start(StartError::NotOfDistances { reason, .. })) => {
            format!("it needs a potential that is a sum of functions of distances: {reason}")
        }
        Err(Error::Start(StartError::MassNotDiagonal { row, column, .. })) => {
            format!("it needs a diagonal mass matrix, and this one couples `{row}` and `{column}`")
        }
        Err(Error::Start(StartError::Massless { place, .. })) => {
            format!("it divides by masses, and `{place}` has none")
        }
        Err(Error::Start(StartError::AtRest { .. })) => {
            "it needs a velocity, and the model starts at rest".to_owned()
        }
        // Another reason is one for every method, or of the values of the options.
        Ok(()) | Err(_) => {
            let Some(option) = asked else { return fit };
            let before = fit.note.map_or_else(|| "with ".to_owned(), |note| format!("{note}, and with "));
            return Fit { note: Some(format!("{before}--with {option}=…")), ..fit };
        }
    };
    Fit { fits: false, keeps: Vec::new(), note: Some(reason), ..fit }
}

/// True if each coordinate has a mass of its own.
pub(super) fn has_diagonal(mass: &SymmetricMatrix) -> bool {
    let place = |i| mass.pattern.position(i, i);
    (0..mass.pattern.dimension()).all(|i| place(i).is_some_and(|place| mass.values[place] != 0.0))
}

/// Starts the method as a run of a short step would.
fn begin(entry: &Entry, instance: &Instance, start: &State, options: &Options) -> Result {
    let faces = match entry.needs {
        Needs::Autonomous if instance.system.faces().constrained.is_some() => {
            Faces::penalized(instance, OMEGA)?
        }
        _ => Faces::plain(&*instance.system),
    };
    let (state, step) = (start.clone(), f64::EPSILON.sqrt());
    entry.start(&faces, Setup { options, state, step, seed: 0, forewarned: false }).map(drop)
}
