//! Runs that watch themselves.

mod account;
mod residual;
mod schedule;
mod verdict;

pub use verdict::{Finding, Verdict};

use super::observer::{Moment, Summary};
use crate::carried::{Carried, CarryError, Memory, carried, list, part};
use crate::error::StepError;
use crate::method::Stepper;
use crate::noether::{ConservedQuantity, Motion};
use crate::system::{Forced, State, System};
use account::{Account, Energies};
use residual::Residual;
use schedule::Schedule;

/// A larger part of the mean kinetic energy is doubtful.
const ENERGY_LIMIT: f64 = 0.1;
/// A larger part of the size of a constraint is doubtful.
const RESIDUAL_LIMIT: f64 = 0.01;
/// An energy is beyond all bounds if it is off by more than this times the trusted kinetic energy, and
/// by more than `OF_SIZE` times the potential at the start: a motion that only begins has little kinetic
/// energy.
const BEYOND: f64 = 1e6;
const OF_SIZE: f64 = 1e3;
/// Energy may rise between two looks by so many times the larger power at them.
const OF_POWER: f64 = 4.0;
/// The rounding of an energy, as a part of it.
const ROUNDING: f64 = 1e-13;

/// Watches energy, constraints and finiteness of a run, at less than 1 % of the cost of a long run.
///
/// [`drive`](super::drive) and [`integrate`](super::integrate) watch by themselves. To step by hand,
/// call [`Watch::look`] after each step, which measures from time to time, and [`Watch::finish`] after
/// the last:
///
/// ```no_run
/// # use least_action::{drive::Watch, method::{Method, Stepper, Verlet}, system::{Natural, State}};
/// # fn example(system: &dyn Natural, start: State) -> Result<(), Box<dyn std::error::Error>> {
/// let mut stepper = Verlet.start(system, start, 0.01)?;
/// let mut watch = Watch::of(system);
/// watch.look(&stepper)?;
/// for _ in 0..1000 {
///     stepper.step()?;
///     watch.look(&stepper)?;
/// }
/// let verdict = watch.finish(&stepper)?;
/// if let Some(doubt) = verdict.doubt() {
///     eprintln!("warning: {doubt}");
/// }
/// # Ok(())
/// # }
/// ```
///
/// # The measure
/// The energy E = v·∂L/∂v − L changes by the work done on the system:
///
/// ```text
/// dE/dt = P,    P = F·v − ∂L/∂t − λ·∂g/∂t − μ·b,
/// ```
///
/// with the forces F, the multipliers λ of the constraints g = 0 and μ of the constraints A v + b = 0.
/// All other change of E is the defect d. Its scale is the kinetic energy K = E(q, v) − E(q, 0): the
/// potential has no natural zero, and the energy of a start may vanish.
///
/// * If P = 0, which the system states in its [conserved quantities](System::conserved), or if a method
///   with inner steps [accounts](crate::method::Report::work) for the work W, d = E − E₀ − W is known at
///   every look. The error is the larger of two: the mean
///   of |d| over the time of the run by the mean of K, and |d| at the end by the larger of K there and
///   its mean. Brief peaks at near approaches count by their duration.
/// * Otherwise, and with a thermostat, whose heat diffuses, the work is known over single steps: three
///   states in a row are measured. Inputs have their mean over the step, and two rules bound the work:
///   the mean of F·v at both ends, and F·(q₁ − q₀) in the middle, with the changes of L and g by the
///   time alone. d is the larger change of E in a step beyond both and the heat, less four times their
///   difference, as far as that is below four times K. The error is the mean or the last of |d| in a
///   step, by K as above, or a tenth of the largest. Where all work is of forces of velocities alone, as
///   of drag, a rise of E since any look is an error beside: beyond four times the larger power at two
///   looks in a row, by the time between them.
/// * An energy within the errors of the steps at rest is not judged: its change when each coordinate q
///   changes by τ |q| and each velocity by τ |q|/h, with the
///   [tolerance](crate::method::Report::tolerance) τ of the method; for an explicit method, each
///   coordinate by 16 round-off units. Forces beside L do work F τ |q| then, and their impulses in N
///   steps have N times the square of their rounding. The errors of N steps add up to √N times the
///   error of one, as in a random walk. 10⁻¹³ of E is rounding of E itself; an account of work is
///   known to √τ of the work that was turned over.
/// * The constraints that a system [announces](System::holonomic) are measured against Σᵢ |∂g/∂qᵢ| |qᵢ|,
///   where |qᵢ| is the largest component of a point or of a matrix so far; constraints on
///   [velocities](System::nonholonomic), A v + b, against Σᵢ |Aᵢ| |vᵢ| + |b|.
///
/// A result with an error above 10 % of the energy, or 1 % of a constraint, is doubtful. The run ends
/// with [`StepError::BlownUp`] if E is not finite, or off by more than 10⁶ times the kinetic energy of
/// the trusted part of the run.
///
/// # Limits
/// The energy does not judge a system without [mechanics](System::mechanics), nor an averaged motion
/// with [averages](crate::method::Report::averages), whose energy is not the system's. Looks come after
/// 1, 2, 4, … steps, later every 512 (every 1536, three in a row, if P is integrated), and after every
/// sixteenth step whose velocities are twice as large as at any look before: a blow-up is seen within
/// sixteen steps.
pub struct Watch<'s> {
    account: Option<Account<'s>>,
    residual: Option<Residual<'s>>,
    /// The residual of constraints on velocities.
    rolling: Option<Residual<'s>>,
    /// True if P = 0.
    conservative: bool,
    /// True if P = F(v)·v.
    damped: bool,
    schedule: Schedule,
    /// The last trusted state, and its number of steps.
    good: Option<(u64, State)>,
    /// The energies at the first look and at the last two.
    begin: Option<Energies>,
    before: [Option<Energies>; 2],
    energy: Tally,
}

