//! Second derivatives of the families of a function: found and placed when an engine first asks for them.

use super::family::{Family, Placed};
use super::kernel::Arguments;
use super::near::second::NearPlaced;
use super::near::sweep::Weights;
use super::reduced::{MOST_ENTRIES, Reduction};
use super::signals::Now;
use super::stages::Stages;
use super::terms::Terms;
use crate::scratch::Scratch;
use crate::sparse::SymmetricPattern;
use crate::system::NaturalSecond;
use std::ops::Range;

/// Gaps shorter than this are set to zero together with what is around them.
const GAP: usize = 16;

/// The Hessian of a sum of families.
///
/// A position that one entry of one element alone fills is written by the layout: the blocks off the diagonal of all pairs, for
/// instance, which are most of their matrix. Only the rest is set to zero before the families add to it.
pub(super) struct SecondDerivatives {
    pub(super) pattern: SymmetricPattern,
    placed: Vec<Placed>,
    near: Vec<NearPlaced>,
    /// The positions that begin at zero.
    blank: Vec<Range<usize>>,
}

impl SecondDerivatives {
    pub(super) fn new(dimension: usize, terms: Terms<'_>) -> Self {
        let mut entries = Vec::new();
        terms.visit_hessian(&mut |row, column| entries.push((row, column)));
        let Terms { families, near } = terms;
        let (pattern, filled) = SymmetricPattern::counted(dimension, entries);
        let placed: Vec<Placed> =
            families.iter().map(|family| Placed::new(family, &pattern, &filled)).collect();
        let mut written = Vec::new();
        placed.iter().for_each(|placed| placed.visit_written(&mut |range| written.push(range)));
        let blank = rest(written, pattern.len());
        let near = near.iter().map(|family| family.placed(&pattern)).collect();
        Self { pattern, placed, near, blank }
    }

    /// Adds the gradient, and writes the Hessian over `hessian`.
    pub(super) fn add(
        &self,
        Terms { families, near }: Terms<'_>,
        x: &[f64],
        now: &Now<'_>,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        for range in &self.blank {
            hessian[range.clone()].fill(0.0);
        }
        add(families, &self.placed, x, now, gradient, hessian);
        for (family, placed) in near.iter().zip(&self.near) {
            family.add_gradient(x, now, Weights::Ones, gradient);
            family.add_second(placed, x, now, None, hessian);
        }
    }
}

/// The second derivatives of L = ½ vᵀ M v − V(q, t) + R(q, v, t), of which the families have R.
pub(super) struct GeneralSecond {
    pub(super) natural: NaturalSecond,
    placed: Vec<Placed>,
    /// The values of Hess V.
    pub(super) potential: Scratch<Vec<f64>>,
    /// Where R reads sums: its second derivatives by (q, v, t) and the sums.
    pub(super) by_z: Option<(SymmetricPattern, Scratch<Vec<f64>>)>,
}

impl GeneralSecond {
    /// For sums that the families read.
    ///
    /// # Errors
    /// Through sums, there are more entries than are assembled: so many at least.
    pub(super) fn new(
        mass: &SymmetricPattern,
        potential: &SymmetricPattern,
        families: &[Family],
        sums: Option<(&Stages, Option<&Reduction>)>,
    ) -> Result<Self, usize> {
        let mut entries = Vec::new();
        let mut push = |row, column| entries.push((row, column));
        families.iter().for_each(|family| family.visit_hessian(&mut push));
        let place = |pattern: &SymmetricPattern| {
            families.iter().map(|family| Placed::new(family, pattern, &[])).collect::<Vec<Placed>>()
        };
        let length = potential.len();
        let potential_values = Scratch::new(move || vec![0.0; length]);
        let Some((stages, reduction)) = sums else {
            let natural = NaturalSecond::new(mass, potential, entries.into_iter());
            let placed = place(&natural.pattern);
            return Ok(Self { natural, placed, potential: potential_values, by_z: None });
        };
        let by_x = reduction.ok_or(MOST_ENTRIES + 1)?.pattern(entries.iter().copied())?;
        // What positions and the time have in common enters no equation of motion.
        let (n, time) = (mass.dimension(), 2 * mass.dimension());
        let enters = |&(row, column): &(usize, usize)| row < time || (n..time).contains(&column);
        let natural = NaturalSecond::new(mass, potential, by_x.entries().filter(enters));
        let by_z = SymmetricPattern::new(stages.length, entries);
        let (placed, length) = (place(&by_z), by_z.len());
        let by_z = Some((by_z, Scratch::new(move || vec![0.0; length])));
        Ok(Self { natural, placed, potential: potential_values, by_z })
    }

    /// Adds gradient and Hessian of R, by the arguments of its elements.
    pub(super) fn add(
        &self,
        families: &[Family],
        z: &[f64],
        now: &Now<'_>,
        gradient: &mut [f64],
        hessian: &mut [f64],
    ) {
        add(families, &self.placed, z, now, gradient, hessian);
    }
}

pub(super) fn add(
    families: &[Family],
    placed: &[Placed],
    x: &[f64],
    now: &Now<'_>,
    gradient: &mut [f64],
    hessian: &mut [f64],
) {
    for (family, placed) in families.iter().zip(placed) {
        let arguments = Arguments::of(x, now).adding_to(gradient);
        if family.kernel.entries.is_empty() {
            family.sweep(&family.kernel.gradient, arguments, None);
            continue;
        }
        let arguments = Arguments { matrix: &mut *hessian, ..arguments };
        family.sweep(&family.kernel.second, arguments, Some(placed));
        family.add_doubled(placed, x, now, &[], hessian);
    }
}

/// The positions before `end` that lie between some ranges, short gaps included.
pub fn rest(mut ranges: Vec<Range<usize>>, end: usize) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut rest: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for range in ranges.into_iter().chain(std::iter::once(end..end)) {
        if from < range.start {
            match rest.last_mut() {
                Some(last) if from - last.end < GAP => last.end = range.start,
                _ => rest.push(from..range.start),
            }
        }
        from = from.max(range.end);
    }
    rest
}
