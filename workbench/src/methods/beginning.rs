//! The verdicts that hang on where a model starts: what is listed or advised begins there.

use least_action::error::StartError;
use least_action::method::labudde_greenspan::check_distances;
use least_action::system::State;
use least_action_methods::{Build, Entry, METHODS, Options, Setup};

use super::{Faces, Fit, OnModels};
use crate::error::Error;
use crate::registry::Instance;

/// The most unknowns of a model whose start is tried: factors of more take too long for a description.
const MOST_UNKNOWNS: usize = 2000;

/// Every method with its verdict on a model at the model's own start.
pub(crate) fn fits(instance: &Instance) -> Vec<Fit> {
    let constraints = instance.system.description().equations;
    let is_tried = instance.system.lagrangian().dimension() + constraints <= MOST_UNKNOWNS;
    let start = instance.own_start().ok().filter(|_| is_tried);
    METHODS
        .iter()
        .map(|entry| {
            let fit = entry.fit(&*instance.system);
            // A note on what fits is the condition that the start decides, but for options that are to be given.
            match start.as_ref().filter(|_| fit.fits).map(|start| begins(entry, instance, start)) {
                Some(Begins::Yes) => Fit { note: None, ..fit },
                Some(Begins::No(reason)) => Fit { fits: false, keeps: Vec::new(), note: Some(reason), ..fit },
                Some(Begins::Unasked) | None => fit,
            }
        })
        .collect()
}

/// Whether a method that fits begins at a start.
enum Begins {
    Yes,
    No(String),
    /// The start decides nothing.
    Unasked,
}

fn begins(entry: &Entry, instance: &Instance, start: &State) -> Begins {
    let system = &*instance.system;
    let (step, seed) = (f64::EPSILON.sqrt(), 0);
    match (&entry.build, system.natural()) {
        (Build::Distances(_), Some(natural)) => match check_distances(natural, start) {
            Ok(()) => Begins::Yes,
            Err(StartError::NotOfDistances { reason, .. }) => {
                Begins::No(format!("it needs a potential that is a sum of functions of distances: {reason}"))
            }
            Err(_) => Begins::Unasked,
        },
        (Build::Accelerations(_), _) if system.description().equations > 0 => {
            let (options, state) = (&Options::default(), start.clone());
            let faces = Faces::plain(system);
            match entry.start(&faces, Setup { options, state, step, seed, forewarned: false }) {
                Ok(_) => Begins::Yes,
                Err(Error::Start(StartError::DependentRow { row, .. })) => Begins::No(format!(
                    "it needs constraints that do not depend on each other, and at the start `{row}` follows from the others"
                )),
                // Another reason is one for every method that keeps constraints.
                Err(_) => Begins::Unasked,
            }
        }
        _ => Begins::Unasked,
    }
}
