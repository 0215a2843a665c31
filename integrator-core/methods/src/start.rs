//! The start of a method: as it is, composed to a higher order, or with a thermostat around it.

use least_action_core::error::StartError;
use least_action_core::method::composition::ORDERS;
use least_action_core::method::{Claims, Composition, Instability, Langevin, Method, Stepper, Symmetric};
use least_action_core::system::{Natural, State, System};

use crate::options::Options;

/// A started method, or the reason why it does not start.
pub type Started<'s> = Result<Running<'s>, StartError>;

/// A started method.
#[derive(Debug)]
pub struct Running<'s> {
    /// The run.
    pub stepper: Box<dyn Stepper + 's>,
    /// The reason why the run will probably blow up, if it was asked for and is known.
    pub instability: Option<Instability>,
    /// The part of a run that its states do not tell.
    pub beside_state: Option<&'static str>,
}

impl<'s> Running<'s> {
    /// The run of a method that knows no limit of the step.
    pub(crate) fn quiet(stepper: impl Stepper + 's) -> Self {
        Self { stepper: Box::new(stepper), instability: None, beside_state: None }
    }
}

/// The options and the state for the start of a method.
#[derive(Debug)]
pub struct Setup<'o> {
    /// The options of the method.
    pub options: &'o Options,
    /// The state from which it starts.
    pub state: State,
    /// The size of a step.
    pub step: f64,
    /// The seed of its random numbers.
    pub seed: u64,
    /// True if the step must be compared with the limits of the method.
    pub forewarned: bool,
}

impl Setup<'_> {
    /// The option `name`, or the default of the method.
    pub(crate) fn or(&self, name: &str, default: f64) -> f64 {
        self.options.get(name).unwrap_or(default)
    }

    /// The word given for `name`, one of the words in `options.rs`, or the default of the method.
    pub(crate) fn word(&self, name: &str, default: &'static str) -> &'static str {
        self.options.word(name).unwrap_or(default)
    }

    /// True if an option of the thermostat is given.
    pub(crate) fn has_thermostat(&self) -> bool {
        THERMOSTAT.iter().any(|name| self.options.get(name).is_some())
    }
}

/// The options that put a thermostat around a method.
pub const THERMOSTAT: [&str; 2] = ["friction", "inverse_temperature"];

/// The ways to begin a method by its options, for a run and for its derivative.
macro_rules! ways {
    ($Begins:ident, $Begun:ident) => {
        /// A symmetric method: composed to the option `order`, or with a thermostat around it.
        pub(crate) fn symmetric<'s, S: Natural + ?Sized, M: Symmetric<S> + $Begins<S>>(
            method: M,
            system: &'s S,
            setup: Setup<'_>,
        ) -> $Begun<'s> {
            if !setup.has_thermostat() {
                return composed(method, system, setup);
            }
            without_order(M::NAME, M::ORDER, &setup)?;
            thermostatted(Composition::of(method, M::ORDER), system, setup)
        }

        /// The method, with a thermostat around it if one of its options is given.
        pub(crate) fn thermostatted<'s, S: Natural + ?Sized, M: $Begins<S>>(
            method: M,
            system: &'s S,
            setup: Setup<'_>,
        ) -> $Begun<'s> {
            if !setup.has_thermostat() {
                return plain(method, system, setup);
            }
            plain(around(method, &setup), system, setup)
        }

        /// A symmetric method, composed to the option `order`.
        pub(crate) fn composed<'s, S: System + ?Sized, M: Symmetric<S> + $Begins<S>>(
            method: M,
            system: &'s S,
            setup: Setup<'_>,
        ) -> $Begun<'s> {
            plain(Composition::of(method, order_of::<M>(&setup)?), system, setup)
        }
    };
}

#[cfg(feature = "derivatives")]
pub(crate) use ways;

ways!(Method, Started);

/// The option `order` of compositions; those refuse whole numbers that are no order of theirs.
pub(crate) fn order_of<M: Claims>(setup: &Setup<'_>) -> Result<u32, StartError> {
    let value = setup.or("order", f64::from(M::ORDER));
    if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) {
        return Ok(value as u32);
    }
    let (method, option, interval) = (M::NAME, "order", ORDERS);
    Err(StartError::OptionOutOfRange { method, option, value, interval })
}

/// Refuses a higher order than the method's own with a thermostat, which has order 2: backward steps of
/// a composition would heat where it cools.
pub(crate) fn without_order(method: &'static str, own: u32, setup: &Setup<'_>) -> Result<(), StartError> {
    let value = setup.or("order", f64::from(own));
    if value > f64::from(own) {
        let interval = "{2} with a thermostat";
        return Err(StartError::OptionOutOfRange { method, option: "order", value, interval });
    }
    Ok(())
}

/// The method with a thermostat around it.
pub(crate) fn around<M>(method: M, setup: &Setup<'_>) -> Langevin<M> {
    let mut langevin = Langevin { seed: setup.seed, ..Langevin::around(method) };
    langevin.friction = setup.or("friction", langevin.friction);
    langevin.inverse_temperature = setup.or("inverse_temperature", langevin.inverse_temperature);
    langevin
}

/// Starts the method itself.
#[expect(clippy::needless_pass_by_value, reason = "as the other ways take it")]
pub(crate) fn plain<'s, S: ?Sized, M: Method<S>>(method: M, system: &'s S, setup: Setup<'_>) -> Started<'s> {
    let Setup { state, step, forewarned, .. } = setup;
    let first = forewarned.then(|| state.clone());
    let stepper = Box::new(method.start(system, state, step)?);
    let instability = first.and_then(|first| method.instability(system, &first, step));
    Ok(Running { stepper, instability, beside_state: method.beside_state() })
}
