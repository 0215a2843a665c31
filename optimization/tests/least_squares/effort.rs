//! The least effort that moves a mass from rest to rest, by bounded forces: direct optimal control.

use least_action_optimization::least_squares::{Problem, Slopes, Status, Values};
use nalgebra_sparse::{CooMatrix, CsrMatrix};

use crate::{FREE, solve};

/// The steps, and the unknowns x, v and u of each.
const N: usize = 400;
const H: f64 = 1.0 / N as f64;

/// ẍ = u − d |ẋ| ẋ for the time 1, from x = 0 to x = 1 at rest, with |u| ≤ `most`.
struct Mass {
    most: f64,
    drag: f64,
}

impl Mass {
    fn force(&self, u: f64, v: f64) -> f64 {
        u - self.drag * v.abs() * v
    }
}

/// The places of x, v and u.
fn x(k: usize) -> usize {
    k
}

fn v(k: usize) -> usize {
    N + 1 + k
}

fn u(k: usize) -> usize {
    2 * (N + 1) + k
}

impl Problem for Mass {
    type Error = String;

    fn unknowns(&self) -> usize {
        u(N)
    }

    fn bounds(&self) -> Vec<[f64; 2]> {
        let mut bounds = vec![FREE; u(N)];
        for (place, value) in [(x(0), 0.0), (v(0), 0.0), (x(N), 1.0), (v(N), 0.0)] {
            bounds[place] = [value, value];
        }
        bounds[u(0)..].fill([-self.most, self.most]);
        bounds
    }

    fn evaluate(&mut self, z: &[f64]) -> Result<Values, String> {
        let residuals = z[u(0)..].iter().map(|u| H.sqrt() * u).collect();
        let step = |k: usize| {
            let mean = 0.5 * (z[v(k)] + z[v(k + 1)]);
            [z[x(k + 1)] - z[x(k)] - H * mean, z[v(k + 1)] - z[v(k)] - H * self.force(z[u(k)], mean)]
        };
        Ok(Values { residuals, constraints: (0..N).flat_map(step).collect() })
    }

    fn linearize(&mut self, z: &[f64]) -> Result<Slopes, String> {
        let (mut residuals, mut constraints) = (CooMatrix::new(N, u(N)), CooMatrix::new(2 * N, u(N)));
        for k in 0..N {
            residuals.push(k, u(k), H.sqrt());
            let mean = 0.5 * (z[v(k)] + z[v(k + 1)]);
            let damped = H * self.drag * mean.abs();
            for (place, slope) in [(x(k + 1), 1.0), (x(k), -1.0), (v(k), -0.5 * H), (v(k + 1), -0.5 * H)] {
                constraints.push(2 * k, place, slope);
            }
            for (place, slope) in [(v(k + 1), 1.0 + damped), (v(k), damped - 1.0), (u(k), -H)] {
                constraints.push(2 * k + 1, place, slope);
            }
        }
        Ok(Slopes { residuals: CsrMatrix::from(&residuals), constraints: CsrMatrix::from(&constraints) })
    }
}

#[test]
fn forces_rest_on_their_bounds() {
    // Without drag u = k (1 − 2t) within the bounds, where k gives ∫ (1 − t) u dt = 1.
    let most = 5.0;
    let force = |k: f64, t: f64| (k * (1.0 - 2.0 * t)).clamp(-most, most);
    let way = |k: f64| (0..N).map(|j| (j as f64 + 0.5) * H).map(|t| H * (1.0 - t) * force(k, t)).sum::<f64>();
    let (mut low, mut high) = (0.0, 1e3);
    for _ in 0..200 {
        let k = 0.5 * (low + high);
        if way(k) < 1.0 { low = k } else { high = k }
    }
    let found = solve(&mut Mass { most, drag: 0.0 }, &vec![0.0; u(N)]).expect("a way");
    assert_eq!(found.status, Status::Converged);
    for (j, own) in found.x[u(0)..].iter().enumerate() {
        let right = force(low, (j as f64 + 0.5) * H);
        assert!((own - right).abs() < 1e-6, "u = {own} for {right} in step {j}");
        // A force beyond its bound rests on it exactly.
        assert!((right.abs() - most).abs() > 0.0 || (own.abs() - most).abs() == 0.0, "u = {own} in step {j}");
    }
}

#[test]
fn drag_takes_a_few_iterations() {
    let found = solve(&mut Mass { most: 8.0, drag: 0.5 }, &vec![0.0; u(N)]).expect("a way");
    assert!(
        found.status == Status::Converged && found.iterations < 20,
        "{:?}, {}",
        found.status,
        found.iterations
    );
    assert!(found.constraints.iter().all(|c| c.abs() < 1e-10));
    // More effort than without drag, where ∫ u² = 12.
    let effort: f64 = found.residuals.iter().map(|r| r * r).sum();
    assert!((12.5..20.0).contains(&effort), "{effort}");
}
