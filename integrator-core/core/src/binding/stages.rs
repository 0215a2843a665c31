//! Sums that are evaluated before what reads them.
//!
//! With z = (x | u₁ | u₂ | …), where x is what a system is asked about and u_s are arrays of sums, the functions of a declaration are sums of
//! elements that read z. A row of u_s is a sum of elements that read x and the sums before it: a row of the constraint u = s(x, earlier u).
//! Forwards, values and their rates along a direction are found stage by stage; backwards, the derivative of the whole by each sum is a
//! weight of the derivatives of its elements. (Griewank, Walther, *Evaluating derivatives*, SIAM 2008, §3 and §5: tangents and adjoints, here of
//! whole sums.)

use super::collectives::FoundStage;
use super::near::family::NearFamily;
use super::near::sweep::Weights;
use super::partial::PartialSums;
use super::signals::Now;
use super::sum_family::SumFamily;
use crate::lanes::Registers;
use crate::scratch::Scratch;
use nalgebra::Matrix3;

/// The stages of a function.
pub(super) struct Stages {
    /// The length of x.
    pub(super) base: usize,
    /// The length of z.
    pub(super) length: usize,
    pub(super) all: Vec<Stage>,
    memory: Scratch<Memory>,
}

/// An array of sums.
pub(super) struct Stage {
    pub(super) name: &'static str,
    /// Where its rows begin in z.
    pub(super) first: usize,
    pub(super) rows: usize,
    pub(super) families: Vec<SumFamily>,
    /// The sums over near pairs among them.
    pub(super) near: Vec<NearFamily>,
    pub(super) partial: PartialSums,
    /// True if elements read sums before.
    reads_sums: bool,
}

/// The vectors of an evaluation, of the length of z.
#[derive(Debug)]
pub(super) struct Memory {
    /// z, and its first and second rate along a line.
    pub(super) z: [Vec<f64>; 3],
    /// The derivative by z, and its first and second rate along the line.
    pub(super) w: [Vec<f64>; 3],
    doubled: Vec<f64>,
}

/// The line along which rates are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// x + ε a at a fixed time.
    Fixed,
    /// A motion: time goes on.
    InTime,
}

impl Stages {
    /// The stages that were found, behind x of this length; `None` where there are none.
    pub(super) fn new(base: usize, found: Vec<FoundStage>) -> Option<Self> {
        if found.is_empty() {
            return None;
        }
        let mut length = base;
        let mut all = Vec::new();
        for stage in found {
            let rows = stage.sums() as usize;
            let FoundStage { name, families, near, starts, rows: height, .. } = stage;
            let partial = PartialSums::new(starts, height as usize);
            let reads_sums = families.iter().any(|family| family.reads_behind(base))
                || near.iter().any(|family| family.reads_behind(base));
            all.push(Stage { name, first: length, rows, families, near, partial, reads_sums });
            length += rows;
        }
        let most = all.iter().map(|stage| stage.rows).max().unwrap_or(0);
        let memory = Scratch::new(move || {
            let zeros = || [vec![0.0; length], vec![0.0; length], vec![0.0; length]];
            Memory { z: zeros(), w: zeros(), doubled: vec![0.0; most] }
        });
        Some(Self { base, length, all, memory })
    }

    /// For each place of z = (q, v, t | sums), true if it depends on velocities.
    pub(super) fn moved(&self) -> Vec<bool> {
        let n = self.base / 2;
        let mut moved = vec![false; self.length];
        moved[n..2 * n].fill(true);
        for stage in &self.all {
            let (before, rest) = moved.split_at_mut(stage.first);
            let rows = &mut rest[..stage.rows];
            for family in &stage.families {
                family.visit_rows(&mut |row, input| rows[row] |= before[input]);
            }
            let mut any = false;
            stage.near.iter().for_each(|family| family.visit_supplied(&mut |at| any |= before[at as usize]));
            rows.iter_mut().for_each(|row| *row |= any);
            stage.partial.links(stage.rows).for_each(|row| rows[row] |= rows[row - 1]);
        }
        moved
    }

