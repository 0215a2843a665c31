//! The variational midpoint rule on the chain of rods, written by hand for this one system.
//!
//! It knows everything: L of a rod in its first point (x, y) and its angle φ, and rows that join a rod
//! to the one before. It eliminates from the free end to the pivot, as articulated bodies are: of each
//! rod its angle, and then its joint. It skips other work of the engine: the multipliers of the state,
//! rows that depend on each other, and the state that survives a failed step.

use least_action::system::State;

/// The centre of a rod, and its moment of inertia about its centre.
const CENTRE: f64 = 0.3;
const INERTIA: f64 = 0.1;

/// A rod of the chain: (x, y, φ), velocities, momenta and forces.
type Triple = [f64; 3];

/// An eliminated rod: the rest for its joint, B δe + δy = b, and its angle, δφ = (r − k·δe) / s.
#[derive(Clone, Copy, Default)]
struct Joint {
    matrix: [[f64; 2]; 2],
    right: [f64; 2],
    coupling: [f64; 2],
    reciprocal: f64,
    angle: f64,
}

/// The equations of a rod: K, symmetric and not, of its only column, the angle's; the residuals.
#[derive(Clone, Copy, Default)]
struct Equations {
    column: [f64; 2],
    row: [f64; 2],
    corner: f64,
    rest: Triple,
    joint: [f64; 2],
}

/// The step by hand.
pub(crate) struct ByHand {
    h: f64,
    pub(crate) q: Vec<Triple>,
    v: Vec<Triple>,
    accelerations: Vec<Triple>,
    momenta: Vec<Triple>,
    u: Vec<Triple>,
    /// −½ h λ of the joints, and its guess.
    y: Vec<[f64; 2]>,
    equations: Vec<Equations>,
    joints: Vec<Joint>,
    change: Vec<Triple>,
    impulses: Vec<[f64; 2]>,
    /// cos φ and sin φ at the start and at the end of a step.
    old: Vec<[f64; 2]>,
    new: Vec<[f64; 2]>,
}

impl ByHand {
    pub(crate) fn new(start: &State, h: f64) -> Self {
        let n = start.q.len() / 3;
        let triple =
            |of: &[f64]| (0..n).map(|i| [of[2 * i], of[2 * i + 1], of[2 * n + i]]).collect::<Vec<_>>();
        let zeros = vec![[0.0; 3]; n];
        let mut hand = Self {
            h,
            q: triple(&start.q),
            v: triple(&start.v),
            accelerations: zeros.clone(),
            momenta: zeros.clone(),
            u: zeros.clone(),
            y: vec![[0.0; 2]; n],
            equations: vec![Equations::default(); n],
            joints: vec![Joint::default(); n],
            change: zeros,
            impulses: vec![[0.0; 2]; n],
            old: vec![[0.0; 2]; n],
            new: vec![[0.0; 2]; n],
        };
        direct(&hand.q, &mut hand.new);
        hand.settle();
        hand
    }

    pub(crate) fn step(&mut self) {
        let h = self.h;
        self.old.copy_from_slice(&self.new);
        for i in 0..self.q.len() {
            self.momenta[i] = momentum(self.old[i], self.v[i]);
            self.u[i] = std::array::from_fn(|k| self.v[i][k] + 0.5 * h * self.accelerations[i][k]);
            // The multipliers of the state come from the accelerations.
            self.y[i] = self.impulses[i].map(|impulse| 0.5 * h * impulse);
        }
        for _ in 0..50 {
            self.linearize();
            self.eliminate(true);
            let (mut change, mut size, mut farthest) = (0.0_f64, 0.0_f64, 0.0_f64);
            for i in 0..self.q.len() {
                for k in 0..3 {
                    self.u[i][k] += self.change[i][k];
                    change = change.max(self.change[i][k].abs());
                    size = size.max(self.u[i][k].abs());
                    farthest = farthest.max(self.q[i][k].abs());
                }
                self.y[i] = std::array::from_fn(|k| self.y[i][k] + self.impulses[i][k]);
            }
            // The next correction would be the square of this one, or the rounding of positions, added
            // up along the chain.
            if change <= 1e-8 * size || change <= 64.0 * f64::EPSILON * farthest / h {
                break;
            }
        }
        for i in 0..self.q.len() {
            let (q, u) = (self.q[i], self.u[i]);
            let at = turned(q[2] + 0.5 * h * u[2]);
            let (own, force) = (momentum(at, u), force(at, u));
            self.equations[i].rest = std::array::from_fn(|k| own[k] + 0.5 * h * force[k]);
            self.q[i] = std::array::from_fn(|k| q[k] + h * u[k]);
        }
        direct(&self.q, &mut self.new);
        self.weigh();
        self.equations.iter_mut().for_each(|equations| equations.joint = [0.0; 2]);
        self.eliminate(false);
        std::mem::swap(&mut self.v, &mut self.change);
        self.settle();
    }

    /// The accelerations, and the negative multipliers as impulses.
    fn settle(&mut self) {
        self.weigh();
        for i in 0..self.q.len() {
            let ([c, s], [x, y, w]) = (self.new[i], self.v[i]);
            let mixed = [-CENTRE * c * w, -CENTRE * s * w, -CENTRE * (c * x + s * y)];
            let force = force(self.new[i], self.v[i]);
            self.equations[i].rest = std::array::from_fn(|k| force[k] - mixed[k] * w);
            let before =
                if i == 0 { [0.0; 2] } else { self.new[i - 1].map(|e| -e * self.v[i - 1][2].powi(2)) };
            self.equations[i].joint = before;
        }
        self.eliminate(false);
        std::mem::swap(&mut self.accelerations, &mut self.change);
    }

