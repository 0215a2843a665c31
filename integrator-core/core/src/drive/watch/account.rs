use super::residual::grow;
use crate::carried::{Carried, CarryError, Memory, carried, list};
use crate::drive::Moment;
use crate::drive::work::Work;
use crate::method::{LEAST, measure_lengths};
use crate::system::{Lagrangian, State, System};

/// The relative rounding error of a coordinate in a step: of several roundings, more with many parts.
const ROUNDINGS: f64 = 16.0 * f64::EPSILON;
/// The change of energy may be so many times the difference of two rules for the work off both, and they
/// may differ by as many times the kinetic energy: where an input turns the velocity around in a step.
const DOUBT: f64 = 4.0;

/// The energy at a state, with all that changes it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Energies {
    pub(super) step: u64,
    pub(super) t: f64,
    /// E without what moments have added.
    pub(super) total: f64,
    /// E(q, 0), which need not be finite.
    at_rest: f64,
    /// K, at least 0.
    pub(super) kinetic: f64,
    /// The change of E in the last step beyond the work, if it was asked for and is known.
    defect: Option<f64>,
    /// The energy below which this defect is rounding.
    noise: f64,
    /// The heat of a thermostat so far.
    pub(super) heat: Option<f64>,
    /// The work by the method's own account so far.
    work: Option<[f64; 2]>,
}

impl Energies {
    /// The change of the energy since the first look beyond the work by the method's own account.
    pub(super) fn change(&self, begin: &Self) -> f64 {
        let [now, before] = [self, begin].map(|energies| energies.work.map_or(0.0, |work| work[0]));
        (self.total - begin.total - (now - before)).abs()
    }

    /// The larger defect of two consecutive steps, and their sum; `None` if the work is unknown.
    pub(super) fn defect([first, middle, last]: [&Self; 3]) -> Option<(f64, f64)> {
        if first.step + 1 != middle.step || middle.step + 1 != last.step {
            return None;
        }
        let (one, other) = (middle.defect?, last.defect?);
        Some((one.abs().max(other.abs()), (one + other).abs()))
    }
}

/// Measures energies, with memory.
pub(super) struct Account<'s> {
    mechanics: &'s dyn Lagrangian,
    work: Work<'s>,
    /// Zero velocities; positions and velocities that differ from rest by errors only.
    rest: Vec<f64>,
    near: Vec<f64>,
    drift: Vec<f64>,
    /// The sizes of coordinates so far, and the lengths of their kind.
    sizes: Vec<f64>,
    lengths: Vec<f64>,
    /// Magnitudes of forces beside L.
    forces: Vec<f64>,
    /// The last state, with its multipliers, if it is to be compared with the next one.
    last: State,
    multipliers: Vec<f64>,
}

impl<'s> Account<'s> {
    pub(super) fn new<S: System + ?Sized>(mechanics: &'s dyn Lagrangian, system: &'s S) -> Self {
        let zeros = || vec![0.0; system.dimension()];
        Self {
            mechanics,
            work: Work::of(system),
            rest: zeros(),
            near: zeros(),
            drift: zeros(),
            sizes: zeros(),
            lengths: zeros(),
            forces: zeros(),
            last: State { t: f64::NAN, q: zeros(), v: zeros() },
            multipliers: Vec::new(),
        }
    }

    /// Measures a moment; `before` is the one before, if the defect of the step between is asked for.
    pub(super) fn measure(
        &mut self,
        moment: &Moment<'_>,
        single: bool,
        before: Option<&Energies>,
    ) -> Energies {
        let Moment { step, state: State { t, q, v }, multipliers, report, .. } = *moment;
        grow(self.mechanics.layout(), q, &mut self.sizes);
        measure_lengths(self.mechanics.layout(), &self.sizes, &mut self.lengths);
        let energy = self.mechanics.energy(q, v, *t);
        let at_rest = self.mechanics.energy(q, &self.rest, *t);
        // A Lagrangian may have no value at rest.
        let kinetic = if at_rest.is_finite() { (energy - at_rest).abs() } else { energy.abs() };
        // Impacts take energy at their moments.
        let total = energy - report.of_moments;
        let (heat, work) = (report.heat, report.work);
        let mut now = Energies { step, t: *t, total, at_rest, kinetic, defect: None, noise: 0.0, heat, work };
        if single {
            if let Some(before) = before.filter(|before| before.step + 1 == step) {
                (now.defect, now.noise) = self.compare(moment, [before, &now]);
            }
            self.last.assign(moment.state);
            self.multipliers.clear();
            self.multipliers.extend_from_slice(multipliers.unwrap_or(&[]));
        }
        now
    }

    /// dE/dt at a moment, if all multipliers that do work are known.
    pub(super) fn power(&mut self, Moment { state, multipliers, .. }: &Moment<'_>) -> Option<f64> {
        self.work.power(self.mechanics, [&state.q, &state.v], state.t, *multipliers)
    }

