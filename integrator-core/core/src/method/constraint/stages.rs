//! The stages of a step under constraints: the kick, the drift and the position stage, and the second
//! half of the kick with the velocity stage.
//!
//! Half of the kick by a force that depends on the velocity is implicit, and joins the position stage;
//! no other stage knows it.

use super::held::{HeldKick, Passage};
use super::judgement::Judgement;
use super::manifold::Manifold;
use super::sweep::Sweeps;
use super::vectors::{add_kick, check_all, kick_and_drift, scale};
use crate::carried::{Carried, CarryError, Memory, carried, part};
use crate::error::Begun;
use crate::method::applied::{Applied, Instant, takes_inputs};
use crate::method::force_error::Attempt;
use crate::method::newton::Newton;
use crate::method::scheme::RowScheme;
use crate::system::{Constrained, State};

/// The stages on a manifold, with accelerations a = M⁻¹ f by forces of the position and drag M⁻¹ F by
/// forces of the velocity.
pub(crate) struct Stages<'s, S: ?Sized> {
    pub(crate) manifold: Manifold<'s, S>,
    newton: Newton,
    drag: Option<Box<DragStage<'s>>>,
}

/// The kicks by forces that depend on velocities.
struct DragStage<'s> {
    kick: HeldKick<'s>,
    /// The length of the last part of a step.
    h: f64,
    /// M⁻¹ F at the state, and at the next one.
    own: Vec<f64>,
    next: Vec<f64>,
    /// a + M⁻¹ F at the next state.
    free: Vec<f64>,
}

impl<'s, S: Constrained + ?Sized> Stages<'s, S> {
    /// For steps of size `step` from `state` on.
    pub(crate) fn new(
        mut manifold: Manifold<'s, S>,
        newton: Newton,
        state: &State,
        step: f64,
    ) -> Begun<Self> {
        let drag = match manifold.applied {
            Applied::OfVelocity(forced) => {
                let kick = HeldKick::new(&mut manifold, forced, state, step)?;
                let [own, next, free] = std::array::from_fn(|_| vec![0.0; state.q.len()]);
                Some(Box::new(DragStage { kick, h: step, own, next, free }))
            }
            Applied::OfPosition | Applied::None => None,
        };
        Ok(Self { manifold, newton, drag })
    }

