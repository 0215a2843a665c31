//! Derivatives by sensitive parameters against differences of models with other parameters.

use least_action::prelude::*;

/// The bound of an error, relative to the largest entry.
const TOLERANCE: f64 = 1e-8;

/// The difference (f(h) − f(−h))/2h, extrapolated to h = 0 from two steps.
fn slope(step: f64, f: &dyn Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let central = |h: f64| -> Vec<f64> {
        f(h).iter().zip(f(-h)).map(|(plus, minus)| (plus - minus) / (2.0 * h)).collect()
    };
    central(step / 2.0).iter().zip(central(step)).map(|(half, whole)| (4.0 * half - whole) / 3.0).collect()
}

fn assert_near(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-3_f64, |largest, entry| largest.max(entry.abs()));
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(error <= TOLERANCE * scale, "{what}, entry {place}: {found} for {expected}");
    }
}

/// Numbers between −1 and 1 that repeat from run to run.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn moved(x: &[f64], h: f64, along: &[f64]) -> Vec<f64> {
    x.iter().zip(along).map(|(x, a)| x + h * a).collect()
}

/// The model with its parameters moved along a direction.
fn with<M: Model + Clone>(model: &M, h: f64, along: &[f64]) -> Bound<M> {
    let mut model = model.clone();
    model.set_parameters(&moved(&model.parameters(), h, along)).expect("as many");
    model.bind().expect("bound")
}

/// Checks Hess L · (a, b) and the products of the constraints along a random direction.
fn check<M: Model + Clone>(model: &M, q: &[f64], v: &[f64], t: f64) {
    let bound = model.bind().expect("bound");
    let parametric = bound.parametric().expect("sensitive");
    let (n, p) = (bound.dimension(), parametric.count());
    assert_eq!(parametric.values(), model.parameters());
    for seed in 1..4 {
        let (a, b) = (numbers(n + p, seed), numbers(n, seed + 10));
        let (aq, at) = a.split_at(n);
        let (mut product, mut product_v) = (vec![0.0; n + p], vec![0.0; n]);
        parametric.add_lagrangian_product((q, v, t), (&a, &b), (&mut product, &mut product_v));
        let gradient = |h: f64| {
            let mut gradient = vec![0.0; 2 * n + 1];
            let there = with(model, h, at);
            M::mechanics(&there).first_derivatives(&moved(q, h, aq), &moved(v, h, &b), t, &mut gradient);
            gradient
        };
        let expected = slope(1e-3, &gradient);
        assert_near("L by q", &product[..n], &expected[..n]);
        assert_near("L by v", &product_v, &expected[n..2 * n]);
        // The rows of θ, for a direction of q and v alone and along θ itself.
        let still: Vec<f64> = aq.iter().copied().chain(vec![0.0; p]).collect();
        let (mut product, mut product_v) = (vec![0.0; n + p], vec![0.0; n]);
        parametric.add_lagrangian_product((q, v, t), (&still, &b), (&mut product, &mut product_v));
        for k in 0..p {
            let unit: Vec<f64> = (0..p).map(|l| f64::from(u8::from(l == k))).collect();
            let along = |h: f64| {
                let mut gradient = vec![0.0; 2 * n + 1];
                M::mechanics(&with(model, h, &unit)).first_derivatives(q, v, t, &mut gradient);
                let direction = aq.iter().chain(&b);
                vec![gradient.iter().zip(direction).map(|(slope, a)| slope * a).sum::<f64>()]
            };
            assert_near(&parametric.name(k), &product[n + k..=n + k], &slope(1e-3, &along));
        }
        if let Some(holonomic) = bound.holonomic() {
            let m = holonomic.constraints();
            let weights = numbers(m, seed + 20);
            let mut product = vec![0.0; n + p];
            parametric.add_constraint_product(q, t, &weights, &still, &mut product);
            let weighed = |h: f64, of_q: &[f64], of_parameters: &[f64]| {
                let there = with(model, h, of_parameters);
                let holonomic = M::holonomic(&there).expect("constraints");
                let mut gradient = vec![0.0; n];
                let jacobian = holonomic.jacobian_matrix(&moved(q, h, of_q), t);
                jacobian.pattern.transpose_multiply_add(&jacobian.values, &weights, &mut gradient);
                gradient
            };
            let expected = slope(1e-3, &|h| weighed(h, aq, &vec![0.0; p]));
            assert_near("w·g by q", &product[..n], &expected);
            let mut values = vec![0.0; m];
            let pattern = parametric.constraint_pattern();
            let mut jacobian = vec![0.0; pattern.len()];
            parametric.constraint_jacobian(q, t, &mut values, &mut jacobian);
            for k in 0..p {
                let unit: Vec<f64> = (0..p).map(|l| f64::from(u8::from(l == k))).collect();
                let along = |h: f64| {
                    let gradient = weighed(h, &vec![0.0; n], &unit);
                    vec![gradient.iter().zip(aq).map(|(slope, a)| slope * a).sum::<f64>()]
                };
                assert_near("w·g by θ", &product[n + k..=n + k], &slope(1e-3, &along));
                let values = |h: f64| {
                    let there = with(model, h, &unit);
                    let mut values = vec![0.0; m];
                    M::holonomic(&there).expect("constraints").constraint_values(q, t, &mut values);
                    values
                };
                let mut column = vec![0.0; m];
                for ((row, at), value) in pattern.entries().zip(&jacobian) {
                    if at == n + k {
                        column[row] += value;
                    }
                }
                assert_near("g by θ", &column, &slope(1e-3, &values));
            }
        }
    }
}

#[derive(Clone)]
struct Chain {
    links: usize,
    masses: Vec<f64>,
    gravity: f64,
    rods: Vec<f64>,
}

#[lagrangian(sensitive(masses, rods, gravity))]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        let kinetic = sum(0..self.links, |i| 0.5 * self.masses[i] * der(bobs[i]).norm_squared());
        let potential = sum(0..self.links, |i| self.masses[i] * self.gravity * bobs[i].y);
        kinetic - potential
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - self.rods[i].powi(2)
        })
    }
}

#[test]
fn a_chain() {
    let chain =
        Chain { links: 4, masses: vec![1.0, 0.5, 2.0, 0.7], gravity: 9.81, rods: vec![1.0, 0.8, 0.6, 1.3] };
    check(&chain, &numbers(8, 5), &numbers(8, 6), 0.0);
}
