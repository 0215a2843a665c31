//! Runs side by side.

use crate::counted::allocations;
use least_action::lanes::Width;
use least_action::method::{Abreast, Method, Rattle, Stepper};
use least_action::prelude::*;
use least_action::system::Constrained;

/// A pendulum of two rods.
struct Rods {
    mass: f64,
}

#[lagrangian]
impl Rods {
    fn lagrangian(&self, a: Vec2, b: Vec2) -> Scalar {
        0.5 * der(a).norm_squared() + 0.5 * self.mass * der(b).norm_squared() - a.y - self.mass * b.y
    }

    #[holonomic]
    fn rods(&self, a: Vec2, b: Vec2) -> [Scalar; 2] {
        [a.norm_squared() - 1.0, (b - a).norm_squared() - 1.0]
    }
}

fn begun(system: &Bound<Rods>, h: f64) -> Box<dyn Stepper + '_> {
    let system: &dyn Constrained = system.faces().constrained.unwrap();
    let start = State::new(vec![1.0, 0.0, 2.0, 0.0], vec![0.0, 1.0, 0.0, -1.0]);
    Box::new(Rattle::default().start(system, start, h).unwrap())
}

/// Also where a run takes steps alone, by steps that are too long for the factors of the foot.
/// From 0.1 on RATTLE finds no position for the heavy lower rods, and an error is allocated.
pub(crate) fn steps() {
    let all: Vec<_> = (1..=8).map(|k| Rods { mass: f64::from(k) }.bind().unwrap()).collect();
    let width = Width::widest();
    let sizes = (1..=8).map(|k| 0.01 * f64::from(k));
    let runs = all.iter().zip(sizes).take(width.lanes());
    let mut runs: Vec<_> = runs.map(|(system, h)| begun(system, h)).collect();
    // A build with debug assertions has no registers.
    let Some(mut abreast) = Abreast::of(width, &mut runs) else { return };
    (0..3).for_each(|_| abreast.step(&mut runs));
    let count = allocations(|| {
        (0..40).for_each(|_| abreast.step(&mut runs));
        abreast.bring(1, &mut *runs[1]);
        abreast.go_on(1, &mut *runs[1]);
    });
    assert!((0..runs.len()).all(|lane| abreast.failure(lane).is_none()));
    assert_eq!((count, runs[1].steps()), (0, 43));
    assert!((0..runs.len()).any(|lane| abreast.alone(lane) > 0));
}
