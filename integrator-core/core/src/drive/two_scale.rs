use super::{Moment, Multipliers, Quantity};
use crate::carried::{Carried, CarryError, Memory, list};
use crate::error::StartError;
use crate::system::Constrained;
use crate::wrap::Penalized;
use std::collections::VecDeque;

/// The multipliers of a penalty and their averages: see [`Multipliers::of_penalty`].
#[derive(Debug)]
struct TwoScale<'s, S: ?Sized> {
    system: &'s Penalized<'s, S>,
    window: f64,
    /// The moments in the window, oldest first, with m multipliers each.
    times: VecDeque<f64>,
    values: VecDeque<f64>,
    /// The multipliers at the last moment.
    last: Vec<f64>,
    /// The sum over the window, and the number of moments
    /// that have left it since it was last summed afresh.
    sum: Vec<f64>,
    left: usize,
}

impl Multipliers {
    /// The multipliers of a penalty, λ = −ω² g in M q̈ = −∇V + Gᵀ λ, and their averages over a sliding
    /// window.
    ///
    /// As ω grows, the motion under the penalty ½ ω² g·g tends to the constrained motion, but −ω² g
    /// keeps oscillating around the multipliers of SHAKE and RATTLE with an amplitude that does not
    /// shrink. Only its averages over a window δ with 1/ω ≪ δ ≪ 1 converge (the two-scale average). A
    /// mean over [t, t + δ] is the *forward* mean at the time t, and the *centred* mean at t + δ/2,
    /// nearer to the multipliers by one order in δ.
    ///
    /// # Columns
    /// For the equations c: `lambda.c`, the present values −ω² g; `lambda_mean.c`, the mean over the
    /// window that ends now. At the time `lambda_mean.forward` it is the forward mean, at
    /// `lambda_mean.centred` the centred mean. The means are NaN until a window has passed.
    ///
    /// The mean takes the observed moments in the closed window; they should be equally spaced, several
    /// in every period of the penalty. The window is the shortest span of moments that is not shorter
    /// than requested.
    ///
    /// # Reference
    /// M. Tao, H. Owhadi, Variational and linearly-implicit integrators, with applications, IMA J.
    /// Numer. Anal. (2014), theorem 1.2.
    ///
    /// # Errors
    /// The window is not positive and finite.
    pub fn of_penalty<'s, S: Constrained + ?Sized>(
        system: &'s Penalized<'s, S>,
        window: f64,
    ) -> Result<impl Quantity + 's + use<'s, S>, StartError> {
        if !(window > 0.0 && window.is_finite()) {
            let (method, option, interval) = ("two-scale average", "window", "(0, ∞)");
            return Err(StartError::OptionOutOfRange { method, option, value: window, interval });
        }
        let rows = system.constrained().constraints();
        let (times, values) = (VecDeque::new(), VecDeque::new());
        let (last, sum) = (vec![f64::NAN; rows], vec![0.0; rows]);
        Ok(TwoScale { system, window, times, values, last, sum, left: 0 })
    }
}

impl<S: Constrained + ?Sized> TwoScale<'_, S> {
    /// Appends the moment t with the multipliers `last`; returns the window when it is full.
    fn advance(&mut self, t: f64) -> Option<(f64, f64)> {
        let Self { times, values, last, sum, left, .. } = self;
        let rows = last.len();
        times.push_back(t);
        values.extend(&*last);
        add(sum, last.iter());
        // Times are sums of steps; allow for their rounding.
        let enough = self.window * (1.0 - 1e-9);
        while times.get(1).is_some_and(|second| t - second >= enough) {
            times.pop_front();
            for (sum, value) in sum.iter_mut().zip(values.drain(..rows)) {
                *sum -= value;
            }
            *left += 1;
        }
        // Sum afresh once in a window, so that rounding errors do not accumulate.
        if *left >= times.len() {
            *left = 0;
            sum.fill(0.0);
            for moment in 0..times.len() {
                add(sum, values.range(moment * rows..(moment + 1) * rows));
            }
        }
        let begin = *times.front()?;
        (t - begin >= enough).then_some((begin, t))
    }
}

fn add<'v>(sum: &mut [f64], values: impl Iterator<Item = &'v f64>) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}

impl<S: Constrained + ?Sized> Quantity for TwoScale<'_, S> {
    fn names(&self) -> Vec<String> {
        let system = self.system.constrained();
        let named = |prefix: &'static str| {
            (0..system.constraints()).map(move |row| format!("{prefix}.{}", system.constraint_name(row)))
        };
        let times = ["forward", "centred"].map(|time| format!("lambda_mean.{time}"));
        named("lambda").chain(named("lambda_mean")).chain(times).collect()
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        let rows = self.last.len();
        let state = moment.state;
        self.system.multipliers(&state.q, state.t, &mut self.last);
        values.fill(f64::NAN);
        values[..rows].copy_from_slice(&self.last);
        if let Some((begin, end)) = self.advance(state.t) {
            for (mean, sum) in values[rows..].iter_mut().zip(&self.sum) {
                *mean = sum / self.times.len() as f64;
            }
            values[2 * rows] = begin;
            values[2 * rows + 1] = 0.5 * (begin + end);
        }
    }
}

impl<S: ?Sized> Carried for TwoScale<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { system: _, window: _, times, values, last, sum, left } = self;
        for queue in [times, values] {
            let mut entries = std::mem::take(queue).into();
            list(&mut entries, memory)?;
            *queue = entries.into();
        }
        last.carry(memory)?;
        sum.carry(memory)?;
        left.carry(memory)
    }
}