    /// Computes with elements in these registers, or one by one.
    pub(super) fn arrange(&mut self, registers: Option<Registers>) {
        for stage in &mut self.all {
            stage.families.iter_mut().for_each(|family| family.arrange(registers, stage.first));
        }
    }

    /// Runs `inside` with memory that has z, for x in parts that stand one behind the other.
    pub(super) fn with<R>(&self, x: &[&[f64]], now: &Now<'_>, inside: impl FnOnce(&mut Memory) -> R) -> R {
        self.memory.with(|memory| {
            self.values(x, now, memory);
            inside(memory)
        })
    }

    /// z.
    fn values(&self, x: &[&[f64]], now: &Now<'_>, memory: &mut Memory) {
        let z = &mut memory.z[0];
        let mut first = 0;
        for part in x {
            z[first..first + part.len()].copy_from_slice(part);
            first += part.len();
        }
        for stage in &self.all {
            let (before, rows) = stage.split(z);
            rows.fill(0.0);
            stage.families.iter().for_each(|family| family.add_values(before, now, rows));
            stage.near.iter().for_each(|family| family.add_values(before, now, rows));
            stage.partial.add_up(rows);
        }
    }

    /// The rates of z where x goes along a.
    pub(super) fn rates(&self, a: &[f64], line: Line, now: &Now<'_>, memory: &mut Memory) {
        let [z, rates, _] = &mut memory.z;
        rates[..self.base].copy_from_slice(a);
        self.add_rates(line, now, z, rates);
    }

    /// The derivatives of z by the last of x, which is the time of a motion.
    pub(super) fn rates_by_last(&self, now: &Now<'_>, memory: &mut Memory) {
        let [z, rates, _] = &mut memory.z;
        rates[..self.base].fill(0.0);
        rates[self.base - 1] = 1.0;
        self.add_rates(Line::Fixed, now, z, rates);
    }

    /// ∂z/∂t.
    pub(super) fn rates_by_time(&self, now: &Now<'_>, memory: &mut Memory) {
        let [z, rates, _] = &mut memory.z;
        rates[..self.base].fill(0.0);
        self.add_rates(Line::InTime, now, z, rates);
    }

    fn add_rates(&self, line: Line, now: &Now<'_>, z: &[f64], rates: &mut [f64]) {
        for stage in &self.all {
            let (along, rows) = stage.split(rates);
            rows.fill(0.0);
            stage.add_along(&z[..stage.first], now, along, rows);
            if line == Line::InTime {
                stage.families.iter().for_each(|family| family.add_rate(&z[..stage.first], now, rows));
                stage.near.iter().for_each(|family| family.add_rates(&z[..stage.first], now, rows));
            }
            stage.partial.add_up(rows);
        }
    }

    /// The second rates of z along the line of the first, on which x has no second rate.
    pub(super) fn second_rates(&self, line: Line, now: &Now<'_>, memory: &mut Memory) {
        let [z, rates, seconds] = &mut memory.z;
        seconds[..self.base].fill(0.0);
        for stage in &self.all {
            let (along, rows) = stage.split(seconds);
            rows.fill(0.0);
            let (before, a) = (&z[..stage.first], &rates[..stage.first]);
            for family in &stage.families {
                match line {
                    Line::Fixed => family.add_quadratic(before, now, a, rows),
                    Line::InTime => family.add_curvature(before, a, now, rows),
                }
            }
            for family in &stage.near {
                match line {
                    Line::Fixed => family.add_quadratic(before, now, a, rows),
                    Line::InTime => family.add_curvature(before, a, now, rows),
                }
            }
            // Of x there are no second rates.
            if stage.reads_sums {
                stage.add_along(before, now, along, rows);
            }
            stage.partial.add_up(rows);
        }
    }

