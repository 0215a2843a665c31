//! Rods with the penalty ½ ω² (|d|² − L²)² instead of constraints: Zhang–Skeel, push-forward Newmark.

use super::rods::{Points, Rods, TOLERANCE, differences, dot};
use super::{ByHand, Told};

/// A symmetric matrix of two rows: its diagonal, and the entry beside it.
type Block = [f64; 3];

fn times([a, b, c]: Block, x: [f64; 2]) -> [f64; 2] {
    [a * x[0] + c * x[1], c * x[0] + b * x[1]]
}

/// Kick, drift and kick by the accelerations of one of two schemes.
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
            // K P K with the inverse pivot P before, by columns of symmetric matrices.
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

    fn told(&self) -> Told {
        (self.system.p.as_flattened().to_vec(), Some(self.system.iterations))
    }
}
