//! The variational midpoint rule on the four-bar, written by hand for this one system.
//!
//! It knows everything: three rods in absolute angles φ, L = ½ Σ J_ij cos(φ_i − φ_j) φ̇_i φ̇_j − g Σ W_i
//! sin φ_i, and a loop of two rows; its matrix is an array. It skips other work of the engine: the
//! multipliers of the state, rows that depend on each other, and the state that survives a failed step.

#![expect(clippy::needless_range_loop, reason = "the indices are those of the formulas")]

/// The step by hand.
pub(crate) struct ByHand {
    h: f64,
    inertia: [[f64; 3]; 3],
    weight: [f64; 3],
    rods: [f64; 3],
    base: f64,
    pub(crate) q: [f64; 3],
    pub(crate) v: [f64; 3],
    /// The acceleration and the negative multipliers of the state.
    known: [f64; 5],
}

/// L_v, L_q, L_vv and L_vq, and L_qq.
struct Point {
    momentum: [f64; 3],
    force: [f64; 3],
    mass: [[f64; 3]; 3],
    mixed: [[f64; 3]; 3],
    stiffness: [[f64; 3]; 3],
}

impl ByHand {
    /// From relative angles, at rest.
    pub(crate) fn new(
        masses: [f64; 3],
        rods: [f64; 3],
        base: f64,
        gravity: f64,
        relative: &[f64],
        h: f64,
    ) -> Self {
        let ([m1, m2, m3], [l1, l2, l3]) = (masses, rods);
        let (j12, j13, j23) = ((0.5 * m2 + m3) * l1 * l2, 0.5 * m3 * l1 * l3, 0.5 * m3 * l2 * l3);
        let inertia = [
            [(m1 / 3.0 + m2 + m3) * l1 * l1, j12, j13],
            [j12, (m2 / 3.0 + m3) * l2 * l2, j23],
            [j13, j23, m3 / 3.0 * l3 * l3],
        ];
        let weight = [(0.5 * m1 + m2 + m3) * l1, (0.5 * m2 + m3) * l2, 0.5 * m3 * l3].map(|w| gravity * w);
        let q = [relative[0], relative[0] + relative[1], relative[0] + relative[1] + relative[2]];
        let mut hand = Self { h, inertia, weight, rods, base, q, v: [0.0; 3], known: [0.0; 5] };
        let point = hand.point(&q, &[0.0; 3]);
        hand.settle(&point);
        hand
    }

    fn point(&self, q: &[f64; 3], v: &[f64; 3]) -> Point {
        let (sin, cos) = (q.map(f64::sin), q.map(f64::cos));
        let mut point = Point {
            momentum: [0.0; 3],
            force: [0.0; 3],
            mass: [[0.0; 3]; 3],
            mixed: [[0.0; 3]; 3],
            stiffness: [[0.0; 3]; 3],
        };
        for i in 0..3 {
            point.force[i] -= self.weight[i] * cos[i];
            point.stiffness[i][i] += self.weight[i] * sin[i];
            for j in 0..3 {
                let c = self.inertia[i][j] * (cos[i] * cos[j] + sin[i] * sin[j]);
                let s = self.inertia[i][j] * (sin[i] * cos[j] - cos[i] * sin[j]);
                point.mass[i][j] = c;
                point.momentum[i] += c * v[j];
                point.force[i] -= s * v[i] * v[j];
                if i != j {
                    point.mixed[i][j] += s * v[j];
                    point.mixed[i][i] -= s * v[j];
                    point.stiffness[i][j] += c * v[i] * v[j];
                    point.stiffness[i][i] -= c * v[i] * v[j];
                }
            }
        }
        point
    }

    /// g, and G.
    fn rows(&self, q: &[f64; 3]) -> ([f64; 2], [[f64; 3]; 2]) {
        let (mut g, mut jacobian) = ([-self.base, 0.0], [[0.0; 3]; 2]);
        for i in 0..3 {
            let (sin, cos) = q[i].sin_cos();
            (jacobian[0][i], jacobian[1][i]) = (-self.rods[i] * sin, self.rods[i] * cos);
            g[0] += jacobian[1][i];
            g[1] -= jacobian[0][i];
        }
        (g, jacobian)
    }

