//! Binding grows with the chain and not with its square: time, memory and the patterns of matrices. All
//! pairs of many atoms take no memory for a pair.

use crate::counted::ALLOCATOR;
use least_action::advanced::sparse::{Elimination, Solver, SymmetricPattern};
use least_action::advanced::wrap::Penalized;
use least_action::binding::Model;
use least_action::method::{Method, Rattle, Stepper, Verlet};
use least_action::system::{Holonomic, Lagrangian, Natural, Start};
use least_action_command::Workbench;
use least_action_models::{Chain, LennardJones, Water};
use stats_alloc::Region;
use std::time::{Duration, Instant};
use test_support::THOROUGH;

const LINKS: usize = 100_000;

/// The result of `work`, and the bytes that it leaves allocated.
fn kept<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let region = Region::new(ALLOCATOR);
    let result = work();
    let change = region.change();
    // The allocated bytes include the growth by reallocations.
    let bytes = change.bytes_allocated as isize - change.bytes_deallocated as isize;
    (result, usize::try_from(bytes).unwrap_or(0))
}

pub(super) fn a_chain_of_a_hundred_thousand_links() {
    let model = Chain { links: LINKS, ..Chain::default() };
    let begin = Instant::now();
    let (bound, bytes) = kept(|| model.bind().unwrap_or_else(|error| panic!("{error}")));
    let time = begin.elapsed();
    println!("bound in {time:?}, {} bytes a link", bytes / LINKS);
    assert!(time < Duration::from_secs(3), "binding took {time:?}");
    // Mass and its pattern, q-q patterns of V and constraints, the Jacobian's places; elements are runs.
    assert!(bytes / LINKS < 250, "{} bytes a link", bytes / LINKS);
    assert!(bytes > LINKS, "the count works");

    assert!(bound.mass().is_diagonal());
    assert!(bound.potential_pattern().len() <= 2 * LINKS, "the potential is linear");
    assert_eq!(bound.jacobian_pattern().len(), 4 * LINKS - 2);
    let elements: usize = bound.description().families.iter().map(|family| family.elements).sum();
    assert!(elements <= 6 * LINKS, "{elements} elements");
    assert!(bound.second_pattern().len() <= 5 * LINKS + 1, "nothing is dense");

    let (penalized, bytes) = kept(|| Penalized::new(&bound, 20.0).unwrap_or_else(|error| panic!("{error}")));
    println!("penalized with {} bytes a link", bytes / LINKS);
    assert!(bytes / LINKS < 1000, "{} bytes a link", bytes / LINKS);
    let pattern = penalized.potential_pattern();
    assert!(pattern.entries().all(|(row, column)| row / 2 - column / 2 <= 1), "block tridiagonal");
    // Two-by-two blocks: three entries of the lower triangle on the diagonal, four beside it.
    assert_eq!(pattern.len(), 3 * LINKS + 4 * (LINKS - 1));
    let solver = Solver::symmetric(pattern);
    assert!(matches!(solver.elimination(), Elimination::Banded { .. }), "{:?}", solver.elimination());

    let start = model.start();
    let (mut gradient, mut hessian) = (vec![0.0; 2 * LINKS], vec![0.0; pattern.len()]);
    let begin = Instant::now();
    penalized.potential_second(&start.q, 0.0, &mut gradient, &mut hessian);
    println!("gradient and Hessian in {:?}", begin.elapsed());
    assert!(gradient.iter().chain(&hessian).all(|entry| entry.is_finite()));
    check_blocks(pattern, &hessian, &start.q);
}

