//! Bins of points, a little larger than half of the search radius.
//!
//! In each direction the bins repeat: in a cell with the cell; in an open direction after the extent of
//! the points, or sooner if there would be too many bins. Then distant points share a bin, at the price
//! of a comparison. So there are at most about two bins for each point, wherever the points are.

use super::points::Points;
use crate::system::image::{ROUNDING, Shape, dot};

/// The most bins for each point, and a number that is always allowed.
const A_POINT: usize = 2;
const AT_LEAST: usize = 64;
/// The factor by which bins exceed half of the radius: more than the rounding of a bin.
const LARGER: f64 = 1.001;
/// Points that are this many bins away from the origin are compared one by one.
const FAR: f64 = (1_u64 << 30) as f64;
/// The bins of one direction with near points: two before, two after.
const AROUND: usize = 5;
/// The most runs of bins around a bin.
pub(crate) const RUNS: usize = AROUND * AROUND * AROUND;

#[derive(Debug, Clone, Default)]
pub(crate) struct Grid {
    pub(crate) counts: [usize; 3],
    /// Times a position: the number of its bin in each direction.
    scales: [[f64; 3]; 3],
    /// The width of a bin.
    steps: [f64; 3],
    /// Whether the axes are orthogonal.
    orthogonal: bool,
    /// The axes that repeat, and the edges of the cell along them.
    repeats: [bool; 3],
    edges: [[f64; 3]; 3],
    /// The square of the radius.
    squared: f64,
}

/// A bin along an axis.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    bin: usize,
    distance: f64,
    turn: f64,
}

/// Consecutive bins, and the image of a point that is nearest to their points.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Run {
    pub(crate) begin: usize,
    pub(crate) end: usize,
    pub(crate) own: [f64; 3],
}

/// The bin of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bin {
    /// A bin for each axis, and the image of the position in the cell.
    In([usize; 3], [f64; 3]),
    /// Too far away for a bin: compared one by one.
    Far,
    /// None: a coordinate is not finite, and nothing is near.
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
    pub(crate) fn new(points: &Points, radius: f64, positions: impl Iterator<Item = [f64; 3]>) -> Self {
        let image = &points.image;
        // The direction of space of each axis; the last axis is the innermost.
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
        let (repeats, edges) = (axes.map(|axis| image.repeats[axis]), axes.map(|axis| image.rows[axis]));
        Self { counts, scales, steps, orthogonal, repeats, edges, squared: radius * radius }
    }

    /// The number of bins.
    pub(crate) fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// The bin of a position.
    #[inline]
    pub(crate) fn bin(&self, position: [f64; 3]) -> Bin {
        let (mut bins, mut turns) = ([0; 3], [0.0; 3]);
        let mut far = false;
        for axis in 0..3 {
            let along = dot(self.scales[axis], position);
            if along.is_nan() || along.abs() >= FAR {
                // A sum of huge finite numbers may overflow, too: they are far.
                if position.iter().any(|number| !number.is_finite()) {
                    return Bin::Nowhere;
                }
                far = true;
                continue;
            }
            let (count, whole) = (self.counts[axis] as f64, floor(along));
            let turn = floor(whole / count);
            bins[axis] = (whole - count * turn) as usize;
            turns[axis] = if self.repeats[axis] { turn } else { 0.0 };
        }
        if far {
            return Bin::Far;
        }
        let turned = |position, axis: usize| self.turned(position, axis, -turns[axis]);
        Bin::In(bins, turned(turned(turned(position, 0), 1), 2))
    }

    /// A position moved by `turn` cells along an axis.
    #[inline]
    fn turned(&self, mut position: [f64; 3], axis: usize, turn: f64) -> [f64; 3] {
        if turn != 0.0 {
            position.iter_mut().zip(&self.edges[axis]).for_each(|(x, edge)| *x += turn * edge);
        }
        position
    }

    /// The number of a bin.
    #[inline]
    pub(crate) fn index(&self, [a, b, c]: [usize; 3]) -> usize {
        (a * self.counts[1] + b) * self.counts[2] + c
    }

    /// The bin with a number, along each axis.
    #[inline]
    pub(crate) fn bins(&self, index: usize) -> [usize; 3] {
        let (rest, c) = (index / self.counts[2], index % self.counts[2]);
        [rest / self.counts[1], rest % self.counts[1], c]
    }

    /// Whether the bin of a point determines its image;
    /// otherwise the bins around it cover the cell before all images do.
    pub(crate) fn tells_images(&self) -> bool {
        (0..3).all(|axis| !self.repeats[axis] || self.counts[axis] >= AROUND)
    }

    /// The bins along an axis that may have points near to one in this bin, each with the
    /// square of its distance and the number of cells to move the point; returns their number.
    #[inline]
    fn around(&self, axis: usize, bin: usize, position: [f64; 3], found: &mut [Around; AROUND]) -> usize {
        let (count, step) = (self.counts[axis], self.steps[axis]);
        if count < AROUND {
            for (other, found) in found.iter_mut().enumerate().take(count) {
                *found = Around { bin: other, distance: 0.0, turn: 0.0 };
            }
            return count;
        }
        let distances = if self.orthogonal {
            // In an open direction several bins have this number.
            let (along, count) = (dot(self.scales[axis], position) - bin as f64, count as f64);
            let into = along - count * floor(along / count + 0.5);
            [into + 1.0, into, 0.0, 1.0 - into, 2.0 - into].map(|steps| (steps * step) * (steps * step))
        } else {
            [0.0; AROUND]
        };
        let mut near = 0;
        for (shift, distance) in distances.into_iter().enumerate() {
            if distance <= self.squared {
                let other = bin + shift;
                let (bin, turn) = if other < 2 {
                    (other + count - 2, 1.0)
                } else if other - 2 >= count {
                    (other - 2 - count, -1.0)
                } else {
                    (other - 2, 0.0)
                };
                found[near] = Around { bin, distance, turn: if self.repeats[axis] { turn } else { 0.0 } };
                near += 1;
            }
        }
        near
    }

    /// Runs of consecutive bins with all points near to one in this bin; returns their number.
    #[inline]
    pub(crate) fn runs(&self, bins: [usize; 3], position: [f64; 3], runs: &mut [Run; RUNS]) -> usize {
        let mut around = [[Around::default(); AROUND]; 3];
        let mut counts = [0; 3];
        for axis in 0..3 {
            counts[axis] = self.around(axis, bins[axis], position, &mut around[axis]);
        }
        let [of_a, of_b, of_c] = [0, 1, 2].map(|axis| &around[axis][..counts[axis]]);
        let mut found = 0;
        for a in of_a {
            let own_a = self.turned(position, 0, a.turn);
            for b in of_b {
                let rest = self.squared - a.distance - b.distance;
                // Distances fall and rise again, so near bins are consecutive.
                let Some(mut first) = of_c.iter().position(|c| c.distance <= rest) else { continue };
                let last = of_c.iter().rposition(|c| c.distance <= rest).unwrap_or(first);
                let (own, column) = (self.turned(own_a, 1, b.turn), self.index([a.bin, b.bin, 0]));
                // A new image begins where the bins repeat.
                while first <= last {
                    let Around { bin, turn, .. } = of_c[first];
                    let length = (last - first + 1).min(self.counts[2] - bin);
                    let begin = column + bin;
                    runs[found] = Run { begin, end: begin + length, own: self.turned(own, 2, turn) };
                    found += 1;
                    first += length;
                }
            }
        }
        found
    }
}
