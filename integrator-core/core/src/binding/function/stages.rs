//! The arguments z = (x | u₁ | u₂ | …) of functions: x, and sums that are evaluated first.
//!
//! A row of u_s is a sum of elements that read x and earlier sums: a row of the constraint
//! u = s(x, earlier u). Forwards, the stages give values and rates along a direction, in order.
//! Backwards, the derivative of a function by a sum is the weight of the derivatives of its elements.
//! (Griewank, Walther, *Evaluating derivatives*, SIAM 2008, §3 and §5: tangents and adjoints, here of
//! whole sums.)

use super::partial::PartialSums;
use crate::binding::at::{At, Weights};
use crate::binding::collectives::FoundStage;
use crate::binding::family::Family;
use crate::binding::kernel::Operation;
use crate::binding::near::family::NearFamily;
use crate::binding::signals::Now;
use crate::binding::terms::{Elements, Terms};
use crate::lanes::Width;
use crate::scratch::Scratch;
use crate::system::Text;
use crate::system::turns::Turn;

/// x, and the stages of its sums.
pub(in crate::binding) struct Stages {
    /// The length of x.
    pub(in crate::binding) base: usize,
    /// The length of z.
    pub(in crate::binding) length: usize,
    pub(in crate::binding) all: Vec<SumStage>,
    /// True if the time is the last entry of x.
    has_time: bool,
    memory: Scratch<StageVectors>,
}

/// An array of sums.
pub(in crate::binding) struct SumStage {
    pub(in crate::binding) name: Text,
    /// The index of its first row in z.
    pub(in crate::binding) first: usize,
    pub(in crate::binding) rows: usize,
    pub(in crate::binding) elements: Elements,
    pub(in crate::binding) partial: PartialSums,
    /// True if elements read earlier sums.
    reads_sums: bool,
    pub(in crate::binding) turn: Option<Turn>,
}

/// The vectors of an evaluation, each as long as z.
#[derive(Debug)]
struct StageVectors {
    /// z, and its first and second rate along a direction.
    z: [Vec<f64>; 3],
    /// The derivative by z, and its first and second rate.
    w: [Vec<f64>; 3],
    doubled: Vec<f64>,
}

/// The direction of rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::binding) enum Along {
    /// x + ε a at a fixed time.
    Line,
    /// A motion with velocity a and without acceleration, over which time passes.
    Motion,
}

/// Adds the derivatives by z of the elements of a stage, weighted by their rows.
pub(super) type Carry<'a> = dyn FnMut(Terms<'_>, At<'_>, Weights<'_>, &mut [f64]) + 'a;

impl Stages {
    /// For x of length `base`, with the time last if `has_time`.
    /// Unless `is_read`, there is no memory for an x of several parts.
    pub(in crate::binding) fn new(
        (base, has_time): (usize, bool),
        found: Vec<FoundStage>,
        is_read: bool,
    ) -> Self {
        let (mut length, mut all) = (base, Vec::new());
        for FoundStage { name, rows: height, width, mut elements, starts, turn, .. } in found {
            let rows = (width * height) as usize;
            elements.find_sums(base);
            all.push(SumStage {
                name,
                first: length,
                rows,
                partial: PartialSums::new(starts, height as usize),
                reads_sums: elements.all().reads_sums(),
                elements,
                turn,
            });
            length += rows;
        }
        let most = all.iter().map(|stage| stage.rows).max().unwrap_or(0);
        // Without sums, a single x is z itself, and the derivative by z is the result.
        let rates = if all.is_empty() { 0 } else { length };
        let z = if is_read && (has_time || !all.is_empty()) { length } else { 0 };
        let zeros = |length| vec![0.0; length];
        let memory = Scratch::new(move || StageVectors {
            z: [z, rates, rates].map(zeros),
            w: [rates; 3].map(zeros),
            doubled: vec![0.0; most],
        });
        Self { base, length, all, has_time, memory }
    }

    pub(in crate::binding) fn has_sums(&self) -> bool {
        !self.all.is_empty()
    }

