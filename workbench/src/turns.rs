//! How long a motion takes to be seen: until its slowest part has turned twice, or it comes back.

use std::f64::consts::TAU;
use std::ops::Range;

use least_action::method::Stepper;
use least_action::system::{Coordinate, Kind, Layout, State};

/// The moments that are kept, and the coordinates that are looked at, evenly among all.
const MOMENTS: usize = 4096;
const LOOKED_AT: usize = 64;

/// The first place and the end of the numbers of one component, and their distance.
type Others = (Range<usize>, usize);

/// The positions of a motion at moments of one distance, which doubles when there is no more room.
/// Points and numbers of an array are seen from the mean of all, which may drift.
struct Trace {
    /// The coordinates that are looked at, with their kinds, and the ones of whose mean they are seen.
    places: Vec<(usize, Kind, Option<Others>)>,
    rows: Vec<Vec<f64>>,
    /// The steps between two moments.
    stride: u64,
}

impl Trace {
    fn new(layout: &Layout) -> Self {
        let coordinates = layout.coordinates().iter();
        let entries = |own: &Coordinate| {
            let (kind, components, end) = (own.kind, own.kind.components(), own.offset + own.size());
            let has_mean = own.size() > components && !matches!(kind, Kind::Angle | Kind::Mat3);
            let offset = own.offset;
            let others =
                move |place| has_mean.then(|| (offset + (place - offset) % components..end, components));
            (own.offset..end).map(move |place| (place, kind, others(place)))
        };
        let all: Vec<_> = coordinates.flat_map(entries).collect();
        let places = all.iter().step_by(all.len().div_ceil(LOOKED_AT).max(1)).cloned().collect();
        Self { places, rows: Vec::new(), stride: 1 }
    }

    fn see(&mut self, steps: u64, state: &State) {
        if !steps.is_multiple_of(self.stride) {
            return;
        }
        if self.rows.len() == MOMENTS {
            let mut number = 0;
            self.rows.retain(|_| (number += 1, number % 2 == 1).1);
            self.stride *= 2;
            return self.see(steps, state);
        }
        let mean = |(range, components): &Others| {
            let own = range.clone().step_by(*components);
            own.clone().map(|place| state.q[place]).sum::<f64>() / own.len() as f64
        };
        let seen = |(place, _, others): &(usize, Kind, Option<Others>)| {
            state.q[*place] - others.as_ref().map_or(0.0, mean)
        };
        self.rows.push(self.places.iter().map(seen).collect());
    }

    /// The steps after which the slowest part has turned twice, or all is where it was.
    fn seen(&self) -> Option<u64> {
        /// Parts that move less, beside the ones of their kind that move most, are not seen.
        const UNSEEN: f64 = 0.05;
        /// Of many coordinates so many turn: the last ones wander.
        const OF_ALL: f64 = 0.9;
        let column = |number: usize| self.rows.iter().map(move |row| row[number]);
        let range = |number: usize| {
            let [least, most] = [f64::min, f64::max].map(|of| column(number).fold(f64::NAN, of));
            most - least
        };
        let ranges: Vec<f64> = (0..self.places.len()).map(range).collect();
        let largest = |kind: Kind| {
            let own = self.places.iter().zip(&ranges).filter(|((_, other, _), _)| *other == kind);
            own.fold(0.0_f64, |most, (_, range)| most.max(*range))
        };
        let is_seen = |number: &usize| ranges[*number] > UNSEEN * largest(self.places[*number].1);
        let seen: Vec<usize> = (0..self.places.len()).filter(is_seen).collect();
        let turn = |&number: &usize| turned_twice(column(number), ranges[number], self.places[number].1);
        let mut turns: Vec<Option<usize>> = seen.iter().map(turn).collect();
        turns.sort_by_key(|turn| turn.unwrap_or(usize::MAX));
        let slowest = ((turns.len() as f64 * OF_ALL).ceil() as usize).checked_sub(1);
        let turned = slowest.and_then(|slowest| turns[slowest]);
        let row = turned.into_iter().chain(self.back(&seen, &ranges)).min()?;
        Some(row as u64 * self.stride)
    }

    /// The first row that is where the first one was, after another that was far from it.
    fn back(&self, seen: &[usize], ranges: &[f64]) -> Option<usize> {
        /// The distances, as parts of the ranges.
        const NEAR: f64 = 0.02;
        const FAR: f64 = 0.5;
        let first = self.rows.first()?;
        let distance = |row: &Vec<f64>| {
            let parts = seen.iter().map(|&number| (row[number] - first[number]).abs() / ranges[number]);
            parts.fold(0.0, f64::max)
        };
        let left = self.rows.iter().position(|row| distance(row) > FAR)?;
        // A row goes the same way as the first one.
        let goes = |row: usize| -> f64 {
            let way = |row: usize, number: usize| {
                (self.rows[row + 1][number] - self.rows[row][number]) / ranges[number]
            };
            seen.iter().map(|&number| way(row, number) * way(0, number)).sum()
        };
        let last = self.rows.len() - 1;
        (left..last).find(|row| distance(&self.rows[*row]) < NEAR && goes(*row) > 0.0)
    }
}

/// The row at which a coordinate has turned twice: gone back by a part of its range, or, as an angle,
/// around twice.
fn turned_twice(column: impl Iterator<Item = f64>, range: f64, kind: Kind) -> Option<usize> {
    /// A smaller part of the range is a ripple.
    const BACK: f64 = 0.3;
    let mut column = column.enumerate();
    let (_, first) = column.next()?;
    // The extreme so far in each direction, and the direction once it is known.
    let ([mut least, mut most], mut up, mut turns) = ([(0, first); 2], None, 0);
    for (row, value) in column {
        if kind == Kind::Angle && (value - first).abs() >= 2.0 * TAU {
            return Some(row);
        }
        if value > most.1 {
            most = (row, value);
        }
        if value < least.1 {
            least = (row, value);
        }
        let (back, extreme) =
            if up == Some(true) { (most.1 - value, most) } else { (value - least.1, least) };
        let begins_down = up.is_none() && most.1 - value > BACK * range;
        if back > BACK * range || begins_down {
            turns += usize::from(up.is_some());
            if turns == 2 {
                return Some(extreme.0);
            }
            up = Some(up == Some(false) || up.is_none() && !begins_down);
            [least, most] = [(row, value); 2];
        }
    }
    None
}

/// The steps until the slowest part has turned twice, or the motion has come back.
/// None if it does neither in so many steps, as many as its size leaves.
pub(crate) fn seen_after(stepper: &mut dyn Stepper, layout: &Layout, most: u64) -> Option<u64> {
    /// The evaluations of small systems, the coordinates that are moved at most, and the steps of large
    /// systems.
    const EVALUATIONS: u64 = 1_000_000;
    const MOVED: usize = 2_000_000;
    const FEWEST: usize = 300;
    let most = most.min((MOVED / layout.dimension().max(1)).max(FEWEST) as u64);
    let (mut trace, mut next) = (Trace::new(layout), 64);
    trace.see(0, stepper.state());
    for steps in 1..=most {
        // The run tells a step that fails.
        stepper.step().ok()?;
        trace.see(steps, stepper.state());
        if steps == next || steps == most {
            // A part that turned lately may be on its way to a larger range.
            if let Some(seen) = trace.seen().filter(|seen| 5 * seen <= 4 * steps) {
                return Some(seen);
            }
            let all = stepper.report().evaluations;
            if all.gradients + all.hessians + all.iterations + all.factorizations > EVALUATIONS {
                return None;
            }
            next += next / 4;
        }
    }
    None
}
