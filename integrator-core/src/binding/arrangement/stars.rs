//! Stars: a point with many partners that stand side by side, as in sums over all pairs; computed where there are no lanes.
//!
//! What the point reads, and the sum of what it gets, stays in registers for all its partners. Nothing is staged but the blocks on
//! the diagonal of the matrix: there the entries of a point are far from those of the next one. Gradients are computed for two
//! pairs at a time without a branch between them, so that the compiler may take both in one register; for all else there are too
//! few registers.

use super::{Arguments, Elements, InRows, Matrix};
use crate::binding::family::same_bits;
use crate::binding::instant::Instant;
use crate::binding::operation::{Operation, Output, Reads};
use crate::binding::pair::Pair;
use std::iter::zip;
use std::ops::Range;

/// The most components of a point.
const COMPONENTS: usize = 3;

/// The stars of a family.
#[derive(Debug, Clone)]
pub(super) struct Stars<const X: usize, const C: usize, const H: usize> {
    all: Vec<Star>,
    /// One tuple for each pair, or one for all.
    coefficients: Vec<[f64; C]>,
    /// Where the first point begins.
    first: usize,
    /// The positions of the blocks of the points, entry by entry.
    diagonal: Vec<u32>,
    /// Whether nothing else is added where the entries of a point with its partners are, so that a sweep may write instead.
    alone: bool,
}

/// A point and its partners.
#[derive(Debug, Clone)]
struct Star {
    /// The first of its pairs, and how many there are.
    start: usize,
    count: usize,
    /// Where the point begins, and where its first partner does.
    point: usize,
    partners: usize,
    /// Where the entries of the partners with each component of the point begin.
    columns: [usize; COMPONENTS],
}

impl<const X: usize, const C: usize, const H: usize> Stars<X, C, H> {
    /// The components of a point.
    const POINT: usize = X / 2;
    /// Whether elements that read `X` numbers can be pairs of points.
    const POSSIBLE: bool = X == 2 * Self::POINT && 1 < Self::POINT && Self::POINT <= COMPONENTS;

    /// The stars that these elements are.
    pub(super) fn of(found: &InRows, elements: &Elements<X, C>, matrix: Matrix<'_>) -> Option<Self> {
        let Elements { inputs, coefficients, entries, .. } = elements;
        let pair = Pair::of(entries, X);
        if !Self::POSSIBLE || pair.components != Self::POINT {
            return None;
        }
        let block = |of: &[usize], from: usize| -> Vec<(usize, usize)> {
            of.iter().map(|&entry| (entries[entry].0 - from, entries[entry].1 - from)).collect()
        };
        let block_of_point = block(pair.point.entries(), 0);
        let full = Self::POINT * (Self::POINT + 1) / 2;
        if block_of_point.len() < full || block_of_point != block(pair.partner.entries(), Self::POINT) {
            return None;
        }
        let star = |row: &Range<usize>| Self::star(row.clone(), inputs, matrix);
        let all = found.rows.iter().map(star).collect::<Option<Vec<Star>>>()?;
        let points = || inputs.iter().flat_map(|inputs| [inputs[0] as usize, inputs[Self::POINT] as usize]);
        let (first, last) = (points().min()?, points().max()?);
        if points().any(|point| (point - first) % Self::POINT != 0) {
            return None;
        }
        let diagonal = (first..=last).step_by(Self::POINT).flat_map(|point| {
            // Points that have no partner get zeros, which those without such entries may add to others.
            let position =
                move |&(row, column): &(usize, usize)| matrix.pattern.position(point + row, point + column);
            block_of_point.iter().map(move |at| position(at).unwrap_or_default() as u32)
        });
        let filled = |stretch: Range<usize>| {
            matrix.filled.get(stretch).is_some_and(|filled| filled.iter().all(|count| *count == 1))
        };
        let alone = all.iter().flat_map(Self::stretches).all(filled);
        let diagonal = diagonal.collect();
        let mut coefficients = coefficients.clone();
        if coefficients.windows(2).all(|two| same_bits(&two[0], &two[1])) {
            coefficients.truncate(1);
        }
        Some(Self { all, coefficients, first, diagonal, alone })
    }

