//! Every kernel of every declaration equals dual numbers.

use declarations::{
    Analysis, Anchored, Balls, Chains, Charged, Cluster, Curve, Damped, Drum, Foreign, Frames, Kapitza,
    Kepler, KeplerPolar, Linkage, Medium, Molecule, Net, Pieces, Raft, Ring, Rotor, Shaken, Sinking, Soft,
    Solid, Surface, Swing, Water, Wind,
};
use least_action::binding::Model;
use least_action::expr::Oracle;
use test_support::THOROUGH;
use test_support::agreement::{Seeded, constraints_agree_with_oracle, kernels_agree_with_oracle};

/// The points at which a declaration is compared: dual numbers of many unknowns are slow without
/// optimization.
const POINTS: usize = if THOROUGH { 5 } else { 2 };

/// Points around `q`, each entry up to `spread` away.
fn around(seeded: &mut Seeded, q: &[f64], spread: f64) -> Vec<f64> {
    q.iter().map(|q| q + spread * seeded.number()).collect()
}

#[track_caller]
fn agrees<M: Model + Oracle>(model: &M, q: &[f64], spread: f64) {
    agrees_at(POINTS, model, q, spread);
}

#[track_caller]
fn agrees_at<M: Model + Oracle>(points: usize, model: &M, q: &[f64], spread: f64) {
    let mut seeded = Seeded::new(2024);
    for _ in 0..points {
        let (q, v, t) = (around(&mut seeded, q, spread), seeded.numbers(q.len()), seeded.number());
        kernels_agree_with_oracle(model, &q, &v, t);
    }
}

/// A point where no two of `atoms` are near: the corners of a cube lattice.
fn lattice(atoms: usize) -> Vec<f64> {
    (0..atoms).flat_map(|i| [1.2 * (i % 2) as f64, 1.2 * (i / 2 % 2) as f64, 1.2 * (i / 4) as f64]).collect()
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

/// Of few elements, one after the other; `tests/registers` compares registers for many with these.
#[test]
fn chains() {
    for (hold, closed, stiffened) in [(None, false, false), (Some(0.4), true, true)] {
        let chains = Chains { beads: 4, stiffness: 1.7, hold, closed, stiffened };
        agrees(&chains, &[0.0; 25], 1.0);
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

/// The entries of a rotation matrix by a vector, row by row.
fn turned() -> Vec<f64> {
    vec![0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6]
}

#[test]
fn rotation_matrices() {
    let spread = [[0.5, 0.1, 0.0], [0.1, 0.75, -0.05], [0.0, -0.05, 1.0]];
    let model = Rotor { spread, field: 1.5, hook: [0.25, -0.5, 1.0] };
    agrees(&model, &[turned(), vec![0.1, 0.2, -0.3]].concat(), 0.4);
}

#[test]
fn everything_that_matrices_do() {
    for (frames, points) in [(1, POINTS), (2, POINTS / 2)] {
        let rest = [[1.25, 0.25, 0.0], [-0.25, 1.0, 0.5], [0.0, 0.125, 0.75]];
        let q: Vec<f64> = (0..frames).flat_map(|_| turned()).chain([0.5, -0.25, 1.0]).collect();
        agrees_at(points, &Frames { frames, rest }, &q, 0.2);
    }
}

#[test]
fn contacts() {
    for walls in [false, true] {
        let model = Balls { radii: vec![0.5, 0.75, 0.25], stiffness: 20.0, walls };
        agrees(&model, &[-1.9, 0.4, 0.0, 0.6, 2.2, 0.3], 0.6);
    }
}

#[test]
fn pieces_on_all_sides() {
    for ask in [false, true] {
        let model = Pieces { edges: vec![-0.125, 0.5], ask };
        for corner in 0..8 {
            let side = |bit: i32| if corner >> bit & 1 == 0 { -0.4 } else { 0.5 };
            agrees(&model, &[side(0), side(1), side(2)], 0.6);
        }
    }
}

#[test]
fn fast_phases() {
    let model = Kapitza { rod: 0.8, gravity: 9.81, v_max: 2.0, omega: 12.0, phase: 0.7 };
    agrees(&model, &[0.0], 3.0);
    let model = Shaken { rod: 0.8, gravity: 9.81, amplitudes: [0.2, 0.3], omega: 5.0 };
    agrees(&model, &[0.3, -0.7], 1.0);
}

#[test]
fn forces_of_no_potential() {
    for links in [1, 2, 4] {
        let q: Vec<f64> =
            std::iter::once(0.3).chain((0..links).flat_map(|i| [i as f64, 0.5 * i as f64])).collect();
        agrees(&Damped { links, drag: 0.4, load: 1.5 }, &q, 0.3);
    }
    agrees(&Sinking { drag: 0.25, gravity: 2.0 }, &[1.0], 1.0);
}

#[test]
fn functions_that_only_rust_knows() {
    for depths in [vec![0.75], vec![0.5, -1.25, 2.0]] {
        let n = depths.len();
        agrees(&Foreign { depths }, &vec![0.25; n + 3], 1.0);
    }
    agrees(&Curve { mass: 1.5 }, &[0.5], 1.0);
}

#[test]
fn systems_of_the_design() {
    let site = |x: f64| [x, 0.0, 0.0, x + 0.76, 0.59, 0.0, x - 0.76, 0.59, 0.0];
    let model = Water {
        molecules: 2,
        masses: [16.0, 1.0, 1.0],
        charges: [-0.834, 0.417, 0.417],
        lennard_jones: [0.636, 3.15],
        sides: [0.9572, 0.9572, 1.5139],
    };
    agrees(&model, &[site(0.0), site(3.1)].concat(), 0.05);
    agrees(&Kepler, &[1.0, 0.5], 0.3);
    agrees(&KeplerPolar, &[1.0, 0.5], 0.3);
    let nodes = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
    let q = nodes.concat();
    let model = Solid {
        nodes,
        tetrahedra: vec![[0, 1, 2, 3], [4, 2, 1, 3]],
        lame: [1.5, 0.75],
        mass: 0.5,
        gravity: 9.81,
        floor: 100.0,
    };
    agrees(&model, &q, 0.15);
}
