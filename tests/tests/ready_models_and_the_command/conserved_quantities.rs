//! The quantities that the compiler finds conserved are constant along accurate trajectories, balanced
//! ones change by the work done, and the finite motions of the symmetries leave the system alone. (Tests
//! beside the compiler check the lists themselves.)

#![expect(clippy::expect_used, reason = "the ready models are known to be sound")]

use least_action::advanced::noether::{Certainty, Motion};
use least_action::drive::{Balance, Conserved, integrate};
use least_action::method::{Composition, Reference, VariationalMidpoint};
use least_action::prelude::*;
use least_action::system::System;

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1_u64 << 53) as f64) * 2.0 - 1.0
    }
}

/// Each quantity stays as at the start, relative to the sizes of its terms.
fn is_constant<M: Model>(model: &M, start: &State, until: f64) {
    let system = model.bind().expect("a system");
    let n = system.dimension();
    let method = Reference { tolerance: 1e-13 };
    let mut simulation = integrate(&system, &method, start.clone(), (until - start.t) / 8.0)
        .expect("a start")
        .until(until)
        .measure(Conserved::of(&system));
    for quantity in M::FACTS.conserved.iter() {
        let system = &system;
        let (mut gradient, mut rate) = (vec![0.0; 2 * n + 1], vec![0.0; n]);
        simulation = simulation.observe(format!("size of {}", quantity.name), move |State { t, q, v }| {
            system.first_derivatives(q, v, *t, &mut gradient);
            let momenta = &gradient[n..2 * n];
            if quantity.motion == Motion::Time {
                let twice_kinetic: f64 = momenta.iter().zip(v).map(|(p, v)| (p * v).abs()).sum();
                return twice_kinetic + system.lagrangian(q, v, *t).abs();
            }
            quantity.rate(system.layout(), q, &mut rate);
            momenta.iter().zip(&rate).map(|(p, rate)| (p * rate).abs()).sum()
        });
    }
    let run = simulation.record().expect("a run");
    for quantity in M::FACTS.conserved.iter() {
        let values = run.column(&quantity.name).expect("a column");
        let sizes = run.column(&format!("size of {}", quantity.name)).expect("a column");
        let size = sizes.iter().fold(0.0, |largest: f64, size| largest.max(*size));
        assert!(size > 0.0, "{} of {} is made of nothing", quantity.name, M::FACTS.name);
        for value in &values {
            let off = (value - values[0]).abs();
            assert!(off <= 1e-10 * size, "{} of {}: {off:e} of {size:e}", quantity.name, M::FACTS.name);
        }
    }
}

/// Moves `x` along the flow of a linear rate, by small steps of the Taylor series of order 4.
fn flow(x: &mut [f64], length: f64, rate: impl Fn(&[f64], &mut [f64])) {
    const STEPS: u32 = 400;
    let h = length / f64::from(STEPS);
    let mut stage = vec![0.0; x.len()];
    let mut slope = vec![0.0; x.len()];
    for _ in 0..STEPS {
        stage.copy_from_slice(x);
        for part in [4.0, 3.0, 2.0, 1.0] {
            rate(&stage, &mut slope);
            for ((stage, slope), x) in stage.iter_mut().zip(&slope).zip(&*x) {
                *stage = x + h / part * slope;
            }
        }
        x.copy_from_slice(&stage);
    }
}

/// The finite motion that a symmetry generates leaves L alone and moves the
/// constraints within g = 0: the derivation that does not go through the compiler's derivatives.
fn leaves_the_system_alone<M: Model>(model: &M, state: &State, seed: u64) {
    let system = model.bind().expect("a system");
    let layout = system.layout();
    let n = system.dimension();
    let mut random = Random(seed);
    let q: Vec<f64> = state.q.iter().map(|q| q + 0.05 * random.next()).collect();
    let v: Vec<f64> = state.v.iter().map(|v| v + random.next()).collect();
    let before = system.lagrangian(&q, &v, state.t);
    let mut gradient = vec![0.0; 2 * n + 1];
    system.first_derivatives(&q, &v, state.t, &mut gradient);
    let size =
        q.iter().chain(&v).zip(&gradient).map(|(z, g)| (z * g).abs()).fold(before.abs().max(1.0), f64::max);
    let quantities = M::FACTS.conserved.iter().chain(&*M::FACTS.balanced);
    for quantity in quantities.filter(|quantity| quantity.motion != Motion::Time) {
        let angle = random.next();
        let (mut moved_q, mut moved_v) = (q.clone(), v.clone());
        flow(&mut moved_q, angle, |q, rate| quantity.rate(layout, q, rate));
        flow(&mut moved_v, angle, |v, rate| quantity.velocity_rate(layout, v, rate));
        if let Some(constraints) = system.holonomic() {
            // At the model's own start, which is on the constraints, a symmetry stays on them.
            let mut on = state.q.clone();
            let mut residual = vec![0.0; constraints.constraints()];
            flow(&mut on, angle, |q, rate| quantity.rate(layout, q, rate));
            constraints.constraint_values(&on, state.t, &mut residual);
            assert!(
                residual.iter().all(|value| value.abs() < 1e-8),
                "{} of {}",
                quantity.name,
                M::FACTS.name
            );
        }
        let after = system.lagrangian(&moved_q, &moved_v, state.t);
        assert!(
            (after - before).abs() <= 1e-9 * size,
            "{} of {}: {before} {after}",
            quantity.name,
            M::FACTS.name
        );
    }
}

