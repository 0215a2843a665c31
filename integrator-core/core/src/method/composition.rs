//! Composition: any symmetric method of order 2 raised to order 4, 6 or 8.
//!
//! # Scheme
//! With the base method Φ_h:  Ψ_h = Φ_{γ_s h} ∘ … ∘ Φ_{γ_1 h}, γ_i = γ_{s+1−i}:
//!
//! | order | s | coefficients |
//! |---|---|---|
//! | 2 | 1 | the base itself |
//! | 4 | 5 | Suzuki's: γ = 1/(4 − 4^{1/3}) four times, and 1 − 4 γ in the middle |
//! | 6 | 9 | Kahan and Li |
//! | 8 | 17 | Kahan and Li |
//!
//! Some parts of a step go backwards. The largest part is 0.66, 0.80 and 0.61 of the step; the
//! composition is stable up to 1.36, 1.27 and 1.55 times the limit of velocity Verlet.
//!
//! # Requirements on the model
//! The requirements of the base.
//!
//! # Order and invariants
//! The chosen order; reversible; symplectic and conserving momenta if the base is. The compiler refuses
//! a base that does not claim to be reversible, and the start an order other than 2, 4, 6 or 8.
//!
//! # Parameters
//! The order, and the parameters of the base; β h² follows the sizes of the parts.
//!
//! # Reference
//! M. Suzuki, Phys. Lett. A 146 (1990) 319, doi:10.1016/0375-9601(90)90962-N; W. Kahan, R.-C. Li, Math.
//! Comp. 66 (1997) 1089, doi:10.1090/S0025-5718-97-00873-9; E. Hairer, C. Lubich, G. Wanner, Geometric
//! Numerical Integration (2006), sections II.4 and V.3.2, doi:10.1007/3-540-30666-8.

use super::contract::{Claims, Derivatives, Method, Stepper};
use super::flow::{Erased, Flow, Substep};
use super::instability::Instability;
use super::linearization::Differentiable;
use super::linearization::program::LinearStep;
use super::report::Report;
use super::running::{Ready, Running};
use super::scheme::Scheme;
use super::stability;
use crate::carried::carried;
use crate::error::{Begun, StartError, StepError};
use crate::forward::forward;
use crate::system::{HeldAngles, State};

/// The base method, composed to a higher order; see the [scheme](self).
///
/// # Example
/// ```
/// use least_action::error::StartError;
/// use least_action::method::{Claims, Composition, Method, Verlet};
/// # use least_action::{lagrangian, Model, system::State};
/// # struct Pendulum { gravity: f64 }
/// # #[lagrangian]
/// # impl Pendulum {
/// #     fn lagrangian(&self, q: Scalar) -> Scalar { 0.5 * der(q).powi(2) + self.gravity * q.cos() }
/// # }
/// # let system = Pendulum { gravity: 1.0 }.bind().unwrap();
///
/// assert_eq!(Composition::of(Verlet, 6).order(), 6);
/// // There is no composition of another order.
/// let run = Composition::of(Verlet, 5).start(&system, State::at_rest(vec![1.0]), 0.1);
/// assert!(matches!(run.err(), Some(StartError::OptionOutOfRange { option: "order", .. })));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Composition<B> {
    /// The method of the parts.
    pub base: B,
    /// The order: 2, 4, 6 or 8.
    pub order: u32,
}

impl<B> Composition<B> {
    /// The composition of this method to this order.
    pub const fn of(base: B, order: u32) -> Self {
        Self { base, order }
    }
}

/// The orders of compositions, as a message tells them.
pub const ORDERS: &str = "{2, 4, 6, 8}";

/// A method whose steps can be composed: symmetric, of order 2, and able to take parts of a step.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be composed to a higher order on `{S}`",
    label = "not a symmetric method of order 2 for `{S}`",
    note = "compose a reversible method of order 2, such as `Verlet` or `Rattle`"
)]
pub trait Symmetric<S: ?Sized>: Method<S> {
    /// Prepares to take parts of steps of size `step`, forwards and backwards, as [`Method::start`]
    /// prepares whole steps. The flow can [go on from](Flow::go_on_from) any state.
    ///
    /// # Errors
    /// The errors of [`Method::start`].
    fn start_parts<'s>(
        &self,
        system: &'s S,
        state: State,
        step: f64,
    ) -> Ready<'s, impl Flow + 's + use<'s, Self, S>>;

    /// The fastest rate c of drag F = −c M v at a state, if the system has forces and the method
    /// multiplies a free velocity by (1 − ½ c h)/(1 + ½ c h): backward parts of a composition amplify
    /// it.
    fn fastest_drag(&self, _system: &S, _state: &State) -> Option<f64> {
        None
    }
}

