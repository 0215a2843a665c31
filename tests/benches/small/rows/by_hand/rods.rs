//! Unit masses on rods, hanging from the origin under unit gravity: the double pendulum and chains.
//!
//! Rods are d₁ = p₁ and d_i = p_i − p_{i−1}; rows of constraints are ½ (|d|² − L²), of which d is the derivative, so that
//! multipliers are twice those of |d|² − L².

use super::ByHand;

type Points<const N: usize> = [[f64; 2]; N];

/// The largest residual of a row beside its size, and the one that rounding leaves.
const TOLERANCE: f64 = 1e-14;
const FLOOR: f64 = 64.0 * f64::EPSILON;

/// The points with their rods, and with what every scheme on the rods keeps.
pub(crate) struct Rods<const N: usize> {
    h: f64,
    squares: [f64; N],
    /// The reciprocal sizes of the rows: those at the start.
    sizes: [f64; N],
    p: Points<N>,
    v: Points<N>,
    /// The rods at the foot of a step and at an iterate, and corrections of multipliers.
    rods: Points<N>,
    new: Points<N>,
    x: [f64; N],
    iterations: u64,
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Of arrays in loops: `map` would copy long ones.
#[inline(always)]
fn differences<const N: usize>(p: &Points<N>) -> Points<N> {
    let mut rods = *p;
    for i in 1..N {
        rods[i] = [p[i][0] - p[i - 1][0], p[i][1] - p[i - 1][1]];
    }
    rods
}

/// y ← y + c Dᵀ x.
#[inline(always)]
fn push<const N: usize>(rods: &Points<N>, x: &[f64; N], c: f64, y: &mut Points<N>) {
    let mut next = [0.0; 2];
    for i in (0..N).rev() {
        let own = [c * x[i] * rods[i][0], c * x[i] * rods[i][1]];
        y[i][0] += own[0] - next[0];
        y[i][1] += own[1] - next[1];
        next = own;
    }
}

/// The factors of the tridiagonal matrix of the products of two sets of rods.
struct Factors<const N: usize> {
    lower: [f64; N],
    upper: [f64; N],
    reciprocals: [f64; N],
}

impl<const N: usize> Factors<N> {
    #[inline(always)]
    fn of(new: &Points<N>, old: &Points<N>) -> Self {
        let mut factors = Self { lower: [0.0; N], upper: [0.0; N], reciprocals: [0.0; N] };
        factors.reciprocals[0] = 1.0 / dot(new[0], old[0]);
        for i in 1..N {
            let above = -dot(new[i - 1], old[i]);
            let lower = -dot(new[i], old[i - 1]) * factors.reciprocals[i - 1];
            (factors.lower[i], factors.upper[i]) = (lower, above);
            factors.reciprocals[i] = 1.0 / (2.0 * dot(new[i], old[i]) - lower * above);
        }
        factors
    }

    #[inline(always)]
    fn solve(&self, x: &mut [f64; N]) {
        for i in 1..N {
            x[i] -= self.lower[i] * x[i - 1];
        }
        x[N - 1] *= self.reciprocals[N - 1];
        for i in (0..N - 1).rev() {
            x[i] = (x[i] - self.upper[i + 1] * x[i + 1]) * self.reciprocals[i];
        }
    }
}

impl<const N: usize> Rods<N> {
    /// At rest.
    pub(crate) fn new(p: Points<N>, h: f64) -> Self {
        let rods = differences(&p);
        let size = |i: usize| -> f64 {
            let last = if i == 0 { [0.0; 2] } else { p[i - 1] };
            (0..2).map(|k| rods[i][k].abs() * (p[i][k].abs() + last[k].abs())).sum()
        };
        Self {
            h,
            squares: rods.map(|rod| dot(rod, rod)),
            sizes: std::array::from_fn(|i| 1.0 / size(i)),
            v: [[0.0; 2]; N],
            rods,
            new: rods,
            x: [0.0; N],
            p,
            iterations: 0,
        }
    }

    /// λ with D a = −|ḋ|² for the accelerations a of gravity and Dᵀ λ.
    #[inline(always)]
    fn multipliers(&self, factors: &Factors<N>, multipliers: &mut [f64; N]) {
        let mut last = [0.0; 2];
        for (multiplier, v) in multipliers.iter_mut().zip(&self.v) {
            let rate = [v[0] - last[0], v[1] - last[1]];
            *multiplier = -dot(rate, rate);
            last = *v;
        }
        multipliers[0] += self.rods[0][1];
        factors.solve(multipliers);
    }

