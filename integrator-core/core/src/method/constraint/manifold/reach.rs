//! The position of a step: Newton's method for g(q, t) = 0, the one of all constrained steps.

use super::Manifold;
use crate::method::constraint::foot::Foot;
use crate::method::constraint::judgement::{Judgement, Verdict};
use crate::method::constraint::leap::FAR;
use crate::method::constraint::vectors::{largest_product, scale};
use crate::method::force_error::{Attempt, ForceError};
use crate::method::newton::Newton;
use crate::system::Constrained;

/// The foot of a step with its velocity, the length of the step, and the time at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span<'q> {
    pub(crate) q: &'q [f64],
    pub(crate) v: &'q [f64],
    pub(crate) h: f64,
    pub(crate) end: f64,
}

/// The unknowns that move the positions, and the equations for them beside g = 0.
pub(in crate::method::constraint) trait Form<S: ?Sized> {
    /// False if another form takes over where an iteration needs a matrix of its own.
    const RENEWS: bool = true;

    /// Moves q to the iterate; returns the largest residual of the equations beside g = 0.
    fn place(&mut self, manifold: &mut Manifold<'_, S>, q: &mut [f64]) -> Attempt<f64>;

    /// True if this iterate may be the last: g and its derivatives cost little more than g.
    fn may_end(&self, judgement: &Judgement) -> bool {
        judgement.may_end()
    }

    /// Factors the matrix where there is none, or the iteration is not fast: at the iterate q, if g has
    /// been `looked` at there or is now.
    fn prepare(&mut self, _: &mut Manifold<'_, S>, _q: &[f64], _fast: bool, _looked: bool) -> Attempt {
        Ok(())
    }

    /// Corrects the unknowns by the residuals; tells the largest of g, and if it has stopped falling.
    ///
    /// True if the correction then is no motion: the iterate is the solution.
    fn correct(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        q: &mut [f64],
        residual: (f64, bool),
        judgement: &Judgement,
    ) -> bool;

    /// The multipliers, if they are not the impulse of the manifold.
    fn multipliers(&self) -> Option<&[f64]> {
        None
    }

    /// True if the residual of the equations beside g = 0 is accepted or rounding.
    fn is_rounding(&mut self, _foot: &Foot, _tolerance: f64) -> bool {
        true
    }

    /// The failure where these equations, and not the rows, do not converge.
    fn not_converged(&self, _judgement: &Judgement) -> Option<ForceError> {
        None
    }
}

impl<S: Constrained + ?Sized> Manifold<'_, S> {
    /// Solves g(q + M⁻¹ Gᵀ x, t) = 0 for x, with G at the foot, and moves q there; the foot may then
    /// [advance](Self::advance).
    ///
    /// Begins with x = `factor` λ, where λ are the multipliers of an earlier step or zero.
    ///
    /// Newton's method with the matrix of the foot, which differs from its own by O(h); an iteration
    /// that gains less than a factor of ten gets its own matrix G(q) M⁻¹ Gᵀ. A foot without factors gets
    /// none at first: the matrix of the first iterate is nearer to the solution. Far from the manifold
    /// the matrix of the foot is safer, and is tried next. Accepts `|g_c| ≤ tolerance · s_c` for every
    /// c; once the residual stops falling, 64 round-off units instead of the tolerance, or the rounding
    /// of g nearby.
    ///
    /// No constraint may turn by a right angle on the way: its force would push to the wrong side, and
    /// the position would be on another branch of the manifold. Nor may it
    /// [leap](crate::method::constraint::leap).
    pub(crate) fn reach(
        &mut self,
        q: &mut [f64],
        span: Span<'_>,
        guess: (f64, &[f64]),
        newton: Newton,
    ) -> Attempt {
        self.begin(span)?;
        if !self.foot.settled {
            self.foot.stand(false);
            self.doubts.start.copy_from_slice(q);
            if self.correct_from(q, span, guess, newton).is_ok() {
                return Ok(());
            }
            q.copy_from_slice(&self.doubts.start);
            self.settle_in_step()?;
        }
        self.correct_from(q, span, guess, newton)
    }

    /// Measures the rows for a position stage. Factors at the foot if rows depended on each other at the
    /// start: between two positions the dependence may not show.
    pub(in crate::method::constraint) fn begin(&mut self, Span { q, v, h, .. }: Span<'_>) -> Attempt {
        let (_, n) = self.sizes();
        self.sizes.measure((&self.foot.pattern, &self.foot.jacobian), (&q[..n], &v[..n]), h);
        self.doubts.predicted.clear();
        if self.warning.is_some() && !self.foot.settled { self.settle_in_step() } else { Ok(()) }
    }