/// [`Method::start`] for a method whose step is one part, on systems of type `$system`; `$type` are the
/// further types that its runs name.
macro_rules! start_as_parts {
    ($system:ident $(, $type:ident)*) => {
        fn start<'s>(
            &self,
            system: &'s $system,
            state: $crate::system::State,
            step: f64,
        ) -> Result<
            impl $crate::method::contract::Stepper + 's + use<'s, $system $(, $type)*>,
            $crate::error::StartError,
        > {
            $crate::method::composition::Symmetric::start_parts(self, system, state, step)
        }
    };
}

/// The run that traces parts of steps, of a method whose start prepares parts.
macro_rules! traced_as_parts {
    ($system:ident) => {
        fn traced<'s>(
            &self,
            system: &'s $system,
            state: $crate::system::State,
            step: f64,
        ) -> Result<
            $crate::method::running::Running<'s, impl $crate::method::flow::Flow + 's + use<'s, $system>>,
            $crate::error::StartError,
        > {
            $crate::method::composition::Symmetric::start_parts(self, system, state, step)
        }
    };
}

pub(super) use {start_as_parts, traced_as_parts};

impl<B: Claims> Claims for Composition<B> {
    const NAME: &'static str = B::NAME;
    /// The order of the base: [`order`](Claims::order) is the order of a value.
    const ORDER: u32 = B::ORDER;
    const SYMPLECTIC: Option<bool> = B::SYMPLECTIC;
    const REVERSIBLE: Option<bool> = B::REVERSIBLE;
    const MOMENTUM: Option<bool> = B::MOMENTUM;
    const IMPULSE: Option<bool> = B::IMPULSE;
    const PARTS: Option<bool> = B::PARTS;
    const DIFFERENTIABLE: Derivatives = B::DIFFERENTIABLE;

    fn order(&self) -> u32 {
        self.order
    }

    forward! { base: beside_state() -> Option<&'static str>; }
}

impl<B: Claims> Composition<B> {
    /// The coefficients γ.
    fn coefficients(&self) -> Begun<&'static [f64]> {
        const {
            assert!(B::ORDER == 2, "only a method of order 2 can be composed");
            assert!(matches!(B::REVERSIBLE, Some(true)), "only a reversible method can be composed");
        }
        coefficients(self.order).ok_or(StartError::OptionOutOfRange {
            method: B::NAME,
            option: "order",
            value: f64::from(self.order),
            interval: ORDERS,
        })
    }
}

impl<S: ?Sized, B: Symmetric<S>> Method<S> for Composition<B> {
    fn start<'s>(&self, system: &'s S, state: State, step: f64) -> Begun<impl Stepper + 's + use<'s, S, B>> {
        let coefficients = self.coefficients()?;
        Ok(compose(self.base.start_parts(system, state, step)?.erased(), coefficients, step))
    }

    fn instability(&self, system: &S, state: &State, step: f64) -> Option<Instability> {
        let (_, factor, of_drag) = of_order(self.order)?;
        let found = self.base.instability(system, state, step / factor);
        found
            .map(|found| found.of_composition(factor))
            .or_else(|| stability::drag(B::NAME, step, self.base.fastest_drag(system, state)?, of_drag?))
    }
}

impl<S: ?Sized, B: Symmetric<S> + Differentiable<S>> Differentiable<S> for Composition<B> {
    fn parts(&self) -> &'static [f64] {
        coefficients(self.order).unwrap_or(&[])
    }

    fn traced<'s>(&self, system: &'s S, state: State, step: f64) -> Ready<'s, impl Flow + use<'s, S, B>> {
        self.coefficients()?;
        self.base.traced(system, state, step)
    }

    fn linear<'s>(&self, system: &'s S, parts: usize) -> Begun<Box<dyn LinearStep + 's>> {
        self.base.linear(system, parts)
    }
}

