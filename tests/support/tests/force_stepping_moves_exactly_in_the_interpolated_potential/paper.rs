//! The algorithm of the article, matrices and all: an independent derivation on any triangulation.
//!
//! M. Gonzalez, B. Schmidt, M. Ortiz, Force-stepping integrators in Lagrangian mechanics (2010), section
//! 4: barycentric coordinates by Z⁻¹, updated by the formula of Sherman and Morrison; the earliest root
//! over d + 1 quadratics; the force from the values at all vertices; O(d²) a crossing.
//!
//! Of a triangulation only its definition is used, which gives the simplex of a point ([`Simplex`]). A
//! simplex is its d + 1 vertices: on a face a barycentric coordinate is zero, and a point just beyond
//! the face has the neighbour.

use least_action::method::force_stepping::Triangulation;
use least_action::system::{Natural, State};

/// A simplex of a triangulation, as its definition has it: a way along the edges of a box.
struct Simplex {
    corner: Vec<i64>,
    /// +1 or −1 for each coordinate.
    ways: Vec<i64>,
    order: Vec<usize>,
}

impl Simplex {
    /// The simplex of z; for z on faces, the simplex of z + u ε for small ε > 0.
    ///
    /// Kuhn: from ⌊z⌋ upwards. Mirrored: as Kuhn for |z|, with the signs of z. Union jack: from the even
    /// integers next to z towards z. The coordinates that are furthest from the corner go first.
    fn of(triangulation: Triangulation, z: &[f64], u: &[f64]) -> Self {
        let sign = |x: f64, u: f64| if x < 0.0 || (x == 0.0 && u < 0.0) { -1.0 } else { 1.0 };
        let floor = |x: f64, u: f64| if x.fract() == 0.0 && u < 0.0 { x - 1.0 } else { x.floor() };
        let corner_and_way = |(&z, &u): (&f64, &f64)| match triangulation {
            Triangulation::Kuhn => (floor(z, u), 1.0),
            Triangulation::Mirrored => {
                let way = sign(z, u);
                (way * floor(way * z, way * u), way)
            }
            Triangulation::UnionJack => {
                let even = 2.0 * floor(0.5 * z + 0.5, u);
                (even, sign(z - even, u))
            }
        };
        let ends: Vec<(f64, f64)> = z.iter().zip(u).map(corner_and_way).collect();
        let height = |a: usize| (ends[a].1 * (z[a] - ends[a].0), ends[a].1 * u[a]);
        let mut order: Vec<usize> = (0..z.len()).collect();
        order.sort_by(|&a, &b| {
            let ((f, u), (g, w)) = (height(a), height(b));
            g.total_cmp(&f).then(w.total_cmp(&u))
        });
        let [corner, ways] =
            [0, 1].map(|k| ends.iter().map(|&(corner, way)| [corner, way][k] as i64).collect());
        Self { corner, ways, order }
    }

    fn vertices(&self) -> Vec<Vec<i64>> {
        let mut z = vec![self.corner.clone()];
        for &a in &self.order {
            let mut next = z[z.len() - 1].clone();
            next[a] += self.ways[a];
            z.push(next);
        }
        z
    }

    /// Σ z over the vertices, without writing them down.
    fn sum(&self) -> Vec<i64> {
        let d = self.order.len() as i64;
        let mut sum: Vec<i64> = self.corner.iter().map(|corner| (d + 1) * corner).collect();
        self.order.iter().zip(0..).for_each(|(&a, rank)| sum[a] += (d - rank) * self.ways[a]);
        sum
    }
}

pub(crate) struct Paper<'s, S: ?Sized> {
    system: &'s S,
    triangulation: Triangulation,
    steps: Vec<f64>,
    masses: Vec<f64>,
    /// The vertices of the simplex, their sum, and V there.
    z: Vec<Vec<i64>>,
    sum: Vec<i64>,
    v: Vec<f64>,
    /// Z⁻¹, row by row: row s has the coefficients of μ_s in (z, 1).  They are integers.
    inverse: Vec<Vec<f64>>,
    /// Each face's μ is exactly zero after it was crossed.
    crossed: Option<usize>,
    pub(crate) time: f64,
    pub(crate) state: State,
    gradient: Vec<f64>,
}

