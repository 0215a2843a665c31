//! Instances with enough elements for registers of each width: their kernels agree with dual numbers.

use declarations::{Cluster, Crystal, Molecule, Ring};
use least_action::binding::Model;
use least_action::expr::Oracle;
use test_support::agreement::{Seeded, kernels_agree_with_oracle};

/// At a point near `q`, each entry up to `spread` away.
#[track_caller]
fn agrees<M: Model + Oracle>(model: &M, q: &[f64], spread: f64) {
    let mut seeded = Seeded::new(2024);
    let q: Vec<f64> = q.iter().map(|q| q + spread * seeded.number()).collect();
    kernels_agree_with_oracle(model, &q, &seeded.numbers(q.len()), seeded.number());
}

/// The corners of a cube lattice.
fn lattice(atoms: usize) -> Vec<f64> {
    (0..atoms).flat_map(|i| [1.2 * (i % 2) as f64, 1.2 * (i / 2 % 2) as f64, 1.2 * (i / 4) as f64]).collect()
}

/// A molecule large enough for registers, with its bonds and angles along a chain.
fn chain_of_atoms(atoms: usize) -> (Molecule, Vec<f64>) {
    let zigzag = (0..atoms).flat_map(|i| [0.9 * i as f64, (i % 2) as f64, 0.1 * i as f64]).collect();
    let chain = Molecule {
        masses: (0..atoms).map(|i| 1.0 + i as f64).collect(),
        bonds: (1..atoms).map(|i| (i - 1, i, 2.0 + i as f64, 1.1)).collect(),
        angles: (2..atoms).map(|i| [i - 2, i - 1, i]).collect(),
        exponent: 3.5,
    };
    (chain, zigzag)
}

/// Instances large enough for registers, whose elements come in rows, or in rows after sorting.
#[test]
fn elements_side_by_side_in_rows() {
    agrees(&Cluster { atoms: 14, epsilon: 1.25, sigma: 0.9 }, &lattice(14), 0.1);
    agrees(&Ring { rotors: 21, coupling: 1.7, shared: 0.2 }, &[0.0; 21], 2.0);
    let (chain, zigzag) = chain_of_atoms(13);
    agrees(&chain, &zigzag, 0.1);
}

/// And elements in no order.
#[test]
fn elements_side_by_side_in_no_order() {
    let atoms = 12;
    let (mut tangled, zigzag) = chain_of_atoms(atoms);
    tangled.angles =
        (0..40).map(|k| [k * 7 % atoms, (k * 7 + 1 + k % 5) % atoms, (k * 7 + 11) % atoms]).collect();
    tangled.bonds = (0..40).map(|k| (k * 5 % atoms, (k * 5 + 1 + k % 7) % atoms, 3.0, 1.0)).collect();
    agrees(&tangled, &zigzag, 0.1);
}

/// Enough elements for registers.
#[test]
fn matrices_side_by_side() {
    let mut seeded = Seeded::new(5);
    let cell = |seeded: &mut Seeded| {
        let mut entry = |k: usize| if k.is_multiple_of(4) { 1.0 } else { 0.0 } + 0.3 * seeded.number();
        [0, 3, 6].map(|row| [entry(row), entry(row + 1), entry(row + 2)])
    };
    let cells = (0..17).map(|_| cell(&mut seeded)).collect();
    agrees(
        &Crystal { cells },
        &[vec![0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6], vec![0.1, 0.2, -0.3]].concat(),
        0.2,
    );
}
