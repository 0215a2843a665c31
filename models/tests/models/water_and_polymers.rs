//! Water in a box and polymers: energies as in the reference, starts, and conserved quantities of runs.

use least_action::drive::{
    ConstraintResidual, Energy, MeanSquareDisplacement, RadialDistribution, Temperature, integrate,
};
use least_action::method::{Method, Rattle, Stepper, Verlet};
use least_action::prelude::*;
use least_action_models::{Polymer, PolymerConstrained, WaterBox};
use test_support::reference::{numbers, read};

/// kJ/(mol K)
const BOLTZMANN: f64 = 0.008_314_462_618;

#[track_caller]
fn is_close(found: &[f64], known: &[f64], tolerance: f64) {
    assert_eq!(found.len(), known.len());
    let scale = known.iter().fold(0.0_f64, |scale, number| scale.max(number.abs()));
    for (found, known) in found.iter().zip(known) {
        assert!((found - known).abs() <= tolerance * scale, "{found}, not {known} (of {scale})");
    }
}

/// V and its gradient.
fn energy_and_gradient(system: &impl Natural, q: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; q.len()];
    system.potential_gradient(q, 0.0, &mut gradient);
    (system.potential(q, 0.0), gradient)
}

#[test]
fn charges_of_water_have_the_known_energy() {
    let all = read("collective.json");
    let known = &all["ewald_water"];
    let number = |name: &str| known[name].as_f64().unwrap();
    let molecules = numbers(&known["charges"]).len() / 3;
    let model = WaterBox {
        molecules,
        density: molecules as f64 / number("length").powi(3),
        epsilon: 0.0,
        coulomb: 1.0,
        on: 0.5 * number("cutoff"),
        cutoff: number("cutoff"),
        splitting: number("alpha"),
        waves: number("kmax") as u32,
        ..WaterBox::default()
    };
    let (energy, gradient) = energy_and_gradient(&model.bind().unwrap(), &numbers(&known["positions"]));
    is_close(&[energy], &[known["parts"]["total"].as_f64().unwrap()], 1e-12);
    is_close(&gradient, &numbers(&known["gradient"]), 1e-12);
}

#[test]
fn two_oxygens_attract_each_other_as_lennard_jones_says() {
    let model = WaterBox {
        molecules: 2,
        density: 0.01,
        charge: 0.0,
        waves: 0,
        on: 1.0,
        cutoff: 1.2,
        ..WaterBox::default()
    };
    let system = model.bind().unwrap();
    let mut q = model.start().q;
    let minimum = 2.0_f64.powf(1.0 / 6.0) * model.sigma;
    for k in 0..9 {
        q[9 + k] = q[k] + if k % 3 == 0 { minimum } else { 0.0 };
    }
    is_close(&[system.potential(&q, 0.0)], &[-model.epsilon], 1e-14);
}

#[test]
fn water_starts_rigid_and_at_its_temperature() {
    for seed in [1, 2] {
        let model = WaterBox { seed, temperature: 277.0, ..WaterBox::default() };
        let (system, start) = (model.bind().unwrap(), model.start());
        let still = integrate(&system, &Rattle::default(), start.clone(), 1e-6).unwrap();
        let run = still
            .measure(Temperature::of(&system, &start, BOLTZMANN).unwrap())
            .measure(ConstraintResidual::of(&system))
            .record()
            .unwrap();
        // Six degrees of freedom a molecule, less the momentum.
        assert!((run.column("temperature").unwrap()[0] / 277.0 - 1.0).abs() < 1e-12);
        assert!(run.column("constraint_residual").unwrap()[0] < 1e-14);
        let mut rates = vec![0.0; system.constraints()];
        let jacobian = system.jacobian_matrix(&start.q, 0.0);
        jacobian.pattern.multiply_add(&jacobian.values, &start.v, &mut rates);
        assert!(rates.iter().all(|rate| rate.abs() < 1e-13), "velocities keep the molecules rigid");
    }
    let [one, other] = [1, 2].map(|seed| WaterBox { seed, ..WaterBox::default() }.start());
    assert!(one != other);
}

#[test]
fn water_keeps_its_energy() {
    let model = WaterBox { molecules: 32, cutoff: 0.45, on: 0.4, splitting: 7.2, ..WaterBox::default() };
    let (system, start) = (model.bind().unwrap(), model.start());
    let largest = |step: f64| {
        let run = integrate(&system, &Rattle::default(), start.clone(), step).unwrap().until(0.1);
        let run = run.measure(Energy::of(&system)).measure(ConstraintResidual::of(&system)).record().unwrap();
        assert!(run.verdict().doubt().is_none());
        assert!(run.column("constraint_residual").unwrap().iter().all(|residual| *residual < 1e-12));
        let energy = run.column("energy").unwrap();
        energy.iter().map(|value| (value - energy[0]).abs()).fold(0.0, f64::max)
    };
    let kinetic = 0.5 * system.mass().quadratic(&start.v);
    let (coarse, fine) = (largest(1e-3), largest(5e-4));
    // The error comes from the method of order two, and small beside the kinetic energy.
    assert!(coarse < 0.02 * kinetic, "{coarse} of {kinetic}");
    assert!((2.0..8.0).contains(&(coarse / fine)), "{coarse} and {fine}");
}

