use super::{Signal, System};
use crate::error::BindError;
use crate::sparse::RowPattern;

/// A system with generalized forces F(q, v, t) that no potential gives, such as drag:
/// d/dt ∂L/∂v − ∂L/∂q = F.  A part of F may be −∂D/∂v of Rayleigh's function D(q, v, t).
///
/// # Shapes
/// q, v, force: n.  Derivatives with respect to (q, v): n × 2n, in the order of their pattern.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no forces beside those of its Lagrangian",
    label = "no forces in `{Self}`",
    note = "declare them in a method marked #[force] or #[dissipation]"
)]
pub trait Forced: System {
    /// F(q, v, t), **added** to `force`.
    fn add_force(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]);

    /// The pattern of the nonzero entries of ∂F/∂(q, v): column j is q_j, column n + j is v_j.
    fn force_pattern(&self) -> &RowPattern;

    /// Refuses the derivatives of F where they have more entries than are assembled: their pattern is
    /// empty then, and nothing is added for them. So it is for sums over near pairs among many points,
    /// any two of which may meet.
    ///
    /// # Errors
    /// The number of entries, and the limit.
    fn affords_force_derivatives(&self) -> Result<(), BindError> {
        Ok(())
    }

    /// True if the derivatives of F are those of pairs that come into range and leave it: their pattern
    /// has any two that may ever meet, and nearly all entries are zero.
    fn force_is_of_near_pairs(&self) -> bool {
        false
    }

    /// The first degree of freedom on whose velocity F depends.
    fn first_velocity(&self) -> Option<usize> {
        first_velocity(self.force_pattern(), self.dimension())
    }

    /// F and ∂F/∂(q, v), **added** to both arguments.
    fn add_force_derivatives(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64], derivatives: &mut [f64]);

    /// True if ∂F/∂v is known to be symmetric at every (q, v, t), as it is for −∂D/∂v and where each
    /// force depends on the velocity of what it acts on alone: a solver for symmetric matrices may then
    /// take M − c ∂F/∂v.
    fn force_is_symmetric(&self) -> bool {
        false
    }

    /// True if F is known to depend on velocities alone, as a drag does: it is then the same at all
    /// positions and times.
    fn force_is_of_velocity(&self) -> bool {
        false
    }

    /// True if F is linear in the velocities, with factors that never change.
    fn force_is_linear(&self) -> bool {
        false
    }

    /// True if a part of F is −∂D/∂v.
    fn dissipates(&self) -> bool {
        false
    }

    /// The part −∂D/∂v of F, **added** to `force`.
    fn add_dissipation(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64]) {
        let _ = (q, v, t, force);
    }

    /// The part −∂²D/∂v∂(q, v) of ∂F/∂(q, v), **added** to `derivatives` in the order of
    /// [`Forced::force_pattern`].
    fn add_dissipation_derivatives(&self, q: &[f64], v: &[f64], t: f64, derivatives: &mut [f64]) {
        let _ = (q, v, t, derivatives);
    }

    /// True if F has inputs, of which a step takes averages.
    fn takes_inputs(&self) -> bool {
        false
    }

    /// F as `add_force` has it, with averages of its inputs where a sampling is given.
    ///
    /// A step that takes the averages of all its nodes gives the motion the whole impulse of its inputs,
    /// wherever between its ends they jump. A force without inputs is the same with and without.
    fn add_force_sampled(&self, q: &[f64], v: &[f64], t: f64, sampling: Option<Sampling>, force: &mut [f64]) {
        let _ = sampling;
        self.add_force(q, v, t, force);
    }

    /// F and ∂F/∂(q, v) as `add_force_derivatives` has them, with averages of the inputs where a
    /// sampling is given.
    fn add_force_derivatives_sampled(
        &self,
        q: &[f64],
        v: &[f64],
        t: f64,
        sampling: Option<Sampling>,
        force: &mut [f64],
        derivatives: &mut [f64],
    ) {
        let _ = sampling;
        self.add_force_derivatives(q, v, t, force, derivatives);
    }
}

/// The first degree of freedom by whose velocity there is an entry among derivatives by (q, v).
pub(crate) fn first_velocity(pattern: &RowPattern, dimension: usize) -> Option<usize> {
    let velocities = pattern.entries().filter(|&(_, column)| column >= dimension);
    velocities.map(|(_, column)| column - dimension).min()
}

/// An average of inputs over the span of a step: ∫ w u dt / (to − from) with a weight w that is linear
/// in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// The beginning of the span.
    pub from: f64,
    /// Its end, which may lie before the beginning.
    pub to: f64,
    /// The weight w at both: 1 and 1 make the mean, 2 and 0 the part that belongs to the beginning.
    pub weights: [f64; 2],
}

impl Sampling {
    /// ∫ w u dt / (to − from).
    pub fn of(&self, signal: &Signal) -> f64 {
        let (length, [early, late]) = (self.to - self.from, self.weights);
        if length == 0.0 {
            return signal.value(self.from);
        }
        let [whole, end] = signal.moments(self.from, self.to);
        (early * (whole - end) + late * end) / length
    }
}
