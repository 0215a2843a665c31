//! Unit masses on rods, hanging from the origin under unit gravity: the double pendulum and chains.
//!
//! Rods are d₁ = p₁ and d_i = p_i − p_{i−1}; constraints are ½ (|d|² − L²), with the derivative d.

use super::{ByHand, Told};

pub(super) type Points<const N: usize> = [[f64; 2]; N];

/// The largest residual of a row beside its size, and the one that rounding leaves.
pub(super) const TOLERANCE: f64 = 1e-14;
const FLOOR: f64 = 64.0 * f64::EPSILON;

/// The points with their rods, and the memory of every scheme on the rods.
pub(crate) struct Rods<const N: usize> {
    pub(super) h: f64,
    pub(super) squares: [f64; N],
    /// The reciprocal sizes of the rows, at the start.
    sizes: [f64; N],
    pub(super) p: Points<N>,
    pub(super) v: Points<N>,
    /// The rods at the foot of a step and at an iterate, and corrections of multipliers.
    foot: Points<N>,
    new: Points<N>,
    x: [f64; N],
    pub(super) iterations: u64,
}

pub(super) fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Of arrays in loops: `map` would copy long ones.
#[inline(always)]
pub(super) fn differences<const N: usize>(p: &Points<N>) -> Points<N> {
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
            foot: rods,
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
        multipliers[0] += self.foot[0][1];
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

    /// Moves p along the rods at the foot onto the constraints, and v by the impulse, a guess at first.
    #[inline(always)]
    fn reach(&mut self, impulse: &mut [f64; N], known: Option<&Factors<N>>) {
        push(&self.foot, impulse, 1.0, &mut self.p);
        let (mut previous, mut own) = (f64::INFINITY, None);
        loop {
            let worst = self.residuals();
            if worst <= TOLERANCE || worst <= FLOOR && worst >= 0.5 * previous {
                break;
            }
            previous = worst;
            match known {
                Some(factors) => factors.solve(&mut self.x),
                None => own.get_or_insert_with(|| Factors::of(&self.new, &self.foot)).solve(&mut self.x),
            }
            push(&self.foot, &self.x, 1.0, &mut self.p);
            impulse.iter_mut().zip(&self.x).for_each(|(sum, x)| *sum += x);
            self.iterations += 1;
        }
        push(&self.foot, impulse, 1.0 / self.h, &mut self.v);
        std::mem::swap(&mut self.foot, &mut self.new);
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

    /// Removes the part of v along the rods.
    #[inline(always)]
    fn make_tangent(&mut self, factors: &Factors<N>) {
        let mut last = [0.0; 2];
        for i in 0..N {
            let v = self.v[i];
            self.x[i] = -dot(self.foot[i], [v[0] - last[0], v[1] - last[1]]);
            last = v;
        }
        factors.solve(&mut self.x);
        push(&self.foot, &self.x, 1.0, &mut self.v);
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
        let (factors, mut multipliers) = (Factors::of(&system.foot, &system.foot), [0.0; N]);
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
        *factors = Factors::of(&system.foot, &system.foot);
        system.v.iter_mut().for_each(|v| v[1] -= 0.5 * h);
        system.make_tangent(factors);
        system.multipliers(factors, multipliers);
    }

    fn told(&self) -> Told {
        (self.system.p.as_flattened().to_vec(), Some(self.system.iterations))
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
        system.multipliers(&Factors::of(&system.foot, &system.foot), &mut impulse);
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

    fn told(&self) -> Told {
        (self.now.as_flattened().to_vec(), Some(self.system.iterations))
    }
}