#[test]
fn hydrogens_are_counted_around_oxygens() {
    let model = WaterBox { molecules: 32, cutoff: 0.45, on: 0.4, splitting: 7.2, ..WaterBox::default() };
    let system = model.bind().unwrap();
    let mut radial = RadialDistribution::of(&system, None, 90).unwrap();
    radial.sample(&model.start());
    let [both, hydrogens, oxygens] = [["1.008", "15.9994"], ["1.008"; 2], ["15.9994"; 2]].map(|masses| {
        let found = radial.functions().find(|(kinds, _)| {
            let [a, b] = kinds.each_ref().map(|name| name.trim_start_matches("atoms_"));
            [a, b] == masses || [b, a] == masses
        });
        found.unwrap().1
    });
    // Each oxygen has its two hydrogens at a tenth of a nanometre; these are a pair at 0.1633.
    let near = |bins: &[least_action::drive::RadialBin], r: f64| {
        bins.iter().filter(|bin| (bin.lower - r).abs() < 0.011).map(|bin| bin.count).sum::<u64>()
    };
    assert_eq!(near(&both, 0.1), 64);
    assert!((32..48).contains(&near(&hydrogens, 0.163)));
    assert_eq!(near(&oxygens, 0.1), 0);
}

#[test]
fn a_polymer_has_the_known_energy() {
    let all = read("collective.json");
    let known = &all["radius_of_gyration"];
    let number = |name: &str| known[name].as_f64().unwrap();
    let model = Polymer {
        beads: number("beads") as usize,
        bond_stiffness: number("bond"),
        repulsion: 0.0,
        radius: number("radius"),
        stiffness: number("stiffness"),
        ..Polymer::default()
    };
    let q = numbers(&known["positions"]);
    let system = model.bind().unwrap();
    let (energy, gradient) = energy_and_gradient(&system, &q);
    is_close(&[energy], &[known["value"].as_f64().unwrap()], 1e-12);
    is_close(&gradient, &numbers(&known["gradient"]), 1e-12);
    let mut product = vec![0.0; q.len()];
    system.potential_product(&q, 0.0, &numbers(&known["direction"]), &mut product);
    is_close(&product, &numbers(&known["hessian_product"]), 1e-12);
    // The constraint has the value and the gradient of its entry.
    let known = &all["radius_of_gyration_as_constraint"];
    let Polymer { beads, bond_stiffness, repulsion, radius, .. } = model;
    let held =
        PolymerConstrained { beads, bond_stiffness, repulsion, radius, ..PolymerConstrained::default() };
    let held = held.bind().unwrap();
    let jacobian = held.jacobian_matrix(&q, 0.0);
    let mut value = [0.0];
    held.constraint_values(&q, 0.0, &mut value);
    is_close(&value, &[known["value"].as_f64().unwrap()], 1e-12);
    is_close(jacobian.dense().as_slice(), &numbers(&known["gradient"]), 1e-12);
}

/// The radius of gyration.
fn radius(q: &[f64]) -> f64 {
    let count = (q.len() / 3) as f64;
    let mean = |k: usize| q.iter().skip(k).step_by(3).sum::<f64>() / count;
    let mean = [mean(0), mean(1), mean(2)];
    (q.iter().enumerate().map(|(k, x)| (x - mean[k % 3]).powi(2)).sum::<f64>() / count).sqrt()
}

#[test]
fn polymers_start_with_their_size_and_at_their_temperature() {
    for (beads, size) in [(32, 3.0), (10, 1.5), (100, 6.0), (50, 1.0), (3, 20.0)] {
        let free = Polymer { beads, radius: size, temperature: 0.7, ..Polymer::default() };
        let held =
            PolymerConstrained { beads, radius: size, temperature: 0.7, ..PolymerConstrained::default() };
        let (start, held_start) = (free.start(), held.start());
        assert!((radius(&start.q) / size - 1.0).abs() < 1e-12);
        assert_eq!(start.q, held_start.q);
        let squares = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
        let freedom = 3.0 * (beads as f64 - 1.0);
        assert!((squares(&start.v) / (0.7 * freedom) - 1.0).abs() < 1e-12);
        assert!((squares(&held_start.v) / (0.7 * (freedom - 1.0)) - 1.0).abs() < 1e-12);
        let system = held.bind().unwrap();
        assert!(Rattle::default().start(&system, held_start, 1e-3).is_ok());
    }
    // If a helix can, it has its bonds at rest.
    let start = Polymer::default().start();
    let bonds =
        start.q.windows(6).step_by(3).map(|x| (0..3).map(|k| (x[k] - x[3 + k]).powi(2)).sum::<f64>().sqrt());
    assert!(bonds.into_iter().all(|bond| (bond - 1.0).abs() < 1e-12));
}

#[test]
fn polymers_keep_their_energy_and_their_size() {
    let free = Polymer::default();
    let system = free.bind().unwrap();
    let run = integrate(&system, &Verlet, free.start(), 2e-3).unwrap().until(20.0);
    let run = run
        .measure(Energy::of(&system))
        .measure(MeanSquareDisplacement::of(&system).unwrap())
        .record()
        .unwrap();
    let energy = run.column("energy").unwrap();
    assert!(energy.iter().all(|value| (value - energy[0]).abs() < 0.02 * energy[0].abs()));
    // The restraint holds R_g by √(k_B T/k), 0.14.
    assert!(run.positions().all(|q| (radius(q) - 3.0).abs() < 0.8));
    assert!(run.column("mean_square_displacement").unwrap().last().unwrap() > &0.5);

    let held = PolymerConstrained::default();
    let system = held.bind().unwrap();
    let mut stepper = Rattle::default().start(&system, held.start(), 2e-3).unwrap();
    for _ in 0..2000 {
        stepper.step().unwrap();
    }
    assert!((radius(&stepper.state().q) / 3.0 - 1.0).abs() < 1e-12);
    let energy = |state: &State| system.energy(&state.q, &state.v, 0.0);
    assert!((energy(stepper.state()) / energy(&held.start()) - 1.0).abs() < 0.02);
}
