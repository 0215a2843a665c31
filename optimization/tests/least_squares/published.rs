//! Optima of the literature.

use least_action_optimization::least_squares::Status;
use num_dual::{Dual64, DualNum};

use crate::{Dual, FREE, solve, squares};

/// A published problem: its start, its least Σ r², and a solution where it is the only one.
fn check(
    name: &str,
    bounds: Vec<[f64; 2]>,
    start: &[f64],
    residuals: impl Fn(&[Dual64]) -> Vec<Dual64>,
    constraints: impl Fn(&[Dual64]) -> Vec<Dual64>,
    (least, solution, near): (f64, &[f64], f64),
) {
    let found = solve(&mut Dual { bounds, residuals, constraints }, start).expect(name);
    let (sum, x) = (squares(&found), &found.x);
    assert!(
        matches!(found.status, Status::Converged | Status::Still),
        "{name}: {:?} after {} iterations at {x:?}",
        found.status,
        found.iterations
    );
    assert!((sum - least).abs() <= 1e-7 * least.max(1e-3), "{name}: {sum:e} for {least:e} at {x:?}");
    let miss = found.constraints.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    assert!(miss < 1e-7, "{name}: constraints are off by {miss:e}");
    let away = x.iter().zip(solution).map(|(x, known)| (x - known).abs()).fold(0.0, f64::max);
    assert!(away <= near, "{name}: {x:?} is {away:e} away from {solution:?}");
}

fn none(_: &[Dual64]) -> Vec<Dual64> {
    Vec::new()
}

#[test]
fn without_constraints() {
    let rosenbrock = |x: &[Dual64]| vec![(x[1] - x[0] * x[0]) * 10.0, -x[0] + 1.0];
    check("Rosenbrock", vec![FREE; 2], &[-1.2, 1.0], rosenbrock, none, (0.0, &[1.0, 1.0], 1e-7));
    let powell = |x: &[Dual64]| {
        let (a, b) = (x[1] - x[2] * 2.0, x[0] - x[3]);
        vec![x[0] + x[1] * 10.0, (x[2] - x[3]) * 5.0_f64.sqrt(), a * a, b * b * 10.0_f64.sqrt()]
    };
    check("Powell, singular", vec![FREE; 4], &[3.0, -1.0, 0.0, 1.0], powell, none, (0.0, &[0.0; 4], 1e-3));
    // A large residual: Freudenstein and Roth, the local minimum that the start leads to.
    let freudenstein = |x: &[Dual64]| {
        let y = x[1];
        vec![x[0] - 13.0 + ((-y + 5.0) * y - 2.0) * y, x[0] - 29.0 + ((y + 1.0) * y - 14.0) * y]
    };
    let known = [11.412_779, -0.896_805_25];
    check("Freudenstein", vec![FREE; 2], &[0.5, -2.0], freudenstein, none, (48.984_253_68, &known, 1e-5));
    // Brown and Dennis: exponentials and a large residual.
    let brown = |x: &[Dual64]| {
        let of = |k: u32| {
            let t = f64::from(k) / 5.0;
            let (a, b) = (x[0] + x[1] * t - t.exp(), x[2] + x[3] * t.sin() - t.cos());
            a * a + b * b
        };
        (1..=20).map(of).collect()
    };
    let known = [-11.594_44, 13.203_63, -0.403_439, 0.236_778_7];
    check(
        "Brown and Dennis",
        vec![FREE; 4],
        &[25.0, 5.0, -5.0, -1.0],
        brown,
        none,
        (85_822.201_626, &known, 1e-3),
    );
}

#[test]
fn under_constraints() {
    let hs6 = |x: &[Dual64]| vec![-x[0] + 1.0];
    let of = |x: &[Dual64]| vec![(x[1] - x[0] * x[0]) * 10.0];
    check("HS6", vec![FREE; 2], &[-1.2, 1.0], hs6, of, (0.0, &[1.0, 1.0], 1e-7));

    let hs26 = |x: &[Dual64]| vec![x[0] - x[1], (x[1] - x[2]).powi(2)];
    let of = |x: &[Dual64]| vec![(x[1] * x[1] + 1.0) * x[0] + x[2].powi(4) - 3.0];
    check("HS26", vec![FREE; 3], &[-2.6, 2.0, 2.0], hs26, of, (0.0, &[1.0; 3], 1e-2));

    let hs28 = |x: &[Dual64]| vec![x[0] + x[1], x[1] + x[2]];
    let of = |x: &[Dual64]| vec![x[0] + x[1] * 2.0 + x[2] * 3.0 - 1.0];
    check("HS28", vec![FREE; 3], &[-4.0, 1.0, 1.0], hs28, of, (0.0, &[0.5, -0.5, 0.5], 1e-6));

    let hs42 = |x: &[Dual64]| (0..4).map(|k| x[k] - f64::from(k as u32 + 1)).collect();
    let of = |x: &[Dual64]| vec![x[0] - 2.0, x[2] * x[2] + x[3] * x[3] - 2.0];
    let known = [2.0, 2.0, 0.6 * 2.0_f64.sqrt(), 0.8 * 2.0_f64.sqrt()];
    check("HS42", vec![FREE; 4], &[1.0; 4], hs42, of, (28.0 - 10.0 * 2.0_f64.sqrt(), &known, 1e-6));
}

