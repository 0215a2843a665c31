//! The states between which a linear map acts.

/// A state of a motion, with the numbers that its flow [traces](crate::method::flow::Flow::trace).
#[derive(Debug, Clone, Copy)]
pub struct Node<'t> {
    /// The time.
    pub t: f64,
    /// The positions.
    pub q: &'t [f64],
    /// The velocities.
    pub v: &'t [f64],
    /// The trace of the step that ends here.
    pub trace: &'t [f64],
}

/// A part of a step between two states.
#[derive(Debug, Clone, Copy)]
pub struct Span<'t> {
    /// Its beginning.
    pub from: Node<'t>,
    /// Its end.
    pub to: Node<'t>,
    /// Its length h.
    pub size: f64,
}

/// An end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The beginning.
    First,
    /// The end.
    Last,
}

impl<'t> Span<'t> {
    /// Its times.
    pub(crate) fn times(&self) -> [f64; 2] {
        [self.from.t, self.from.t + self.size]
    }

    /// The state at an end.
    pub(crate) fn node(&self, end: End) -> Node<'t> {
        match end {
            End::First => self.from,
            End::Last => self.to,
        }
    }

    /// h² times the acceleration at an end of a step of two half kicks: 2 h (v₁ − v½) or 2 h (v½ − v₀),
    /// where h v½ = q₁ − q₀.
    pub(crate) fn accelerations(&self, end: End) -> impl Iterator<Item = f64> + use<'t> {
        let (h, from, to) = (self.size, self.from, self.to);
        let drift = from.q.iter().zip(to.q).map(|(q0, q1)| q1 - q0);
        drift.zip(from.v.iter().zip(to.v)).map(move |(drift, (v0, v1))| match end {
            End::First => 2.0 * (drift - h * v0),
            End::Last => 2.0 * (h * v1 - drift),
        })
    }
}
