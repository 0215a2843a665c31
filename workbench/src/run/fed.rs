//! Forces that feed a motion wherever it goes, as a drag of the wrong sign does.

use least_action::advanced::describe::Part;
use least_action::system::{Forced, State};

use crate::error::Names;
use crate::registry::Instance;

/// Names the forces if the part that depends on velocities does positive work at all of these states,
/// whichever way each coordinate moves.
pub(super) fn fed(instance: &Instance, states: &[&State]) -> Option<String> {
    let system = instance.system.lagrangian();
    let forced = system.forced().filter(|forced| forced.first_velocity().is_some())?;
    let mut work = states.iter().flat_map(|state| work(forced, state));
    let mut some = false;
    if !work.all(|work| (work >= 0.0, some |= work > 0.0).0) || !some {
        return None;
    }
    let families = instance.system.description().families.into_iter();
    let names: Names =
        families.filter(|family| family.part == Part::Force).map(|family| family.name).collect();
    Some(format!(
        "the forces that depend on velocities ({names}) feed the motion whichever way it goes: a drag has the other sign, and \
         #[dissipation] cannot have the wrong one"
    ))
}

/// v·(F(q, v, t) − F(q, 0, t)) without dissipation, for unit velocities of one coordinate, both ways.
fn work(forced: &dyn Forced, State { q, v, t }: &State) -> Vec<f64> {
    let n = q.len();
    let size = v.iter().fold(0.0_f64, |size, v| size.max(v.abs()));
    let size = if size > 0.0 { size } else { 1.0 };
    let force = |v: &[f64]| {
        let [mut all, mut dissipated] = [(); 2].map(|()| vec![0.0; n]);
        forced.add_force(q, v, *t, &mut all);
        forced.add_dissipation(q, v, *t, &mut dissipated);
        all.iter().zip(dissipated).map(|(all, dissipated)| all - dissipated).collect::<Vec<_>>()
    };
    let rest = force(&vec![0.0; n]);
    let along = |place: usize, velocity: f64| {
        let mut v = vec![0.0; n];
        v[place] = velocity;
        velocity * (force(&v)[place] - rest[place])
    };
    (0..n.min(64)).flat_map(|place| [size, -size].map(|velocity| along(place, velocity))).collect()
}
