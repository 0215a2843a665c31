//! SHAKE, RATTLE and stiff Z&Ss for rigid water, by hand for this one system as plain scalar loops.
//!
//! They know everything: the charges, the masses, three distances a molecule, 3 × 3 and 9 × 9 matrices
//! of molecules. They skip other work of the engines: the multipliers of the state, checks for a failed
//! step, the state that survives it.

use least_action::system::State;
use least_action_models::Water;

type Vector = [f64; 3];
/// The sites of a molecule: hydrogen, oxygen, hydrogen.
type Molecule = [Vector; 3];

/// The two sites of each distance.
const BONDS: [(usize, usize); 3] = [(0, 1), (2, 1), (0, 2)];
/// The largest error of a distance, relative to its square.
const TOLERANCE: f64 = 1e-14;

/// The molecules, with the numbers of the model.
pub(crate) struct ByHand {
    pub(crate) q: Vec<Molecule>,
    v: Vec<Molecule>,
    force: Vec<Molecule>,
    h: f64,
    masses: [f64; 3],
    /// Of the masses, so that nothing is divided by them.
    reciprocals: [f64; 3],
    /// Of two sites: Coulomb's constant times both charges.
    charges: [[f64; 3]; 3],
    repulsion: f64,
    attraction: f64,
    squares: [f64; 3],
    started: bool,
}

impl ByHand {
    pub(crate) fn new(water: &Water, state: &State, h: f64) -> Self {
        let molecules =
            |values: &[f64]| -> Vec<Molecule> { values.as_chunks::<3>().0.as_chunks::<3>().0.to_vec() };
        let across = 2.0 * water.bond * (0.5 * water.angle.to_radians()).sin();
        let q = molecules(&state.q);
        Self {
            v: molecules(&state.v),
            force: vec![[[0.0; 3]; 3]; q.len()],
            q,
            h,
            masses: water.masses,
            reciprocals: water.masses.map(f64::recip),
            charges: water.charges.map(|a| water.charges.map(|b| water.coulomb * a * b)),
            repulsion: water.repulsion,
            attraction: water.attraction,
            squares: [water.bond.powi(2), water.bond.powi(2), across.powi(2)],
            started: false,
        }
    }

    /// Writes −∇V of the forces between molecules.
    pub(crate) fn evaluate_forces(&mut self) {
        let Self { q, force, charges, repulsion, attraction, .. } = self;
        force.fill([[0.0; 3]; 3]);
        for m in 0..q.len() {
            let (head, tail) = force.split_at_mut(m + 1);
            let own = &mut head[m];
            for (other, sites) in tail.iter_mut().zip(&q[m + 1..]) {
                for i in 0..3 {
                    for j in 0..3 {
                        let d = minus(q[m][i], sites[j]);
                        let square = dot(d, d);
                        let inverse = 1.0 / square;
                        let mut factor = charges[i][j] * inverse * inverse.sqrt();
                        if i == 1 && j == 1 {
                            let sixth = inverse * inverse * inverse;
                            factor += (12.0 * *repulsion * sixth - 6.0 * *attraction) * sixth * inverse;
                        }
                        for k in 0..3 {
                            own[i][k] += factor * d[k];
                            other[j][k] -= factor * d[k];
                        }
                    }
                }
            }
        }
    }

    /// One step of SHAKE; the velocities are differences of the positions.
    pub(crate) fn shake(&mut self) {
        let h = self.h;
        self.evaluate_forces();
        let kick = if self.started { h } else { 0.5 * h };
        self.started = true;
        let Self { q, v, force, reciprocals, squares, .. } = self;
        for ((q, v), force) in q.iter_mut().zip(v).zip(&*force) {
            position_stage(q, v, force, reciprocals, squares, kick, h);
        }
    }