/// Four million pairs, or fifty, with one tuple of coefficients are some thousand rows: no pair keeps
/// memory, not in Verlet either.
pub(super) fn all_pairs_of_some_thousand_atoms() {
    const ATOMS: usize = if THOROUGH { 10_000 } else { 3_000 };
    let model = LennardJones { atoms: ATOMS, ..LennardJones::default() };
    let start = model.start();
    let mut gradient = vec![0.0; start.q.len()];
    let (bound, bytes) = kept(|| {
        let bound = model.bind().unwrap_or_else(|error| panic!("{error}"));
        bound.potential_gradient(&start.q, 0.0, &mut gradient);
        bound
    });
    println!("{ATOMS} atoms are bound in {} kB", bytes / 1000);
    assert!(bytes < 4_000 * ATOMS, "{bytes} bytes");
    let (stepper, bytes) = kept(|| {
        let mut stepper = Verlet.start(&bound, start.clone(), 1e-3).unwrap_or_else(|error| panic!("{error}"));
        stepper.step().unwrap_or_else(|error| panic!("{error}"));
        stepper
    });
    assert!(bytes < 4_000 * ATOMS, "{bytes} bytes");
    drop(stepper);
    let pairs: usize = bound.description().families.iter().map(|family| family.elements).max().unwrap_or(0);
    assert_eq!(pairs, ATOMS * (ATOMS - 1) / 2);
    // A face-centred cubic ball at rest is pulled inwards, and all forces together are none.
    let total = |k: usize| gradient.iter().skip(k).step_by(3).sum::<f64>();
    assert!((0..3).all(|k| total(k).abs() < 1e-8), "{:?}", [total(0), total(1), total(2)]);
}

/// A thousand rigid molecules, or two, each with all others: RATTLE keeps no second derivatives.
pub(super) fn rattle_on_some_thousand_molecules() {
    const MOLECULES: usize = if THOROUGH { 2000 } else { 1000 };
    let model = Water { molecules: MOLECULES, ..Water::default() };
    let (bound, of_model) = kept(|| model.bind().unwrap_or_else(|error| panic!("{error}")));
    let (stepper, of_run) = kept(|| {
        let mut stepper =
            Rattle::default().start(&bound, model.start(), 1e-4).unwrap_or_else(|error| panic!("{error}"));
        stepper.step().unwrap_or_else(|error| panic!("{error}"));
        stepper
    });
    println!(
        "{MOLECULES} molecules are bound in {} kB, and run in {} kB more",
        of_model / 1000,
        of_run / 1000
    );
    assert!(of_model + of_run < 125 * MOLECULES * MOLECULES, "{of_model} and {of_run} bytes");
    drop(stepper);
}

/// `eval` computes only the wanted quantities: an energy takes no second derivatives.
pub(super) fn an_energy_of_a_thousand_atoms() {
    let region = Region::new(ALLOCATOR);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["eval", "lennard-jones", "--set", "atoms=1000", "--what", "energy,gradient"];
    let code = Workbench::new("lean").ready_models().run(arguments, &mut out, &mut err);
    assert_eq!((code, err.len()), (0, 0));
    let bytes = region.change().bytes_allocated;
    assert!(bytes < 20_000_000, "{bytes} bytes");
}

/// On the constraints the Hessian of the penalty is ω² Gᵀ G with gradients 2 d of |d|² − L², d the rod.
fn check_blocks(pattern: &SymmetricPattern, hessian: &[f64], q: &[f64]) {
    let rod = |i: usize, k: usize| if i == 0 { q[k] } else { q[2 * i + k] - q[2 * i - 2 + k] };
    for (place, (row, column)) in pattern.entries().enumerate().step_by(9973) {
        let (i, j, k, l) = (row / 2, column / 2, row % 2, column % 2);
        let own = 4.0 * rod(i, k) * rod(i, l);
        let next = if i + 1 < LINKS { 4.0 * rod(i + 1, k) * rod(i + 1, l) } else { 0.0 };
        let expected = 400.0 * if i == j { own + next } else { -own };
        let found = hessian[place];
        assert!(
            (found - expected).abs() <= 1e-7 * expected.abs().max(1.0),
            "({row}, {column}): {found}, not {expected}"
        );
    }
}