/// A crossing.
pub(crate) struct Face {
    /// The coordinates in the equation of the face.
    pub(crate) wall: Vec<usize>,
    pub(crate) time: f64,
    /// The time since the crossing before.
    pub(crate) length: f64,
    pub(crate) q: Vec<f64>,
    /// The largest change of a component of ∇V_h, as a part of the largest component.
    pub(crate) jump: f64,
}

impl<'s, S: Natural + ?Sized> Paper<'s, S> {
    /// On a grid with a vertex at the origin.
    pub(crate) fn new(system: &'s S, triangulation: Triangulation, steps: Vec<f64>, state: State) -> Self {
        let d = steps.len();
        let scaled = |x: &[f64]| -> Vec<f64> { x.iter().zip(&steps).map(|(x, h)| x / h).collect() };
        let simplex = Simplex::of(triangulation, &scaled(&state.q), &scaled(&state.v));
        let z = simplex.vertices();
        let mass = system.mass();
        let masses = (0..d).map(|a| mass.values[mass.pattern.position(a, a).unwrap()]).collect();
        let mut paper = Self {
            system,
            triangulation,
            steps,
            masses,
            v: Vec::new(),
            inverse: inverse(&z),
            crossed: None,
            time: state.t,
            state,
            gradient: vec![0.0; d],
            sum: simplex.sum(),
            z,
        };
        paper.v = paper.z.iter().map(|z| paper.value(z)).collect();
        paper.find_gradient();
        paper
    }

    fn value(&self, z: &[i64]) -> f64 {
        let q: Vec<f64> = z.iter().zip(&self.steps).map(|(&z, h)| h * z as f64).collect();
        self.system.potential(&q, 0.0)
    }

    /// ∇V_h = T (V_Δ Z⁻¹).
    fn find_gradient(&mut self) {
        self.gradient.fill(0.0);
        for (v, row) in self.v.iter().zip(&self.inverse) {
            self.gradient.iter_mut().zip(row).for_each(|(slope, entry)| *slope += v * entry);
        }
        self.gradient.iter_mut().zip(&self.steps).for_each(|(slope, h)| *slope /= h);
    }

    /// μ_s as a quadratic of the time from now.
    fn barycentric(&self, row: &[f64]) -> [f64; 3] {
        let d = self.steps.len();
        let mut quadratic = [row[d], 0.0, 0.0];
        for (a, &entry) in row[..d].iter().enumerate().filter(|(_, entry)| **entry != 0.0) {
            let entry = entry / self.steps[a];
            quadratic[0] += entry * self.state.q[a];
            quadratic[1] += entry * self.state.v[a];
            quadratic[2] -= 0.5 * entry * self.gradient[a] / self.masses[a];
        }
        quadratic
    }

    /// V_h at the state.
    pub(crate) fn interpolated(&self) -> f64 {
        self.inverse.iter().zip(&self.v).map(|(row, v)| self.barycentric(row)[0] * v).sum()
    }

    /// TIME-STEP: when the motion leaves the simplex, and through which face.
    fn time_step(&self) -> (f64, usize) {
        let (mut earliest, mut face) = (f64::INFINITY, 0);
        for (s, row) in self.inverse.iter().enumerate() {
            let [c0, c1, c2] = self.barycentric(row);
            assert!(c0 > -1e-9, "the motion has left the simplex: {c0}");
            let c0 = if self.crossed == Some(s) { 0.0 } else { c0.max(0.0) };
            let time = root(c0, c1, c2);
            if time < earliest {
                (earliest, face) = (time, s);
            }
        }
        assert!(earliest.is_finite(), "the motion meets no face");
        (earliest, face)
    }

    fn fly(&mut self, tau: f64) {
        let State { q, v, .. } = &mut self.state;
        for (((q, v), g), m) in q.iter_mut().zip(v).zip(&self.gradient).zip(&self.masses) {
            let g = g / m;
            *q += tau * *v - 0.5 * tau * tau * g;
            *v -= tau * g;
        }
        self.time += tau;
        self.state.t = self.time;
    }

