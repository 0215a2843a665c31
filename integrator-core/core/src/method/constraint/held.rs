//! The position stage with forces that depend on velocities: the implicit half of the
//! [kick](crate::method::half_kick), on the manifold.

use super::drag::{Drag, HeldMatrix};
use super::foot::Foot;
use super::judgement::Judgement;
use super::manifold::{Form, Manifold, Span, is_out_of_reach};
use super::vectors::{largest_product, scale};
use crate::error::Begun;
use crate::method::applied::Instant;
use crate::method::force_error::{Attempt, ForceError, OF_ROWS};
use crate::method::half_kick::KickMatrix;
use crate::method::largest::{LANES, Largest};
use crate::method::newton::{Measured, Rounding, Unknown};
use crate::system::{Constrained, Forced, State};

/// The equations
///
/// ```text
/// M u − M w − c F(q₀, u, t₀) − G₀ᵀ x = 0,  g(q₀ + h u, t₁) = 0
/// ```
///
/// for u and x, with c = ½ h, the velocity w after the kick by other forces, and G₀ at the foot.
pub(super) struct HeldKick<'s> {
    pub(super) drag: Drag<'s>,
    pub(super) matrix: HeldMatrix,
    /// F at the last evaluation, and f = M⁻¹ F at the velocity of the last sweep, or of the solution,
    /// and at the sweep before.
    pub(super) force: Vec<f64>,
    pub(super) f: Vec<f64>,
    pub(super) before: Vec<f64>,
    /// M w, and the residual, which the correction of u overwrites.
    impulse: Vec<f64>,
    residual: Vec<f64>,
    rounding: Rounding,
    /// The largest term of u.
    pub(super) size: f64,
    /// x, its correction, and g/h.
    pub(super) x: Vec<f64>,
    pub(super) correction: Vec<f64>,
    pub(super) rows: Vec<f64>,
}

/// A step between two positions: a kick κ by the acceleration a, and by half of the one of forces that
/// depend on velocities; the drift; and the position stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passage<'q> {
    pub(crate) span: Span<'q>,
    pub(crate) at: Instant,
    pub(crate) kick: f64,
    pub(crate) a: &'q [f64],
}

impl Passage<'_> {
    pub(super) fn c(&self) -> f64 {
        0.5 * self.span.h
    }
}

impl<'s> HeldKick<'s> {
    /// Factors the matrix of a first step, so that the factorization allocates before the steps.
    pub(super) fn new<S: Constrained + ?Sized>(
        manifold: &mut Manifold<'s, S>,
        forced: &'s dyn Forced,
        State { t, q, v }: &State,
        step: f64,
    ) -> Begun<Self> {
        let system = manifold.system();
        let (n, m) = (system.dimension(), system.constraints());
        let matrix = HeldMatrix::new(system, forced, &manifold.foot.pattern)?;
        let [force, f, before, impulse, residual] = std::array::from_fn(|_| vec![0.0; n]);
        let [x, correction, rows] = std::array::from_fn(|_| vec![0.0; m]);
        let (drag, rounding) = (Drag::new(system, forced), Rounding::new(n, n));
        let mut kick = Self {
            drag,
            matrix,
            force,
            f,
            before,
            impulse,
            residual,
            rounding,
            size: 0.0,
            x,
            correction,
            rows,
        };
        kick.evaluate(&manifold.foot, (q, v, Instant::at(*t)), 0.5 * step, true);
        kick.matrix.linear = forced.force_is_linear().then(|| kick.largest_rate());
        // A failure here is no error: the first step reports its own.
        let _ = kick.factor(manifold, 0.5 * step, true);
        Ok(kick)
    }

    /// A bound of |M⁻¹ ∂F/∂v|, for a diagonal mass.
    fn largest_rate(&self) -> f64 {
        if !self.drag.mass.is_diagonal() {
            return f64::INFINITY;
        }
        let mut rates = vec![0.0; self.force.len()];
        for ((row, _), value) in self.drag.forced.force_pattern().entries().zip(&self.matrix.derivatives) {
            rates[row] += (value * self.drag.reciprocals[row]).abs();
        }
        rates.into_iter().fold(0.0, f64::max)
    }

    /// The largest change of a kick of size c, relative to a change of velocity, if it is known.
    pub(super) fn gain(&self, c: f64) -> Option<f64> {
        self.matrix.linear.filter(|rate| rate.is_finite()).map(|rate| rate * c.abs())
    }

