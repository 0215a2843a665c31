//! A model whose declaration is known at run time only is of the kinds that rustc finds by its types.

use super::models;
use least_action::Model;
use least_action::binding::{Dynamic, Facts};
use least_action::system::{Faces, Lagrangian};

#[test]
fn facts_at_run_time_give_the_kinds_of_types() {
    let faces: Vec<_> = (0..super::kinds::all().len()).map(models::dynamic).collect();
    for face in 0..faces[0].len() {
        let is_met = |met: bool| faces.iter().any(|all| all[face] == met);
        assert!(is_met(true) && is_met(false), "face {face} is no question");
    }
}

/// Whether each face is there, the same for both bindings, which have the same numbers.
pub(super) fn agree<M: Model>(model: &M) -> [bool; 11] {
    let bound = model.bind().expect("it is a system");
    let name = format!("{} at run time", M::FACTS.name);
    let facts = Facts { name: name.clone().into(), ..M::FACTS.clone() };
    let system = Dynamic::new(facts, u64::MAX, |binder| model.declare(binder)).expect("it is a system");
    let (faces, of_types) = (system.faces(), bound.faces());
    assert_eq!((faces.mechanics.name(), &*system.description().model), (&*name, &*name));
    assert_eq!(numbers(faces.mechanics), numbers(of_types.mechanics), "{name}");
    assert_eq!(known(&faces), known(&of_types), "{name}");
    known(&faces)
}

fn known(faces: &Faces<'_>) -> [bool; 11] {
    [
        faces.natural.is_some(),
        faces.stiff.is_some(),
        faces.constrained.is_some(),
        faces.holonomic.is_some(),
        faces.nonholonomic.is_some(),
        faces.forced.is_some(),
        faces.driven.is_some(),
        faces.vibrated.is_some(),
        faces.even_in_phase.is_some(),
        faces.constrained_vibrated.is_some(),
        faces.constrained_even.is_some(),
    ]
}

/// The energy and the first derivatives at the start.
fn numbers(system: &dyn Lagrangian) -> Vec<f64> {
    let start = models::start();
    let mut gradient = vec![0.0; 2 * system.dimension() + 1];
    system.first_derivatives(&start.q, &start.v, 0.3, &mut gradient);
    gradient.push(system.energy(&start.q, &start.v, 0.3));
    gradient
}