    /// TIME-STEP and UPDATE.
    pub(crate) fn cross(&mut self) -> Face {
        let (length, face) = self.time_step();
        self.fly(length);
        let d = self.steps.len();
        let wall = (0..d).filter(|&a| self.inverse[face][a] != 0.0).collect();
        let vertex = self.beyond(face);
        let u: Vec<f64> =
            vertex.iter().zip(&self.z[face]).map(|(new, old)| (new - old) as f64).chain([0.0]).collect();
        self.sum.iter_mut().zip(&u).for_each(|(sum, u)| *sum += *u as i64);
        // Z⁻¹ ← Z⁻¹ − (Z⁻¹ u)(row_s Z⁻¹)/(1 + row_s Z⁻¹ u).
        let product: Vec<f64> =
            self.inverse.iter().map(|row| row.iter().zip(&u).map(|(x, u)| x * u).sum()).collect();
        let row = self.inverse[face].clone();
        let denominator = 1.0 + product[face];
        assert!((denominator + 1.0) == 0.0, "the neighbour is as large, on the other side: {denominator}");
        for (target, factor) in self.inverse.iter_mut().zip(&product).filter(|(_, factor)| **factor != 0.0) {
            target.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y / denominator);
        }
        self.v[face] = self.value(&vertex);
        self.z[face] = vertex;
        let old = self.gradient.clone();
        self.find_gradient();
        self.crossed = Some(face);
        let (mut change, mut largest) = (0.0_f64, 0.0_f64);
        for (new, old) in self.gradient.iter().zip(&old) {
            (change, largest) = (change.max((new - old).abs()), largest.max(old.abs()));
        }
        Face { wall, time: self.time, length, q: self.state.q.clone(), jump: change / largest }
    }

    /// The vertex of the simplex beyond a face which is not one of the face.
    fn beyond(&self, face: usize) -> Vec<i64> {
        let d = self.steps.len();
        let of_face: Vec<i64> = self.sum.iter().zip(&self.z[face]).map(|(sum, z)| sum - z).collect();
        // From the middle of the face, away from the opposite vertex, but only into the neighbour.
        let point = |(&sum, &z): (&i64, &i64)| {
            let middle = sum as f64 / d as f64;
            middle + (middle - z as f64) / (8 * d) as f64
        };
        let point: Vec<f64> = of_face.iter().zip(&self.z[face]).map(point).collect();
        let neighbour = Simplex::of(self.triangulation, &point, &vec![0.0; d]);
        neighbour.sum().iter().zip(&of_face).map(|(sum, of_face)| sum - of_face).collect()
    }

    /// The state halfway to the next face, which is in the simplex of which that is found at once.
    pub(crate) fn halfway(mut self) -> State {
        let (length, _) = self.time_step();
        self.fly(0.5 * length);
        let z: Vec<f64> = self.state.q.iter().zip(&self.steps).map(|(q, h)| q / h).collect();
        let mut found = Simplex::of(self.triangulation, &z, &vec![0.0; z.len()]).vertices();
        found.sort();
        self.z.sort();
        assert_eq!(self.z, found, "neighbour by neighbour, and at once");
        self.state
    }
}

/// Z⁻¹ for the columns (z^s, 1), by elimination.
fn inverse(z: &[Vec<i64>]) -> Vec<Vec<f64>> {
    let d = z.len() - 1;
    // The edges from z⁰, a coordinate a row, beside the unit matrix.
    let mut rows: Vec<Vec<f64>> = (0..d)
        .map(|a| {
            let edges = z[1..].iter().map(|z_k| (z_k[a] - z[0][a]) as f64);
            edges.chain((0..d).map(|b| f64::from(u8::from(a == b)))).collect()
        })
        .collect();
    for k in 0..d {
        let pivot = (k..d).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap();
        rows.swap(k, pivot);
        let scale = rows[k][k];
        rows[k].iter_mut().for_each(|entry| *entry /= scale);
        let row = rows[k].clone();
        for (i, other) in rows.iter_mut().enumerate() {
            let factor = other[k];
            if i != k && factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    // μ_k of z − z⁰ for k > 0; μ₀ is their complement to 1.
    let mut inverse = vec![vec![0.0; d + 1]];
    inverse[0][d] = 1.0;
    for row in &rows {
        let mut mu = row[d..].to_vec();
        mu.push(-mu.iter().zip(&z[0]).map(|(x, z)| x * *z as f64).sum::<f64>());
        inverse[0].iter_mut().zip(&mu).for_each(|(rest, x)| *rest -= x);
        inverse.push(mu);
    }
    assert!(inverse.iter().flatten().all(|entry| entry.fract() == 0.0), "a simplex has the volume 1/d!");
    inverse
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
