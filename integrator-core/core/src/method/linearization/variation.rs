//! Tangents and covectors of a step.

/// A vector of a variation.
///
/// The first two are the state of a motion, and engines say which of the others they use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vector {
    /// The positions and parameters x = (q, θ).
    Position,
    /// The momenta p = ∂L/∂v.
    Momentum,
    /// A velocity.
    Velocity,
    /// A force.
    Force,
    /// An acceleration.
    Acceleration,
    /// The position at which an implicit equation stands, with the parameters.
    Place,
    /// The position one step ahead, with the parameters.
    Ahead,
    /// The velocities before and after a position.
    Before,
    /// See [`Self::Before`].
    After,
    /// The velocity that a bath gives.
    Bathed,
    /// The velocity between two positions.
    Chord,
    /// The residual of rows.
    Residual,
    /// The multipliers of rows.
    Multipliers,
    /// The force of rows.
    RowForce,
    /// The right-hand side of an equation for velocities and multipliers.
    RightSide,
    /// The solution of such an equation.
    Solution,
}

/// The number of vectors.
const VECTORS: usize = Vector::Solution as usize + 1;

/// A covector, a tangent, or up to [`ABREAST`](super::ABREAST) tangents abreast, at a state.
///
/// Vectors have the numbers of all lanes for each entry, one after the other.
#[derive(Debug, Clone)]
pub struct Variation {
    vectors: [Vec<f64>; VECTORS],
    n: usize,
    /// The number of tangents.
    count: usize,
    lanes: usize,
    /// The part of the values of signals.
    pub(super) values: Vec<f64>,
}

impl Variation {
    /// A variation that is zero, over n degrees of freedom and so many parameters.
    pub(super) fn zero([n, parameters]: [usize; 2]) -> Self {
        let vectors = [const { Vec::new() }; VECTORS];
        let mut own = Self { vectors, n, count: 1, lanes: 1, values: Vec::new() };
        own.give(&[(Vector::Position, n + parameters), (Vector::Momentum, n), (Vector::Velocity, n)]);
        own
    }

    /// Gives vectors at least these lengths.
    pub(in crate::method) fn give(&mut self, lengths: &[(Vector, usize)]) {
        for &(vector, length) in lengths {
            let own = &mut self.vectors[vector as usize];
            own.resize(own.len().max(length), 0.0);
        }
    }

    /// Tangents, each in one lane, side by side in so many lanes.
    pub(crate) fn abreast(tangents: &[Self], lanes: usize) -> Self {
        let all = |of: &dyn Fn(&Self) -> &[f64]| -> Vec<f64> {
            let mut all = vec![0.0; lanes * tangents.first().map_or(0, |tangent| of(tangent).len())];
            for (k, tangent) in tangents.iter().enumerate() {
                let lane = all.iter_mut().skip(k).step_by(lanes);
                lane.zip(of(tangent)).for_each(|(to, from)| *to = *from);
            }
            all
        };
        let vectors = std::array::from_fn(|vector| all(&|tangent| &tangent.vectors[vector]));
        let n = tangents.first().map_or(0, |tangent| tangent.n);
        Self { vectors, n, count: tangents.len(), lanes, values: all(&|tangent| &tangent.values) }
    }

    /// Runs `inside` on two different vectors, `from` and `to`.
    pub(super) fn between(&mut self, from: Vector, to: Vector, inside: impl FnOnce(&mut [f64], &mut [f64])) {
        let mut target = std::mem::take(&mut self.vectors[to as usize]);
        inside(&mut self.vectors[from as usize], &mut target);
        self.vectors[to as usize] = target;
    }

    /// The number of tangents.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of lanes, 1 or [`ABREAST`](super::ABREAST): entry i of lane k is number i × lanes + k.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// The part of q.
    pub(crate) fn q(&self) -> &[f64] {
        &self.vectors[Vector::Position as usize][..self.lanes * self.n]
    }

    /// Writes the parts of q and v of lane k over both arguments.
    pub(crate) fn copy(&self, k: usize, [q, v]: &mut [Vec<f64>; 2]) {
        for (to, from) in [(q, self.q()), (v, self.v())] {
            to.iter_mut().zip(from.iter().skip(k).step_by(self.lanes)).for_each(|(to, from)| *to = *from);
        }
    }

    /// The part of the parameters.
    pub(crate) fn parameters(&self) -> &[f64] {
        &self.vectors[Vector::Position as usize][self.lanes * self.n..]
    }

    /// The part of the parameters, to be changed.
    pub(crate) fn parameters_mut(&mut self) -> &mut [f64] {
        let first = self.lanes * self.n;
        &mut self.x_mut()[first..]
    }

    /// The part of the values of signals.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The part of the values of signals, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The part of q and of the parameters, to be changed.
    pub(crate) fn x_mut(&mut self) -> &mut [f64] {
        &mut self.vectors[Vector::Position as usize]
    }

    /// The velocity that [`Part::Velocity`](super::program::Part) leaves, or the covector of it.
    pub(crate) fn v(&self) -> &[f64] {
        &self.vectors[Vector::Velocity as usize]
    }

    /// See [`Self::v`].
    pub(crate) fn v_mut(&mut self) -> &mut [f64] {
        &mut self.vectors[Vector::Velocity as usize]
    }
}