    /// One step of RATTLE.
    pub(crate) fn rattle(&mut self) {
        let h = self.h;
        if !self.started {
            self.evaluate_forces();
            self.started = true;
        }
        let Self { q, v, force, reciprocals, squares, .. } = self;
        for ((q, v), force) in q.iter_mut().zip(v).zip(&*force) {
            position_stage(q, v, force, reciprocals, squares, 0.5 * h, h);
        }
        self.evaluate_forces();
        let Self { q, v, force, reciprocals, .. } = self;
        for ((q, v), force) in q.iter().zip(v).zip(&*force) {
            for i in 0..3 {
                for k in 0..3 {
                    v[i][k] += 0.5 * h * force[i][k] * reciprocals[i];
                }
            }
            let bonds = bonds(q);
            let mut rates = [0.0; 3];
            for ((rate, bond), (a, b)) in rates.iter_mut().zip(&bonds).zip(BONDS) {
                *rate = -dot(*bond, minus(v[a], v[b]));
            }
            let multipliers = solve(factored(matrix(&bonds, &bonds, reciprocals)), rates);
            move_along(v, &bonds, multipliers, reciprocals, 1.0);
        }
    }

    /// One step of stiff Z&Ss with the penalty ½ ω² |g|² instead of the constraints, g = |d|² − L².
    pub(crate) fn zhang_skeel_stiff(&mut self, omega: f64, beta: f64) {
        let h = self.h;
        if !self.started {
            self.stiff_accelerations(omega, beta);
            self.started = true;
        }
        let Self { q, v, force, .. } = self;
        for ((q, v), f) in q.iter_mut().zip(v).zip(&*force) {
            for i in 0..3 {
                for k in 0..3 {
                    v[i][k] += 0.5 * h * f[i][k];
                    q[i][k] += h * v[i][k];
                }
            }
        }
        self.stiff_accelerations(omega, beta);
        for (v, f) in self.v.iter_mut().zip(&self.force) {
            for i in 0..3 {
                for k in 0..3 {
                    v[i][k] += 0.5 * h * f[i][k];
                }
            }
        }
    }

    /// (M + β h² ω² Hess ½|g|²) f = −∇V − ω² Gᵀ g, over the forces.
    fn stiff_accelerations(&mut self, omega: f64, beta: f64) {
        self.evaluate_forces();
        let stiffness = omega * omega;
        let c = beta * self.h * self.h * stiffness;
        for (q, f) in self.q.iter().zip(&mut self.force) {
            let bonds = bonds(q);
            let mut matrix = [[0.0; 9]; 9];
            for i in 0..9 {
                matrix[i][i] = self.masses[i / 3];
            }
            for ((bond, square), (a, b)) in bonds.iter().zip(self.squares).zip(BONDS) {
                let g = dot(*bond, *bond) - square;
                for k in 0..3 {
                    f[a][k] -= 2.0 * stiffness * g * bond[k];
                    f[b][k] += 2.0 * stiffness * g * bond[k];
                    for l in 0..3 {
                        let same = if k == l { 2.0 * g } else { 0.0 };
                        let entry = c * (4.0 * bond[k] * bond[l] + same);
                        matrix[3 * a + k][3 * a + l] += entry;
                        matrix[3 * b + k][3 * b + l] += entry;
                        matrix[3 * a + k][3 * b + l] -= entry;
                        matrix[3 * b + k][3 * a + l] -= entry;
                    }
                }
            }
            eliminate(&mut matrix, f.as_flattened_mut());
        }
    }
}

