//! Free fall from face to face: the motion of K − V_h.

use super::cells::Cells;
use super::coordinate::Coordinate;
use super::couplings::Couplings;
use super::grid::Grid;
use super::meeting::{Change, Meeting};
use super::potential::Potential;
use super::ring::Ring;
use super::slopes::{NotFinite, Slopes};
use super::walls::{CoupledWalls, Schedule, Wall};
use super::{ForceStepping, Walls};
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::method::clock::Clock;
use crate::method::contract::Claims;
use crate::method::step_lengths::StepLengths;
use crate::system::{Natural, State};

/// A crossing of a face of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The time of the crossing.
    pub time: f64,
    /// The time since the last crossing, or the start; zero if one point crosses several walls.
    pub length: f64,
    /// The wall that is crossed.
    pub wall: Wall,
    /// True if the force changed.
    pub turns: bool,
}

/// The motion between two crossings, and all data for the next.
#[derive(Debug)]
pub(super) struct Flight<'s, S: ?Sized> {
    potential: Potential<'s, S>,
    couplings: Couplings,
    cells: Cells,
    slopes: Slopes,
    schedule: Schedule,
    clock: Clock,
    pub(super) crossings: u64,
    /// The times between crossings.
    pub(super) lengths: StepLengths,
    /// Consecutive crossings that took no time.
    burst: u64,
    /// The number of the crossing at which the origin of the clock moves next.
    rebase_at: u64,
    /// The failure that has ended the motion.
    failure: Option<StepError>,
}

/// The origin moves after this many crossings for each wall, and after `FEWEST` at least.
const CROSSINGS_A_WALL: u64 = 8;
const FEWEST: u64 = 64;
/// Some coordinate must move by this part of a cell between two moves of the origin.
const STUCK: f64 = 1e-13;

impl<'s, S: Natural + ?Sized> Flight<'s, S> {
    /// A flight from `state`, in the simplex that it enters.
    pub(super) fn new(
        system: &'s S,
        potential: Potential<'s, S>,
        grid: Grid,
        masses: &[f64],
        walls: Option<Walls>,
        state: &State,
    ) -> Begun<Self> {
        let couplings = Couplings::of(&potential, &grid);
        let (cells, ranked) = Cells::around(system, grid, &couplings, state)?;
        let (slopes, outcome) = Slopes::new(&potential, &couplings, &cells, masses);
        if let Err(NotFinite { located, value }) = outcome {
            let vertex = potential.describe(&potential.all_reads()[located.range()], slopes.vertex());
            return Err(StartError::VertexNotFinite { method: ForceStepping::NAME, vertex, value });
        }
        // Time is counted from a local origin.
        let clock = Clock::starting_at(state.t);
        let schedule = Schedule::All(Ring::new(&[], &couplings, &[]));
        let mut flight = Self {
            potential,
            couplings,
            cells,
            slopes,
            schedule,
            clock,
            crossings: 0,
            lengths: StepLengths::default(),
            burst: 0,
            rebase_at: 0,
            failure: None,
        };
        (0..flight.cells.coordinates.len()).for_each(|a| {
            flight.turn(a);
        });
        let dimension = flight.cells.coordinates.len();
        let all_coupled = dimension > 2 && flight.couplings.pairs.len() == dimension * (dimension - 1) / 2;
        let chosen = if all_coupled { Walls::All } else { Walls::Coupled };
        flight.schedule = match walls.unwrap_or(chosen) {
            Walls::All => Schedule::All(Ring::new(&ranked, &flight.couplings, &flight.cells.coordinates)),
            Walls::Coupled => Schedule::Coupled(CoupledWalls::new(&flight.couplings, &flight.cells)),
        };
        flight.rebase_at = flight.until_rebase();
        Ok(flight)
    }

    fn until_rebase(&self) -> u64 {
        (CROSSINGS_A_WALL * self.schedule.len() as u64).max(FEWEST)
    }

    pub(super) fn interpolated(&self) -> (&Potential<'s, S>, &Grid) {
        (&self.potential, &self.cells.grid)
    }

    /// The number of evaluated elements.
    pub(super) fn values(&self) -> u64 {
        self.slopes.values()
    }

    /// The time of the last crossing.
    pub(super) fn time(&self) -> f64 {
        self.clock.time()
    }

