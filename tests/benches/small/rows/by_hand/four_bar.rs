//! The four-bar linkage by variational midpoint, in the directions of its rods.
//!
//! The model's angles are their differences, and the scheme commutes with this change of coordinates.
//!
//! L = ½ Σ m_jk cos(α_j − α_k) ω_j ω_k − Σ w_j sin α_j, and Σ l_j (cos α_j, sin α_j) is the fixed end.

use super::{ByHand, Told};

const TOLERANCE: f64 = 1e-14;
/// The last correction beside the tolerance, and the one that is expected to follow.
const LITTLE: f64 = 0.1;
const NOTHING: f64 = 0.02;
/// The rods, and the rods with the two rows.
const N: usize = 3;
const M: usize = N + 2;

type Vector = [f64; N];
/// Velocities (or momenta) and multipliers (or rows).
type Both = [f64; M];

pub(crate) struct FourBar {
    h: f64,
    masses: [[f64; N]; N],
    weights: Vector,
    rods: Vector,
    base: f64,
    q: Vector,
    v: Vector,
    /// ∂L/∂v, and the acceleration with the negative multipliers.
    p: Vector,
    a: Both,
    /// cos α and sin α.
    along: [[f64; 2]; N],
    iterations: u64,
}

/// L_v, L_q, m_jk (cos, sin)(α_j − α_k) and w_j sin α_j.
struct At {
    momentum: Vector,
    force: Vector,
    cosines: [Vector; N],
    sines: [Vector; N],
    potential: Vector,
}

fn along(q: &Vector) -> [[f64; 2]; N] {
    q.map(|q| {
        let (sine, cosine) = q.sin_cos();
        [cosine, sine]
    })
}