    /// Writes the rods at p, and −½ (|d|² − L²); the largest beside its size.
    #[inline(always)]
    fn residuals(&mut self) -> f64 {
        let (mut worst, mut last) = (0.0, [0.0; 2]);
        for i in 0..N {
            let rod = [self.p[i][0] - last[0], self.p[i][1] - last[1]];
            let residual = 0.5 * (self.squares[i] - dot(rod, rod));
            let relative = residual.abs() * self.sizes[i];
            worst = if relative > worst { relative } else { worst };
            (self.new[i], self.x[i], last) = (rod, residual, self.p[i]);
        }
        worst
    }

    /// Moves p along the rods at the foot onto the constraints, and v by the impulse, from a guess of that.
    #[inline(always)]
    fn reach(&mut self, impulse: &mut [f64; N], known: Option<&Factors<N>>) {
        push(&self.rods, impulse, 1.0, &mut self.p);
        let (mut previous, mut own) = (f64::INFINITY, None);
        loop {
            let worst = self.residuals();
            if worst <= TOLERANCE || worst <= FLOOR && worst >= 0.5 * previous {
                break;
            }
            previous = worst;
            match known {
                Some(factors) => factors.solve(&mut self.x),
                None => own.get_or_insert_with(|| Factors::of(&self.new, &self.rods)).solve(&mut self.x),
            }
            push(&self.rods, &self.x, 1.0, &mut self.p);
            impulse.iter_mut().zip(&self.x).for_each(|(sum, x)| *sum += x);
            self.iterations += 1;
        }
        push(&self.rods, impulse, 1.0 / self.h, &mut self.v);
        std::mem::swap(&mut self.rods, &mut self.new);
    }

    /// v ← v + c a with the acceleration of gravity, and p ← p + h v.
    #[inline(always)]
    fn kick_and_drift(&mut self, c: f64) {
        for (v, p) in self.v.iter_mut().zip(&mut self.p) {
            v[1] -= c;
            p[0] += self.h * v[0];
            p[1] += self.h * v[1];
        }
    }

    /// Removes what moves v along the rods.
    #[inline(always)]
    fn make_tangent(&mut self, factors: &Factors<N>) {
        let mut last = [0.0; 2];
        for i in 0..N {
            let v = self.v[i];
            self.x[i] = -dot(self.rods[i], [v[0] - last[0], v[1] - last[1]]);
            last = v;
        }
        factors.solve(&mut self.x);
        push(&self.rods, &self.x, 1.0, &mut self.v);
    }
}

/// RATTLE: Newton's method with the matrix of the old position, from the multipliers of the state.
pub(crate) struct Rattle<const N: usize> {
    system: Rods<N>,
    factors: Factors<N>,
    multipliers: [f64; N],
}

impl<const N: usize> Rattle<N> {
    pub(crate) fn new(system: Rods<N>) -> Self {
        let (factors, mut multipliers) = (Factors::of(&system.rods, &system.rods), [0.0; N]);
        system.multipliers(&factors, &mut multipliers);
        Self { system, factors, multipliers }
    }
}

impl<const N: usize> ByHand for Rattle<N> {
    fn step(&mut self) {
        let Self { system, factors, multipliers } = self;
        let h = system.h;
        system.kick_and_drift(0.5 * h);
        multipliers.iter_mut().for_each(|multiplier| *multiplier *= 0.5 * h * h);
        system.reach(multipliers, Some(factors));
        *factors = Factors::of(&system.rods, &system.rods);
        system.v.iter_mut().for_each(|v| v[1] -= 0.5 * h);
        system.make_tangent(factors);
        system.multipliers(factors, multipliers);
    }

    fn positions(&self) -> Vec<f64> {
        self.system.p.as_flattened().to_vec()
    }

