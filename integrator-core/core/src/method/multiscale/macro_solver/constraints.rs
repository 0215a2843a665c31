//! The constraints in a macro-solver, or none.

use crate::carried::{Carried, carried};
use crate::error::StepError;
use crate::method::constraint::{Manifold, Span};
use crate::method::flow::Substep;
use crate::method::newton::Newton;
use crate::method::report::Evaluations;
use crate::system::{Constrained, State};

/// A drift of the slow motion after a kick of κ M⁻¹ F, in a step from a state.
#[derive(Clone, Copy)]
pub(in crate::method::multiscale) struct Drift<'d> {
    pub(super) method: &'static str,
    pub(super) substep: &'d Substep,
    pub(super) state: &'d State,
    pub(super) kick: f64,
}

/// The constraints of the slow motion, with the foot and the multipliers of its state. The defaults, for
/// no constraints, do nothing.
pub(in crate::method::multiscale) trait Constraints: Carried + Send {
    /// Moves the positions of `next`, reached with the velocities `between`, onto the constraints, and
    /// the velocities with them.
    fn reach(&mut self, _: Drift<'_>, _between: &mut [f64], _next: &mut State) -> Result<(), StepError> {
        Ok(())
    }

    /// Makes the velocities of a state at the foot tangent.
    fn make_tangent(&mut self, _state: &mut State) {}

    /// Removes the part of `v` that leaves the constraints.
    fn remove_normal(&mut self, _v: &mut [f64]) {}

    /// Computes the multipliers of a state from the acceleration M⁻¹ F there.
    fn balance(&mut self, _state: &State, _acceleration: &[f64]) {}

    /// Computes the multipliers of the last drift, after this kick.
    fn take_impulses(&mut self, _kick: f64) {}

    /// Declares that the multipliers may belong to another velocity.
    fn forget(&mut self) {}

    /// Puts the foot back at a state.
    fn return_to(&mut self, _state: &State) {}

    fn multipliers(&self) -> Option<&[f64]> {
        None
    }

    fn evaluations(&self) -> Evaluations {
        Evaluations::default()
    }

    fn warning(&self) -> Option<&str> {
        None
    }
}

pub(in crate::method::multiscale) struct NoConstraints;

impl Constraints for NoConstraints {}

carried!([] NoConstraints {} besides {});

pub(in crate::method::multiscale) struct OnManifold<'s, S: ?Sized> {
    manifold: Manifold<'s, S>,
    newton: Newton,
    multipliers: Vec<f64>,
    known: bool,
    /// The multipliers of the last drift, as a velocity.
    impulses: Vec<f64>,
}

impl<'s, S: Constrained + ?Sized> OnManifold<'s, S> {
    pub(in crate::method::multiscale) fn new(manifold: Manifold<'s, S>, newton: Newton) -> Self {
        let none = vec![0.0; manifold.system().constraints()];
        Self { manifold, newton, multipliers: none.clone(), known: false, impulses: none }
    }
}

impl<S: Constrained + ?Sized> Constraints for OnManifold<'_, S> {
    fn reach(
        &mut self,
        Drift { method, substep, state, kick }: Drift<'_>,
        between: &mut [f64],
        next: &mut State,
    ) -> Result<(), StepError> {
        let Self { manifold, multipliers, impulses, .. } = self;
        let (h, system) = (substep.size, manifold.system());
        let span = Span { q: &state.q, v: &state.v, h, end: next.t };
        let reached = manifold.reach(&mut next.q, span, (kick * h, multipliers), self.newton);
        let stands = reached.and_then(|()| {
            impulses.iter_mut().zip(manifold.impulse()).for_each(|(to, impulse)| *to = impulse / h);
            manifold.add_motion(impulses, between);
            manifold.advance()
        });
        stands.map_err(|failure| failure.in_step_on(system, method, substep, state.t))
    }

    fn make_tangent(&mut self, State { t, q, v }: &mut State) {
        if self.manifold.is_settled() {
            self.manifold.make_tangent(q, v, *t);
        }
    }

    fn remove_normal(&mut self, v: &mut [f64]) {
        if self.manifold.is_settled() {
            self.manifold.remove_normal(v);
        }
    }

    fn balance(&mut self, State { t, q, v }: &State, acceleration: &[f64]) {
        self.manifold.multipliers((q, v, *t), acceleration, &mut self.multipliers);
        self.known = true;
    }

    fn take_impulses(&mut self, kick: f64) {
        for (multiplier, impulse) in self.multipliers.iter_mut().zip(&self.impulses) {
            *multiplier = impulse / kick;
        }
        self.known = true;
    }

    fn forget(&mut self) {
        self.known = false;
    }

    fn return_to(&mut self, state: &State) {
        self.manifold.return_to(&state.q, state.t);
    }

    fn multipliers(&self) -> Option<&[f64]> {
        self.known.then_some(&self.multipliers)
    }

    fn evaluations(&self) -> Evaluations {
        self.manifold.evaluations
    }

    fn warning(&self) -> Option<&str> {
        self.manifold.warning()
    }
}

carried!([S: Constrained + ?Sized] OnManifold<'_, S> {
    manifold, multipliers, known
} besides { newton, impulses });