    /// The equations for steps in lanes, without forces beside −∇V.
    pub(crate) fn in_lanes(&self) -> Option<RowScheme<'_>> {
        self.manifold.in_lanes(self.newton)
    }

    /// The kick, the drift, and the position stage, from the multipliers λ of the beginning: writes q,
    /// and the velocity v that leads there; the foot may then advance.
    ///
    /// Writes over `impulse` the x of the constraint forces M⁻¹ Gᵀ x in v.
    #[inline]
    pub(crate) fn pass(
        &mut self,
        passage: Passage<'_>,
        (multipliers, impulse): (&[f64], &mut [f64]),
        (q, v): (&mut [f64], &mut [f64]),
    ) -> Attempt {
        if self.drag.is_some() {
            return self.pass_with_drag(passage, (multipliers, impulse), (q, v));
        }
        let (Self { manifold, newton, .. }, Passage { span, kick, a, .. }) = (self, passage);
        kick_and_drift((kick, span.h), (span.q, span.v), a, (q, v));
        manifold.reach(q, span, (kick * span.h, multipliers), *newton)?;
        scale(1.0 / span.h, manifold.impulse(), impulse);
        manifold.add_motion(impulse, v);
        Ok(())
    }

    /// [`Self::pass`] with half of a drag.
    ///
    /// [Sweeps](super::sweep) with the factors of the foot come first. If forces change too much for
    /// them, Newton's method follows, with K and G₀ at the first iterate; an iteration that gains less
    /// than a factor of ten gets the matrices of its own iterate. Positions are accepted and refused as
    /// in [`reach`](Manifold::reach); v is accepted when no equation of the kick is off by more than the
    /// tolerance times the largest velocity from any force.
    fn pass_with_drag(
        &mut self,
        passage: Passage<'_>,
        (multipliers, impulse): (&[f64], &mut [f64]),
        (q, v): (&mut [f64], &mut [f64]),
    ) -> Attempt {
        let Self { manifold, newton, drag: Some(stage) } = self else { return Ok(()) };
        let (DragStage { kick, h, own, .. }, span) = (&mut **stage, passage.span);
        *h = span.h;
        kick.begin(&mut manifold.foot, (passage, own), multipliers, v);
        manifold.begin(span)?;
        let mut judgement = Judgement::new(*newton);
        let swept = match Sweeps::begin(kick, manifold, (passage, own), v) {
            Some(mut sweeps) => manifold.iterate(&mut sweeps, q, span, &mut judgement)?,
            None => false,
        };
        if !swept {
            kick.iterate(manifold, passage, (q, v), &mut judgement)?;
        }
        impulse.copy_from_slice(&kick.x);
        Ok(())
    }

    /// Makes multipliers of the impulse of the last kick κ.
    pub(crate) fn divide(&self, kick: f64, impulse: &mut [f64]) {
        match self.drag {
            None => impulse.iter_mut().for_each(|x| *x /= kick),
            Some(_) => impulse.iter_mut().for_each(|x| *x *= 1.0 / kick),
        }
    }

    /// The impulse of the last passage, times its length, for linear maps.
    pub(crate) fn write_impulse(&self, x: &mut [f64]) {
        match &self.drag {
            None => x.copy_from_slice(self.manifold.impulse()),
            Some(drag) => scale(drag.h, &drag.kick.x, x),
        }
    }

    /// The second half of the kick, c (a + M⁻¹ F) with F at the velocity between the positions, and the
    /// velocity stage at the foot.
    #[inline]
    pub(crate) fn finish(&mut self, c: f64, a: &[f64], (q, v, t): (&[f64], &mut [f64], f64)) -> Attempt {
        match &mut self.drag {
            None => add_kick(c, a, v),
            Some(stage) => {
                let (h, HeldKick { drag, f, .. }) = (stage.h, &mut stage.kick);
                // A force of the velocity alone is equal at both ends.
                if !drag.of_velocity {
                    drag.accelerate(&mut self.manifold.foot, (q, v, Instant::end(t, h)), f);
                }
                v.iter_mut().zip(a.iter().zip(f)).for_each(|(v, (a, f))| *v += c * (a + *f));
            }
        }
        self.manifold.make_tangent(q, v, t);
        check_all(v)
    }

    /// The multipliers of a state at the foot, and the drag there, which [`keep`](Self::keep) keeps;
    /// false if it has none.
    pub(crate) fn multipliers(
        &mut self,
        (q, v, t): (&[f64], &[f64], f64),
        a: &[f64],
        multipliers: &mut [f64],
    ) -> bool {
        let Some(stage) = &mut self.drag else { return self.manifold.multipliers((q, v, t), a, multipliers) };
        let DragStage { kick: HeldKick { drag, .. }, next, free, .. } = &mut **stage;
        drag.evaluate(&mut self.manifold.foot, (q, v, Instant::at(t)), next);
        for ((next, free), (a, factor)) in next.iter_mut().zip(&mut *free).zip(a.iter().zip(&drag.factors)) {
            *next *= factor;
            *free = a + *next;
        }
        self.manifold.multipliers((q, v, t), free, multipliers)
    }

    /// The last state becomes the one of the next passage.
    pub(crate) fn keep(&mut self) {
        if let Some(DragStage { own, next, .. }) = self.drag.as_deref_mut() {
            std::mem::swap(own, next);
        }
    }

    /// Takes the drag at the beginning of a passage.
    pub(crate) fn stand(&mut self, (q, v, t): (&[f64], &[f64], f64)) {
        if let Some(DragStage { kick, own, .. }) = self.drag.as_deref_mut() {
            kick.drag.accelerate(&mut self.manifold.foot, (q, v, Instant::at(t)), own);
        }
    }

    /// The acceleration of a whole kick at a position: a with half of the drag at the velocity v before,
    /// in `lagged`. The other half joins the passage.
    pub(crate) fn lag<'a>(
        &mut self,
        (q, v, t): (&[f64], &[f64], f64),
        h: f64,
        a: &'a [f64],
        lagged: &'a mut [f64],
    ) -> &'a [f64] {
        let Self { manifold, drag: Some(stage), .. } = self else { return a };
        let DragStage { kick: HeldKick { drag, .. }, own, .. } = &mut **stage;
        drag.accelerate(&mut manifold.foot, (q, v, Instant::end(t, h)), lagged);
        if takes_inputs(manifold.system()) {
            drag.accelerate(&mut manifold.foot, (q, v, Instant::at(t)), own);
        } else {
            own.copy_from_slice(lagged);
        }
        lagged.iter_mut().zip(a).for_each(|(lagged, a)| *lagged = a + 0.5 * *lagged);
        lagged
    }
}

/// The drag belongs to the state.
impl<S: Constrained + ?Sized> Carried for Stages<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.manifold.carry(memory)?;
        part(self.drag.as_deref_mut(), memory)
    }
}

carried!([] DragStage<'_> { own } besides { kick, h, next, free });