/// The averages of defects and kinetic energies.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    /// The integrals of 1, K and |d|.
    weight: f64,
    kinetic: f64,
    defect: f64,
    /// K and |d| at the last look.
    last: (f64, f64),
    /// The largest jump of the energy in two steps.
    jump: f64,
    /// The least energy so far with the work that forces of velocities may have done since, and their
    /// power at the last look.
    least: Option<(f64, f64)>,
    /// The largest rise above it.
    rise: f64,
    /// The energy below which a motion is not judged.
    noise: f64,
    /// The size of the potential at the start.
    size: f64,
    /// The largest kinetic energy at a trusted look.
    trusted: f64,
    /// The steps and the time of the largest defect; and of the first of the latest looks, all doubtful.
    largest: (f64, Option<(u64, f64)>),
    doubted: Option<(u64, f64)>,
}

impl Tally {
    fn mean_kinetic(&self) -> f64 {
        if self.weight > 0.0 { self.kinetic / self.weight } else { 0.0 }
    }

    /// Adds a defect and the kinetic energy; `false` if the defect is beyond all bounds.
    fn take(
        &mut self,
        weight: f64,
        kinetic: f64,
        [defect, jump, noise]: [f64; 3],
        place: (u64, f64),
    ) -> bool {
        // For a start at rest, only the first motion after it shows the scale of energies.
        let begins = self.trusted <= self.noise;
        self.noise = self.noise.max(noise);
        self.weight += weight;
        self.kinetic += weight * 0.5 * (self.last.0 + kinetic);
        self.defect += weight * 0.5 * (self.last.1 + defect);
        self.last = (kinetic, defect);
        let scale = kinetic.max(self.mean_kinetic());
        let believed = defect.max(self.rise) <= self.noise + ENERGY_LIMIT * scale;
        self.jump = self.jump.max(jump);
        self.doubted = if believed { None } else { self.doubted.or(Some(place)) };
        if defect >= self.largest.0 {
            self.largest = (defect, Some(place));
        }
        if believed || begins {
            self.trusted = self.trusted.max(kinetic);
        }
        (self.kinetic + self.defect).is_finite()
            && (defect <= self.noise + BEYOND * self.trusted || defect <= OF_SIZE * self.size)
    }

    /// Compares an energy with the least one before, where forces of velocities alone do work.
    fn rises(&mut self, time: f64, energy: f64, power: f64) {
        let (least, before) = self.least.unwrap_or((energy, power));
        let least = least + OF_POWER * time * power.max(before).max(0.0);
        let rise = energy - least;
        self.rise = self.rise.max(rise);
        self.least = Some((least.min(energy), power));
    }