    /// Carries the derivative by z back to x, or of its rates up to this order the last one.
    pub(super) fn backwards(&self, order: usize, now: &Now<'_>, memory: &mut Memory) {
        let Memory { z: [z, rates, seconds], w: [weights, of_rates, of_seconds], doubled } = memory;
        for stage in self.all.iter().rev() {
            let first = stage.first;
            let (x, a, b) = (&z[..first], &rates[..first], &seconds[..first]);
            let (vector, w) = stage.split(weights);
            let (vector1, w1) = stage.split(of_rates);
            let (vector2, w2) = stage.split(of_seconds);
            for weights in [&mut *w, &mut *w1, &mut *w2].into_iter().take(order + 1) {
                stage.partial.add_up_backwards(weights);
            }
            // What has no derivatives left to carry on is nobody's.
            if order == 0 || stage.reads_sums {
                stage.add_weighted_gradient(x, now, w, vector);
            }
            if order == 1 || order == 2 && stage.reads_sums {
                stage.add_weighted_product(x, now, w, a, vector1);
                stage.add_weighted_gradient(x, now, w1, vector1);
            }
            if order == 2 {
                let doubled = &mut doubled[..stage.rows];
                doubled.iter_mut().zip(&*w1).for_each(|(twice, w1)| *twice = 2.0 * w1);
                stage.add_weighted_third(x, now, w, a, vector2);
                if stage.reads_sums {
                    stage.add_weighted_product(x, now, w, b, vector2);
                }
                stage.add_weighted_product(x, now, doubled, a, vector2);
                stage.add_weighted_gradient(x, now, w2, vector2);
            }
        }
    }

    /// The same of the derivative itself, where sums over near pairs add Σ f ⊗ d instead of their derivatives by separations d.
    pub(super) fn virial_backwards(&self, now: &Now<'_>, memory: &mut Memory, virial: &mut Matrix3<f64>) {
        let Memory { z: [z, ..], w: [weights, ..], .. } = memory;
        for stage in self.all.iter().rev() {
            let x = &z[..stage.first];
            let (vector, w) = stage.split(weights);
            stage.partial.add_up_backwards(w);
            stage
                .families
                .iter()
                .for_each(|family| family.elements().add_weighted_gradient(x, now, w, vector));
            stage.near.iter().for_each(|family| family.add_virial(x, now, Some(w), virial, vector));
        }
    }
}

impl Stage {
    /// A vector of the length of z before the rows of the stage, and its rows.
    pub(super) fn split<'v>(&self, vector: &'v mut [f64]) -> (&'v mut [f64], &'v mut [f64]) {
        let (before, rest) = vector.split_at_mut(self.first);
        (before, &mut rest[..self.rows])
    }

    /// Adds ∇φ·a.
    fn add_along(&self, x: &[f64], now: &Now<'_>, a: &[f64], rows: &mut [f64]) {
        self.families.iter().for_each(|family| family.add_along(x, now, a, rows));
        self.near.iter().for_each(|family| family.add_along(x, now, a, rows));
    }

    /// Adds Σ w ∇φ.
    fn add_weighted_gradient(&self, x: &[f64], now: &Now<'_>, w: &[f64], vector: &mut [f64]) {
        self.families.iter().for_each(|family| family.elements().add_weighted_gradient(x, now, w, vector));
        self.near.iter().for_each(|family| family.add_gradient(x, now, Weights::Of(w), vector));
    }

    /// Adds Σ w Hess φ · a.
    fn add_weighted_product(&self, x: &[f64], now: &Now<'_>, w: &[f64], a: &[f64], vector: &mut [f64]) {
        self.families.iter().for_each(|family| family.elements().add_weighted_product(x, now, w, a, vector));
        self.near.iter().for_each(|family| family.add_product(x, now, (Weights::Of(w), a), vector));
    }

    /// Adds Σ w (a·φ‴·a).
    fn add_weighted_third(&self, x: &[f64], now: &Now<'_>, w: &[f64], a: &[f64], vector: &mut [f64]) {
        self.families.iter().for_each(|family| family.elements().add_weighted_third(x, now, w, a, vector));
        self.near.iter().for_each(|family| family.add_third(x, now, (Weights::Of(w), a), vector));
    }
}

impl Memory {
    /// Sets the derivative by z, and its rates up to this order, to zero.
    pub(super) fn clear(&mut self, order: usize) {
        self.w[..=order].iter_mut().for_each(|vector| vector.fill(0.0));
    }
}