    /// The defect of the step between two moments, and its noise.
    ///
    /// The change of energy may lie anywhere between two rules for the work, and outside by a few times
    /// their difference: more is the defect, and so is a difference beyond the motion.
    fn compare(&mut self, moment: &Moment<'_>, [before, now]: [&Energies; 2]) -> (Option<f64>, f64) {
        let heat = now.heat.unwrap_or(0.0) - before.heat.unwrap_or(0.0);
        let change = now.total - before.total - heat;
        let multipliers = [Some(&*self.multipliers), moment.multipliers];
        let Some([ends, middle]) = self.work.in_step(self.mechanics, [&self.last, moment.state], multipliers)
        else {
            return (None, 0.0);
        };
        let outside = change - change.max(ends.min(middle)).min(ends.max(middle));
        let doubt = (ends - middle).abs();
        let beyond = doubt - DOUBT * before.kinetic.max(now.kinetic);
        // Finite energies have a defect: NaN counts as zero.
        let defect = (outside.abs() - DOUBT * doubt).max(beyond).max(0.0).copysign(outside);
        (Some(defect), self.noise_of_forces(moment, now))
    }

    /// The energy that rounding of forces makes in a step: by velocities that differ by the rounding of
    /// h M⁻¹ F in all steps, and by positions that differ by theirs.
    fn noise_of_forces(&mut self, moment: &Moment<'_>, now: &Energies) -> f64 {
        self.forces.fill(0.0);
        self.work.add_forces(&self.last, &mut self.forces);
        self.work.add_forces(moment.state, &mut self.forces);
        let square = self.forces.iter().map(|force| force * force).sum::<f64>();
        if square == 0.0 {
            return 0.0;
        }
        let weight = (self.mechanics.energy(&moment.state.q, &self.forces, now.t) - now.at_rest).abs();
        let impulse = ROUNDINGS * (now.t - self.last.t) * square;
        let kinetic = moment.step as f64 * 0.25 * impulse.powi(2) / weight;
        let part = moment.report.tolerance.unwrap_or(0.0).max(ROUNDINGS);
        let of_places: f64 = self.forces.iter().zip(&self.sizes).map(|(force, size)| force * size).sum();
        // The energy need not be finite at such velocities.
        let kinetic = if kinetic.is_finite() { kinetic } else { 0.0 };
        part * of_places + kinetic + 2.0 * (kinetic * now.kinetic).sqrt()
    }

    /// The energy that the errors of `steps` steps of this length make at rest: its change when each
    /// coordinate changes by a [tolerance](crate::method::Report::tolerance), with the velocity of this
    /// change in one step; without a tolerance, when each coordinate changes by some roundings. The
    /// errors of N steps add up to √N times the error of one, as in a random walk.
    pub(super) fn noise(&mut self, moment: &Moment<'_>, now: &Energies, steps: u64, step: f64) -> f64 {
        let walk = (steps as f64).sqrt();
        // An account within a tolerance is off by a part of the work that was turned over.
        let of_work = moment.report.tolerance.unwrap_or(0.0).sqrt() * now.work.map_or(0.0, |work| work[1]);
        let (part, rate) = match moment.report.tolerance {
            Some(tolerance) => (walk * tolerance.max(ROUNDINGS), walk * tolerance / step),
            None => (walk * ROUNDINGS, 0.0),
        };
        self.change(moment.state, now.at_rest, [part, rate], now.step) + now.noise + of_work
    }

    /// About Σ |∂V/∂qᵢ| |qᵢ|: the change of the potential when coordinates change by their own size.
    pub(super) fn size(&mut self, state: &State, now: &Energies) -> f64 {
        let part = f64::EPSILON.sqrt();
        self.change(state, now.at_rest, [part, 0.0], 0) / part
    }

    /// |E(q + δ, ν) − E(q, 0)| with these parts δ and ν of q, and signs that mix coordinates.
    fn change(
        &mut self,
        State { t, q, .. }: &State,
        at_rest: f64,
        [part, rate]: [f64; 2],
        number: u64,
    ) -> f64 {
        let near = self.near.iter_mut().zip(&mut self.drift);
        let sizes = self.sizes.iter().zip(&self.lengths);
        for (((index, q), (size, length)), (near, drift)) in (number..).zip(q).zip(sizes).zip(near) {
            let sign = index.wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64 as f64;
            let size = size.max(LEAST * length);
            *near = q + (part * size).copysign(sign);
            *drift = (rate * size).copysign(sign);
        }
        let change = (self.mechanics.energy(&self.near, &self.drift, *t) - at_rest).abs();
        // The energy may be singular nearby.
        if change.is_finite() { change } else { 0.0 }
    }
}

carried!([] Energies { step, t, total, at_rest, kinetic, defect, noise, heat, work } besides {});

impl Carried for Account<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { sizes, last: State { t, q, v }, multipliers, .. } = self;
        sizes.carry(memory)?;
        t.carry(memory)?;
        q.carry(memory)?;
        v.carry(memory)?;
        list(multipliers, memory)
    }
}
