//! The algorithm of the article, matrices and all: an independent derivation of the same motion.
//!
//! M. Gonzalez, B. Schmidt, M. Ortiz, Force-stepping integrators in Lagrangian mechanics (2010), section 4: barycentric
//! coordinates by Z⁻¹, updated by the formula of Sherman and Morrison; the earliest root over d + 1 quadratics; O(d²) a
//! crossing.  Kuhn's triangulation.

use integrator_core::system::{Natural, State};

pub(crate) struct Paper<'s, S: ?Sized> {
    system: &'s S,
    steps: Vec<f64>,
    vertex: Vec<f64>,
    masses: Vec<f64>,
    /// The vertices of the simplex, and V there.
    z: Vec<Vec<i64>>,
    v: Vec<f64>,
    /// Z⁻¹, row by row: row s has the coefficients of μ_s in (z, 1).
    inverse: Vec<Vec<f64>>,
    /// Each face's μ is exactly zero after it was crossed.
    crossed: Option<usize>,
    pub(crate) time: f64,
    pub(crate) state: State,
    gradient: Vec<f64>,
}

/// The wall between two simplices: the coordinates in its equation.
pub(crate) type Wall = Vec<usize>;

impl<'s, S: Natural + ?Sized> Paper<'s, S> {
    /// From a start that is on no face.
    pub(crate) fn new(system: &'s S, steps: Vec<f64>, vertex: Vec<f64>, state: State) -> Self {
        let d = steps.len();
        let scaled: Vec<f64> = (0..d).map(|a| (state.q[a] - vertex[a]) / steps[a]).collect();
        let mut order: Vec<usize> = (0..d).collect();
        order.sort_by(|&a, &b| scaled[b].rem_euclid(1.0).total_cmp(&scaled[a].rem_euclid(1.0)));
        let mut z = vec![scaled.iter().map(|z| z.floor() as i64).collect::<Vec<_>>()];
        for &a in &order {
            let mut next = z[z.len() - 1].clone();
            next[a] += 1;
            z.push(next);
        }
        // Rows of Z⁻¹: μ₀ = 1 − f_π(1), μ_k = f_π(k) − f_π(k+1), μ_d = f_π(d).
        let phase = |a: usize| {
            let mut row = vec![0.0; d + 1];
            row[a] = 1.0;
            row[d] = -(z[0][a] as f64);
            row
        };
        let one = {
            let mut row = vec![0.0; d + 1];
            row[d] = 1.0;
            row
        };
        let bounds: Vec<Vec<f64>> =
            std::iter::once(one).chain(order.iter().map(|&a| phase(a))).chain([vec![0.0; d + 1]]).collect();
        let inverse = bounds
            .windows(2)
            .map(|pair| pair[0].iter().zip(&pair[1]).map(|(x, y)| x - y).collect())
            .collect();
        let mass = system.mass();
        let masses = (0..d).map(|a| mass.values[mass.pattern.position(a, a).unwrap()]).collect();
        let mut paper = Self {
            system,
            steps,
            vertex,
            masses,
            v: Vec::new(),
            inverse,
            crossed: None,
            time: state.t,
            state,
            gradient: vec![0.0; d],
            z,
        };
        paper.v = paper.z.iter().map(|z| paper.value(z)).collect();
        paper.find_gradient();
        paper
    }

    fn value(&self, z: &[i64]) -> f64 {
        let q: Vec<f64> = (0..z.len()).map(|a| self.vertex[a] + self.steps[a] * z[a] as f64).collect();
        self.system.potential(&q, 0.0)
    }

    /// ∇V_h = T (V_Δ Z⁻¹).
    fn find_gradient(&mut self) {
        for a in 0..self.steps.len() {
            let slope: f64 = self.v.iter().zip(&self.inverse).map(|(v, row)| v * row[a]).sum();
            self.gradient[a] = slope / self.steps[a];
        }
    }

