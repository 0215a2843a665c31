use super::{Signal, System};
use crate::error::BindError;
use crate::sparse::RowPattern;

/// A system with generalized forces F(q, v, t) that no potential gives, such as drag:
/// d/dt ∂L/∂v − ∂L/∂q = F. A part of F may be −∂D/∂v of Rayleigh's function D(q, v, t).
///
/// # Shapes
/// q, v, force: n. Derivatives with respect to (q, v): n × 2n, in the order of their pattern.
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

    /// Refuses derivatives of F with too many entries: their pattern is then empty, and nothing is added
    /// for them. Sums over near pairs among many points, any two of which may meet, are an example.
    ///
    /// # Errors
    /// The number of entries exceeds the limit.
    fn affords_force_derivatives(&self) -> Result<(), BindError> {
        Ok(())
    }

    /// True if the derivatives of F belong to pairs that come into range and leave it:
    /// the pattern has all pairs that may ever meet, and nearly all entries are zero.
    fn force_is_of_near_pairs(&self) -> bool {
        false
    }

    /// The first degree of freedom whose velocity F depends on.
    fn first_velocity(&self) -> Option<usize> {
        first_velocity(self.force_pattern(), self.dimension())
    }

    /// F and ∂F/∂(q, v), **added** to both arguments.
    fn add_force_derivatives(&self, q: &[f64], v: &[f64], t: f64, force: &mut [f64], derivatives: &mut [f64]);

    /// True if ∂F/∂v is known to be symmetric at every (q, v, t), as for −∂D/∂v, and if each force
    /// depends on no velocity but its own: then M − c ∂F/∂v suits a solver for symmetric matrices.
    fn force_is_symmetric(&self) -> bool {
        false
    }

    /// True if F is known to depend on velocities alone, like a drag, not on positions or time.
    fn force_is_of_velocity(&self) -> bool {
        false
    }

    /// True if F is linear in the velocities, with constant factors.
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

    /// True if F has inputs, which a step averages.
    fn takes_inputs(&self) -> bool {
        false
    }

    /// As `add_force`; with a sampling, F has averages of its inputs.
    ///
    /// A step that takes the averages of all its nodes gives the motion the whole impulse of its inputs,
    /// wherever they jump. Without inputs the sampling has no effect.
    #[doc(hidden)]
    fn add_force_sampled(&self, q: &[f64], v: &[f64], t: f64, sampling: Option<Sampling>, force: &mut [f64]) {
        let _ = sampling;
        self.add_force(q, v, t, force);
    }

    /// As `add_force_derivatives`; with a sampling, inputs are averages.
    #[doc(hidden)]
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

/// The first degree of freedom whose velocity has an entry in derivatives by (q, v).
pub(crate) fn first_velocity(pattern: &RowPattern, dimension: usize) -> Option<usize> {
    let velocities = pattern.entries().filter(|&(_, column)| column >= dimension);
    velocities.map(|(_, column)| column - dimension).min()
}

/// An average of inputs over a step: ∫ w u dt / (to − from) with a weight w that is linear in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// The beginning of the span.
    pub from: f64,
    /// Its end; it may lie before the beginning.
    pub to: f64,
    /// The weight w at both: 1 and 1 for the mean, 2 and 0 for the part of the beginning.
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