#[test]
fn under_linear_constraints() {
    let hs48 = |x: &[Dual64]| vec![x[0] - 1.0, x[1] - x[2], x[3] - x[4]];
    let of = |x: &[Dual64]| vec![x.iter().copied().sum::<Dual64>() - 5.0, x[2] - (x[3] + x[4]) * 2.0 + 3.0];
    check("HS48", vec![FREE; 5], &[3.0, 5.0, -3.0, 2.0, -2.0], hs48, of, (0.0, &[1.0; 5], 1e-6));

    let hs49 = |x: &[Dual64]| vec![x[0] - x[1], x[2] - 1.0, (x[3] - 1.0).powi(2), (x[4] - 1.0).powi(3)];
    let of = |x: &[Dual64]| vec![x[0] + x[1] + x[2] + x[3] * 4.0 - 7.0, x[2] + x[4] * 5.0 - 6.0];
    check("HS49", vec![FREE; 5], &[10.0, 7.0, 2.0, -3.0, 0.8], hs49, of, (0.0, &[1.0; 5], 3e-2));

    let hs50 = |x: &[Dual64]| vec![x[0] - x[1], x[1] - x[2], (x[2] - x[3]).powi(2), x[3] - x[4]];
    let of = |x: &[Dual64]| (0..3).map(|k| x[k] + x[k + 1] * 2.0 + x[k + 2] * 3.0 - 6.0).collect();
    check("HS50", vec![FREE; 5], &[35.0, -31.0, 11.0, 5.0, -5.0], hs50, of, (0.0, &[1.0; 5], 1e-3));

    let hs51 = |x: &[Dual64]| vec![x[0] - x[1], x[1] + x[2] - 2.0, x[3] - 1.0, x[4] - 1.0];
    let of = |x: &[Dual64]| vec![x[0] + x[1] * 3.0 - 4.0, x[2] + x[3] - x[4] * 2.0, x[1] - x[4]];
    check("HS51", vec![FREE; 5], &[2.5, 0.5, 2.0, -1.0, 0.5], hs51, of, (0.0, &[1.0; 5], 1e-6));

    let hs52 = |x: &[Dual64]| vec![x[0] * 4.0 - x[1], x[1] + x[2] - 2.0, x[3] - 1.0, x[4] - 1.0];
    let of = |x: &[Dual64]| vec![x[0] + x[1] * 3.0, x[2] + x[3] - x[4] * 2.0, x[1] - x[4]];
    let known = [-33.0, 11.0, 180.0, -158.0, 11.0].map(|x| x / 349.0);
    check("HS52", vec![FREE; 5], &[2.0; 5], hs52, of, (1859.0 / 349.0, &known, 1e-6));
}

#[test]
fn far_from_linear() {
    let root = 2.0_f64.sqrt();
    let hs60 = |x: &[Dual64]| vec![x[0] - 1.0, x[0] - x[1], (x[1] - x[2]).powi(2)];
    let of = |x: &[Dual64]| vec![x[0] * (x[1] * x[1] + 1.0) + x[2].powi(4) - 4.0 - 3.0 * root];
    let known = [1.104_859_024, 1.196_674_194, 1.535_262_257];
    check("HS60", vec![[-10.0, 10.0]; 3], &[2.0; 3], hs60, of, (0.032_568_200_25, &known, 1e-5));

    let hs77 =
        |x: &[Dual64]| vec![x[0] - 1.0, x[0] - x[1], x[2] - 1.0, (x[3] - 1.0).powi(2), (x[4] - 1.0).powi(3)];
    let of = |x: &[Dual64]| {
        let bent = (x[3] - x[4]).sin();
        vec![x[0] * x[0] * x[3] + bent - 2.0 * root, x[1] + x[2].powi(4) * x[3] * x[3] - 8.0 - root]
    };
    let known = [1.166_172_219, 1.182_111_399, 1.380_257_105, 1.506_036_061, 0.610_919_844];
    check("HS77", vec![FREE; 5], &[2.0; 5], hs77, of, (0.241_505_128_8, &known, 1e-3));

    let hs79 = |x: &[Dual64]| {
        vec![x[0] - 1.0, x[0] - x[1], x[1] - x[2], (x[2] - x[3]).powi(2), (x[3] - x[4]).powi(2)]
    };
    let of = |x: &[Dual64]| {
        let first = x[0] + x[1] * x[1] + x[2].powi(3) - 2.0 - 3.0 * root;
        vec![first, x[1] - x[2] * x[2] + x[3] + 2.0 - 2.0 * root, x[0] * x[4] - 2.0]
    };
    let known = [1.191_127, 1.362_603, 1.472_818, 1.635_017, 1.679_081];
    check("HS79", vec![FREE; 5], &[2.0; 5], hs79, of, (0.078_776_82, &known, 1e-4));
}

#[test]
fn at_bounds() {
    // Rosenbrock with an upper bound of x: HS1 and HS2 have lower ones of y.
    let rosenbrock = |x: &[Dual64]| vec![(x[1] - x[0] * x[0]) * 10.0, -x[0] + 1.0];
    check("HS1", vec![FREE, [-1.5, f64::INFINITY]], &[-2.0, 1.0], rosenbrock, none, (0.0, &[1.0; 2], 1e-7));
    // HS2: the minimum that the start leads to is one of two; both have y = 1.5.
    let half = (598.0_f64 / 1200.0).sqrt();
    let known = [2.0 * half * ((400.0 * half.powi(3)).recip().acos() / 3.0).cos(), 1.5];
    let bounds = || vec![FREE, [1.5, f64::INFINITY]];
    check("HS2", bounds(), &[1.5, 2.0], rosenbrock, none, (0.050_426_187_9, &known, 1e-5));
    // A fixed unknown.
    check("fixed", vec![[0.5, 0.5], FREE], &[-1.2, 1.0], rosenbrock, none, (0.25, &[0.5, 0.25], 1e-9));
}