    /// The star of which these pairs are.
    fn star(pairs: Range<usize>, inputs: &[[u32; X]], matrix: Matrix<'_>) -> Option<Star> {
        let [point, partners] = [0, Self::POINT].map(|k| inputs[pairs.start][k] as usize);
        let stands = |(e, inputs): (usize, &[u32; X])| {
            let partner = partners + Self::POINT * e;
            let places = (point..point + Self::POINT).chain(partner..partner + Self::POINT);
            zip(inputs, places).all(|(input, place)| *input as usize == place)
        };
        if !inputs[pairs.clone()].iter().enumerate().all(stands) {
            return None;
        }
        let mut columns = [0; COMPONENTS];
        for (k, column) in columns.iter_mut().enumerate().take(Self::POINT) {
            let position = |place| matrix.pattern.position(place, point + k);
            *column = position(partners)?;
            let mut places = partners..partners + Self::POINT * pairs.len();
            // Partners that come before the point have their entries in columns of their own.
            if partners < point || !places.all(|place| position(place) == Some(*column + place - partners)) {
                return None;
            }
        }
        Some(Star { start: pairs.start, count: pairs.len(), point, partners, columns })
    }

    /// Where a star fills the matrix.
    fn stretches(star: &Star) -> impl Iterator<Item = Range<usize>> {
        let length = Self::POINT * star.count;
        star.columns.into_iter().take(Self::POINT).map(move |column| column..column + length)
    }

    /// The number of stars.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of pairs of each star.
    pub(super) fn weights(&self) -> Vec<usize> {
        self.all.iter().map(|star| star.count).collect()
    }

    /// The length of the memory of a sweep.
    pub(super) fn memory_length(&self) -> usize {
        self.diagonal.len()
    }

    /// The positions that some stars fill directly, from the first to behind the last.
    pub(super) fn positions(&self, part: Range<usize>) -> Range<usize> {
        let stretches = || self.all[part.clone()].iter().flat_map(Self::stretches);
        let start = stretches().map(|stretch| stretch.start).min().unwrap_or_default();
        start..stretches().map(|stretch| stretch.end).max().unwrap_or_default()
    }

    /// Shows the positions over which a sweep writes.
    pub(super) fn visit_written(&self, visit: &mut dyn FnMut(Range<usize>)) {
        if self.alone {
            self.all.iter().flat_map(Self::stretches).for_each(visit);
        }
    }

    /// Runs an operation over some stars; returns the sum of its scalars. The values of the matrix begin with position `first`;
    /// what belongs on its diagonal is added to the memory.
    pub(super) fn sweep<O: Operation<X, C, H>>(
        &self,
        part: Range<usize>,
        memory: &mut [f64],
        first: usize,
        arguments: Arguments<'_>,
    ) -> f64 {
        if const { !Self::POSSIBLE || !O::LIGHT } {
            // Never laid out so.
            return 0.0;
        }
        let part = &self.all[part];
        match const { Self::POINT } {
            2 => self.points::<O, 2, 3>(part, memory, first, arguments),
            _ => self.points::<O, 3, 6>(part, memory, first, arguments),
        }
    }

    /// The same for points of `D` components, with `B` entries in the block of a point.
    #[inline(always)]
    fn points<O: Operation<X, C, H>, const D: usize, const B: usize>(
        &self,
        part: &[Star],
        memory: &mut [f64],
        first: usize,
        arguments: Arguments<'_>,
    ) -> f64 {
        let Arguments { x, a, now, vector, matrix } = arguments;
        let mut sum = 0.0;
        for star in part {
            let mut pairs = Pairs::<X, C, H, D>::new(self, star, x, if O::DIRECTION { a } else { x }, now);
            if O::MATRIX {
                pairs.fill::<O, B>(vector, memory, matrix, first);
            } else if O::VECTOR {
                pairs.add::<O>(vector);
            } else {
                sum += pairs.sum::<O>();
            }
        }
        sum
    }

    /// Adds the diagonal that a sweep has left in the memory.
    pub(super) fn add_diagonal(&self, memory: &[f64], matrix: &mut [f64]) {
        for (value, position) in zip(memory, &self.diagonal) {
            matrix[*position as usize] += value;
        }
    }
}

/// The pairs of a star; points have `D` components.
struct Pairs<'a, const X: usize, const C: usize, const H: usize, const D: usize> {
    star: &'a Star,
    now: Instant,
    /// Where the point of the star stands in the block of the diagonal, and where its first partner does.
    places: [usize; 2],
    alone: bool,
    /// What the partners read.
    partners: [&'a [[f64; D]]; 2],
    /// The coefficients of all pairs, or of each.
    shared: Option<&'a [f64; C]>,
    each: &'a [[f64; C]],
    /// What a pair reads.
    x: [f64; X],
    a: [f64; X],
}

impl<'a, const X: usize, const C: usize, const H: usize, const D: usize> Pairs<'a, X, C, H, D> {
    #[inline(always)]
    fn new(stars: &'a Stars<X, C, H>, star: &'a Star, x: &'a [f64], a: &'a [f64], now: Instant) -> Self {
        let &Star { start, count, point, partners, .. } = star;
        let (shared, each) = match &stars.coefficients[..] {
            [only] => (Some(only), &[][..]),
            all => (None, &all[start..][..count]),
        };
        let mut pairs = Self {
            star,
            now,
            places: [(point - stars.first) / D, (partners - stars.first) / D],
            alone: stars.alone,
            partners: [points(x, partners, count), points(a, partners, count)],
            shared,
            each,
            x: [0.0; X],
            a: [0.0; X],
        };
        pairs.x[..D].copy_from_slice(&x[point..][..D]);
        pairs.a[..D].copy_from_slice(&a[point..][..D]);
        pairs
    }

