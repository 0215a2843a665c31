//! A model whose declaration is known at run time only is of the kinds that rustc finds by its types.

use super::models;
use least_action::binding::{Dynamic, Facts};
use least_action::system::Lagrangian;
use least_action::{Bound, Model};

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
    assert_eq!((system.mechanics().name(), &*system.description().model), (&*name, &*name));
    assert_eq!(numbers(system.mechanics()), numbers(M::mechanics(&bound)), "{name}");
    let found = [
        system.natural().is_some(),
        system.stiff().is_some(),
        system.constrained().is_some(),
        system.holonomic().is_some(),
        system.nonholonomic().is_some(),
        system.forced().is_some(),
        system.driven().is_some(),
        system.vibrated().is_some(),
        system.even_in_phase().is_some(),
        system.constrained_vibrated().is_some(),
        system.constrained_even().is_some(),
    ];
    assert_eq!(found, of_types(&bound), "{name}");
    found
}

fn of_types<M: Model>(bound: &Bound<M>) -> [bool; 11] {
    [
        M::natural(bound).is_some(),
        M::stiff(bound).is_some(),
        M::constrained(bound).is_some(),
        M::holonomic(bound).is_some(),
        M::nonholonomic(bound).is_some(),
        M::forced(bound).is_some(),
        M::driven(bound).is_some(),
        M::vibrated(bound).is_some(),
        M::even_in_phase(bound).is_some(),
        M::constrained_vibrated(bound).is_some(),
        M::constrained_even(bound).is_some(),
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