/// The factors L U of a matrix, with the reciprocals of the pivots on the diagonal.
fn factored(mut a: [Both; M]) -> [Both; M] {
    for k in 0..M {
        a[k][k] = 1.0 / a[k][k];
        for i in k + 1..M {
            a[i][k] *= a[k][k];
            for j in k + 1..M {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
    a
}

fn solve(a: &[Both; M], x: &mut Both) {
    for i in 1..M {
        for j in 0..i {
            x[i] -= a[i][j] * x[j];
        }
    }
    for i in (0..M).rev() {
        for j in i + 1..M {
            x[i] -= a[i][j] * x[j];
        }
        x[i] *= a[i][i];
    }
}

impl FourBar {
    /// With the masses, rods, base and gravity of the model, from its angles and their rates.
    pub(crate) fn new(
        (m, rods, base, gravity): (Vector, Vector, f64, f64),
        (q, v): (Vector, Vector),
        h: f64,
    ) -> Self {
        // Masses at the end of a rod count whole, its own by half, and by a third with itself.
        let hanging = [m[1] + m[2], m[2], 0.0];
        let masses = std::array::from_fn(|j| {
            std::array::from_fn(|k| {
                let last = j.max(k);
                let own = if j == k { m[j] / 3.0 } else { 0.5 * m[last] };
                rods[j] * rods[k] * (own + hanging[last])
            })
        });
        let weights = std::array::from_fn(|j| gravity * rods[j] * (0.5 * m[j] + hanging[j]));
        let sums = |x: Vector| [x[0], x[0] + x[1], x[0] + x[1] + x[2]];
        let (q, v) = (sums(q), sums(v));
        let mut run =
            Self { h, masses, weights, rods, base, q, v, p: v, a: [0.0; M], along: along(&q), iterations: 0 };
        let at = run.at(&run.along, &v);
        let matrix = run.saddle(&at, &run.along);
        run.settle(&at, &matrix);
        run
    }

    fn at(&self, along: &[[f64; 2]; N], v: &Vector) -> At {
        let mut at = At {
            momentum: [0.0; N],
            force: [0.0; N],
            cosines: [[0.0; N]; N],
            sines: [[0.0; N]; N],
            potential: [0.0; N],
        };
        for j in 0..N {
            at.force[j] -= self.weights[j] * along[j][0];
            at.potential[j] = self.weights[j] * along[j][1];
            at.cosines[j][j] = self.masses[j][j];
            at.momentum[j] += self.masses[j][j] * v[j];
            for k in 0..j {
                let (m, [a, b], [c, d]) = (self.masses[j][k], along[j], along[k]);
                let (cosine, sine) = (m * (a * c + b * d), m * (b * c - a * d));
                (at.cosines[j][k], at.cosines[k][j]) = (cosine, cosine);
                (at.sines[j][k], at.sines[k][j]) = (sine, -sine);
                at.momentum[j] += cosine * v[k];
                at.momentum[k] += cosine * v[j];
                at.force[j] -= sine * v[j] * v[k];
                at.force[k] += sine * v[j] * v[k];
            }
        }
        at
    }

    /// The derivatives of the rows by α_j.
    fn rows(&self, along: &[[f64; 2]; N]) -> [[f64; 2]; N] {
        std::array::from_fn(|j| [-self.rods[j] * along[j][1], self.rods[j] * along[j][0]])
    }

    /// The factors of [L_vv Bᵀ; B 0].
    fn saddle(&self, at: &At, along: &[[f64; 2]; N]) -> [Both; M] {
        let mut matrix = [[0.0; M]; M];
        for (j, row) in self.rows(along).into_iter().enumerate() {
            matrix[j][..N].copy_from_slice(&at.cosines[j]);
            for r in 0..2 {
                (matrix[j][N + r], matrix[N + r][j]) = (row[r], row[r]);
            }
        }
        factored(matrix)
    }

    /// The momentum, the acceleration and the multipliers of a state, where its saddle was factored.
    fn settle(&mut self, at: &At, saddle: &[Both; M]) {
        self.p = at.momentum;
        let v = &self.v;
        self.a = [0.0; M];
        for j in 0..N {
            // L_q − L_vq v, with m sin (ω_j − ω_k) ω_k in the latter.
            self.a[j] = at.force[j];
            for k in 0..N {
                self.a[j] += at.sines[j][k] * (v[j] - v[k]) * v[k];
            }
            for r in 0..2 {
                self.a[N + r] += self.rods[j] * self.along[j][r] * v[j] * v[j];
            }
        }
        solve(saddle, &mut self.a);
    }

    /// −R at (u, y), with the parts for its matrix, and p̂.
    fn residual(&self, x: &Both, old: &[[f64; 2]; N]) -> (Both, At, Vector, [[f64; 2]; N]) {
        let half = 0.5 * self.h;
        let u: Vector = std::array::from_fn(|j| x[j]);
        let at = self.at(&along(&std::array::from_fn(|j| self.q[j] + half * u[j])), &u);
        let end = along(&std::array::from_fn(|j| self.q[j] + self.h * u[j]));
        let mut residual = [0.0; M];
        for j in 0..N {
            let impulse = old[j][0] * x[N] + old[j][1] * x[N + 1];
            residual[j] = self.p[j] - at.momentum[j] + half * at.force[j] - impulse;
            for r in 0..2 {
                residual[N + r] -= self.rods[j] * end[j][r] / self.h;
            }
        }
        residual[N] += self.base / self.h;
        let momentum = std::array::from_fn(|j| at.momentum[j] + half * at.force[j]);
        (residual, at, momentum, end)
    }

    /// The factors of the derivative of R.
    fn derivative(&self, u: &Both, at: &At, old: &[[f64; 2]; N], end: &[[f64; 2]; N]) -> [Both; M] {
        let half = 0.5 * self.h;
        let mut matrix = [[0.0; M]; M];
        let new = self.rows(end);
        for j in 0..N {
            matrix[j][j] -= half * half * at.potential[j];
            for k in 0..N {
                let (cosine, sine) = (at.cosines[j][k], at.sines[j][k]);
                matrix[j][k] += cosine + half * sine * (u[j] + u[k]);
                if k != j {
                    let bent = half * half * cosine * u[j] * u[k];
                    matrix[j][j] += bent;
                    matrix[j][k] -= bent;
                }
            }
            for r in 0..2 {
                (matrix[j][N + r], matrix[N + r][j]) = (old[j][r], new[j][r]);
            }
        }
        factored(matrix)
    }
}

impl ByHand for FourBar {
    fn step(&mut self) {
        let (h, old) = (self.h, self.rows(&self.along));
        let mut x: Both = std::array::from_fn(|i| 0.5 * h * self.a[i] + if i < N { self.v[i] } else { 0.0 });
        let (mut correction, at, _, end) = self.residual(&x, &old);
        let matrix = self.derivative(&x, &at, &old, &end);
        let (mut gain, mut previous) = (1.0_f64, f64::NAN);
        let (momentum, end) = loop {
            solve(&matrix, &mut correction);
            let largest = |x: &Both| x[..N].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let (length, accepted) = (largest(&correction), TOLERANCE * largest(&x));
            gain = gain.min(length / previous);
            for (x, correction) in x.iter_mut().zip(&correction) {
                *x += correction;
            }
            let (residual, _, momentum, end) = self.residual(&x, &old);
            // As in the method: omissions of every step add up.
            if length <= LITTLE * accepted || gain * length <= NOTHING * accepted || length >= 0.5 * previous
            {
                break (momentum, end);
            }
            (correction, previous) = (residual, length);
            self.iterations += 1;
        };

        // The velocity of the momentum p̂ on the constraints, by a linear equation.
        for j in 0..N {
            self.q[j] += h * x[j];
        }
        self.along = end;
        let saddle = self.saddle(&self.at(&end, &self.v), &end);
        let mut v = [0.0; M];
        v[..N].copy_from_slice(&momentum);
        solve(&saddle, &mut v);
        self.iterations += 1;
        self.v = std::array::from_fn(|j| v[j]);
        let at = self.at(&end, &self.v);
        self.settle(&at, &saddle);
    }

    fn told(&self) -> Told {
        (vec![self.q[0], self.q[1] - self.q[0], self.q[2] - self.q[1]], Some(self.iterations))
    }
}