    pub(crate) fn step(&mut self) {
        let h = self.h;
        let (_, old) = self.rows(&self.q);
        let start = self.point(&self.q, &self.v);
        let mut x: [f64; 5] =
            std::array::from_fn(|i| 0.5 * h * self.known[i] + self.v.get(i).copied().unwrap_or(0.0));
        let mut momentum = [0.0; 3];
        let mut end = self.q;
        for _ in 0..50 {
            let u = [x[0], x[1], x[2]];
            let middle = std::array::from_fn(|i| self.q[i] + 0.5 * h * u[i]);
            end = std::array::from_fn(|i| self.q[i] + h * u[i]);
            let at = self.point(&middle, &u);
            let (g, new) = self.rows(&end);
            let (mut matrix, mut rest) = ([[0.0; 5]; 5], [0.0; 5]);
            for i in 0..3 {
                momentum[i] = at.momentum[i] + 0.5 * h * at.force[i];
                rest[i] = start.momentum[i] - at.momentum[i] + 0.5 * h * at.force[i]
                    - old[0][i] * x[3]
                    - old[1][i] * x[4];
                for j in 0..3 {
                    matrix[i][j] = at.mass[i][j] + 0.5 * h * (at.mixed[i][j] - at.mixed[j][i])
                        - 0.25 * h * h * at.stiffness[i][j];
                }
                for row in 0..2 {
                    (matrix[i][3 + row], matrix[3 + row][i]) = (old[row][i], new[row][i]);
                }
            }
            (rest[3], rest[4]) = (-g[0] / h, -g[1] / h);
            solve(&mut matrix, &mut rest);
            let mut change = 0.0_f64;
            for i in 0..5 {
                x[i] += rest[i];
                change = change.max(if i < 3 { rest[i].abs() } else { 0.0 });
            }
            // The next correction would be the square of this one.
            if change <= 1e-8 * x[0].abs().max(x[1].abs()).max(x[2].abs()) {
                let u = [x[0], x[1], x[2]];
                let middle = std::array::from_fn(|i| self.q[i] + 0.5 * h * u[i]);
                let at = self.point(&middle, &u);
                momentum = std::array::from_fn(|i| at.momentum[i] + 0.5 * h * at.force[i]);
                end = std::array::from_fn(|i| self.q[i] + h * u[i]);
                break;
            }
        }
        self.q = end;
        let mass = self.point(&self.q, &[0.0; 3]).mass;
        let mut x = [momentum[0], momentum[1], momentum[2], 0.0, 0.0];
        self.solve_at_state(&mass, &mut x);
        self.v = [x[0], x[1], x[2]];
        let point = self.point(&self.q, &self.v);
        self.settle(&point);
    }

    /// The acceleration and the negative multipliers.
    fn settle(&mut self, point: &Point) {
        let mut x = [0.0; 5];
        for i in 0..3 {
            x[i] = point.force[i] - (0..3).map(|j| point.mixed[i][j] * self.v[j]).sum::<f64>();
            let (sin, cos) = self.q[i].sin_cos();
            x[3] += self.rods[i] * cos * self.v[i] * self.v[i];
            x[4] += self.rods[i] * sin * self.v[i] * self.v[i];
        }
        self.solve_at_state(&point.mass, &mut x);
        self.known = x;
    }

    fn solve_at_state(&self, mass: &[[f64; 3]; 3], x: &mut [f64; 5]) {
        let (_, jacobian) = self.rows(&self.q);
        let mut matrix = [[0.0; 5]; 5];
        for i in 0..3 {
            matrix[i][..3].copy_from_slice(&mass[i]);
            for row in 0..2 {
                (matrix[i][3 + row], matrix[3 + row][i]) = (jacobian[row][i], jacobian[row][i]);
            }
        }
        solve(&mut matrix, x);
    }
}

/// x ← A⁻¹ x with partial pivoting.
fn solve(a: &mut [[f64; 5]; 5], x: &mut [f64; 5]) {
    for k in 0..5 {
        let pivot = (k..5).fold(k, |best, row| if a[row][k].abs() > a[best][k].abs() { row } else { best });
        a.swap(k, pivot);
        x.swap(k, pivot);
        let reciprocal = 1.0 / a[k][k];
        for row in k + 1..5 {
            let factor = a[row][k] * reciprocal;
            for column in k + 1..5 {
                a[row][column] -= factor * a[k][column];
            }
            x[row] -= factor * x[k];
        }
    }
    for k in (0..5).rev() {
        for column in k + 1..5 {
            x[k] -= a[k][column] * x[column];
        }
        x[k] /= a[k][k];
    }
}