/// Makes the run whose steps of size `step` are composed of `parts`.
fn compose<'s>(
    mut parts: Running<'s, Erased<'s>>,
    coefficients: &'static [f64],
    step: f64,
) -> Running<'s, Erased<'s>> {
    if coefficients.len() == 1 {
        return parts;
    }
    let (state, tolerance) = (parts.state().clone(), parts.report().tolerance);
    // A moment cuts the composed step, not its parts.
    let moments = parts.take_moments();
    let composed = Running::new(Erased::of(Composed { parts, coefficients }), state, step);
    composed.to_tolerance(tolerance).with_moments(moments)
}

/// The flow Ψ of a composition.
struct Composed<'s> {
    parts: Running<'s, Erased<'s>>,
    coefficients: &'static [f64],
}

impl Flow for Composed<'_> {
    fn takes_parts(&self) -> bool {
        self.parts.flow().takes_parts()
    }

    fn scheme(&self) -> Option<Scheme<'_>> {
        Some(Scheme { parts: self.coefficients, ..self.parts.flow().scheme()? })
    }

    fn advance(&mut self, state: &State, substep: &Substep, next: &mut State) -> Result<(), StepError> {
        let mut done = 0.0;
        let last = self.coefficients.len() - 1;
        for (k, coefficient) in self.coefficients.iter().enumerate() {
            done += coefficient;
            let end = if k == last { substep.end } else { state.t + done * substep.size };
            let part = Substep { size: coefficient * substep.size, end, ..*substep };
            if let Err(error) = self.parts.advance(&part) {
                self.parts.go_on_from(state);
                return Err(error);
            }
        }
        next.assign(self.parts.state());
        Ok(())
    }

    forward! { parts:
        multipliers() -> Option<&[f64]>;
        report() -> Report<'_>;
        hold_angles() -> Option<HeldAngles>;
        warning() -> Option<&str>;
    }

    forward! { mut parts: go_on_from(state: &State) -> bool; }
}

/// The coefficients γ of the composition of this order; `None` if it does not exist.
pub const fn coefficients(order: u32) -> Option<&'static [f64]> {
    match of_order(order) {
        Some((coefficients, ..)) => Some(coefficients),
        None => None,
    }
}

/// The coefficients γ of the composition of this order, and its limits:
///
/// - the limit of velocity Verlet composed so on an oscillator, relative to Verlet alone: a little below
///   the reciprocal of the largest coefficient, since parts of different sizes resonate;
/// - the largest c h at which the composition of (1 − ½ c h)/(1 + ½ c h) does not grow;
///   `None` without backward parts.
const fn of_order(order: u32) -> Option<(&'static [f64], f64, Option<f64>)> {
    match order {
        2 => Some((&[1.0], 1.0, None)),
        4 => Some((const { &mirrored::<3, 5>(SUZUKI_4) }, 1.360, Some(3.02))),
        6 => Some((const { &mirrored::<5, 9>(KAHAN_LI_6) }, 1.266, Some(2.73))),
        8 => Some((const { &mirrored::<9, 17>(KAHAN_LI_8) }, 1.548, Some(3.30))),
        _ => None,
    }
}

/// Completes symmetric coefficients from their first half and the one in the middle.
const fn mirrored<const HALF: usize, const ALL: usize>(half: [f64; HALF]) -> [f64; ALL] {
    let mut all = [0.0; ALL];
    let mut k = 0;
    while k < HALF {
        all[k] = half[k];
        all[ALL - 1 - k] = half[k];
        k += 1;
    }
    all
}

const SUZUKI_4: [f64; 3] = [0.414_490_771_794_375_7, 0.414_490_771_794_375_7, -0.657_963_087_177_503];

const KAHAN_LI_6: [f64; 5] = [
    0.392_161_444_007_314_1,
    0.332_599_136_789_359_43,
    -0.706_246_172_557_639_3,
    0.082_213_596_293_550_8,
    0.798_543_990_934_83,
];

const KAHAN_LI_8: [f64; 9] = [
    0.130_202_483_088_890_07,
    0.561_162_981_775_108_4,
    -0.389_474_962_644_847_27,
    0.158_841_906_555_155_6,
    -0.395_903_894_133_237_57,
    0.184_539_640_978_315_7,
    0.258_374_387_686_322_04,
    0.295_011_723_609_310_3,
    -0.605_508_533_830_034_6,
];

carried!([] Composed<'_> { parts } besides { coefficients });
