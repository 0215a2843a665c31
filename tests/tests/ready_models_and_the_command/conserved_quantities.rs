//! The quantities that the compiler finds conserved are constant along accurate trajectories, and the finite motions of the symmetries
//! leave the system alone.  (The lists themselves are tested beside the compiler.)

#![expect(clippy::expect_used, reason = "the ready models are known to be sound")]

use integrator_core::drive::{Conserved, integrate};
use integrator_core::method::Reference;
use integrator_core::noether::{Certainty, Motion};
use integrator_core::prelude::*;
use integrator_core::system::System;

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 / (1_u64 << 53) as f64) * 2.0 - 1.0
    }
}

/// Each quantity stays what it was at the start, relative to the sizes of the terms that it is the sum of.
fn is_constant<M: Model>(model: &M, start: &State, until: f64) {
    let system = model.bind().expect("a system");
    let n = system.dimension();
    let method = Reference { tolerance: 1e-13 };
    let mut simulation = integrate(&system, &method, start.clone(), (until - start.t) / 8.0)
        .expect("a start")
        .until(until)
        .measure(Conserved::of(&system));
    for quantity in M::CONSERVED {
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
    for quantity in M::CONSERVED {
        let values = run.column(quantity.name).expect("a column");
        let sizes = run.column(&format!("size of {}", quantity.name)).expect("a column");
        let size = sizes.iter().fold(0.0, |largest: f64, size| largest.max(*size));
        assert!(size > 0.0, "{} of {} is made of nothing", quantity.name, M::NAME);
        for value in &values {
            let off = (value - values[0]).abs();
            assert!(off <= 1e-10 * size, "{} of {}: {off:e} of {size:e}", quantity.name, M::NAME);
        }
    }
}

/// The finite motion that a symmetry generates, by small steps of the midpoint rule, leaves L alone and moves the
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
    for quantity in M::CONSERVED.iter().filter(|quantity| quantity.motion != Motion::Time) {
        let angle = random.next();
        let steps = 400;
        let (mut moved_q, mut moved_v) = (q.clone(), v.clone());
        let (mut rate, mut velocity_rate) = (vec![0.0; n], vec![0.0; n]);
        let h = angle / f64::from(steps);
        for _ in 0..steps {
            // Midpoint by three fixed-point steps: motions here are linear, and h is small.
            let (mut middle_q, mut middle_v) = (moved_q.clone(), moved_v.clone());
            for _ in 0..4 {
                quantity.rate(layout, &middle_q, &mut rate);
                quantity.velocity_rate(layout, &middle_v, &mut velocity_rate);
                for k in 0..n {
                    middle_q[k] = moved_q[k] + 0.5 * h * rate[k];
                    middle_v[k] = moved_v[k] + 0.5 * h * velocity_rate[k];
                }
            }
            for k in 0..n {
                moved_q[k] += h * rate[k];
                moved_v[k] += h * velocity_rate[k];
            }
        }
        if let Some(constraints) = system.holonomic() {
            // At the model's own start, which is on the constraints, a symmetry stays on them.
            let mut on = state.q.clone();
            let mut residual = vec![0.0; constraints.constraints()];
            for _ in 0..steps {
                let mut middle = on.clone();
                for _ in 0..4 {
                    quantity.rate(layout, &middle, &mut rate);
                    for k in 0..n {
                        middle[k] = on[k] + 0.5 * h * rate[k];
                    }
                }
                for k in 0..n {
                    on[k] += h * rate[k];
                }
            }
            constraints.constraint_values(&on, state.t, &mut residual);
            assert!(residual.iter().all(|value| value.abs() < 1e-8), "{} of {}", quantity.name, M::NAME);
        }
        let after = system.lagrangian(&moved_q, &moved_v, state.t);
        assert!((after - before).abs() <= 1e-9 * size, "{} of {}: {before} {after}", quantity.name, M::NAME);
    }
}

macro_rules! table {
    ($($model:ident until $until:literal;)*) => {
        #[test]
        fn what_is_conserved_is_constant_along_accurate_trajectories() {
            $({
                let model = models::$model::default();
                is_constant(&model, &model.start(), $until);
            })*
        }

        #[test]
        fn symmetries_leave_the_lagrangian_alone() {
            $({
                let model = models::$model::default();
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
    RigidBody until 3.0;
    SpringChain until 3.0;
    SpringNet until 3.0;
    SpringPendulum until 0.1;
    Water until 0.5;
}

#[test]
fn proofs_are_told_from_observations() {
    assert!(models::LennardJones::CONSERVED.iter().all(|quantity| quantity.certainty == Certainty::Proven));
    assert!(models::Oscillator::CONSERVED.is_empty(), "it is driven");
    let names: Vec<&str> = models::Kepler::CONSERVED.iter().map(|quantity| quantity.name).collect();
    assert_eq!(names, ["energy", "angular_momentum_z"]);
}
