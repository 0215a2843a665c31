use serde::{Deserialize, Serialize};

/// A point of a trajectory: time, positions and velocities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Time.
    #[serde(default)]
    pub t: f64,
    /// Positions, in the order of the layout.
    pub q: Vec<f64>,
    /// Velocities, in the order of the layout.
    pub v: Vec<f64>,
}

impl State {
    /// The state (q, v) at time zero.
    pub fn new(q: Vec<f64>, v: Vec<f64>) -> Self {
        Self { t: 0.0, q, v }
    }

    /// The state q at rest at time zero.
    pub fn at_rest(q: Vec<f64>) -> Self {
        let v = vec![0.0; q.len()];
        Self::new(q, v)
    }

    /// Copies a state of the same system over this one, allocating nothing.
    pub(crate) fn assign(&mut self, other: &Self) {
        self.t = other.t;
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
    }
}

/// A model with an initial state of its own, such as the one of the paper that it comes from.
pub trait Start {
    /// The initial state for these parameters.
    fn start(&self) -> State;
}
