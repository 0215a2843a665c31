use super::{Components, Look};
use serde::{Deserialize, Serialize};

/// A point of a trajectory: time, positions and velocities.
///
/// # Shapes
/// q, v: n, in the order of the [`Layout`](super::Layout); their units are those of the model.
///
/// # Examples
/// ```
/// use least_action::system::State;
///
/// let start = State { t: 2.0, ..State::new(vec![0.5, 0.0], vec![0.0, 1.0]) };
/// assert_eq!((start.t, start.q.len()), (2.0, 2));
/// assert_eq!(State::at_rest(vec![0.5, 0.0]).v, [0.0, 0.0]);
/// ```
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

    /// The state of these positions and velocities at time zero:
    /// points and vectors in the order of the layout.
    pub fn of_points(positions: impl Components, velocities: impl Components) -> Self {
        Self::new(positions.components(), velocities.components())
    }

    /// The state of these positions at rest at time zero: points in the order of the layout.
    ///
    /// # Examples
    /// ```
    /// use least_action::nalgebra::Vector2;
    /// use least_action::system::State;
    ///
    /// let chain: Vec<_> = (1..4).map(|link| Vector2::new(0.5 * f64::from(link), 0.0)).collect();
    /// assert_eq!(State::points_at_rest(chain).q, [0.5, 0.0, 1.0, 0.0, 1.5, 0.0]);
    /// ```
    pub fn points_at_rest(positions: impl Components) -> Self {
        Self::at_rest(positions.components())
    }

    /// Copies a state of the system over this one; allocates nothing.
    pub(crate) fn assign(&mut self, other: &Self) {
        self.t = other.t;
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
    }
}

/// A model with its own initial state, such as the one of its paper.
pub trait Start {
    /// The initial state for these parameters.
    fn start(&self) -> State;

    /// The author's additions to a moving picture; none by default.
    fn look(&self) -> Look {
        Look::default()
    }

    /// The step of a run without one; none by default: the frequencies at the start tell it.
    fn step(&self) -> Option<f64> {
        None
    }

    /// The end of a run without one; none by default: its motion tells it.
    fn until(&self) -> Option<f64> {
        None
    }
}