    /// The mass at the end of the step as K.
    fn weigh(&mut self) {
        for (equations, [c, s]) in self.equations.iter_mut().zip(&self.new) {
            equations.column = [-CENTRE * s, CENTRE * c];
            equations.row = equations.column;
            equations.corner = INERTIA + CENTRE * CENTRE;
        }
    }

    /// K, the residuals of the position stage, and the directions of the rods at its end.
    fn linearize(&mut self) {
        let h = self.h;
        let mut before = [0.0; 2];
        for i in 0..self.q.len() {
            let ([x, y, angle], u) = (self.q[i], self.u[i]);
            let at = turned(angle + 0.5 * h * u[2]);
            let [c, s] = at;
            let across = c * u[1] - s * u[0];
            let (own, force) = (momentum(at, u), force(at, u));
            // L_vq in the column of the angle, which is also L_qv in its row.
            let mixed = [-CENTRE * c * u[2], -CENTRE * s * u[2]].map(|mixed| 0.5 * h * mixed);
            let mut rest: Triple = std::array::from_fn(|k| self.momenta[i][k] - own[k] + 0.5 * h * force[k]);
            rest[0] -= self.y[i][0];
            rest[1] -= self.y[i][1];
            if let Some(next) = self.y.get(i + 1) {
                let [c, s] = self.old[i];
                rest[0] += next[0];
                rest[1] += next[1];
                rest[2] -= s * next[0] - c * next[1];
            }
            self.equations[i] = Equations {
                column: [-CENTRE * s + mixed[0], CENTRE * c + mixed[1]],
                row: [-CENTRE * s - mixed[0], CENTRE * c - mixed[1]],
                corner: INERTIA + CENTRE * CENTRE - 0.25 * h * h * (CENTRE * s - CENTRE * u[2] * across),
                rest,
                joint: [-(x + h * u[0] - before[0]) / h, -(y + h * u[1] - before[1]) / h],
            };
            self.new[i] = turned(angle + h * u[2]);
            before = [x + h * u[0] + self.new[i][0], y + h * u[1] + self.new[i][1]];
        }
    }

    /// Solves for change and impulses, with joints at the start on the force side where `moving`.
    fn eliminate(&mut self, moving: bool) {
        let forces = if moving { &self.old } else { &self.new };
        let mut onto = (([[0.0; 3]; 3]), [0.0; 3]);
        for i in (0..self.q.len()).rev() {
            let Equations { column, row, corner, rest, joint } = self.equations[i];
            let (more, less) = onto;
            let k = [
                [1.0 + more[0][0], more[0][1], column[0] + more[0][2]],
                [more[1][0], 1.0 + more[1][1], column[1] + more[1][2]],
                [row[0] + more[2][0], row[1] + more[2][1], corner + more[2][2]],
            ];
            let rest: Triple = std::array::from_fn(|place| rest[place] - less[place]);
            let reciprocal = 1.0 / k[2][2];
            let matrix: [[f64; 2]; 2] =
                std::array::from_fn(|a| std::array::from_fn(|b| k[a][b] - k[a][2] * reciprocal * k[2][b]));
            let right: [f64; 2] = std::array::from_fn(|a| rest[a] - k[a][2] * reciprocal * rest[2]);
            self.joints[i] =
                Joint { matrix, right, coupling: [k[2][0], k[2][1]], reciprocal, angle: rest[2] };
            if i > 0 {
                // The joint moves by −E δq of the rod before, E = [−1, 0, sin φ; 0, −1, −cos φ], pushed
                // by Eᵀ.
                let ([c, s], [d, t]) = (self.new[i - 1], forces[i - 1]);
                let moved: [[f64; 3]; 2] = matrix.map(|b| [-b[0], -b[1], b[0] * s - b[1] * c]);
                let left: [f64; 2] =
                    std::array::from_fn(|a| right[a] - matrix[a][0] * joint[0] - matrix[a][1] * joint[1]);
                let pushed = |a: f64, b: f64| [-a, -b, t * a - d * b];
                let columns: [Triple; 3] = std::array::from_fn(|b| pushed(moved[0][b], moved[1][b]));
                onto = (
                    std::array::from_fn(|a| std::array::from_fn(|b| columns[b][a])),
                    pushed(left[0], left[1]),
                );
            }
        }
        let mut before = [0.0; 2];
        for i in 0..self.q.len() {
            let Joint { matrix, right, coupling, reciprocal, angle } = self.joints[i];
            let joint = self.equations[i].joint;
            let moved = [joint[0] + before[0], joint[1] + before[1]];
            let turn = (angle - coupling[0] * moved[0] - coupling[1] * moved[1]) * reciprocal;
            self.change[i] = [moved[0], moved[1], turn];
            self.impulses[i] =
                std::array::from_fn(|a| right[a] - matrix[a][0] * moved[0] - matrix[a][1] * moved[1]);
            let [c, s] = self.new[i];
            before = [moved[0] - s * turn, moved[1] + c * turn];
        }
    }
}

fn turned(angle: f64) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    [cos, sin]
}

fn direct(q: &[Triple], directions: &mut [[f64; 2]]) {
    for (direction, q) in directions.iter_mut().zip(q) {
        *direction = turned(q[2]);
    }
}

/// L_v.
fn momentum([c, s]: [f64; 2], [x, y, w]: Triple) -> Triple {
    [x - CENTRE * s * w, y + CENTRE * c * w, (INERTIA + CENTRE * CENTRE) * w + CENTRE * (c * y - s * x)]
}

/// L_q.
fn force([c, s]: [f64; 2], [x, y, w]: Triple) -> Triple {
    [0.0, -1.0, -CENTRE * (w * (c * x + s * y) + c)]
}
