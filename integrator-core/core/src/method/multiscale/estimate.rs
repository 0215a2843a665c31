//! The averaged force at a slow position.

use super::error::MicroError;
use super::estimator::MicroStart;
use super::micro::Micro;
use super::window::Window;
use crate::carried::{Carried, CarryError, Memory, part};
use crate::error::Begun;
use crate::method::averages::Averages;
use crate::method::force_error::check_finite;
use crate::method::report::Evaluations;
use crate::sparse::SymmetricMatrix;

/// The two sides of a window run in two threads from this many micro-steps of a side times degrees of
/// freedom: some hundred microseconds, the time to wake a thread. Beyond, two threads took 0.55 to 0.7
/// of the time of one.
const LARGE: usize = 30_000;

/// Follows the fast motion through a window and averages the force: micro-solver, start and filter.
pub(super) struct ForceEstimate<'s, B> {
    mass: &'s SymmetricMatrix,
    micro: Box<dyn Micro + 's>,
    /// The micro-solver and the averages of the other side of a window, if both sides run in parallel.
    other: Option<(Box<dyn Micro + 's>, Averages)>,
    pub(super) window: Window,
    pub(super) averages: Averages,
    start: B,
    micro_steps: u64,
    starts: u64,
}

impl<'s, B: MicroStart> ForceEstimate<'s, B> {
    pub(super) fn new(
        mass: &'s SymmetricMatrix,
        micro: &dyn Fn() -> Begun<Box<dyn Micro + 's>>,
        start: B,
        window: Window,
        constraints: usize,
    ) -> Begun<Self> {
        let dimension = mass.pattern.dimension();
        let averages = Averages::new(dimension, constraints);
        let other = if window.sides().len() == 2 && window.side.len() * dimension >= LARGE {
            Some((micro()?, averages.clone()))
        } else {
            None
        };
        Ok(Self { mass, micro: micro()?, other, window, averages, start, micro_steps: 0, starts: 0 })
    }

    /// Fills the averages at the slow position q at time t; the slow velocity is about `predicted`.
    pub(super) fn evaluate(&mut self, q: &[f64], predicted: &[f64], t: f64) -> Result<(), MicroError> {
        let Self { mass, micro, other, window, averages, start, .. } = self;
        let theta = start.begin(q, predicted, t, &mut averages.velocity)?;
        self.starts += start.evaluations();
        self.micro_steps += window.steps();
        averages.time = t;
        averages.begin();
        let instant = (t, theta);
        match other {
            None => micro.follow(q, instant, window, window.sides(), averages)?,
            Some((other, backwards)) => {
                backwards.begin();
                backwards.velocity.copy_from_slice(&averages.velocity);
                let (one, two) = rayon::join(
                    || micro.follow(q, instant, window, &window.sides()[..1], averages),
                    || other.follow(q, instant, window, &window.sides()[1..], backwards),
                );
                one.and(two)?;
                averages.add(backwards);
            }
        }
        mass.multiply(&averages.acceleration, &mut averages.force);
        Ok(check_finite(&averages.acceleration)?)
    }

    /// The number of evaluations since the start, without the macro-solver's.
    pub(super) fn evaluations(&self) -> Evaluations {
        let other = self.other.as_ref().map(|(other, _)| other.evaluations());
        let mut evaluations = self.micro.evaluations().with(other.unwrap_or_default());
        evaluations.gradients += self.starts;
        evaluations.micro_steps += self.micro_steps;
        evaluations
    }
}

crate::shown::shown!([B] ForceEstimate<'_, B>, |_own| "ForceEstimate" {});

impl<B> Carried for ForceEstimate<'_, B> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { mass: _, micro, other, window: _, averages, start: _, micro_steps, starts } = self;
        micro.carry(memory)?;
        part(other.as_mut().map(|(other, _)| other), memory)?;
        averages.carry(memory)?;
        micro_steps.carry(memory)?;
        starts.carry(memory)
    }
}