    /// An upper bound of the second derivatives of sums over near pairs.
    pub(in crate::binding) fn near_entries(&self) -> u64 {
        let near = self.all.iter().flat_map(|stage| &stage.elements.near);
        near.map(NearFamily::second_entries).fold(0, u64::saturating_add)
    }

    /// Sets how many numbers are computed at once.
    pub(in crate::binding) fn arrange(&mut self, width: Width) {
        self.all.iter_mut().for_each(|stage| stage.elements.arrange(width, stage.first));
    }

    /// The stages that these families read, directly or through other stages, the last first.
    pub(in crate::binding) fn read_by<'s>(&'s self, families: &[Family]) -> Vec<&'s SumStage> {
        let mut is_read = vec![false; self.length];
        let see = |families: &[Family], is_read: &mut [bool]| {
            let mut mark = |inputs: &[u32]| inputs.iter().for_each(|at| is_read[*at as usize] = true);
            families.iter().for_each(|family| family.visit_inputs(&mut mark));
        };
        see(families, &mut is_read);
        let mut read = Vec::new();
        for stage in self.all.iter().rev() {
            if is_read[stage.first..stage.first + stage.rows].contains(&true) {
                see(&stage.elements.families, &mut is_read);
                let near = stage.elements.near.iter();
                near.for_each(|family| family.visit_supplied(&mut |at| is_read[at as usize] = true));
                read.push(stage);
            }
        }
        read
    }

    /// For each place of z = (q, v, t | sums), true if it depends on velocities.
    pub(in crate::binding) fn moved(&self) -> Vec<bool> {
        let n = self.base / 2;
        let mut moved = vec![false; self.length];
        moved[n..2 * n].fill(true);
        for stage in &self.all {
            let (before, rest) = moved.split_at_mut(stage.first);
            let rows = &mut rest[..stage.rows];
            let Terms { families, near } = stage.elements.all();
            for family in families {
                family.visit_rows(&mut |row, input| rows[row] |= before[input]);
            }
            let mut any = false;
            near.iter().for_each(|family| family.visit_supplied(&mut |at| any |= before[at as usize]));
            rows.iter_mut().for_each(|row| *row |= any);
            stage.partial.links(stage.rows).for_each(|row| rows[row] |= rows[row - 1]);
        }
        moved
    }

    /// Runs `inside` on z at x, whose parts are given.
    #[inline]
    pub(in crate::binding) fn at<R>(
        &self,
        x: &[&[f64]],
        now: &Now<'_>,
        inside: impl FnOnce(&[f64]) -> R,
    ) -> R {
        if let ([x], []) = (x, &self.all[..]) {
            return inside(x);
        }
        self.memory.with(|memory| {
            self.values(x, now, memory);
            inside(&memory.z[0])
        })
    }

    /// Runs `inside` on z and its first and second rate along a.
    pub(in crate::binding) fn along<R>(
        &self,
        x: &[&[f64]],
        (a, along): (&[f64], Along),
        now: &Now<'_>,
        inside: impl FnOnce([&[f64]; 3]) -> R,
    ) -> R {
        if let ([x], []) = (x, &self.all[..]) {
            return inside([x, a, &[]]);
        }
        self.memory.with(|memory| {
            self.values(x, now, memory);
            self.rates((a, along), now, memory);
            self.second_rates(along, now, memory);
            inside(memory.z.each_ref().map(|z| &z[..]))
        })
    }

    /// Runs `inside` on z and ∂z/∂t, and on zeros for a derivative by z.
    pub(in crate::binding) fn in_time<R>(
        &self,
        x: &[&[f64]],
        now: &Now<'_>,
        inside: impl FnOnce([&[f64]; 2], &mut [f64]) -> R,
    ) -> R {
        if self.all.is_empty() {
            return self.at(x, now, |z| inside([z, &[]], &mut []));
        }
        self.memory.with(|memory| {
            self.values(x, now, memory);
            let StageVectors { z: [z, rates, _], w: [w, ..], .. } = memory;
            rates[..self.base].fill(0.0);
            if self.has_time {
                rates[self.base - 1] = 1.0;
            }
            self.add_rates(if self.has_time { Along::Line } else { Along::Motion }, now, z, rates);
            w.fill(0.0);
            inside([z, rates], w)
        })
    }

    /// Adds to `to` the derivative of a function by x (order 0), or its first or second rate along a.
    ///
    /// `inside` reads z and its rates, and adds to the derivative by z and its rates.
    #[inline]
    pub(in crate::binding) fn pull_back(
        &self,
        order: usize,
        (x, a): (&[&[f64]], &[f64]),
        now: &Now<'_>,
        to: &mut [f64],
        inside: impl FnOnce([&[f64]; 3], [&mut [f64]; 3]),
    ) {
        if let ([x], []) = (x, &self.all[..]) {
            return inside([x, a, &[]], alone(order, to));
        }
        self.pull_through(order, (x, a), now, to, inside);
    }

    /// If z must be computed.
    fn pull_through(
        &self,
        order: usize,
        (x, a): (&[&[f64]], &[f64]),
        now: &Now<'_>,
        to: &mut [f64],
        inside: impl FnOnce([&[f64]; 3], [&mut [f64]; 3]),
    ) {
        self.memory.with(|memory| {
            self.values(x, now, memory);
            if self.all.is_empty() {
                return inside([&memory.z[0], a, &[]], alone(order, to));
            }
            if order > 0 {
                self.rates((a, Along::Line), now, memory);
            }
            if order > 1 {
                self.second_rates(Along::Line, now, memory);
            }
            let StageVectors { z, w, .. } = &mut *memory;
            w[..=order].iter_mut().for_each(|vector| vector.fill(0.0));
            inside(z.each_ref().map(|z| &z[..]), w.each_mut().map(|w| &mut w[..]));
            self.backwards(order, now, memory);
            to.iter_mut().zip(&memory.w[order]).for_each(|(to, w)| *to += w);
        });
    }

    /// Adds the gradient of a function by x; runs `then` on z,
    /// the derivative by z and the result of `inside`.
    ///
    /// `inside` adds the partial derivatives by z;
    /// `carry` adds the derivatives of a stage weighted by its rows.
    pub(in crate::binding) fn weighed<T>(
        &self,
        (x, now): (&[&[f64]], &Now<'_>),
        gradient: &mut [f64],
        inside: impl FnOnce(&[f64], &mut [f64]) -> T,
        carry: &mut Carry<'_>,
        then: impl FnOnce(&[f64], &[f64], T),
    ) {
        if self.all.is_empty() {
            return self.at(x, now, |z| {
                let left = inside(z, gradient);
                then(z, gradient, left);
            });
        }
        self.memory.with(|memory| {
            self.values(x, now, memory);
            let StageVectors { z: [z, ..], w: [weights, ..], .. } = memory;
            weights.fill(0.0);
            let left = inside(z, weights);
            for stage in self.all.iter().rev() {
                let (vector, w) = stage.split(weights);
                stage.partial.add_up_backwards(w);
                carry(stage.elements.all(), At::new(&z[..stage.first], now), Weights::Of(w), vector);
            }
            gradient.iter_mut().zip(&*weights).for_each(|(to, w)| *to += w);
            then(z, weights, left);
        });
    }

    /// Computes z.
    fn values(&self, x: &[&[f64]], now: &Now<'_>, memory: &mut StageVectors) {
        let z = &mut memory.z[0];
        // There is no memory if no function reads x.
        if z.is_empty() {
            return;
        }
        let mut first = 0;
        for part in x {
            z[first..first + part.len()].copy_from_slice(part);
            first += part.len();
        }
        for stage in &self.all {
            let (before, rows) = stage.split(z);
            rows.fill(0.0);
            stage.elements.all().add_to_rows(Operation::Value, At::new(before, now), rows);
            stage.partial.add_up(rows);
            if let Some(turn) = stage.turn {
                turn.follow(rows);
            }
        }
    }

    /// Computes the rates of z for x moving along a.
    fn rates(&self, (a, along): (&[f64], Along), now: &Now<'_>, memory: &mut StageVectors) {
        let [z, rates, _] = &mut memory.z;
        rates[..self.base].copy_from_slice(a);
        self.add_rates(along, now, z, rates);
    }

    fn add_rates(&self, along: Along, now: &Now<'_>, z: &[f64], rates: &mut [f64]) {
        for stage in &self.all {
            let (a, rows) = stage.split(rates);
            let (terms, at) = (stage.elements.all(), At::new(&z[..stage.first], now));
            rows.fill(0.0);
            terms.add_to_rows(Operation::Along, at.along(a), rows);
            if along == Along::Motion {
                terms.add_to_rows(Operation::Rate, at, rows);
            }
            stage.partial.add_up(rows);
        }
    }

    /// Computes the second rates of z along a; x has none.
    fn second_rates(&self, along: Along, now: &Now<'_>, memory: &mut StageVectors) {
        let [z, rates, seconds] = &mut memory.z;
        seconds[..self.base].fill(0.0);
        let second = match along {
            Along::Line => Operation::Quadratic,
            Along::Motion => Operation::Curvature,
        };
        for stage in &self.all {
            let (b, rows) = stage.split(seconds);
            let (terms, at) = (stage.elements.all(), At::new(&z[..stage.first], now));
            rows.fill(0.0);
            terms.add_to_rows(second, at.along(&rates[..stage.first]), rows);
            // x has no second rates.
            if stage.reads_sums {
                terms.add_to_rows(Operation::Along, at.along(b), rows);
            }
            stage.partial.add_up(rows);
        }
    }

    /// Carries the derivative by z, or its rate of this order, back to x.
    fn backwards(&self, order: usize, now: &Now<'_>, memory: &mut StageVectors) {
        let StageVectors { z: [z, rates, seconds], w: [weights, of_rates, of_seconds], doubled } = memory;
        for stage in self.all.iter().rev() {
            let (terms, first) = (stage.elements.all(), stage.first);
            let at = At::new(&z[..first], now);
            let (along_a, along_b) = (at.along(&rates[..first]), at.along(&seconds[..first]));
            let (vector, w) = stage.split(weights);
            let (vector1, w1) = stage.split(of_rates);
            let (vector2, w2) = stage.split(of_seconds);
            for weights in [&mut *w, &mut *w1, &mut *w2].into_iter().take(order + 1) {
                stage.partial.add_up_backwards(weights);
            }
            // If no earlier stage is read, lower orders are not needed.
            if order == 0 || stage.reads_sums {
                terms.add(Operation::Gradient, at, Weights::Of(w), vector);
            }
            if order == 1 || order == 2 && stage.reads_sums {
                terms.add(Operation::Product, along_a, Weights::Of(w), vector1);
                terms.add(Operation::Gradient, at, Weights::Of(w1), vector1);
            }
            if order == 2 {
                let doubled = &mut doubled[..stage.rows];
                doubled.iter_mut().zip(&*w1).for_each(|(twice, w1)| *twice = 2.0 * w1);
                terms.add(Operation::Third, along_a, Weights::Of(w), vector2);
                if stage.reads_sums {
                    terms.add(Operation::Product, along_b, Weights::Of(w), vector2);
                }
                terms.add(Operation::Product, along_a, Weights::Of(doubled), vector2);
                terms.add(Operation::Gradient, at, Weights::Of(w2), vector2);
            }
        }
    }
}

/// The vectors for the derivative by z and its rates, if only the one of this order is asked for.
fn alone(order: usize, to: &mut [f64]) -> [&mut [f64]; 3] {
    let mut w = [&mut [][..], &mut [], &mut []];
    w[order] = to;
    w
}

impl SumStage {
    /// Splits a vector into the part before the rows of the stage, and the rows.
    fn split<'v>(&self, vector: &'v mut [f64]) -> (&'v mut [f64], &'v mut [f64]) {
        let (before, rest) = vector.split_at_mut(self.first);
        (before, &mut rest[..self.rows])
    }
}