    fn iterations(&self) -> Option<u64> {
        Some(self.system.iterations)
    }
}

/// SHAKE: Newton's method with the matrix of the first iterate, from the impulse of the step before.
pub(crate) struct Shake<const N: usize> {
    /// The points of the next step with the velocities before it.
    system: Rods<N>,
    impulse: [f64; N],
    /// The positions and velocities of the state.
    now: Points<N>,
    mean: Points<N>,
}

impl<const N: usize> Shake<N> {
    pub(crate) fn new(mut system: Rods<N>) -> Self {
        let (h, now, mut impulse) = (system.h, system.p, [0.0; N]);
        system.multipliers(&Factors::of(&system.rods, &system.rods), &mut impulse);
        system.kick_and_drift(0.5 * h);
        system.reach(&mut impulse.map(|multiplier| 0.5 * h * h * multiplier), None);
        Self { impulse: impulse.map(|multiplier| h * h * multiplier), now, mean: system.v, system }
    }
}

impl<const N: usize> ByHand for Shake<N> {
    fn step(&mut self) {
        let Self { system, impulse, now, mean } = self;
        (*now, *mean) = (system.p, system.v);
        system.kick_and_drift(system.h);
        system.reach(impulse, None);
        for (mean, v) in mean.as_flattened_mut().iter_mut().zip(system.v.as_flattened()) {
            *mean = 0.5 * (*mean + v);
        }
    }

    fn positions(&self) -> Vec<f64> {
        self.now.as_flattened().to_vec()
    }

    fn iterations(&self) -> Option<u64> {
        Some(self.system.iterations)
    }
}

/// A symmetric matrix of two rows: its diagonal, and the entry beside it.
type Block = [f64; 3];

fn times([a, b, c]: Block, x: [f64; 2]) -> [f64; 2] {
    [a * x[0] + c * x[1], c * x[0] + b * x[1]]
}

/// The penalty 2 ω² ½ (|d|² − L²)² / 2 of each rod instead of the constraints, stepped with the accelerations of a scheme.
pub(crate) struct Penalized<const N: usize, const IMPLICIT: bool> {
    system: Rods<N>,
    stiffness: f64,
    /// c = β h².
    c: f64,
    a: Points<N>,
    /// Inverse pivots of M + c Hess V, and its blocks beside the diagonal.
    pivots: [Block; N],
    beside: [Block; N],
}

/// Zhang–Skeel, and push-forward Newmark.
pub(crate) type ZhangSkeel<const N: usize> = Penalized<N, false>;
pub(crate) type PushForward<const N: usize> = Penalized<N, true>;

impl<const N: usize, const IMPLICIT: bool> Penalized<N, IMPLICIT> {
    pub(crate) fn new(system: Rods<N>, omega: f64, beta: f64) -> Self {
        let (c, zero) = (beta * system.h * system.h, [[0.0; 3]; N]);
        let stiffness = 2.0 * omega * omega;
        let mut run = Self { system, stiffness, c, a: [[0.0; 2]; N], pivots: zero, beside: zero };
        run.a = run.accelerations(&run.system.p.clone());
        run
    }

    /// 2 ω² (|d|² − L²) of a rod.
    #[inline(always)]
    fn tension(&self, i: usize, rod: [f64; 2]) -> f64 {
        self.stiffness * (dot(rod, rod) - self.system.squares[i])
    }

    /// −∇V.
    #[inline(always)]
    fn forces(&self, rods: &Points<N>) -> Points<N> {
        let (mut forces, mut next) = ([[0.0; 2]; N], [0.0; 2]);
        for i in (0..N).rev() {
            let tension = self.tension(i, rods[i]);
            let own = [tension * rods[i][0], tension * rods[i][1]];
            forces[i] = [next[0] - own[0], next[1] - own[1] - 1.0];
            next = own;
        }
        forces
    }

    /// Forms and factors 1 + c Hess V.
    #[inline(always)]
    fn factor(&mut self, rods: &Points<N>) {
        let mut blocks = [[0.0; 3]; N];
        for i in 0..N {
            let (d, tension) = (rods[i], self.c * self.tension(i, rods[i]));
            let bent = 2.0 * self.c * self.stiffness;
            blocks[i] = [tension + bent * d[0] * d[0], tension + bent * d[1] * d[1], bent * d[0] * d[1]];
        }
        let mut last = [0.0; 3];
        for i in 0..N {
            let (k, next) = (blocks[i], if i + 1 < N { blocks[i + 1] } else { [0.0; 3] });
            // K P K with the inverse pivot P before, whose columns are those of symmetric matrices.
            let first = times(last, [k[0], k[2]]);
            let second = times(last, [k[2], k[1]]);
            let (one, two) = (times(k, first), times(k, second));
            let a = 1.0 + k[0] + next[0] - one[0];
            let b = 1.0 + k[1] + next[1] - two[1];
            let c = k[2] + next[2] - one[1];
            let factor = 1.0 / (a * b - c * c);
            last = [factor * b, factor * a, -factor * c];
            (self.pivots[i], self.beside[i]) = (last, k);
        }
    }