    /// A defect beyond the noise, as a part of a kinetic energy.
    fn part(&self, defect: f64, scale: f64) -> f64 {
        match defect - self.noise {
            above if above > 0.0 => (above / scale).min(f64::MAX),
            _ => 0.0,
        }
    }

    /// The error: the defect as a part of the kinetic energy.
    fn finding(&self) -> Option<Finding> {
        let mean = self.mean_kinetic();
        let of_mean = if self.weight > 0.0 { self.part(self.defect / self.weight, mean) } else { 0.0 };
        // A start from rest has no kinetic energy of its own to compare a jump with.
        let of_scale = |defect| self.part(defect, self.last.0.max(mean));
        let error = of_mean.max(of_scale(self.last.1)).max(of_scale(self.rise));
        let error = error.max(ENERGY_LIMIT * of_scale(self.jump));
        let (step, time) = self.doubted.or(self.largest.1)?;
        Some(Finding { error, limit: ENERGY_LIMIT, step, time })
    }
}

impl<'s> Watch<'s> {
    /// Watches a run of this system; of a penalized system with the penalty.
    pub fn of<S: System + ?Sized>(system: &'s S) -> Self {
        let is_energy = |quantity: &ConservedQuantity| quantity.motion == Motion::Time;
        let conservative = system.conserved().iter().any(is_energy);
        let of_velocities = system.forced().is_none_or(Forced::force_is_of_velocity);
        let damped =
            of_velocities && system.nonholonomic().is_none() && system.balanced().iter().any(is_energy);
        Self {
            account: system.mechanics().map(|mechanics| Account::new(mechanics, system)),
            residual: system.holonomic().map(Residual::of_positions),
            rolling: system.nonholonomic().map(Residual::of_velocities),
            conservative,
            damped,
            schedule: Schedule::default(),
            good: None,
            begin: None,
            before: [None, None],
            energy: Tally::default(),
        }
    }

    /// True if a look may be due at a step, whatever its state.
    #[doc(hidden)]
    pub fn may_be_due(&self, step: u64) -> bool {
        self.schedule.may_be_due(step)
    }

    /// True if a look is due.
    #[doc(hidden)]
    pub fn is_due(&self, stepper: &(impl Stepper + ?Sized)) -> bool {
        self.schedule.is_due(stepper.steps(), || stepper.state())
    }

    /// Measures the state of the stepper if a look is due; allocates nothing after the first look.
    ///
    /// # Errors
    /// The run has blown up.
    pub fn look(&mut self, stepper: &(impl Stepper + ?Sized)) -> Result<(), StepError> {
        if self.is_due(stepper) {
            let _held = stepper.hold_angles();
            self.see(&Moment::of(stepper))
        } else {
            Ok(())
        }
    }

    fn see(&mut self, moment: &Moment<'_>) -> Result<(), StepError> {
        self.measure(moment)?;
        self.schedule.looked(moment.step, moment.state, if self.is_global(moment) { 1 } else { 3 });
        Ok(())
    }

    /// Measures the last state, and returns the verdict.
    ///
    /// # Errors
    /// The run has blown up.
    pub fn finish(&mut self, stepper: &(impl Stepper + ?Sized)) -> Result<Verdict, StepError> {
        let _held = stepper.hold_angles();
        self.finish_at(&Moment::of(stepper))
    }

    /// As [`finish`](Self::finish), for the last moment.
    ///
    /// # Errors
    /// The run has blown up.
    pub fn finish_at(&mut self, moment: &Moment<'_>) -> Result<Verdict, StepError> {
        if self.before[0].is_none_or(|last| last.step != moment.step) {
            self.measure(moment)?;
        }
        Ok(self.verdict())
    }

    /// The verdict on the run until the last look.
    pub fn verdict(&self) -> Verdict {
        let energy = self.energy.finding();
        let finding = |of: &Option<Residual<'_>>| of.as_ref().and_then(|of| of.finding(RESIDUAL_LIMIT));
        let (constraints, nonholonomic) = (finding(&self.residual), finding(&self.rolling));
        if self.before[0].is_some_and(|last| last.heat.is_none()) && self.conservative {
            Verdict { energy, balance: None, constraints, nonholonomic }
        } else {
            Verdict { energy: None, balance: energy, constraints, nonholonomic }
        }
    }

    /// The state at the last trusted look.
    pub fn good(&self) -> Option<&State> {
        self.good.as_ref().map(|(_, state)| state)
    }