    /// Begins with u = v + κ a + c M⁻¹ (F(q₀, v, t₀) + G₀ᵀ λ) and x = κ λ, with M⁻¹ F(q₀, v, t₀) in
    /// `own`; λ belongs to the state.
    pub(super) fn begin(
        &mut self,
        foot: &mut Foot,
        (passage, own): (Passage<'_>, &[f64]),
        multipliers: &[f64],
        u: &mut [f64],
    ) {
        let (c, Passage { span: Span { v, .. }, kick, a, .. }) = (passage.c(), passage);
        scale(kick, multipliers, &mut self.x);
        let mut sizes = Largest::default();
        let known = v.chunks(LANES).zip(a.chunks(LANES)).zip(own.chunks(LANES));
        for (u, ((v, a), f)) in u.chunks_mut(LANES).zip(known) {
            for (lane, (u, ((v, a), f))) in u.iter_mut().zip(v.iter().zip(a).zip(f)).enumerate() {
                let others = kick * a;
                *u = v + (others + c * f);
                sizes.take(lane, v.abs() + others.abs());
            }
        }
        self.size = sizes.found();
        foot.add_free_motion(&self.x, u);
    }

    /// Newton's method for a step; its first matrix is the iterate's if sweeps have `begun`, else the
    /// foot's.
    pub(super) fn iterate<S: Constrained + ?Sized>(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        passage: Passage<'_>,
        (q, u): (&mut [f64], &mut [f64]),
        judgement: &mut Judgement,
    ) -> Attempt {
        let span = passage.span;
        for (w, (v, a)) in self.force.iter_mut().zip(span.v.iter().zip(passage.a)) {
            *w = v + passage.kick * a;
        }
        self.drag.mass.multiply(&self.force, &mut self.impulse);
        let begun = judgement.iterations > 0;
        judgement.begin_again();
        let mut held = Held { kick: self, passage, u, factored: false, begun, error: 0.0, size: 0.0 };
        manifold.iterate(&mut held, q, span, judgement)?;
        if self.drag.of_velocity {
            self.f.copy_from_slice(&self.force);
            self.drag.invert(&mut manifold.foot, &mut self.f);
            self.f.iter_mut().zip(&self.drag.factors).for_each(|(f, factor)| *f *= factor);
        }
        Ok(())
    }

    /// The largest residual at u, and the largest of its terms, as velocities.
    fn evaluate(
        &mut self,
        foot: &Foot,
        (q, u, Instant { t, sampling }): (&[f64], &[f64], Instant),
        c: f64,
        with_derivatives: bool,
    ) -> (f64, f64) {
        let Self { drag, matrix: HeldMatrix { derivatives, .. }, impulse, force, residual, x, .. } = self;
        let Drag { forced, mass, reciprocals, .. } = drag;
        force.fill(0.0);
        if with_derivatives {
            derivatives.fill(0.0);
            forced.add_force_derivatives_sampled(q, u, t, sampling, force, derivatives);
        } else {
            forced.add_force_sampled(q, u, t, sampling, force);
        }
        mass.multiply(u, residual);
        let (mut size, mut largest) = (Largest::default(), Largest::default());
        let known = force.chunks(LANES).zip(impulse.chunks(LANES)).zip(reciprocals.chunks(LANES));
        for (residual, ((force, impulse), reciprocals)) in residual.chunks_mut(LANES).zip(known) {
            let known = force.iter().zip(impulse).zip(reciprocals);
            for (lane, (residual, ((force, impulse), reciprocal))) in
                residual.iter_mut().zip(known).enumerate()
            {
                let kick = c * force;
                size.take(lane, (kick.abs() + impulse.abs() + residual.abs()) * reciprocal);
                *residual = kick + impulse - *residual;
            }
        }
        foot.pattern.transpose_multiply_add(&foot.jacobian, x, residual);
        for (residual, reciprocals) in residual.chunks_mut(LANES).zip(reciprocals.chunks(LANES)) {
            for (lane, (residual, reciprocal)) in residual.iter_mut().zip(reciprocals).enumerate() {
                *residual = -*residual;
                largest.take(lane, *residual * reciprocal);
            }
        }
        let (largest, size) = (largest.found(), size.found());
        (if largest.is_finite() && size.is_finite() { largest } else { f64::NAN }, size)
    }

    /// Factors K at the last derivatives with G at the foot or at the iterate.
    fn factor<S: Constrained + ?Sized>(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        c: f64,
        at_foot: bool,
    ) -> Attempt {
        let n = self.residual.len();
        let of_kick = |error| ForceError::Singular { matrix: KickMatrix::NAME, error };
        self.matrix.renew(self.drag.mass, c).map_err(of_kick)?;
        let Manifold { foot, ahead, evaluations, .. } = manifold;
        loop {
            evaluations.factorizations += 1;
            let left = if at_foot { &foot.jacobian } else { &ahead.jacobian };
            match self.matrix.system.factor(&foot.jacobian, left, foot.matrix.shifts().unwrap_or(&[])) {
                Ok(()) => return Ok(()),
                Err(error) if error.index < n => return Err(of_kick(error)),
                Err(error) if foot.is_soft() => {
                    return Err(ForceError::Singular { matrix: OF_ROWS, error });
                }
                Err(_) => foot.stand(true),
            }
        }
    }
}

/// The unknowns u and x of a step with a held kick, whose residual at u and largest term are known.
struct Held<'k, 's, 'q> {
    kick: &'k mut HeldKick<'s>,
    passage: Passage<'q>,
    u: &'k mut [f64],
    factored: bool,
    begun: bool,
    error: f64,
    size: f64,
}

