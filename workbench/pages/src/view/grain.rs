//! Frames as whole numbers: how far a motion reaches, and how many bits, frames and velocities of it a
//! page has.

use std::io;
use std::ops::Range;

use super::code::{Coder, MISSING};
use super::spool::Spool;

/// The quanta of a unit of the way of a velocity, which need not be as exact as a place.
const SLOPE: f64 = 4.0;
/// The quanta by which a way may leave its line unseen: an eighth of a pixel where the motion is 1000
/// pixels wide.
const STRAIGHT: f64 = 4.0;
/// Positions farther out than so many times the middle distance are left out: a motion that has blown up
/// would hide all before.
const FAR: f64 = 30.0;

/// Where the points are in the frames that are kept.
pub(super) struct Extent {
    pub(super) centre: [f64; 3],
    pub(super) half: f64,
    /// Positions that are no numbers, and positions too far out.
    pub(super) missing: u64,
    pub(super) far: u64,
}

impl Extent {
    /// Of all frames.
    pub(super) fn of(spool: &mut Spool, points: &Points) -> io::Result<Self> {
        let Points { positions, dimension } = points;
        let dimension = *dimension;
        let mut boxes: Vec<[[f64; 2]; 3]> = Vec::new();
        spool.for_each(1, &mut |_, frame| {
            let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
            for place in frame[positions.clone()].chunks_exact(dimension) {
                for (bound, x) in bounds.iter_mut().zip(place).filter(|(_, x)| x.is_finite()) {
                    *bound = [bound[0].min(*x), bound[1].max(*x)];
                }
            }
            bounds[dimension..].fill([0.0; 2]);
            if bounds.iter().all(|[low, high]| low <= high) {
                boxes.push(bounds);
            }
            Ok(())
        })?;
        let middle = |mut all: Vec<f64>| {
            let place = all.len() / 2;
            if all.is_empty() { 0.0 } else { *all.select_nth_unstable_by(place, f64::total_cmp).1 }
        };
        let centre: [f64; 3] = std::array::from_fn(|k| {
            middle(boxes.iter().map(|bounds| f64::midpoint(bounds[k][0], bounds[k][1])).collect())
        });
        let size = |bounds: &[[f64; 2]; 3]| {
            let distances =
                bounds.iter().zip(centre).flat_map(|(bound, centre)| bound.map(|x| (x - centre).abs()));
            distances.fold(0.0, f64::max)
        };
        let limit = FAR * middle(boxes.iter().map(size).collect()).max(boxes.first().map_or(0.0, size));
        let near = boxes.iter().filter(|bounds| size(bounds) <= limit);
        let bounds = near.fold([[f64::INFINITY, f64::NEG_INFINITY]; 3], |all, one| {
            std::array::from_fn(|k| [all[k][0].min(one[k][0]), all[k][1].max(one[k][1])])
        });
        let centre: [f64; 3] =
            bounds.map(|[low, high]| if low <= high { f64::midpoint(low, high) } else { 0.0 });
        let half = bounds.iter().map(|[low, high]| 0.5 * (high - low)).fold(0.0, f64::max);
        let mut extent = Self { centre, half: if half > 0.0 { half } else { 1.0 }, missing: 0, far: 0 };
        spool.for_each(1, &mut |_, frame| {
            for place in frame[positions.clone()].chunks_exact(dimension) {
                let distances = place.iter().zip(centre).map(|(x, centre)| (x - centre).abs());
                let distance = distances.fold(0.0, f64::max);
                if !place.iter().all(|x| x.is_finite()) {
                    extent.missing += 1;
                } else if distance > extent.half * (1.0 + 1e-9) {
                    extent.far += 1;
                }
            }
            Ok(())
        })?;
        Ok(extent)
    }

    /// The length of a quantum where a coordinate has so many bits.
    pub(super) fn quantum(&self, bits: u32) -> f64 {
        2.0 * self.half / f64::from((1_i32 << bits) - 2)
    }

    /// Positions as whole numbers of quanta; where one component is missing, all are.
    fn whole(&self, bits: u32, dimension: usize, positions: &[f64], whole: &mut Vec<i16>) {
        let (quantum, largest) = (self.quantum(bits), (1_i16 << (bits - 1)) - 1);
        whole.clear();
        for place in positions.chunks_exact(dimension) {
            let at = |k: usize| (place[k] - self.centre[k]) / quantum;
            let fits = |k: usize| at(k).abs() <= f64::from(largest) + 0.5;
            let is_there = (0..dimension).all(fits);
            whole.extend(
                (0..dimension).map(|k| {
                    if is_there { (at(k).round() as i16).clamp(-largest, largest) } else { MISSING }
                }),
            );
        }
    }
}

/// How frames are written: every `thin`-th, with so many bits, and with velocities where these are told:
/// as ways in the mean time between frames.
#[derive(Clone, Copy)]
pub(super) struct Grain {
    pub(super) bits: u32,
    pub(super) thin: u64,
    pub(super) interval: Option<f64>,
}

/// Where a frame has the numbers of its points: their positions, and behind them their velocities.
pub(super) struct Points {
    pub(super) positions: Range<usize>,
    pub(super) dimension: usize,
}

impl Points {
    /// The positions of frames, coded.
    pub(super) fn places(&self, extent: &Extent, grain: Grain, spool: &mut Spool) -> io::Result<Vec<u8>> {
        let mut coder = Coder::new(self.positions.len());
        let mut whole = Vec::new();
        spool.for_each(grain.thin, &mut |_, frame| {
            extent.whole(grain.bits, self.dimension, &frame[self.positions.clone()], &mut whole);
            coder.frame(&whole)
        })?;
        coder.finish()
    }

    /// The velocities of frames, coded, if they are told.
    pub(super) fn velocities(&self, extent: &Extent, grain: Grain, spool: &mut Spool) -> io::Result<Vec<u8>> {
        let Some(interval) = grain.interval else { return Ok(Vec::new()) };
        let mut coder = Coder::new(self.positions.len());
        let unit = SLOPE * extent.quantum(grain.bits) / interval;
        let whole = |rate: &f64| {
            let way = (rate / unit).round();
            if way.abs() <= f64::from(i16::MAX) { way as i16 } else { MISSING }
        };
        spool.for_each(grain.thin, &mut |_, frame| {
            coder.frame(&frame[self.positions.end..].iter().map(whole).collect::<Vec<i16>>())
        })?;
        coder.finish()
    }

    /// The mean time between frames, if the way between two of them is anywhere so far from the line
    /// that it is seen.
    pub(super) fn interval(
        &self,
        grain: Grain,
        extent: &Extent,
        spool: &mut Spool,
    ) -> io::Result<Option<f64>> {
        let (mut first, mut last, mut frames) = (None, f64::NAN, 0_u32);
        let (mut before, mut farthest) = (Vec::<f64>::new(), 0.0_f64);
        spool.for_each(grain.thin, &mut |_, frame| {
            let passed = frame[0] - last;
            let rates = &frame[self.positions.end..];
            for (rate, before) in rates.iter().zip(&before) {
                farthest = farthest.max((rate - before).abs() * passed / 8.0);
            }
            rates.clone_into(&mut before);
            first.get_or_insert(frame[0]);
            last = frame[0];
            frames += 1;
            Ok(())
        })?;
        let lasts = last - first.unwrap_or(last);
        let is_seen = farthest > STRAIGHT * extent.quantum(grain.bits) && lasts > 0.0;
        Ok(is_seen.then(|| lasts / f64::from(frames - 1)))
    }
}
