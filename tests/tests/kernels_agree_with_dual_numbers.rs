//! Every kernel of every declaration equals what dual numbers give.

use integrator_core::binding::Model;
use integrator_core::expr::Oracle;
use least_action_tests::agreement::{Seeded, constraints_agree_with_oracle, kernels_agree_with_oracle};
use least_action_tests::declarations::{
    Analysis, Anchored, Charged, Cluster, Drum, Linkage, Medium, Molecule, Net, Raft, Ring, Soft, Surface,
    Swing, Wind,
};
use models::{Chain, DoublePendulum, DoublePendulumAngles};

/// Points around `q`, each entry up to `spread` away.
fn around(seeded: &mut Seeded, q: &[f64], spread: f64) -> Vec<f64> {
    q.iter().map(|q| q + spread * seeded.number()).collect()
}

#[track_caller]
fn agrees<M: Model + Oracle>(model: &M, q: &[f64], spread: f64) {
    let mut seeded = Seeded::new(2024);
    for _ in 0..5 {
        let (q, v, t) = (around(&mut seeded, q, spread), seeded.numbers(q.len()), seeded.number());
        kernels_agree_with_oracle(model, &q, &v, t);
    }
}

/// A point where no two of `atoms` are near: the corners of a cube lattice.
fn lattice(atoms: usize) -> Vec<f64> {
    (0..atoms).flat_map(|i| [1.2 * (i % 2) as f64, 1.2 * (i / 2 % 2) as f64, 1.2 * (i / 4) as f64]).collect()
}

#[test]
fn ready_models() {
    agrees(&Chain { links: 5, mass: 2.0, gravity: 9.81, rod: 0.7 }, &[0.0; 10], 1.0);
    agrees(&Chain { links: 1, ..Chain::default() }, &[0.0; 2], 1.0);
    agrees(&DoublePendulum { masses: [2.0, 0.5], rods: [0.7, 1.1], gravity: 9.81 }, &[0.0; 4], 1.0);
    agrees(&DoublePendulumAngles { masses: [2.0, 0.5], rods: [0.7, 1.1], gravity: 9.81 }, &[0.0; 2], 3.0);
}

#[test]
fn rings_of_any_size() {
    for rotors in [1, 2, 3, 5] {
        agrees(&Ring { rotors, coupling: 1.7, shared: 0.2 }, &vec![0.0; rotors], 2.0);
    }
}

#[test]
fn pendulum_of_links() {
    for links in [1, 2, 4] {
        let (rods, masses): (Vec<f64>, Vec<f64>) =
            (0..links).map(|i| (0.5 + 0.25 * f64::from(i), 2.0 - 0.3 * f64::from(i))).unzip();
        let model = Linkage { rods, masses, gravity: 9.81 };
        agrees(&model, &vec![0.0; links as usize], 3.0);
        let mut seeded = Seeded::new(7);
        for _ in 0..5 {
            let q = seeded.numbers(links as usize);
            constraints_agree_with_oracle(&model, &q, 0.0);
        }
    }
}

#[test]
fn choices_by_enumeration() {
    let wave = Medium::Wave { height: 0.7, number: 2.0 };
    for common in [Medium::Empty, Medium::Trap(1.3), wave] {
        let media = vec![Medium::Trap(0.5), wave, Medium::Trap(2.0), Medium::Empty, Medium::Trap(0.9)];
        agrees(&Soft { media, common }, &[0.0; 5], 1.0);
    }
}

#[test]
fn choices_by_tables() {
    let anchors = vec![Some(([1.0, 0.0], 2.0)), None, Some(([0.3, 0.4], 0.5)), Some(([-1.0, 0.2], 3.0))];
    let bonds = vec![(0, 1, 1.0), (1, 3, 0.5), (2, 0, 2.0)];
    for weight in [None, Some(0.75)] {
        let model = Anchored { anchors: anchors.clone(), bonds: bonds.clone(), weight };
        agrees(&model, &[0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0, 2.0], 0.5);
    }
}

#[test]
fn time_in_every_place() {
    agrees(&Swing { rod: 0.8, gravity: 9.81, amplitudes: [0.2, 0.3], frequency: 3.0 }, &[0.0], 3.0);
    for beads in [1, 3] {
        agrees(&Drum { beads, depth: 0.25, frequency: 2.0 }, &vec![0.0; 3 * beads], 1.0);
    }
}

#[test]
fn moving_frame() {
    agrees(&Wind { velocity: [0.5, -1.5], mass: 2.0 }, &[0.0; 3], 1.0);
}

#[test]
fn every_function() {
    for power in [-3, 0, 1, 2, 5] {
        agrees(&Analysis { exponent: 2.3, power }, &[0.0; 2], 1.0);
    }
}

#[test]
fn mass_that_depends_on_the_place() {
    let model = Surface { bend: 0.6 };
    agrees(&model, &[0.5, 0.5], 0.4);
    constraints_agree_with_oracle(&model, &[0.3, -0.7], 0.0);
}

#[test]
fn nets() {
    for (rows, columns) in [(1, 1), (2, 3), (3, 2)] {
        let bar_and_knots: Vec<f64> = std::iter::once(1.0)
            .chain((0..rows * columns).flat_map(|k| [(k % columns) as f64, 0.0, -((k / columns) as f64)]))
            .collect();
        agrees(&Net { rows, columns, stiffness: 20.0 }, &bar_and_knots, 0.3);
    }
}

#[test]
fn sums_of_vectors() {
    let model = Raft { masses: vec![1.0, 2.0, 0.5, 1.5], edges: vec![(0, 1), (3, 1), (2, 3)] };
    agrees(&model, &[0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 0.0, 2.0, 0.0, 0.0], 0.4);
}

#[test]
fn clusters() {
    for atoms in [1, 2, 5] {
        agrees(&Cluster { atoms, epsilon: 1.25, sigma: 0.9 }, &lattice(atoms), 0.1);
    }
}

#[test]
fn magnetic_forces() {
    let model = Charged { charges: vec![1.0, -2.0, 0.5], field: [0.3, -0.2, 1.0] };
    agrees(&model, &lattice(3), 0.3);
    constraints_agree_with_oracle(&model, &[0.3, 0.4, 0.5, -0.3, 1.0, 0.2, 1.2, 1.3, -0.1], 0.0);
}

#[test]
fn molecules_from_tables() {
    let model = Molecule {
        masses: vec![1.0, 12.0, 12.0, 1.0],
        bonds: vec![(0, 1, 3.0, 1.0), (1, 2, 5.0, 1.4), (2, 3, 3.0, 1.0)],
        angles: vec![[0, 1, 2], [1, 2, 3]],
        exponent: 5.5,
    };
    agrees(&model, &[0.0, 0.9, 0.0, 0.0, 0.0, 0.2, 1.3, 0.0, -0.1, 1.4, 0.8, 0.4], 0.2);
}
