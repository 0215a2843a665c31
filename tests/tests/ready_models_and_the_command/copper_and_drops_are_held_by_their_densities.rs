//! Copper and smoothed drops: energies of the sources, energies and momenta of runs, and known motions.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action::binding::Model;
use least_action::method::{Method, Stepper, Verlet};
use least_action::system::{Lagrangian, Natural, Start, State};
use least_action_models::{Copper, SmoothedDrop};
use std::f64::consts::{FRAC_PI_2, PI};
use test_support::agreement::{Seeded, kernels_agree_with_oracle};

/// The energy of an atom at rest on a lattice with this spacing.
fn of_an_atom(model: &Copper, spacing: f64) -> f64 {
    let model = Copper { spacing, temperature: 0.0, ..model.clone() };
    model.bind().unwrap().potential(&model.start().q, 0.0) / model.atoms as f64
}

#[test]
fn copper_has_the_energy_and_the_lattice_of_its_source() {
    // All five shells of neighbours of the source, and no sixth: −3.544 eV at 3.615 Å.
    let five = Copper { atoms: 256, on: 5.9, cutoff: 6.2, ..Copper::default() };
    assert!((of_an_atom(&five, 3.615) + 3.544).abs() < 1e-3);
    // As it is by default.
    let model = Copper { atoms: 256, ..Copper::default() };
    assert!((of_an_atom(&model, model.spacing) + 3.514).abs() < 1e-3);
    let around = [-0.02, 0.0, 0.02].map(|more| of_an_atom(&model, model.spacing + more));
    assert!(around[1] < around[0] && around[1] < around[2], "{around:?}");
}

#[test]
fn copper_keeps_energy_and_momentum_and_goes_on_to_the_last_bit() {
    let model = Copper { atoms: 256, ..Copper::default() };
    let system = model.bind().unwrap();
    let start = model.start();
    let before = system.energy(&start.q, &start.v, 0.0);
    let run = |start: State, steps: usize| {
        let mut stepper = Verlet.start(&system, start, 0.002).unwrap();
        let mut farthest = 0.0_f64;
        for _ in 0..steps {
            stepper.step().unwrap();
            let State { q, v, .. } = stepper.state();
            farthest = farthest.max((system.energy(q, v, 0.0) - before).abs());
        }
        (stepper.state().clone(), farthest / model.atoms as f64)
    };
    let (end, farthest) = run(start.clone(), 100);
    assert!(farthest < 1e-4, "{farthest:e} eV an atom");
    for component in 0..3 {
        let momentum: f64 = end.v.iter().skip(component).step_by(3).sum();
        assert!(momentum.abs() < 1e-9, "{momentum:e}");
    }
    let (half, _) = run(start, 50);
    let (again, _) = run(half, 50);
    let bits = |state: &State| state.q.iter().chain(&state.v).map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&again), bits(&end));
}

#[test]
fn a_stretched_drop_breathes_with_its_period() {
    let model = SmoothedDrop::default();
    assert!((model.radius() - 1.0).abs() < 1e-14);
    let system = model.bind().unwrap();
    let mut stepper = Verlet.start(&system, model.start(), PI / 800.0).unwrap();
    let spread = |state: &State| state.q.iter().map(|x| x * x).sum::<f64>() / model.particles as f64;
    let before = system.energy(&stepper.state().q, &stepper.state().v, 0.0);
    let mut at = |t: f64| {
        while stepper.state().t < t - 1e-9 {
            stepper.step().unwrap();
        }
        let State { q, v, .. } = stepper.state();
        assert!((system.energy(q, v, 0.0) - before).abs() < 1e-3 * before.abs());
        spread(stepper.state())
    };
    // The spread of a drop with γ = 2 oscillates as cos 2t around R²/3, at rest, but for the kernel.
    let [wide, narrow, again] = [0.0, FRAC_PI_2, PI].map(&mut at);
    assert!((wide - 1.44 / 3.0).abs() < 0.02, "{wide}");
    assert!((0.5 * (wide + narrow) - 1.0 / 3.0).abs() < 0.05, "{narrow}");
    assert!((again - wide).abs() < 0.05 * (wide - narrow), "{wide} {narrow} {again}");
}

#[test]
fn kernels_agree_with_dual_numbers() {
    let mut seeded = Seeded::new(2024);
    let copper = Copper { atoms: 6, spacing: 5.7, on: 2.5, cutoff: 3.2, ..Copper::default() };
    let drop = SmoothedDrop { particles: 7, h: 0.5, gamma: 2.5, ..SmoothedDrop::default() };
    for _ in 0..3 {
        let q: Vec<f64> = copper.start().q.iter().map(|q| q + 0.3 * seeded.number()).collect();
        kernels_agree_with_oracle(&copper, &q, &seeded.numbers(q.len()), 0.0);
        let q: Vec<f64> = drop.start().q.iter().map(|q| q + 0.1 * seeded.number()).collect();
        kernels_agree_with_oracle(&drop, &q, &seeded.numbers(q.len()), 0.0);
    }
}
