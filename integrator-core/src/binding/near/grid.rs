//! Bins of points, a little larger than half of the radius within which pairs are looked for.
//!
//! In each direction the bins repeat after some number of them: in a cell, after the cell; where it is open, after the extent of the
//! points, or sooner where that would be too many bins. Then points of distant places share a bin, which costs a comparison and
//! nothing else. So there are never more than about two bins a point, wherever the points are.

use super::cell::{ROUNDING, Shape, dot};
use super::range::Points;

/// How many bins there may be for a point, and for none.
const A_POINT: usize = 2;
const AT_LEAST: usize = 64;
/// Bins are larger by this factor than half of the radius, which is more than rounding can do to the bin of a point.
const LARGER: f64 = 1.001;
/// Points that are so many bins away from the origin are looked at one by one.
const FAR: f64 = (1_u64 << 30) as f64;
/// The bins of one direction that can have near points: two before, two behind.
const AROUND: usize = 5;
/// The most runs of bins around a bin.
pub(super) const RUNS: usize = AROUND * AROUND * AROUND;

/// The bins.
#[derive(Debug, Clone, Default)]
pub(super) struct Grid {
    pub(super) counts: [usize; 3],
    /// The number of bins in which a position lies: its product with this.
    scales: [[f64; 3]; 3],
    /// The width of a bin.
    steps: [f64; 3],
    /// Whether the axes are normal to each other.
    orthogonal: bool,
    radius: f64,
}

/// Where a point is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bin {
    /// In a bin for each axis, and how far into it.
    In([usize; 3], [f64; 3]),
    /// One by one: it is too far away to be numbered.
    Far,
    /// Nowhere: a coordinate is not finite, and nothing is near.
    Nowhere,
}

#[inline]
fn floor(number: f64) -> f64 {
    // Numbers that are too large for this are far.
    let rounded = (number + ROUNDING) - ROUNDING;
    if rounded > number { rounded - 1.0 } else { rounded }
}

impl Grid {
    /// Bins for these positions.
    pub(super) fn new(points: &Points, radius: f64, positions: impl Iterator<Item = [f64; 3]>) -> Self {
        let image = &points.image;
        // The direction of space of each axis; the last axis is the fast one.
        let axes = if points.dimension == 2 { [2, 0, 1] } else { [0, 1, 2] };
        let size = 0.5 * LARGER * radius;
        let orthogonal = image.shape != Shape::General;
        let (mut counts, mut scales) = ([1_usize; 3], [[0.0; 3]; 3]);
        for (axis, direction) in axes.into_iter().enumerate() {
            let normal = image.normals[direction];
            let factor = if image.repeats[direction] {
                let count = (image.width(direction) / size).clamp(1.0, FAR).floor();
                counts[axis] = count as usize;
                count
            } else {
                1.0 / size
            };
            scales[axis] = normal.map(|number| number * factor);
        }
        let open = |axis: usize| !image.repeats[axes[axis]] && axes[axis] < points.dimension;
        if (0..3).any(open) {
            let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
            for position in positions {
                for (axis, [low, high]) in ends.iter_mut().enumerate() {
                    let along = dot(scales[axis], position);
                    if along.abs() < FAR {
                        *low = low.min(along);
                        *high = high.max(along);
                    }
                }
            }
            for axis in (0..3).filter(|axis| open(*axis)) {
                let [low, high] = ends[axis].map(f64::floor);
                counts[axis] = (high - low + 1.0).clamp(1.0, 2.0 * FAR) as usize;
            }
        }
        let most = A_POINT * points.len() + AT_LEAST;
        while counts.iter().fold(1, |product: usize, count| product.saturating_mul(*count)) > most {
            let mut axis = 0;
            (1..3).for_each(|other| axis = if counts[other] > counts[axis] { other } else { axis });
            let fewer = counts[axis].div_ceil(2);
            if image.repeats[axes[axis]] {
                // The bins grow with the cell.
                let factor = fewer as f64 / counts[axis] as f64;
                scales[axis] = scales[axis].map(|number| number * factor);
            }
            counts[axis] = fewer;
        }
        let steps = scales.map(|scale| 1.0 / dot(scale, scale).sqrt());
        Self { counts, scales, steps, orthogonal, radius }
    }

    /// The number of bins.
    pub(super) fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// The bin of a position.
    #[inline]
    pub(super) fn bin(&self, position: [f64; 3]) -> Bin {
        let (mut bins, mut into) = ([0; 3], [0.0; 3]);
        let mut far = false;
        for axis in 0..3 {
            let along = dot(self.scales[axis], position);
            if !along.is_finite() {
                // A sum of huge numbers overflows, too; they are far if they are numbers themselves.
                if position.iter().any(|number| !number.is_finite()) {
                    return Bin::Nowhere;
                }
                far = true;
                continue;
            }
            if along.abs() >= FAR {
                far = true;
                continue;
            }
            let (count, whole) = (self.counts[axis] as f64, floor(along));
            bins[axis] = (whole - count * floor(whole / count)) as usize;
            into[axis] = along - whole;
        }
        if far { Bin::Far } else { Bin::In(bins, into) }
    }

    /// The number of a bin.
    #[inline]
    pub(super) fn index(&self, [a, b, c]: [usize; 3]) -> usize {
        (a * self.counts[1] + b) * self.counts[2] + c
    }

    /// The bins along an axis that can have points which are near to one that lies `into` a bin, each with the square of its
    /// distance; returns how many they are.
    #[inline]
    fn around(&self, axis: usize, bin: usize, into: f64, found: &mut [(usize, f64); AROUND]) -> usize {
        let (count, step) = (self.counts[axis], self.steps[axis]);
        if count < AROUND {
            (0..count).for_each(|other| found[other] = (other, 0.0));
            return count;
        }
        let gap = |steps: f64| if self.orthogonal { (steps * step).powi(2) } else { 0.0 };
        let distances = [gap(into + 1.0), gap(into), 0.0, gap(1.0 - into), gap(2.0 - into)];
        let mut near = 0;
        for (shift, distance) in distances.into_iter().enumerate() {
            if distance <= self.radius * self.radius {
                let other = bin + count + shift - 2;
                found[near] = (if other >= 2 * count { other - 2 * count } else { other % count }, distance);
                near += 1;
            }
        }
        near
    }

    /// Runs of consecutive bins that have all points near to one in this bin: the first, and the one behind the last; returns how many runs.
    #[inline]
    pub(super) fn runs(&self, bins: [usize; 3], into: [f64; 3], runs: &mut [(usize, usize); RUNS]) -> usize {
        let mut around = [[(0, 0.0); AROUND]; 3];
        let mut counts = [0; 3];
        for axis in 0..3 {
            counts[axis] = self.around(axis, bins[axis], into[axis], &mut around[axis]);
        }
        let squared = self.radius * self.radius;
        let mut found = 0;
        for &(a, distance_a) in &around[0][..counts[0]] {
            for &(b, distance_b) in &around[1][..counts[1]] {
                let rest = squared - distance_a - distance_b;
                if rest < 0.0 {
                    continue;
                }
                let (column, before) = (self.index([a, b, 0]), found);
                for &(c, distance) in &around[2][..counts[2]] {
                    if distance > rest {
                        continue;
                    }
                    let bin = column + c;
                    if found > before && runs[found - 1].1 == bin {
                        runs[found - 1].1 += 1;
                    } else {
                        runs[found] = (bin, bin + 1);
                        found += 1;
                    }
                }
            }
        }
        found
    }
}