    /// x ← (1 + c Hess V)⁻¹ x, with blocks −K beside the diagonal.
    #[inline(always)]
    fn solve(&self, x: &mut Points<N>) {
        for i in 1..N {
            let moved = times(self.beside[i], times(self.pivots[i - 1], x[i - 1]));
            x[i] = [x[i][0] + moved[0], x[i][1] + moved[1]];
        }
        x[N - 1] = times(self.pivots[N - 1], x[N - 1]);
        for i in (0..N - 1).rev() {
            let moved = times(self.beside[i + 1], x[i + 1]);
            x[i] = times(self.pivots[i], [x[i][0] + moved[0], x[i][1] + moved[1]]);
        }
    }

    #[inline(always)]
    fn accelerations(&mut self, p: &Points<N>) -> Points<N> {
        let rods = differences(p);
        self.factor(&rods);
        let mut a = self.forces(&rods);
        self.solve(&mut a);
        if IMPLICIT { self.iterate(p, a) } else { self.correct(&rods, a) }
    }

    /// a − ½ c² [a·V‴·a].
    #[inline(always)]
    fn correct(&self, rods: &Points<N>, mut a: Points<N>) -> Points<N> {
        let (changes, factor) = (differences(&a), self.c * self.c * self.stiffness);
        let mut next = [0.0; 2];
        for i in (0..N).rev() {
            let (d, e) = (rods[i], changes[i]);
            let (square, along) = (dot(e, e), 2.0 * dot(d, e));
            let own = [factor * (square * d[0] + along * e[0]), factor * (square * d[1] + along * e[1])];
            a[i] = [a[i][0] + next[0] - own[0], a[i][1] + next[1] - own[1]];
            next = own;
        }
        a
    }

    /// a = −∇V(p + c a) by Newton's method with the matrix of p, whose first correction is given.
    #[inline(always)]
    fn iterate(&mut self, p: &Points<N>, mut correction: Points<N>) -> Points<N> {
        let largest = |x: &Points<N>| x.as_flattened().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut a = [[0.0; 2]; N];
        let (positions, mut previous) = (largest(p), f64::INFINITY);
        loop {
            let length = self.c * largest(&correction);
            if length >= 0.5 * previous {
                return a;
            }
            let accepted = length <= TOLERANCE * positions.max(self.c * largest(&a));
            for (a, correction) in a.as_flattened_mut().iter_mut().zip(correction.as_flattened()) {
                *a += correction;
            }
            if accepted {
                return a;
            }
            previous = length;
            let mut moved = *p;
            for (moved, a) in moved.as_flattened_mut().iter_mut().zip(a.as_flattened()) {
                *moved += self.c * a;
            }
            correction = self.forces(&differences(&moved));
            for (force, a) in correction.as_flattened_mut().iter_mut().zip(a.as_flattened()) {
                *force -= a;
            }
            self.solve(&mut correction);
            self.system.iterations += 1;
        }
    }
}

impl<const N: usize, const IMPLICIT: bool> ByHand for Penalized<N, IMPLICIT> {
    fn step(&mut self) {
        let h = self.system.h;
        let mut p = self.system.p;
        for i in 0..N {
            for k in 0..2 {
                self.system.v[i][k] += 0.5 * h * self.a[i][k];
                p[i][k] += h * self.system.v[i][k];
            }
        }
        self.a = self.accelerations(&p);
        self.system.p = p;
        for i in 0..N {
            for k in 0..2 {
                self.system.v[i][k] += 0.5 * h * self.a[i][k];
            }
        }
    }

    fn positions(&self) -> Vec<f64> {
        self.system.p.as_flattened().to_vec()
    }

    fn iterations(&self) -> Option<u64> {
        Some(self.system.iterations)
    }
}
