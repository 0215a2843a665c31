//! Members side by side.

use super::{Net, VibratedOnCircle};
use crate::counted::allocations;
use least_action::binding::{Bound, Members, Model};
use least_action::method::{Rattle, StepsMembers, Verlet};
use least_action::prelude::*;

/// Also one that fails in the midst, by steps that are too long.
pub(crate) fn steps() {
    let net = |_| Net {}.bind().unwrap();
    let q = vec![0.0, 0.1, 1.1, 0.0, 1.0, 1.2, -0.1, 0.9];
    check(&Verlet, &(0..9).map(net).collect::<Vec<_>>(), &State::at_rest(q), &[0.05; 9]);
    let on_circle = |k| VibratedOnCircle { omega: 10.0 + f64::from(k) }.bind().unwrap();
    let mut sizes = [0.005; 9];
    sizes[3] = 2.0;
    check(
        &Rattle::default(),
        &(0..9).map(on_circle).collect::<Vec<_>>(),
        &State::at_rest(vec![0.6, 0.8]),
        &sizes,
    );
}

fn check<M: Model>(method: &impl StepsMembers, bound: &[Bound<M>], start: &State, sizes: &[f64]) {
    // A build with debug assertions has no registers.
    let Ok(members) = Members::bind(bound) else { return };
    let mut run = method.start_members(&members, vec![start.clone(); bound.len()], sizes).unwrap();
    // The error of a member has words of its own.
    let failed = |run: &least_action::method::MemberSteppers<'_>| {
        (0..run.len()).filter(|member| run.failure(*member).is_some()).count()
    };
    (0..3).for_each(|_| run.step());
    let before = failed(&run);
    let count = allocations(|| (0..20).for_each(|_| run.step()));
    assert_eq!(failed(&run), before);
    assert_eq!(count, 0, "{} of members", M::NAME);
    assert_eq!(run.steps(8), 23);
    assert_eq!(allocations(|| run.state(8).t), 0);
}
