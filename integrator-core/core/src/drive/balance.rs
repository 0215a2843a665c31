use super::integral::Integral;
use super::work::{Breaks, Work};
use super::{Moment, Quantity};
use crate::carried::carried;
use crate::noether::{ConservedQuantity, Motion};
use crate::system::{Lagrangian, State};

/// The energy or a momentum, less the work done on it: a good method keeps this balance at zero.
///
/// The energy E = v·∂L/∂v − L, and the momentum J = ∂L/∂v·ξ of a motion ξ(q) that leaves L and the
/// constraints on positions unchanged, change by
///
/// ```text
/// dE/dt = P = F·v − ∂L/∂t − λ·∂g/∂t − μ·b,    dJ/dt = F·ξ + μ·A ξ,
/// ```
///
/// with the forces F, the multipliers λ of the constraints g(q, t) = 0 and μ of the constraints on
/// velocities A v + b = 0. There are two columns; Q is the heat of a thermostat:
///
/// | | first | second |
/// |---|---|---|
/// | [energy](Balance::of_energy) | `power`: P | `energy_balance`: E − E₀ − ∫ P dt − Q |
/// | [momentum](Balance::named) | its name: J | its name and `_balance`: J − J₀ − ∫ (F·ξ + μ·A ξ) dt |
///
/// # Errors
/// The integral takes the cubic through the last four observed moments, of order 4 in the time between
/// them; at the first moment after the start it takes the straight line. Its error is smallest if every
/// step is observed, adds to the error of the method, and is the larger one for a method of higher
/// order.
///
/// Where a [signal](crate::system::Signal) jumps or bends at a moment, the integral begins anew there,
/// and keeps its order if at least two spans lie between these moments. A jump between two moments costs
/// at most its size in the rate times half of their distance. If L itself jumps, by a table, so does its
/// energy, without work.
///
/// The columns are NaN if multipliers do work and the method has none; the integral continues over these
/// moments, and begins at the first known one. Balances of averaged motions are NaN, because their
/// energy is not the system's. The balance of a momentum ignores a thermostat.
pub struct Balance<'s, S: ?Sized> {
    system: &'s S,
    /// The momentum; `None` for the energy.
    momentum: Option<&'s ConservedQuantity>,
    work: Work<'s>,
    /// Memory for ξ and for derivatives of L.
    motion: Vec<f64>,
    gradient: Vec<f64>,
    integral: Integral,
    /// E₀ or J₀.
    first: f64,
    /// The number of steps and the time of the last known moment.
    last: Option<(u64, f64)>,
}

impl<'s, S: Lagrangian + ?Sized> Balance<'s, S> {
    /// The power, and the balance of the energy.
    pub fn of_energy(system: &'s S) -> Self {
        Self::new(system, None)
    }

    /// The momentum `name` and its balance; `None` if the system neither
    /// [balances](crate::system::System::balanced) nor [conserves](crate::system::System::conserved) it.
    /// The name `energy` stands for [`Balance::of_energy`].
    pub fn named(system: &'s S, name: &str) -> Option<Self> {
        if name == "energy" {
            return Some(Self::of_energy(system));
        }
        let mut known = system.balanced().iter().chain(system.conserved());
        let quantity = known.find(|quantity| quantity.name == name)?;
        (quantity.motion != Motion::Time).then(|| Self::new(system, Some(quantity)))
    }

    fn new(system: &'s S, momentum: Option<&'s ConservedQuantity>) -> Self {
        let n = system.dimension();
        Self {
            system,
            momentum,
            work: Work::of(system),
            motion: vec![0.0; n],
            gradient: vec![0.0; 2 * n + 1],
            integral: Integral::default(),
            first: f64::NAN,
            last: None,
        }
    }

    fn value(&mut self, State { t, q, v }: &State) -> f64 {
        match self.momentum {
            Some(momentum) => momentum.value(self.system, q, v, *t, &mut self.gradient),
            None => self.system.energy(q, v, *t),
        }
    }

    /// Its rate at this state, with forces, constraints and L at the time `t`; `None` if unknown.
    fn rate(&mut self, State { q, v, .. }: &State, t: f64, multipliers: Option<&[f64]>) -> Option<f64> {
        let rate = match self.momentum {
            Some(momentum) => {
                momentum.rate(self.system.layout(), q, &mut self.motion);
                self.work.along(&self.motion, [q, v], t, multipliers)
            }
            None => self.work.power(self.system, [q, v], t, multipliers),
        };
        rate.filter(|rate| rate.is_finite())
    }

    /// The integral of the rate until this moment; `None` if unknown.
    fn integral(&mut self, moment: &Moment<'_>, rate: f64) -> Option<f64> {
        let Moment { step, state, multipliers, .. } = *moment;
        let Some((last_step, last_time)) = self.last else {
            self.integral = Integral::default();
            self.integral.extend(state.t, rate);
            self.last = Some((step, state.t));
            return Some(0.0);
        };
        // After a blow-up the last good state comes at the end.
        if step <= last_step {
            return None;
        }
        let breaks = Breaks::of(self.system.signals(), last_time, state.t);
        if breaks.between {
            self.integral.break_here();
        }
        if breaks.at_end {
            let early = self.rate(state, state.t - breaks.near, multipliers)?;
            // A signal may end here.
            let late = self.rate(state, state.t + breaks.near, multipliers).unwrap_or(rate);
            self.integral.extend(state.t, early);
            self.integral.break_at(state.t, late);
        } else {
            self.integral.extend(state.t, rate);
            if breaks.between {
                self.integral.break_here();
            }
        }
        self.last = Some((step, state.t));
        Some(self.integral.value())
    }
}

impl<S: Lagrangian + ?Sized> Quantity for Balance<'_, S> {
    fn names(&self) -> Vec<String> {
        match self.momentum {
            Some(momentum) => vec![momentum.name.to_string(), format!("{}_balance", momentum.name)],
            None => vec!["power".to_owned(), "energy_balance".to_owned()],
        }
    }

    fn measure(&mut self, moment: &Moment<'_>, values: &mut [f64]) {
        let Moment { step, state, multipliers, report, .. } = *moment;
        if step == 0 {
            self.last = None;
        }
        let value = self.value(state);
        let rate = self.rate(state, state.t, multipliers);
        let heat = if self.momentum.is_none() { report.heat.unwrap_or(0.0) } else { 0.0 };
        let before = self.last;
        let is_known = value.is_finite() && report.averages.is_none();
        let integral = rate.filter(|_| is_known).and_then(|rate| self.integral(moment, rate));
        if before.is_none() {
            self.first = value - heat;
        }
        values[0] = if self.momentum.is_some() { value } else { rate.unwrap_or(f64::NAN) };
        values[1] = integral.map_or(f64::NAN, |integral| value - heat - self.first - integral);
    }
}

crate::shown::shown!([S: ?Sized] Balance<'_, S>, |own| "Balance" {
    of: own.momentum.map_or("energy", |momentum| &momentum.name), last: own.last
});

carried!([S: ?Sized] Balance<'_, S> {
    integral, first, last
} besides { system, momentum, work, motion, gradient });