    /// Flies to the next face and crosses it; `None` if there is none before `end`.
    #[inline]
    pub(super) fn cross_before(&mut self, end: f64) -> Result<Option<Crossing>, StepError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let Some((time, meeting)) = self.schedule.next(self.clock.now, &self.cells) else { return Ok(None) };
        if time >= self.clock.since_origin(end) {
            return Ok(None);
        }
        let now = time.max(self.clock.now);
        let length = now - self.clock.now;
        self.burst = if length > 0.0 { 0 } else { self.burst + 1 };
        if self.burst > 10 * (self.schedule.len() as u64 + 1) {
            return Err(self.slides(meeting, self.burst));
        }
        self.clock.now = now;
        let change = match self.pass(meeting, now) {
            Ok(change) => change,
            Err(bad) => return Err(self.not_finite(bad)),
        };
        self.schedule.update(change, now, &self.cells);
        self.crossings += 1;
        self.lengths.see(length);
        let time = self.clock.time();
        if self.crossings >= self.rebase_at {
            self.rebase(meeting)?;
        }
        Ok(Some(Crossing { time, length, wall: meeting.wall(), turns: change.force }))
    }

    /// Crosses: keeps position and velocity, changes the force.
    #[inline]
    fn pass(&mut self, meeting: Meeting, now: f64) -> Result<Change, NotFinite> {
        let Self { potential, couplings, cells, slopes, schedule, .. } = self;
        let mut change = Change { meeting, mirrored: false, force: false };
        match meeting {
            Meeting::End { coordinate, upwards } => {
                cells.coordinates[coordinate].advance(now);
                change.mirrored = cells.cross(coordinate, upwards);
                slopes.pass(potential, couplings, cells, coordinate, upwards, change.mirrored)?;
                change.force = self.turn(coordinate);
            }
            Meeting::Pair { a, b, pair, upwards } => {
                cells.coordinates[a].advance(now);
                cells.coordinates[b].advance(now);
                let Some(pair) = pair else {
                    cells.touch(a, b);
                    return Ok(change);
                };
                let difference = cells.order[pair] + i64::from(upwards);
                let loose = [schedule.is_loose(a), schedule.is_loose(b)];
                let in_one_cell = cells.meet([a, b], difference, loose);
                cells.order[pair] += if upwards { 1 } else { -1 };
                let first = usize::from(!upwards);
                slopes.swap(potential, couplings, cells, (pair, [a, b]), first, in_one_cell)?;
                change.force = self.turn(a) | self.turn(b);
            }
        }
        Ok(change)
    }

    /// Gives a coordinate the acceleration of its slope; true if it changed.
    #[inline]
    fn turn(&mut self, coordinate: usize) -> bool {
        let acceleration = self.slopes.acceleration(coordinate);
        let old = std::mem::replace(&mut self.cells.coordinates[coordinate].acceleration, acceleration);
        old.to_bits() != acceleration.to_bits()
    }

    /// Moves the origin of the clock to now, sums the slopes anew, and checks that the motion advances.
    #[cold]
    fn rebase(&mut self, meeting: Meeting) -> Result<(), StepError> {
        let now = self.clock.now;
        let mut fastest = 0.0_f64;
        for a in 0..self.cells.coordinates.len() {
            let coordinate = &mut self.cells.coordinates[a];
            coordinate.advance(now);
            coordinate.since = 0.0;
            fastest = fastest.max(coordinate.rate.abs()).max(coordinate.acceleration.abs().sqrt());
            if self.schedule.is_loose(a) {
                self.cells.tidy(a);
            }
        }
        if now * fastest < STUCK {
            return Err(self.slides(meeting, self.until_rebase()));
        }
        self.slopes.sum_up(&self.couplings);
        (0..self.cells.coordinates.len()).for_each(|a| {
            self.turn(a);
        });
        self.schedule.rebase(now);
        self.clock.rebase();
        self.rebase_at = self.crossings + self.until_rebase();
        Ok(())
    }

    /// Writes the state at a time between the last crossing and the next over `state`.
    pub(super) fn evaluate(&self, time: f64, state: &mut State) {
        let now = self.clock.since_origin(time);
        state.t = time;
        for ((coordinate, q), v) in self.cells.coordinates.iter().zip(&mut state.q).zip(&mut state.v) {
            let Coordinate { place, .. } = coordinate;
            let (phase, rate) = coordinate.at(now);
            *q = place.position(place.cell) + place.step * phase;
            *v = place.step * rate;
        }
    }

    #[cold]
    pub(super) fn end(&mut self, failure: StepError) -> StepError {
        self.failure.insert(failure).clone()
    }

    #[cold]
    fn slides(&mut self, meeting: Meeting, burst: u64) -> StepError {
        let layout = self.potential.layout();
        let wall = match meeting.wall() {
            Wall::Coordinate(a) => format!("the end of the cell of `{}`", layout.name_of(a as usize)),
            Wall::Pair(a, b) => {
                let [a, b] = [a, b].map(|a| layout.name_of(a as usize));
                format!("the face between `{a}` and `{b}`")
            }
        };
        let time = self.clock.time();
        self.end(StepError::Sliding { method: ForceStepping::NAME, burst, wall, time })
    }

    #[cold]
    fn not_finite(&mut self, NotFinite { located, value }: NotFinite) -> StepError {
        let failure = StepError::VertexNotFinite {
            method: ForceStepping::NAME,
            vertex: self
                .potential
                .describe(&self.potential.all_reads()[located.range()], self.slopes.vertex()),
            value,
            time: self.clock.time(),
            crossings: self.crossings,
        };
        self.end(failure)
    }
}

impl Meeting {
    #[inline]
    fn wall(self) -> Wall {
        match self {
            Self::End { coordinate, .. } => Wall::Coordinate(coordinate as u32),
            Self::Pair { a, b, .. } => Wall::Pair(a as u32, b as u32),
        }
    }
}

carried!([S: ?Sized] Flight<'_, S> {
    cells, slopes, schedule, clock, crossings, lengths, burst, rebase_at
} besides { potential, couplings, failure });