    /// Computes pair e.
    #[inline(always)]
    fn pair<O: Operation<X, C, H>>(&mut self, e: usize, output: &mut Output<f64, X, H>) {
        let [x, a] = self.partners;
        self.x[D..].copy_from_slice(&x[e]);
        self.a[D..].copy_from_slice(&a[e]);
        let c = if let Some(shared) = self.shared { shared } else { &self.each[e] };
        O::element(Reads { x: &self.x, a: &self.a, c, now: self.now }, output);
    }

    /// Computes the pairs 2 k and 2 k + 1 of an operation that reads no direction.
    #[inline(always)]
    fn two<O: Operation<X, C, H>>(&self, k: usize, outputs: &mut [Output<f64, X, H>; 2]) {
        let partners = &self.partners[0].as_chunks::<2>().0[k];
        let c = match self.shared {
            Some(shared) => [shared; 2],
            None => self.each.as_chunks().0[k].each_ref(),
        };
        for ((partner, c), output) in zip(zip(partners, c), outputs) {
            let mut x = self.x;
            x[D..].copy_from_slice(partner);
            O::element(Reads { x: &x, a: &x, c, now: self.now }, output);
        }
    }

    /// The sum of the scalars.
    #[inline(always)]
    fn sum<O: Operation<X, C, H>>(&mut self) -> f64 {
        let mut output = Output::nothing(self.now);
        let mut sum = 0.0;
        for e in 0..self.star.count {
            self.pair::<O>(e, &mut output);
            sum += output.scalar;
        }
        sum
    }

    /// Adds the vectors.
    #[inline(always)]
    fn add<O: Operation<X, C, H>>(&mut self, vector: &mut [f64]) {
        let &Star { point, partners, count, .. } = self.star;
        let mut outputs = [Output::nothing(self.now), Output::nothing(self.now)];
        let mut sums = [[0.0; D]; 2];
        let to = points_mut(vector, partners, count);
        let paired = if O::DIRECTION { 0 } else { count / 2 * 2 };
        let (in_twos, others) = to.split_at_mut(paired);
        for (k, to) in in_twos.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            self.two::<O>(k, &mut outputs);
            for (e, to) in to.iter_mut().enumerate() {
                share(&outputs[e].vector, &mut sums[e], to);
            }
        }
        for (e, to) in others.iter_mut().enumerate() {
            self.pair::<O>(paired + e, &mut outputs[0]);
            share(&outputs[0].vector, &mut sums[0], to);
        }
        for sums in sums {
            zip(&mut vector[point..], sums).for_each(|(to, sum)| *to += sum);
        }
    }

    /// Adds vectors and Hessian entries.
    #[inline(always)]
    fn fill<O: Operation<X, C, H>, const B: usize>(
        &mut self,
        vector: &mut [f64],
        memory: &mut [f64],
        matrix: &mut [f64],
        first: usize,
    ) {
        let &Star { point, partners, count, columns, .. } = self.star;
        let [place, places] = self.places;
        let mut output = Output::nothing(self.now);
        let (mut sums, mut on) = ([0.0; D], [0.0; B]);
        let to = points_mut(vector, partners, count);
        let blocks = points_mut::<B>(memory, places * B, count);
        // The columns of a point stand one behind the other; a point of two components has no third one.
        let [at_i, at_j, at_k] = columns.map(|column| column.saturating_sub(first));
        let (matrix, k) = matrix.split_at_mut(if D == COMPONENTS { at_k } else { matrix.len() });
        let (i, j) = matrix.split_at_mut(at_j);
        let [i, j] = [points_mut(i, at_i, count), points_mut(j, 0, count)];
        let k = points_mut(k, 0, if D == COMPONENTS { count } else { 0 });
        for e in 0..count {
            self.pair::<O>(e, &mut output);
            share(&output.vector, &mut sums, &mut to[e]);
            let entries: [f64; B] = selected(&output.matrix, const { &O::PAIR }.point.entries());
            zip(&mut on, entries).for_each(|(on, entry)| *on += entry);
            let entries: [f64; B] = selected(&output.matrix, const { &O::PAIR }.partner.entries());
            zip(&mut blocks[e], entries).for_each(|(to, entry)| *to += entry);
            self.write(&mut i[e], &output.matrix, const { &O::PAIR.columns[0] });
            self.write(&mut j[e], &output.matrix, const { &O::PAIR.columns[1] });
            if D == COMPONENTS {
                self.write(&mut k[e], &output.matrix, const { &O::PAIR.columns[2] });
            }
        }
        zip(&mut vector[point..], sums).for_each(|(to, sum)| *to += sum);
        zip(&mut memory[place * B..], on).for_each(|(to, entry)| *to += entry);
    }

    /// Writes these entries, or adds them where others add, too.
    #[inline(always)]
    fn write(&self, to: &mut [f64; D], values: &[f64; H], entries: &[usize; COMPONENTS]) {
        let entries: [f64; D] = selected(values, entries);
        if self.alone {
            *to = entries;
        } else {
            zip(to, entries).for_each(|(to, entry)| *to += entry);
        }
    }
}

