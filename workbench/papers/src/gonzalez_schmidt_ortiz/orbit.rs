//! The measured quantities of an orbit around a centre of force, by any method.

use least_action::Model;
use least_action::method::Method;
use least_action::method::force_stepping::ForceStepping;
use least_action::system::{Natural, Start, State};
use least_action_models::Kepler;

use super::{Segment, StepLengths, evenly, fly, step_through};
use crate::error::Error;

/// An orbit of Kepler's problem, measured.
#[derive(Default)]
pub(super) struct Orbit {
    pub(super) path: Vec<(f64, f64)>,
    /// The deviations of energy and angular momentum from the start, against time.
    pub(super) energy: Vec<(f64, f64)>,
    pub(super) momentum: Vec<(f64, f64)>,
    pub(super) largest_energy: f64,
    pub(super) largest_momentum: f64,
    /// Crossings or steps.
    pub(super) count: u64,
    pub(super) steps: StepLengths,
    pub(super) turns: Turns,
}

/// The turning points of an orbit: the times and radii at which q·v changes its sign.
#[derive(Default)]
pub(super) struct Turns {
    near: Vec<f64>,
    far: Vec<f64>,
    perihelia: u32,
    last: f64,
}

impl Turns {
    /// Looks for turns on the parabola between two states.
    pub(super) fn see(&mut self, segment: &Segment<'_>) {
        let Segment { from, to } = segment;
        let length = segment.length();
        if length <= 0.0 {
            return;
        }
        let along = |state: &State| state.q.iter().zip(&state.v).map(|(q, v)| q * v).sum::<f64>();
        let (before, after) = (along(from), along(to));
        if self.near.is_empty() && before == 0.0 {
            self.near.push(radius(&from.q));
        }
        if before.signum() * after.signum() >= 0.0 || before == 0.0 {
            return;
        }
        let at = |time: f64| {
            let mut state = State::clone(to);
            super::cut(from, &mut state, from.t + time);
            state
        };
        let (mut low, mut high) = (0.0, length);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if along(&at(middle)) * before > 0.0 { low = middle } else { high = middle }
        }
        let state = at(high);
        if before < 0.0 {
            (self.perihelia, self.last) = (self.perihelia + 1, state.t);
            self.near.push(radius(&state.q));
        } else {
            self.far.push(radius(&state.q));
        }
    }

    pub(super) fn perihelia(&self) -> u32 {
        self.perihelia
    }

    /// The mean time between two perihelia.
    pub(super) fn period(&self) -> f64 {
        self.last / f64::from(self.perihelia)
    }

    /// Half of the sum of the mean nearest and farthest distances.
    pub(super) fn axis(&self) -> f64 {
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        0.5 * (mean(&self.near) + mean(&self.far))
    }
}

pub(super) fn radius(q: &[f64]) -> f64 {
    q.iter().map(|q| q * q).sum::<f64>().sqrt()
}

pub(super) fn angular_momentum(state: &State) -> f64 {
    state.q[0] * state.v[1] - state.q[1] * state.v[0]
}

impl Orbit {
    /// The places of the first orbits.
    pub(super) fn moments(&self) -> Vec<(f64, [f64; 2])> {
        let times: Vec<f64> = self.momentum.iter().map(|(t, _)| *t).collect();
        evenly(&times, &self.path)
    }

    /// The orbit by force-stepping.
    pub(super) fn by_force(eccentricity: f64, method: &ForceStepping, until: f64) -> Result<Self, Error> {
        let model = Kepler { eccentricity };
        let (bound, start) = (model.bind()?, model.start());
        let system: &dyn Natural = &bound;
        let mut orbit = Self::default();
        let initial = angular_momentum(&start);
        let found = fly(system, method, &start, until, 10, |segment| {
            orbit.steps.see(segment.length());
            orbit.turns.see(segment);
            orbit.path.push((segment.to.q[0], segment.to.q[1]));
            let change = angular_momentum(segment.to) - initial;
            orbit.momentum.push((segment.to.t, change));
            orbit.largest_momentum = orbit.largest_momentum.max(change.abs());
        })?;
        (orbit.count, orbit.largest_energy) = found;
        Ok(orbit)
    }

    /// The orbit by a method with steps of one size.
    pub(super) fn by_steps<M>(eccentricity: f64, method: &M, step: f64, until: f64) -> Result<Self, Error>
    where
        M: for<'s> Method<dyn Natural + 's>,
    {
        let model = Kepler { eccentricity };
        let (bound, start) = (model.bind()?, model.start());
        let system: &dyn Natural = &bound;
        let mut orbit = Self::default();
        let energy =
            |state: &State| 0.5 * system.mass().quadratic(&state.v) + system.potential(&state.q, 0.0);
        let (first, initial) = (energy(&start), angular_momentum(&start));
        let mut from = start.clone();
        orbit.count = step_through(system, method, &start, step, until, |state| {
            orbit.turns.see(&Segment { from: &from, to: state });
            orbit.steps.see(step);
            orbit.path.push((state.q[0], state.q[1]));
            let (of_energy, of_momentum) = (energy(state) - first, angular_momentum(state) - initial);
            orbit.energy.push((state.t, of_energy));
            orbit.momentum.push((state.t, of_momentum));
            orbit.largest_energy = orbit.largest_energy.max(of_energy.abs());
            orbit.largest_momentum = orbit.largest_momentum.max(of_momentum.abs());
            from.clone_from(state);
        })?;
        Ok(orbit)
    }
}