/// The unexplained change of each balanced quantity falls with the order of the method.
fn is_balanced<M: Model>(model: &M, start: &State, until: f64) {
    let system = model.bind().expect("a system");
    let method = Composition::of(VariationalMidpoint::default(), 4);
    let [coarse, fine] = [200, 400].map(|steps| {
        let step = (until - start.t) / f64::from(steps);
        let simulation = integrate(&system, &method, start.clone(), step).expect("a start").until(until);
        let balances =
            M::FACTS.balanced.iter().map(|of| Balance::named(&system, &of.name).expect("a balance"));
        balances.fold(simulation, least_action::drive::Simulation::measure).record().expect("a run")
    });
    for quantity in M::FACTS.balanced.iter() {
        let name = if quantity.motion == Motion::Time { "energy" } else { &*quantity.name };
        let [coarse, fine] = [&coarse, &fine].map(|run| {
            let left = run.column(&format!("{name}_balance")).expect("a column");
            // At the first moment after the start the integral knows no more than a straight line.
            left.into_iter().skip(2).map(f64::abs).fold(0.0, |largest: f64, value| {
                if largest.is_nan() || value <= largest { largest } else { value }
            })
        });
        assert!(
            fine < coarse / 8.0 || fine < 1e-12,
            "{} of {}: {coarse:e} {fine:e}",
            quantity.name,
            M::FACTS.name
        );
    }
}

macro_rules! table {
    ($($model:ident until $until:literal;)*) => {
        #[test]
        fn what_is_conserved_is_constant_along_accurate_trajectories() {
            $({
                let model = least_action_models::$model::default();
                is_constant(&model, &model.start(), $until);
            })*
        }

        #[test]
        fn symmetries_leave_the_lagrangian_alone() {
            $({
                let model = least_action_models::$model::default();
                leaves_the_system_alone(&model, &model.start(), 7);
            })*
        }
    };
}

table! {
    Argon until 0.004;
    Chain until 2.0;
    // It touches the wall after 1 µs, and then swings in some 10⁻⁸ s.
    Cube until 3e-6;
    Dna until 2.0;
    DoublePendulum until 4.0;
    DoublePendulumAngles until 4.0;
    DoubleSpring until 2.0;
    Kepler until 2.0;
    KeplerPolar until 2.0;
    KeplerRadial until 2.0;
    LennardJones until 1.0;
    Pendulums until 2.0;
    RigidBody until 3.0;
    SpringChain until 3.0;
    SpringNet until 3.0;
    SpringPendulum until 0.1;
    Water until 0.5;
}

macro_rules! balanced {
    ($($model:ident until $until:literal;)*) => {
        #[test]
        fn what_forces_and_rows_on_velocities_change_is_balanced() {
            $({
                let model = least_action_models::$model::default();
                assert!(!least_action_models::$model::FACTS.balanced.is_empty());
                is_balanced(&model, &model.start(), $until);
            })*
        }

        #[test]
        fn symmetries_that_these_break_leave_the_lagrangian_alone() {
            $({
                let model = least_action_models::$model::default();
                leaves_the_system_alone(&model, &model.start(), 7);
            })*
        }
    };
}

balanced! {
    CartDoublePendulum until 1.0;
    CartPendulum until 1.0;
    ChaplyginSleigh until 4.0;
    DampedDoublePendulum until 2.0;
    FeketePoints until 0.5;
    SliderCrank until 1.0;
    Snakeboard until 4.0;
}

#[test]
fn proofs_are_told_from_observations() {
    assert!(
        least_action_models::LennardJones::FACTS
            .conserved
            .iter()
            .all(|quantity| quantity.certainty == Certainty::Proven)
    );
    assert!(least_action_models::Oscillator::FACTS.conserved.is_empty(), "it is driven");
    let names: Vec<&str> =
        least_action_models::Kepler::FACTS.conserved.iter().map(|quantity| &*quantity.name).collect();
    assert_eq!(names, ["energy", "angular_momentum_z"]);
}
