//! Optimal control of discrete motions: inputs of forces that bring a motion from a start to an end, at
//! the least cost.
//!
//! The unknowns are the values u of the inputs and the states z at nodes, which cut the motion into
//! stretches. The problem is
//!
//! ```text
//! least  ½ Σ w ∫ u² dt + ½ Σ w ∫ (x − x*)² dt,
//! where  Φ(z_i, u) = z_{i+1},     l ≤ (u, z) ≤ h,     and z_S has the entries of the end,
//! ```
//!
//! with the map Φ of the steps of a stretch, as the method computes it. So the solution is exact for the
//! steps: a run with these inputs ends where the problem says. The derivatives of Φ are the
//! [sensitivities](least_action_core::drive::gradient::Sensitivities) of the stretch, and the Jacobian
//! of the constraints has a block for each stretch. Their differences give its second derivatives.
//!
//! # References
//! H. G. Bock and K. J. Plitt, A multiple shooting algorithm for direct solution of optimal control
//! problems, 1984. S. Ober-Blöbaum, O. Junge and J. E. Marsden, Discrete mechanics and optimal control,
//! ESAIM: COCV 17 (2011) 322–352, doi:10.1051/cocv/2010012.

mod bends;
mod guess;
mod shooting;
mod solve;

use least_action_core::system::{Signal, State};

use crate::least_squares::Status;

/// The attempts at most.
const ATTEMPTS: usize = 2;

/// A problem of optimal control.
///
/// Names are coordinates, `x` or `bobs[3].y`, their velocities after `der.`, and inputs. A name without
/// its index or component means all of its entries, and `der` means all velocities.
#[derive(Debug, Clone)]
#[must_use = "nothing is solved before `.solve(…)`"]
pub struct Control {
    start: State,
    end: f64,
    stretches: Option<usize>,
    /// The inputs to choose; all of them if empty.
    inputs: Vec<String>,
    goals: Vec<(String, f64)>,
    bounds: Vec<(String, [f64; 2])>,
    costs: Vec<Cost>,
    /// The states that the nodes follow at first.
    states: Vec<State>,
    guess: Option<(Attempt, Vec<f64>)>,
    memory: u64,
}

/// A way to the inputs. If the end is given whole, the first begins with states on a line to it, and a
/// second one at the motion by the first inputs where the line leads nowhere. With a free end, the
/// motion comes first and the line second, and the cheaper result counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 0 on.
    pub number: usize,
    /// The unknowns that the attempt before has found, as bits; empty if it has found none.
    pub before: Vec<u64>,
}

/// A part of the cost, with its weight w.
#[derive(Debug, Clone)]
struct Cost {
    of: Integral,
    /// The name of the input, or of the coordinate.
    name: String,
    weight: f64,
}

#[derive(Debug, Clone, Copy)]
enum Integral {
    /// ½ w ∫ u² dt.
    Effort,
    /// ½ w ∫ u̇² dt, by differences where the input jumps.
    Change,
    /// ½ w ∫ (x − x*)² dt by the trapezoid rule over the nodes.
    Distance { from: f64 },
}

/// An optimal motion.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Controlled {
    /// The inputs with their names.
    pub inputs: Vec<(String, Signal)>,
    /// The numbers θ of the model, with the values of these inputs.
    pub theta: Vec<f64>,
    /// The states at the nodes, the start first.
    pub states: Vec<State>,
    /// The cost.
    pub cost: f64,
    /// The largest gap between the end of a stretch and the next node, or the goal.
    pub violation: f64,
    /// The number of iterations.
    pub iterations: usize,
    /// The reason for their end.
    pub status: Status,
    /// All unknowns, for [`Control::guess`].
    pub unknowns: Vec<f64>,
}

impl Control {
    /// A motion from this start.
    pub fn from(start: State) -> Self {
        let (inputs, goals, bounds, costs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (states, guess, memory) = (Vec::new(), None, u64::MAX);
        Self { end: start.t, start, stretches: None, inputs, goals, bounds, costs, states, guess, memory }
    }

    /// Chooses an input; without this all sensitive inputs are chosen, and with it other inputs stay.
    pub fn by(mut self, input: impl Into<String>) -> Self {
        self.inputs.push(input.into());
        self
    }

    /// Sets the time of the end.
    pub fn until(self, end: f64) -> Self {
        Self { end, ..self }
    }

    /// Sets the value of a coordinate or a velocity at the end.
    pub fn to(mut self, name: impl Into<String>, value: f64) -> Self {
        self.goals.push((name.into(), value));
        self
    }

    /// Bounds an input, or a coordinate or a velocity at the nodes but not between them.
    pub fn within(mut self, name: impl Into<String>, lower: f64, upper: f64) -> Self {
        self.bounds.push((name.into(), [lower, upper]));
        self
    }

    /// Adds ½ w ∫ u² dt to the cost. Without any cost, each input counts with w = 1.
    pub fn effort(mut self, input: impl Into<String>, weight: f64) -> Self {
        self.costs.push(Cost { of: Integral::Effort, name: input.into(), weight });
        self
    }

    /// Adds ½ w ∫ u̇² dt to the cost, by differences of neighbouring values.
    pub fn change(mut self, input: impl Into<String>, weight: f64) -> Self {
        self.costs.push(Cost { of: Integral::Change, name: input.into(), weight });
        self
    }

    /// Adds ½ w ∫ (x − x*)² dt to the cost, by the trapezoid rule over the nodes and the start, for a
    /// coordinate or a velocity x.
    pub fn distance(mut self, name: impl Into<String>, from: f64, weight: f64) -> Self {
        self.costs.push(Cost { of: Integral::Distance { from }, name: name.into(), weight });
        self
    }

    /// Sets the number of stretches; without it each has about four steps, and there are at most 50.
    pub fn stretches(self, count: usize) -> Self {
        Self { stretches: Some(count), ..self }
    }

    /// Begins with the nodes on states of a motion, in the order of time, on straight lines between
    /// them. Without them an [`Attempt`] has its own.
    pub fn along(self, states: Vec<State>) -> Self {
        Self { states, ..self }
    }

    /// Refuses to take more memory, in bytes.
    pub fn limited(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Begins at the unknowns of an earlier solution.
    pub fn guess(self, unknowns: Vec<f64>) -> Self {
        self.going_on(Attempt { number: ATTEMPTS, before: Vec::new() }, unknowns)
    }

    /// Goes on from an iteration of an attempt.
    pub fn going_on(self, attempt: Attempt, unknowns: Vec<f64>) -> Self {
        Self { guess: Some((attempt, unknowns)), ..self }
    }
}
