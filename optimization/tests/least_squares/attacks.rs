//! Problems without a good answer, and points without values.

use std::ops::ControlFlow;

use least_action_optimization::least_squares::{Error, Options, Problem, Slopes, Status, Values, minimize};
use nalgebra_sparse::{CooMatrix, CsrMatrix};
use num_dual::{Dual64, DualNum};

use crate::{Dual, FREE, solve, squares};

type Numbers = Vec<Dual64>;

#[test]
fn constraints_that_contradict_each_other_are_named() {
    let residuals = |x: &[Dual64]| vec![x[0] - 1.0, x[1]];
    let constraints = |x: &[Dual64]| vec![x[0] + x[1] - 1.0, x[0] + x[1] - 2.0];
    let failure = solve(&mut Dual { bounds: vec![FREE; 2], residuals, constraints }, &[0.0, 0.0]);
    let text = failure.expect_err("no point has both sums").to_string();
    assert!(text.contains("constraint 0") || text.contains("constraint 1"), "{text}");

    // A constraint that is never zero, and one that the bounds exclude.
    let constraints = |x: &[Dual64]| vec![x[0] * x[0] + x[1] * x[1] + 1.0];
    let failure = solve(&mut Dual { bounds: vec![FREE; 2], residuals, constraints }, &[3.0, 1.0]);
    assert!(matches!(failure, Err(Error::Infeasible { index: 0, .. })), "{failure:?}");
    let constraints = |x: &[Dual64]| vec![x[0].exp() - 10.0];
    let failure = solve(&mut Dual { bounds: vec![[0.0, 1.0]; 2], residuals, constraints }, &[0.5, 0.5]);
    assert!(
        matches!(failure, Err(Error::Infeasible { value, .. }) if (value - 1.0_f64.exp() + 10.0).abs() < 1e-6)
    );
}

#[test]
fn a_contradiction_at_the_start_is_no_end() {
    // At the start both constraints have parallel slopes, and their linear forms exclude each other.
    let residuals = |x: &[Dual64]| vec![x[0] - 3.0, x[1]];
    let constraints = |x: &[Dual64]| vec![x[0] + x[1] - 2.0, x[0] * x[0] + x[1] * x[1] - 4.0];
    let found =
        solve(&mut Dual { bounds: vec![FREE; 2], residuals, constraints }, &[0.5, 0.5]).expect("(2, 0)");
    assert!((found.x[0] - 2.0).abs() < 1e-7 && found.x[1].abs() < 1e-7, "{:?}", found.x);
}

#[test]
fn a_fit_that_the_data_do_not_determine_ends() {
    // Only the product of both unknowns shows, in units a million apart.
    let residuals = |x: &[Dual64]| {
        (1..30).map(|k| (x[0] * x[1] * (-0.1 * f64::from(k))).exp() - 0.7_f64.powi(k)).collect::<Numbers>()
    };
    let bounds = vec![[1e-9, 1e9]; 2];
    let found = solve(&mut Dual { bounds, residuals, constraints: |_: &[Dual64]| Vec::new() }, &[1e3, 1e-3]);
    let found = found.expect("a product");
    let product = found.x[0] * found.x[1];
    assert!((product + 10.0 * 0.7_f64.ln()).abs() < 1e-8, "{product}");
    assert!(squares(&found) < 1e-14 && found.iterations < 30);
}

#[test]
fn a_point_without_values_shortens_the_step() {
    // The first step leads where the logarithm has no value.
    let problem = |bounds| Dual {
        bounds,
        residuals: |x: &[Dual64]| vec![x[0].ln() + 3.0],
        constraints: |_: &[Dual64]| Vec::new(),
    };
    let found = solve(&mut problem(vec![FREE]), &[4.0]).expect("e⁻³");
    assert!((found.x[0] - (-3.0_f64).exp()).abs() < 1e-9, "{:?}", found.x);
    assert!(matches!(solve(&mut problem(vec![FREE]), &[-1.0]), Err(Error::Problem(_))));
    for (bounds, start, words) in [
        ([2.0, 1.0], &[1.0][..], "unknown 0 has the bounds 2 and 1"),
        (FREE, &[], "the start: 0 numbers where 1 belong"),
        (FREE, &[0.0], "residual 0 is -inf at the start"),
    ] {
        let text = solve(&mut problem(vec![bounds]), start).expect_err(words).to_string();
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_callback_sees_each_point_and_stops() {
    let rosenbrock = |x: &[Dual64]| vec![(x[1] - x[0] * x[0]) * 10.0, -x[0] + 1.0];
    let mut problem =
        Dual { bounds: vec![FREE; 2], residuals: rosenbrock, constraints: |_: &[Dual64]| Vec::new() };
    let (mut numbers, mut last) = (Vec::new(), f64::INFINITY);
    let found = minimize(&mut problem, &[-1.2, 1.0], &Options::default(), |at| {
        numbers.push(at.number);
        assert!(at.cost < last, "no step raises the sum");
        last = at.cost;
        if at.number == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let found = found.expect("three steps");
    assert_eq!((numbers, found.status, found.iterations), (vec![0, 1, 2, 3], Status::Stopped, 3));
}

#[test]
fn many_sparse_rows_take_time_by_their_nonzeros() {
    // A chain of unknowns, each tied to its neighbours: the discrete x″ = sinh x as constraints, and the
    // ends x(0) = 0 and x(1) = 1 as residuals.
    const N: usize = 2000;
    struct Chain;
    impl Problem for Chain {
        type Error = String;
        fn unknowns(&self) -> usize {
            N
        }
        fn evaluate(&mut self, x: &[f64]) -> Result<Values, String> {
            let h = 1.0 / (N as f64 - 1.0);
            let bend = |k: usize| (x[k + 1] - 2.0 * x[k] + x[k - 1]) / h - h * x[k].sinh();
            Ok(Values { residuals: vec![x[0], x[N - 1] - 1.0], constraints: (1..N - 1).map(bend).collect() })
        }
        fn linearize(&mut self, x: &[f64]) -> Result<Slopes, String> {
            let h = 1.0 / (N as f64 - 1.0);
            let mut residuals = CooMatrix::new(2, N);
            residuals.push(0, 0, 1.0);
            residuals.push(1, N - 1, 1.0);
            let mut constraints = CooMatrix::new(N - 2, N);
            for (k, x) in x.iter().enumerate().take(N - 1).skip(1) {
                constraints.push(k - 1, k - 1, h.recip());
                constraints.push(k - 1, k, -2.0 / h - h * x.cosh());
                constraints.push(k - 1, k + 1, h.recip());
            }
            Ok(Slopes { residuals: CsrMatrix::from(&residuals), constraints: CsrMatrix::from(&constraints) })
        }
    }
    let found = solve(&mut Chain, &vec![0.0; N]).expect("a chain");
    assert!(squares(&found) < 1e-12, "{:?} {:e}", found.status, squares(&found));
    let slope = found.x[1] * (N as f64 - 1.0);
    assert!((slope - TROESCH).abs() < 1e-6, "{slope}");
}

/// x′(0) of Troesch's problem with n = 1: S. M. Roberts and J. S. Shipman, 1976.
const TROESCH: f64 = 0.845_202_685_3;
