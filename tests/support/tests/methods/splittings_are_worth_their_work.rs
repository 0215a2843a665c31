//! The errors of the splittings at equal numbers of forces, beside each other and beside compositions.

use least_action::method::{BlanesMoan, Composition, McLachlan, Method, Reference, Verlet};
use least_action::prelude::*;
use least_action::system::Natural;
use test_support::structure::{advance, state_distance};

struct Planet {}

#[lagrangian]
impl Planet {
    fn lagrangian(&self, x: Vec2) -> Scalar {
        0.5 * der(x).norm_squared() + 1.0 / x.norm()
    }
}

/// Two waves on a plane, as high as a part of the kinetic energy.
struct Waves {
    height: f64,
}

#[lagrangian]
impl Waves {
    fn lagrangian(&self, x: Vec2) -> Scalar {
        let first = (x.x + 0.7 * x.y).cos();
        let second = (0.6 * x.x - x.y).sin();
        0.5 * der(x).norm_squared() - self.height * (first + second)
    }
}

/// The error at the end after about so many forces; a step takes `stages` of them.
fn error<S: Natural, M: Method<S>>(
    system: &S,
    method: &M,
    (start, end): (&State, f64),
    (forces, stages): (u64, u64),
) -> f64
where
    Reference: Method<S>,
{
    let exact = advance(system, &Reference { tolerance: 1e-14 }, start, end, 1);
    let steps = forces / stages;
    state_distance(&advance(system, method, start, end / steps as f64, steps), &exact)
}

#[test]
fn blanes_and_moan_take_less_work_than_a_composition() {
    let system = Planet {}.bind().unwrap();
    let start = State::new(vec![0.5, 0.0], vec![0.0, 3.0_f64.sqrt()]);
    let along = (&start, 20.0);
    let own = error(&system, &BlanesMoan, along, (6000, 6));
    let composed = error(&system, &Composition::of(Verlet, 4), along, (6000, 5));
    println!("Kepler: {own:.2e}, composed {composed:.2e}, 1/{:.0}", composed / own);
    assert!(composed > 100.0 * own, "{own:e}, composed {composed:e}");
}

#[test]
fn mclachlan_is_better_where_the_potential_is_small() {
    let start = State::new(vec![0.1, 0.2], vec![1.0, 0.8]);
    let ratio = |height: f64| {
        let system = Waves { height }.bind().unwrap();
        let along = (&start, 30.0);
        let general = error(&system, &BlanesMoan, along, (120, 6));
        let own = error(&system, &McLachlan, along, (120, 5));
        println!("waves of {height}: {own:.2e}, Blanes and Moan {general:.2e}, 1/{:.1}", general / own);
        general / own
    };
    assert!(ratio(1e-4) > 20.0);
    assert!(ratio(0.1) < 2.0);
}
