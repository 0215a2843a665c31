//! Rods of places by angles: a place that turns about another at a constant distance hangs on it.
//!
//! With p(θ) = a + R(θ) b the joint is a = (p(θ) + p(θ + π))/2, whoever wrote p. Positions near the
//! start tell if b has a constant length.

use least_action_core::nalgebra::Vector3;
use least_action_core::system::State;
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::Range;

use super::named::{SAME, generic};

/// The places of all points at (q, t).
type Places<'a> = &'a dyn Fn(&[f64], f64) -> Vec<Vector3<f64>>;

/// A point: one of the scene, or the middle of its places over half turns of some coordinates.
#[derive(Debug, Clone)]
pub(super) struct Joint {
    pub(super) point: usize,
    /// The coordinates of the half turns.
    pub(super) turned: Vec<usize>,
    /// Its place, if it stands still.
    pub(super) fixed: Option<Vector3<f64>>,
}

impl Joint {
    /// Its place, from the place of the point at each choice of half turns.
    pub(super) fn place(&self, mut of_point: impl FnMut(&[usize]) -> Vector3<f64>) -> Vector3<f64> {
        let choices = 1_usize << self.turned.len();
        let places = (0..choices).map(|chosen| {
            let turned = self.turned.iter().enumerate().filter(|(k, _)| chosen >> k & 1 == 1);
            of_point(&turned.map(|(_, slot)| *slot).collect::<Vec<usize>>())
        });
        places.sum::<Vector3<f64>>() / choices as f64
    }
}

/// Positions after half turns of some coordinates.
pub(super) fn turned(q: &[f64], slots: &[usize]) -> Vec<f64> {
    let mut q = q.to_vec();
    slots.iter().for_each(|&slot| q[slot] += PI);
    q
}

/// Rods and added points.
#[derive(Debug, Default)]
pub(super) struct Joints {
    /// Points beside the points of the scene.
    pub(super) added: Vec<Joint>,
    /// Rods by numbers of points; numbers beyond the scene are added points.
    pub(super) rods: Vec<[usize; 2]>,
    /// Points from which rods hang, and which slide.
    pub(super) sliding: Vec<usize>,
}

/// Positions at which lengths are compared.
const SAMPLES: usize = 3;
/// Models with more numbers and angles have points alone.
const MOST: usize = 300;
/// Models with more numbers and angles name all their joints.
const FEW: usize = 40;
/// Angles one behind the other whose joints the declaration does not name.
const UNNAMED: usize = 3;

/// A sample, the coordinates of half turns, and the one of a quarter turn.
type Turns = (usize, Vec<usize>, Option<usize>);

/// The places of points, each computed once.
struct Probe<'a> {
    places: Places<'a>,
    samples: Vec<(Vec<f64>, f64)>,
    /// Distances below this are rounding.
    rounding: f64,
    known: HashMap<Turns, Vec<Vector3<f64>>>,
}

impl Probe<'_> {
    /// The place of a joint at a sample, with a quarter turn of a coordinate.
    fn at(&mut self, sample: usize, joint: &Joint, quarter: Option<usize>) -> Vector3<f64> {
        let Self { places, samples, known, .. } = self;
        joint.place(|slots| {
            let all = known.entry((sample, slots.to_vec(), quarter)).or_insert_with(|| {
                let (q, t) = &samples[sample];
                let mut q = turned(q, slots);
                quarter.iter().for_each(|&slot| q[slot] += FRAC_PI_2);
                places(&q, *t)
            });
            all[joint.point]
        })
    }

    /// The places of a joint at all samples.
    fn all(&mut self, joint: &Joint) -> Vec<Vector3<f64>> {
        (0..self.samples.len()).map(|sample| self.at(sample, joint, None)).collect()
    }

    /// The joint about which a point turns with a coordinate at a constant distance.
    fn joint(&mut self, point: &Joint, slot: usize) -> Option<Joint> {
        let mut turned = point.turned.clone();
        turned.push(slot);
        let joint = Joint { point: point.point, turned, fixed: None };
        let mut length = None;
        for sample in 0..self.samples.len() {
            let centre = self.at(sample, &joint, None);
            let arm = self.at(sample, point, None) - centre;
            let across = self.at(sample, point, Some(slot)) - centre;
            let (size, rounding) = (arm.norm(), self.rounding);
            let length = *length.get_or_insert(size);
            let turns = (across.norm() - size).abs() <= rounding && arm.dot(&across).abs() <= size * rounding;
            // Numbers that are none compare as false.
            if !(size > rounding && turns && (size - length).abs() <= rounding) {
                return None;
            }
        }
        Some(joint)
    }

    /// True if two points have the same place at all samples.
    fn meet(&self, a: &[Vector3<f64>], b: &[Vector3<f64>]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).norm() <= self.rounding)
    }

    /// True if a point has the same place at all samples.
    fn stands(&self, places: &[Vector3<f64>]) -> bool {
        places.iter().all(|at| (at - places[0]).norm() <= self.rounding)
    }
}

/// Finds the joints of the points `named`, the last ones of `points` of a scene, which the coordinates
/// `free` move.
pub(super) fn find(
    start: &State,
    free: &[usize],
    points: usize,
    named: Range<usize>,
    places: Places<'_>,
) -> Joints {
    let mut found = Joints::default();
    if free.len() > MOST {
        return found;
    }
    let samples =
        (0..SAMPLES).map(|number| (generic(start, number), start.t + 0.3 * number as f64)).collect();
    let mut probe = Probe { places, samples, rounding: 0.0, known: HashMap::new() };
    let alone = |point| Joint { point, turned: Vec::new(), fixed: None };
    let mut known: Vec<Vec<Vector3<f64>>> = (0..points).map(|point| probe.all(&alone(point))).collect();
    probe.rounding = SAME * known.iter().flatten().map(Vector3::norm).fold(0.0, f64::max);
    let mut left: Vec<(usize, Joint)> = named.clone().map(|point| (point, alone(point))).collect();
    while let Some((number, point)) = left.pop() {
        let joints: Vec<Joint> = free.iter().filter_map(|&slot| probe.joint(&point, slot)).collect();
        let places: Vec<Vec<Vector3<f64>>> = joints.iter().map(|joint| probe.all(joint)).collect();
        let mut last_first = places.iter().rev();
        let met = last_first.find_map(|places| known.iter().position(|known| probe.meet(known, places)));
        let stands = || places.iter().position(|places| probe.stands(places));
        if let Some(on) = met {
            found.rods.push([on, number]);
        } else if let Some(place) = stands().or(joints.len().checked_sub(1)) {
            let (mut joint, on) = (joints[place].clone(), known.len());
            joint.fixed = probe.stands(&places[place]).then(|| places[place][0]);
            found.rods.push([on, number]);
            known.push(places[place].clone());
            found.added.push(joint.clone());
            if joint.fixed.is_none() && joint.turned.len() < UNNAMED && free.len() <= FEW {
                left.push((on, joint));
            }
        }
    }
    let hangs = |point: usize| found.rods.iter().any(|[_, end]| *end == point);
    // A point that is a coordinate moves freely.
    let roots = found.rods.iter().map(|[on, _]| *on).filter(|on| *on >= named.start && !hangs(*on));
    found.sliding = roots.filter(|on| !probe.stands(&known[*on])).collect();
    found.sliding.sort_unstable();
    found.sliding.dedup();
    found
}