/// Kicks and drifts a molecule, and moves it along the old gradients onto its distances.
fn position_stage(
    q: &mut Molecule,
    v: &mut Molecule,
    force: &Molecule,
    reciprocals: &[f64; 3],
    squares: &[f64; 3],
    kick: f64,
    h: f64,
) {
    let old = bonds(q);
    let factors = factored(matrix(&old, &old, reciprocals));
    for i in 0..3 {
        for k in 0..3 {
            v[i][k] += kick * force[i][k] * reciprocals[i];
            q[i][k] += h * v[i][k];
        }
    }
    let (mut previous, mut impulse) = (f64::INFINITY, [0.0; 3]);
    for _ in 0..50 {
        let mut residuals = [0.0; 3];
        let mut accepted = true;
        let mut worst = 0.0_f64;
        for ((residual, bond), square) in residuals.iter_mut().zip(bonds(q)).zip(squares) {
            *residual = 0.5 * (square - dot(bond, bond));
            accepted &= residual.abs() <= TOLERANCE * square;
            worst = worst.max(residual.abs());
        }
        if accepted || worst >= 0.5 * previous {
            break;
        }
        previous = worst;
        let multipliers = solve(factors, residuals);
        move_along(q, &old, multipliers, reciprocals, 1.0);
        for (impulse, multiplier) in impulse.iter_mut().zip(multipliers) {
            *impulse += multiplier;
        }
    }
    move_along(v, &old, impulse, reciprocals, 1.0 / h);
}

fn bonds(q: &Molecule) -> [Vector; 3] {
    // Written out: a closure here is not compiled into the loops.
    let [(a, b), (c, d), (e, f)] = BONDS;
    [minus(q[a], q[b]), minus(q[c], q[d]), minus(q[e], q[f])]
}

/// G M⁻¹ Gᵀ with half gradients at two configurations.
fn matrix(rows: &[Vector; 3], columns: &[Vector; 3], reciprocals: &[f64; 3]) -> [[f64; 3]; 3] {
    let mut matrix = [[0.0; 3]; 3];
    for (r, (a, b)) in BONDS.into_iter().enumerate() {
        for (c, (p, q)) in BONDS.into_iter().enumerate() {
            let mut shared = 0.0;
            for site in 0..3 {
                let sign =
                    |first, second| f64::from(u8::from(site == first)) - f64::from(u8::from(site == second));
                shared += sign(a, b) * sign(p, q) * reciprocals[site];
            }
            matrix[r][c] = shared * dot(rows[r], columns[c]);
        }
    }
    matrix
}

/// The lower Cholesky factor, with reciprocals on its diagonal.
fn factored(a: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut l = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = if i == j { 1.0 / sum.sqrt() } else { sum * l[j][j] };
        }
    }
    l
}

fn solve(l: [[f64; 3]; 3], mut x: [f64; 3]) -> [f64; 3] {
    for i in 0..3 {
        for j in 0..i {
            x[i] -= l[i][j] * x[j];
        }
        x[i] *= l[i][i];
    }
    for i in (0..3).rev() {
        for j in i + 1..3 {
            x[i] -= l[j][i] * x[j];
        }
        x[i] *= l[i][i];
    }
    x
}

/// Adds M⁻¹ Gᵀ times the multipliers.
fn move_along(
    x: &mut Molecule,
    bonds: &[Vector; 3],
    multipliers: [f64; 3],
    reciprocals: &[f64; 3],
    factor: f64,
) {
    for ((bond, multiplier), (a, b)) in bonds.iter().zip(multipliers).zip(BONDS) {
        let (first, second) = (factor * multiplier * reciprocals[a], factor * multiplier * reciprocals[b]);
        for k in 0..3 {
            x[a][k] += first * bond[k];
            x[b][k] -= second * bond[k];
        }
    }
}

/// Solves by L D Lᵀ in place.
fn eliminate(matrix: &mut [[f64; 9]; 9], x: &mut [f64]) {
    for j in 0..9 {
        let reciprocal = 1.0 / matrix[j][j];
        for i in j + 1..9 {
            let factor = matrix[i][j] * reciprocal;
            for k in j + 1..=i {
                matrix[i][k] -= factor * matrix[k][j];
            }
            x[i] -= factor * x[j];
        }
        x[j] *= reciprocal;
        for i in j + 1..9 {
            matrix[i][j] *= reciprocal;
        }
    }
    for j in (0..9).rev() {
        for i in j + 1..9 {
            x[j] -= matrix[i][j] * x[i];
        }
    }
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
