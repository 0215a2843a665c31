//! Runs and factors have the same bits in registers of every width, and so on every processor with some.
//!
//! By construction: a lane rounds as in every other width, no instruction estimates, sums in registers
//! have as many parts as the widest, and factors, which the compiler brings into registers, never add an
//! unrounded product.

#![expect(clippy::expect_used, reason = "in a test file, helpers fail as tests do")]

use least_action::advanced::wrap::Penalized;
use least_action::lanes::Width;
use least_action::method::{
    Method, Newmark, Rattle, Stepper, VariationalMidpoint, Verlet, ZhangSkeel, ZhangSkeelStiff,
};
use least_action::prelude::*;
use least_action::system::Constrained;
use least_action_core::advanced::sparse::SymmetricPattern;
use least_action_core::internals::sparse::{Entries, Factor, General};
use least_action_models::Water;
use test_support::agreement::Seeded;

/// All registers of this processor.
fn widths() -> impl Iterator<Item = Width> {
    Width::available().into_iter().filter(|width| width.lanes() > 1)
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Compares the results in all registers.
#[track_caller]
fn same_bits(name: &str, found: impl Fn(Width) -> Vec<f64>) {
    let mut first: Option<(usize, Vec<u64>)> = None;
    for width in widths() {
        let bits = bits(&found(width));
        let (lanes, expected) = first.get_or_insert_with(|| (width.lanes(), bits.clone()));
        let differs = expected.iter().zip(&bits).position(|(a, b)| a != b);
        assert_eq!(
            differs,
            None,
            "{name}: the first entry that {} lanes and {lanes} have otherwise",
            width.lanes()
        );
    }
}

/// The state after a few steps.
fn steps<S: ?Sized, M: Method<S>>(method: &M, system: &S, start: &State) -> Vec<f64> {
    let mut stepper = method.start(system, start.clone(), 0.005).expect("a start");
    for _ in 0..4 {
        stepper.step().expect("a step");
    }
    let State { q, v, .. } = stepper.state();
    [&q[..], v].concat()
}

/// Water with a penalty and with constraints: inverse square roots in all pairs, and a general matrix.
#[test]
fn runs_of_water() {
    let model = Water { molecules: 40, ..Water::default() };
    let mut start = model.start();
    start.v.iter_mut().zip(Seeded::new(3).numbers(360)).for_each(|(v, shift)| *v = 0.01 * shift);
    let rest = model.start();
    same_bits("the gradient", |width| {
        let (bound, mut gradient) = (model.bind().expect("water").with_width(width), vec![0.0; 360]);
        bound.potential_gradient(&start.q, 0.0, &mut gradient);
        gradient
    });
    let penalized = |name: &str, run: &dyn Fn(&Penalized<'_, dyn Constrained>) -> Vec<f64>| {
        same_bits(name, |width| {
            let bound = model.bind().expect("water").with_width(width);
            run(&Penalized::new(&bound as &dyn Constrained, 50.0).expect("a penalty"))
        });
    };
    penalized("verlet", &|system| steps(&Verlet, system, &start));
    penalized("zhang-skeel", &|system| steps(&ZhangSkeel::default(), system, &start));
    penalized("zhang-skeel-stiff", &|system| steps(&ZhangSkeelStiff::default(), system, &start));
    penalized("newmark", &|system| steps(&Newmark::default(), system, &start));
    penalized("variational-midpoint", &|system| steps(&VariationalMidpoint::default(), system, &start));
    same_bits("rattle", |width| {
        let bound = model.bind().expect("water").with_width(width);
        steps(&Rattle::default(), &bound as &dyn Constrained, &rest)
    });
}

/// Factors of matrices of random patterns, which have panels of all widths, also without registers.
#[test]
fn factors_of_general_matrices() {
    for (n, more) in [(40, 3), (150, 4), (400, 6)] {
        let mut seeded = Seeded::new(n as u64);
        let mut place = || ((0.5 + 0.5 * seeded.number()) * n as f64) as usize % n;
        let entries: Vec<(usize, usize)> = (0..n * more).map(|k| (k % n, place())).collect();
        let pattern = SymmetricPattern::new(n, entries);
        let lower: Vec<f64> = pattern
            .entries()
            .zip(Seeded::new(7).numbers(pattern.len()))
            .map(|((i, j), shift)| if i == j { 2.0 * (n + i) as f64 } else { shift })
            .collect();
        let solved = |width: Width| {
            let mut kernel = General::new(&pattern).expect("memory").with_width(width);
            let entries = Entries { pattern: &pattern, lower: &lower, upper: None, smallest_pivot: 1e-14 };
            kernel.factor(&entries).expect("a definite matrix");
            let mut x = Seeded::new(11).numbers(n);
            kernel.solve(&mut x);
            x
        };
        same_bits("factors", solved);
        let widest = solved(Width::widest());
        assert_eq!(bits(&solved(Width::ONE)), bits(&widest), "{n}: without registers");
    }
}