/// The points from this place on.
#[inline(always)]
fn points<const D: usize>(of: &[f64], start: usize, count: usize) -> &[[f64; D]] {
    &of[start..][..D * count].as_chunks().0[..count]
}

/// The same, to write to.
#[inline(always)]
fn points_mut<const D: usize>(of: &mut [f64], start: usize, count: usize) -> &mut [[f64; D]] {
    &mut of[start..][..D * count].as_chunks_mut().0[..count]
}

/// The first of these entries.
#[inline(always)]
fn selected<const N: usize>(values: &[f64], entries: &[usize]) -> [f64; N] {
    let mut selected = [0.0; N];
    for (value, &entry) in zip(&mut selected, entries) {
        *value = values[entry];
    }
    selected
}

/// Adds what the first half of a pair gets to the sums, and the rest to the vector of its partner.
#[inline(always)]
fn share<const X: usize, const D: usize>(values: &[f64; X], sums: &mut [f64; D], partner: &mut [f64; D]) {
    for k in 0..D {
        sums[k] += values[k];
        partner[k] += values[D + k];
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Elements, Matrix, cut};
    use super::Stars;
    use crate::sparse::SymmetricPattern;

    /// The lower triangle of the Hessian of two points in the plane.
    const ENTRIES: [(usize, usize); 10] =
        [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3)];

    /// Whether a sweep over these pairs of points may write, if they are stars, where others add at these places.
    fn stars(pairs: &[[u32; 2]], also: &[(usize, usize)]) -> Option<bool> {
        let inputs: Vec<[u32; 4]> = pairs.iter().map(|&[a, b]| [a, a + 1, b, b + 1]).collect();
        let own = inputs
            .iter()
            .flat_map(|at| ENTRIES.iter().map(|&(row, column)| (at[row] as usize, at[column] as usize)));
        let (pattern, filled) = SymmetricPattern::counted(100, own.chain(also.iter().copied()));
        let coefficients = vec![[]; inputs.len()];
        let elements = Elements { inputs, coefficients, entries: &ENTRIES, operations: 20, light: true };
        let rows = cut(elements.inputs.as_flattened(), 4)?;
        let matrix = Matrix { pattern: &pattern, filled: &filled };
        Stars::<4, 0, 10>::of(&rows, &elements, matrix).map(|stars| stars.alone)
    }

    /// All pairs of points that begin at these places.
    fn pairs(points: &[u32]) -> Vec<[u32; 2]> {
        let later = |i: usize| points[i + 1..].iter().map(move |&b| [points[i], b]);
        (0..points.len()).flat_map(later).collect()
    }

    #[test]
    fn all_pairs_are_stars() {
        let points: Vec<u32> = (0..20).map(|i| 1 + 2 * i).collect();
        assert_eq!(stars(&pairs(&points), &[]), Some(true));
        // On the diagonal all add.
        assert_eq!(stars(&pairs(&points), &[(5, 5)]), Some(true));
        assert_eq!(stars(&pairs(&points), &[(7, 3)]), Some(false));
    }

    #[test]
    fn a_star_has_its_partners_behind_it_and_side_by_side() {
        let points: Vec<u32> = (0..20).map(|i| 1 + 2 * i).collect();
        let apart: Vec<u32> = points.iter().map(|at| 2 * at).collect();
        assert_eq!(stars(&pairs(&apart), &[]), None);
        let swapped: Vec<[u32; 2]> = pairs(&points).iter().map(|&[a, b]| [b, a]).collect();
        assert_eq!(stars(&swapped, &[]), None);
        let before: Vec<[u32; 2]> = (0..20).map(|k| [41, 1 + 2 * k]).collect();
        assert_eq!(stars(&before, &[]), None);
        // Two kinds of points, the second one behind by one place.
        let shifted: Vec<[u32; 2]> = (0..18).map(|k| [1, 6 + 2 * k]).collect();
        assert_eq!(stars(&shifted, &[]), None);
    }
}
