//! Filters: the weights that average the force along a window.
//!
//! A filter is an even kernel K of unit mass on [−1, 1]. Its transform at ω is the remainder of an
//! oscillation of frequency ω; it must be far below 1/ω, because the force is of size ω.

use super::{Asynchronous, Estimator};
use crate::method::check::by_default;
use crate::system::{EvenInPhase, Vibrated};

/// A kernel K with its window.
///
/// For your own kernel, implement [`FilterFor`], too:
/// `impl<E: Estimator, S: Vibrated + ?Sized> FilterFor<E, S> for Mine {}`.
pub trait Filter: std::fmt::Debug {
    /// The name of the kernel, for messages.
    fn name(&self) -> &'static str;

    /// True if the window must be a whole number of periods.
    fn takes_whole_periods(&self) -> bool {
        false
    }

    /// K(x) for 0 ≤ x ≤ 1; K(−x) is equal. The integral over [−1, 1] is 1.
    fn kernel(&self, x: f64) -> f64;

    /// The length η of the window, in periods of the phase.
    fn periods(&self) -> f64;
}

/// A filter that can average the force of a system under an estimator.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot average the force of `{S}` under the estimator `{E}`",
    label = "not a filter for this estimator",
    note = "`BoxFilter` needs `Asynchronous`, about whose windows the motion is even; `Exponential` and `Cubic` go with any"
)]
pub trait FilterFor<E, S: ?Sized>: Filter {}

/// The smooth kernel of the paper, K(x) = C exp(5/(x² − 1)), C = 211.07…
///
/// Its transform falls faster than any power: 40 periods, the default, leave 4·10⁻¹¹ of an oscillation,
/// which at ω = 10⁸ still shows in the third digit of the motion. It needs no exact period: prefer it if
/// the frequency is uncertain or the force has further ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    /// The window in periods.
    pub periods: f64,
}

by_default!(Exponential { periods: 40.0 });

impl Exponential {
    /// C, which gives the kernel unit mass.
    pub const NORMALIZATION: f64 = 211.075_391_856_896_7;
}

impl Filter for Exponential {
    fn name(&self) -> &'static str {
        "exponential"
    }

    fn kernel(&self, x: f64) -> f64 {
        let gap = (x - 1.0) * (x + 1.0);
        if gap < 0.0 { Self::NORMALIZATION * (5.0 / gap).exp() } else { 0.0 }
    }

    fn periods(&self) -> f64 {
        self.periods
    }
}

impl<E: Estimator, S: Vibrated + ?Sized> FilterFor<E, S> for Exponential {}

/// The piecewise cubic kernel with three vanishing moments,
/// K(x) = 2 − 2|x| − 8x² + 8|x|³ up to ½, 2 − (22/3)|x| + 8x² − (8/3)|x|³ beyond.
///
/// Its transform falls only with the square of the window; but its pieces are quarters of the window,
/// and if each holds whole periods (8, the default, or any other multiple of 4) it removes the harmonics
/// of the phase altogether.
///
/// G. Ariel, J. M. Sanz-Serna, R. Tsai, A multiscale technique for finding slow manifolds of stiff
/// mechanical systems, Multiscale Model. Simul. 10 (2012) 1180, doi:10.1137/120861461.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cubic {
    /// The window in periods.
    pub periods: f64,
}

by_default!(Cubic { periods: 8.0 });

impl Filter for Cubic {
    fn name(&self) -> &'static str {
        "cubic"
    }

    fn kernel(&self, x: f64) -> f64 {
        let x = x.abs();
        if x <= 0.5 {
            2.0 + x * (-2.0 + x * (-8.0 + x * 8.0))
        } else {
            2.0 + x * (-22.0 / 3.0 + x * (8.0 - x * 8.0 / 3.0))
        }
    }

    fn periods(&self) -> f64 {
        self.periods
    }
}

impl<E: Estimator, S: Vibrated + ?Sized> FilterFor<E, S> for Cubic {}

/// The plain mean over whole periods, K = ½: the paper's simple filter.
///
/// It gains a factor ω² if the force along the window is even about its centre, otherwise only one
/// factor ω, too little: use it with [`Asynchronous`] and a force that is even in the phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxFilter {
    /// The window in periods, a whole number.
    pub periods: f64,
}

by_default!(BoxFilter { periods: 1.0 });

impl Filter for BoxFilter {
    fn name(&self) -> &'static str {
        "box"
    }

    fn takes_whole_periods(&self) -> bool {
        true
    }

    fn kernel(&self, _: f64) -> f64 {
        0.5
    }

    fn periods(&self) -> f64 {
        self.periods
    }
}

impl<S: EvenInPhase + ?Sized> FilterFor<Asynchronous, S> for BoxFilter {}