    /// Sets the counts of a run that has blown up back to its last good state.
    pub(super) fn turn_back(&self, summary: &mut Summary) {
        if let Some((step, state)) = &self.good {
            (summary.steps, summary.time) = (*step, state.t);
        }
    }

    /// True if the defect is known without integrating P, or the method integrates it.
    fn is_global(&self, moment: &Moment<'_>) -> bool {
        moment.report.work.is_some() || self.conservative && moment.report.heat.is_none()
    }

    fn measure(&mut self, moment: &Moment<'_>) -> Result<(), StepError> {
        let Moment { state, step, report, .. } = *moment;
        let global = self.is_global(moment);
        let mut believed = true;
        if let Some(account) = &mut self.account {
            let now = account.measure(moment, !global, self.before[0].as_ref());
            if !(now.total.is_finite() && now.kinetic.is_finite()) {
                return Err(self.blown_up(&now));
            }
            let begin = *self.begin.get_or_insert_with(|| {
                self.energy.size = account.size(state, &now);
                self.energy.trusted = now.kinetic;
                self.energy.last = (now.kinetic, 0.0);
                now
            });
            if report.averages.is_none() {
                if self.damped && !global && now.heat.is_none() {
                    let time = self.before[0].map_or(0.0, |last| (now.t - last.t).abs());
                    let power = account.power(moment).unwrap_or(f64::INFINITY);
                    self.energy.rises(time, now.total, power);
                }
                let taken = match self.before {
                    _ if global => {
                        let weight = self.before[0].map(|last| (now.t - last.t).abs());
                        weight.map(|weight| (weight, now.change(&begin), 0.0))
                    }
                    [Some(middle), Some(earlier)] => {
                        Energies::defect([&earlier, &middle, &now]).map(|(defect, jump)| (1.0, defect, jump))
                    }
                    _ => None,
                };
                if let Some((weight, defect, jump)) = taken {
                    let steps = (step - begin.step).max(1);
                    let length = (now.t - begin.t).abs() / steps as f64;
                    let noise = account.noise(moment, &now, if global { steps } else { 1 }, length);
                    let noise = noise + ROUNDING * now.total.abs();
                    if !self.energy.take(weight, now.kinetic, [defect, jump, noise], (step, state.t)) {
                        return Err(self.blown_up(&now));
                    }
                }
            }
            believed = self.energy.doubted.is_none();
            self.before = [Some(now), self.before[0]];
        }
        for residual in self.residual.iter_mut().chain(&mut self.rolling) {
            residual.measure(state, step);
        }
        match &mut self.good {
            Some((good, kept)) if believed => {
                *good = step;
                kept.assign(state);
            }
            Some(_) => {}
            None => self.good = Some((step, state.clone())),
        }
        Ok(())
    }

    fn blown_up(&self, now: &Energies) -> StepError {
        let (energy, step, time) = (now.total, now.step, now.t);
        match (&self.good, &self.begin) {
            (Some((good, state)), Some(begin)) => {
                StepError::BlownUp { energy, step, time, start: begin.total, good: *good, good_time: state.t }
            }
            _ => StepError::EnergyAtStart { energy },
        }
    }
}

crate::shown::shown!([] Watch<'_>, |own| "Watch" { schedule: own.schedule, verdict: own.verdict() });

carried!([] Tally {
    weight, kinetic, defect, last, jump, least, rise, noise, size, trusted, largest, doubted
} besides {});

impl Carried for Watch<'_> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self {
            account,
            residual,
            rolling,
            conservative: _,
            damped: _,
            schedule,
            good,
            begin,
            before,
            energy,
        } = self;
        part(account.as_mut(), memory)?;
        part(residual.as_mut(), memory)?;
        part(rolling.as_mut(), memory)?;
        schedule.carry(memory)?;
        let mut is_there = good.is_some();
        is_there.carry(memory)?;
        if is_there {
            let (step, State { t, q, v }) =
                good.get_or_insert_with(|| (0, State { t: 0.0, q: Vec::new(), v: Vec::new() }));
            step.carry(memory)?;
            t.carry(memory)?;
            list(q, memory)?;
            list(v, memory)?;
        }
        begin.carry(memory)?;
        before.carry(memory)?;
        energy.carry(memory)
    }
}