    /// V_h at the state.
    pub(crate) fn interpolated(&self) -> f64 {
        let mu = |row: &Vec<f64>| {
            let d = self.steps.len();
            (0..d).map(|a| row[a] * (self.state.q[a] - self.vertex[a]) / self.steps[a]).sum::<f64>() + row[d]
        };
        self.inverse.iter().zip(&self.v).map(|(row, v)| mu(row) * v).sum()
    }

    /// TIME-STEP and UPDATE; returns the wall.
    pub(crate) fn cross(&mut self) -> Wall {
        let d = self.steps.len();
        let Self { state, .. } = &*self;
        let (mut earliest, mut face) = (f64::INFINITY, 0);
        for (s, row) in self.inverse.iter().enumerate() {
            let (mut c0, mut c1, mut c2) = (row[d], 0.0, 0.0);
            for (a, &entry) in row[..d].iter().enumerate() {
                if entry != 0.0 {
                    c0 += entry * (state.q[a] - self.vertex[a]) / self.steps[a];
                    c1 += entry * state.v[a] / self.steps[a];
                    c2 -= entry * 0.5 * self.gradient[a] / self.masses[a] / self.steps[a];
                }
            }
            let c0 = if self.crossed == Some(s) { 0.0 } else { c0.max(0.0) };
            let time = root(c0, c1, c2);
            if time < earliest {
                (earliest, face) = (time, s);
            }
        }
        assert!(earliest.is_finite(), "the motion meets no face");
        let tau = earliest;
        for a in 0..d {
            let g = self.gradient[a] / self.masses[a];
            self.state.q[a] += tau * self.state.v[a] - 0.5 * tau * tau * g;
            self.state.v[a] -= tau * g;
        }
        self.time += tau;
        self.state.t = self.time;
        // The replaced vertex: z^{/s} = z^{s−1} + z^{s+1} − z^s.
        let (before, after) = ((face + d) % (d + 1), (face + 1) % (d + 1));
        let wall: Wall = (0..d).filter(|&a| self.inverse[face][a] != 0.0).collect();
        let u: Vec<f64> = (0..d)
            .map(|a| (self.z[before][a] + self.z[after][a] - 2 * self.z[face][a]) as f64)
            .chain([0.0])
            .collect();
        for (a, &u) in u[..d].iter().enumerate() {
            self.z[face][a] += u as i64;
        }
        // Z⁻¹ ← Z⁻¹ − (Z⁻¹ u)(row_s Z⁻¹)/(1 + row_s Z⁻¹ u).
        let product: Vec<f64> =
            self.inverse.iter().map(|row| row.iter().zip(&u).map(|(x, u)| x * u).sum()).collect();
        let row = self.inverse[face].clone();
        let denominator = 1.0 + product[face];
        for (target, factor) in self.inverse.iter_mut().zip(&product) {
            if *factor != 0.0 {
                for (x, y) in target.iter_mut().zip(&row) {
                    *x -= factor * y / denominator;
                }
            }
        }
        self.v[face] = self.value(&self.z[face]);
        self.find_gradient();
        self.crossed = Some(face);
        wall
    }
}

/// The first t ≥ 0 at which c0 + c1 t + c2 t² becomes negative, by the cases of the two roots.
fn root(c0: f64, c1: f64, c2: f64) -> f64 {
    if c0 == 0.0 {
        return match (c1 > 0.0, c2 < 0.0) {
            (true, true) => -c1 / c2,
            (true, false) => f64::INFINITY,
            (false, _) => {
                if c1 < 0.0 || c2 < 0.0 {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
        };
    }
    if c2 == 0.0 {
        return if c1 < 0.0 { -c0 / c1 } else { f64::INFINITY };
    }
    let discriminant = c1 * c1 - 4.0 * c2 * c0;
    if discriminant <= 0.0 {
        return f64::INFINITY;
    }
    // Both roots without cancellation; the smallest that is positive.
    let large = -0.5 * (c1 + discriminant.sqrt().copysign(c1));
    let roots = [large / c2, c0 / large];
    roots.into_iter().filter(|t| *t > 0.0).fold(f64::INFINITY, f64::min)
}