impl Held<'_, '_, '_> {
    fn evaluate(&mut self, foot: &Foot, with_derivatives: bool) {
        let Passage { span, at, .. } = self.passage;
        let known = self.kick.evaluate(foot, (span.q, self.u, at), self.passage.c(), with_derivatives);
        (self.error, self.size) = known;
    }

    /// The residual relative to the largest term.
    fn of_kick(&self) -> f64 {
        if self.error == 0.0 { 0.0 } else { self.error / self.size }
    }
}

impl<S: Constrained + ?Sized> Form<S> for Held<'_, '_, '_> {
    fn place(&mut self, manifold: &mut Manifold<'_, S>, q: &mut [f64]) -> Attempt<f64> {
        let Span { q: from, h, .. } = self.passage.span;
        for ((q, from), u) in q.iter_mut().zip(from).zip(&*self.u) {
            *q = from + h * u;
        }
        self.evaluate(&manifold.foot, !self.factored && self.kick.matrix.linear.is_none());
        Ok(self.of_kick())
    }

    fn prepare(&mut self, manifold: &mut Manifold<'_, S>, q: &[f64], fast: bool, looked: bool) -> Attempt {
        if fast && self.factored {
            return Ok(());
        }
        if self.factored {
            self.evaluate(&manifold.foot, true);
        } else if self.begun && !looked {
            manifold.look(q, self.passage.span.end);
        }
        let at_foot = !self.factored && !self.begun;
        self.factored = true;
        self.kick.factor(manifold, self.passage.c(), at_foot)
    }

    fn correct(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        q: &mut [f64],
        (of_rows, stopped): (f64, bool),
        judgement: &Judgement,
    ) -> bool {
        let (h, HeldKick { matrix, residual, x, correction, rows, .. }) =
            (self.passage.span.h, &mut *self.kick);
        scale(1.0 / h, &manifold.ahead.values, rows);
        matrix.system.solve(rows, residual, correction);
        if stopped
            && manifold.foot.is_soft()
            && is_out_of_reach((of_rows, judgement.is_patient()), h, residual, q)
        {
            return true;
        }
        self.u.iter_mut().zip(&*residual).for_each(|(u, correction)| *u += correction);
        x.iter_mut().zip(&*correction).for_each(|(x, correction)| *x += correction);
        false
    }

    fn multipliers(&self) -> Option<&[f64]> {
        Some(&self.kick.x)
    }

    fn is_rounding(&mut self, foot: &Foot, tolerance: f64) -> bool {
        if self.of_kick() <= tolerance {
            return true;
        }
        let (error, u) = (self.error, std::mem::take(&mut self.u));
        let mut rounding = std::mem::take(&mut self.kick.rounding);
        let found = rounding.explains(error, &mut Kicks { held: self, foot }, u);
        (self.u, self.kick.rounding) = (u, rounding);
        self.evaluate(foot, false);
        found
    }

    #[cold]
    fn not_converged(&self, judgement: &Judgement) -> Option<ForceError> {
        let (mut index, mut correction) = (0, 0.0);
        let HeldKick { residual, drag, .. } = &*self.kick;
        for (i, (residual, reciprocal)) in residual.iter().zip(&drag.reciprocals).enumerate() {
            let size = (residual * reciprocal).abs();
            if size > correction {
                (index, correction) = (i, size);
            }
        }
        let (unknown, iterations) = ("the velocities between two kicks", judgement.iterations);
        let tolerance = judgement.tolerance * self.size;
        Some(ForceError::NotConverged { unknown, iterations, correction, index, tolerance })
    }
}

/// The equations of the velocities; a residual is measured as a velocity.
struct Kicks<'h, 'k, 's, 'q> {
    held: &'h mut Held<'k, 's, 'q>,
    foot: &'h Foot,
}

impl Measured for Kicks<'_, '_, '_, '_> {
    fn unknown(&self) -> Unknown<'_> {
        Unknown { name: "the velocities", base: &[], weight: 1.0 }
    }

    fn evaluate(&mut self, u: &[f64], residual: &mut [f64]) {
        let Held { kick, passage, .. } = &mut *self.held;
        kick.evaluate(self.foot, (passage.span.q, u, passage.at), passage.c(), false);
        residual.copy_from_slice(&kick.residual);
    }

    fn size(&mut self, residual: &mut [f64]) -> f64 {
        largest_product(residual, &self.held.kick.drag.reciprocals)
    }
}