    /// Newton's method from q + M⁻¹ Gᵀ x with x = `factor` λ, with the factors of the foot, if any.
    fn correct_from(
        &mut self,
        q: &mut [f64],
        span: Span<'_>,
        (factor, multipliers): (f64, &[f64]),
        newton: Newton,
    ) -> Attempt {
        let (m, n) = self.sizes();
        let (q, Self { foot, impulse, .. }) = (&mut q[..n], &mut *self);
        let impulse = &mut impulse[..m];
        scale(factor, multipliers, impulse);
        if foot.settled && foot.is_soft() {
            foot.remove_null(impulse);
        }
        foot.matrix.add_motion(impulse, q);
        // A soft matrix must belong to the iterate: off the manifold the foot's matrix would leave a
        // part of the residual to be divided by δ.
        let factored = foot.settled && !foot.is_soft();
        let mut judgement = Judgement::new(newton);
        self.iterate(&mut Impulse { factored, end: span.end }, q, span, &mut judgement).map(drop)
    }

    /// Newton's method for the unknowns of a form; false if another form takes over.
    pub(in crate::method::constraint) fn iterate<F: Form<S>>(
        &mut self,
        form: &mut F,
        q: &mut [f64],
        span: Span<'_>,
        judgement: &mut Judgement,
    ) -> Attempt<bool> {
        let (m, n) = self.sizes();
        let (q, t) = (&mut q[..n], span.end);
        loop {
            let beside = form.place(self, q)?;
            let last = form.may_end(judgement);
            if last {
                self.look(q, t);
            } else {
                self.evaluations.constraints += 1;
                self.system.constraint_values(q, t, &mut self.ahead.values[..m]);
            }
            let of_rows = largest_product(&self.ahead.values[..m], &self.sizes.reciprocals[..m]);
            if of_rows > FAR {
                self.look_for_jumps(q, span)?;
            }
            let residual = if of_rows.is_nan() || beside <= of_rows { of_rows } else { beside };
            let stopped = judgement.has_stopped(residual);
            let mut verdict = judgement.judge(residual);
            if let Verdict::Slow | Verdict::Exhausted = verdict {
                if !F::RENEWS {
                    return Ok(false);
                }
                if self.is_noise(form, (of_rows, stopped), (verdict, judgement), (q, t)) {
                    verdict = Verdict::Accepted;
                }
            }
            let looked = last || verdict != Verdict::Fast;
            if looked && !last {
                self.look(q, t);
            }
            match verdict {
                Verdict::Accepted => return self.on_this_branch(q, span).map(|()| true),
                Verdict::Fast | Verdict::Slow => form.prepare(self, q, verdict == Verdict::Fast, looked)?,
                Verdict::NotFinite => return Err(self.not_finite(q)),
                Verdict::Exhausted => return Err(self.not_converged(form, judgement, q)),
            }
            if form.correct(self, q, (of_rows, stopped), judgement) {
                return Ok(true);
            }
            self.evaluations.iterations += 1;
            judgement.iterations += 1;
        }
    }

    #[cold]
    fn not_converged(&self, form: &impl Form<S>, judgement: &Judgement, q: &[f64]) -> ForceError {
        let of_rows = self.not_kept(judgement);
        of_rows.or_else(|| form.not_converged(judgement)).unwrap_or_else(|| self.not_finite(q))
    }
}

/// The unknown is the impulse of the manifold, which moves q by M⁻¹ Gᵀ x.
struct Impulse {
    factored: bool,
    end: f64,
}

impl<S: Constrained + ?Sized> Form<S> for Impulse {
    fn place(&mut self, _: &mut Manifold<'_, S>, _: &mut [f64]) -> Attempt<f64> {
        Ok(0.0)
    }

    fn prepare(&mut self, manifold: &mut Manifold<'_, S>, q: &[f64], fast: bool, looked: bool) -> Attempt {
        if fast && self.factored {
            return Ok(());
        }
        if !looked {
            manifold.look(q, self.end);
        }
        self.factored = true;
        let Manifold { foot, ahead, evaluations, .. } = manifold;
        foot.factor(&ahead.jacobian, evaluations).map_err(|zero| foot.singular(zero))
    }

    fn correct(
        &mut self,
        manifold: &mut Manifold<'_, S>,
        q: &mut [f64],
        _: (f64, bool),
        _: &Judgement,
    ) -> bool {
        let (m, _) = manifold.sizes();
        let Manifold { foot, ahead, multipliers, impulse, .. } = manifold;
        let multipliers = &mut multipliers[..m];
        foot.matrix.correct(&ahead.values[..m], multipliers, q);
        impulse[..m].iter_mut().zip(multipliers).for_each(|(sum, multiplier)| *sum += *multiplier);
        false
    }
}
