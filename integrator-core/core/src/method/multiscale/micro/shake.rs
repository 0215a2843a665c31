//! SHAKE in position–velocity form, at fixed slow time:
//!
//! ```text
//! M v_½ = M v₀ + ½ h (f₀ + G₀ᵀ λ₀),  M v_{k+½} = M v_{k−½} + h (f_k + G_kᵀ λ_k),
//! q_{k+1} = q_k + h v_{k+½},  g(q_{k+1}) = 0,
//! ```
//!
//! backwards with −h. The multiplier of a point belongs to the step away from it, so the last point
//! takes one more step, which is not counted. The centre of a window takes the mean of its two
//! multipliers, one for each side.

use super::Micro;
use crate::carried::{Carried, CarryError, Memory};
use crate::error::Begun;
use crate::method::averages::Averages;
use crate::method::constraint::{Manifold, Span, scale};

use crate::method::force_error::Attempt;
use crate::method::multiscale::error::MicroError;
use crate::method::multiscale::window::Window;
use crate::method::newton::Newton;
use crate::method::report::Evaluations;
use crate::system::{Holonomic, Vibrated};

/// In a micro-step constraints move the positions by h² λ/m, of size 1/ω: solve them to rounding.
const NEWTON: Newton = Newton { tolerance: 0.25 * f64::EPSILON, iterations: 50 };

pub(in crate::method::multiscale) struct MicroShake<'s, S: ?Sized> {
    manifold: Manifold<'s, S>,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    next: Vec<f64>,
    multipliers: Vec<f64>,
}

impl<'s, S: Vibrated + Holonomic + ?Sized> MicroShake<'s, S> {
    pub(in crate::method::multiscale) fn new(system: &'s S) -> Begun<Self> {
        let [q, v, a, next] = std::array::from_fn(|_| vec![0.0; system.dimension()]);
        let multipliers = vec![0.0; system.constraints()];
        Ok(Self { manifold: Manifold::new(system)?, q, v, a, next, multipliers })
    }

    /// One step away from `self.q` with the kick κ and the drift h; adds the acceleration and the
    /// multipliers there to the averages.
    fn step(
        &mut self,
        (t, theta): (f64, f64),
        (kick, h): (f64, f64),
        weight: f64,
        averages: &mut Averages,
    ) -> Attempt {
        let Self { manifold, q, v, a, next, multipliers } = self;
        manifold.evaluations.gradients += 1;
        manifold.system().gradient_at_phase(q, t, theta, a);
        manifold.apply_negative_inverse_mass(a);
        for ((next, q), (v, a)) in next.iter_mut().zip(&*q).zip(v.iter().zip(&*a)) {
            *next = q + h * (v + kick * a);
        }
        let guess = (kick * h, &multipliers[..]);
        manifold.reach(next, Span { q, v, h, end: t }, guess, NEWTON)?;
        scale(1.0 / (kick * h), manifold.impulse(), multipliers);
        manifold.add_motion(multipliers, a);
        for ((average, a), v) in averages.acceleration.iter_mut().zip(&*a).zip(v.iter_mut()) {
            *average += weight * a;
            *v += kick * a;
        }
        for (average, multiplier) in averages.multipliers.iter_mut().zip(&*multipliers) {
            *average += weight * multiplier;
        }
        Ok(())
    }
}

impl<S: Vibrated + Holonomic + ?Sized> Micro for MicroShake<'_, S> {
    fn follow(
        &mut self,
        q: &[f64],
        (t, theta): (f64, f64),
        window: &Window,
        sides: &[f64],
        averages: &mut Averages,
    ) -> Result<(), MicroError> {
        let at = |micro_step| move |error| MicroError { error, micro_step: Some(micro_step) };
        for &direction in sides {
            let h = direction * window.step;
            self.manifold.evaluate(q, t);
            self.manifold.settle_in_step().map_err(at(0))?;
            self.q.copy_from_slice(q);
            self.v.copy_from_slice(&averages.velocity);
            self.manifold.remove_normal(&mut self.v);
            averages.velocity.copy_from_slice(&self.v);
            self.multipliers.fill(0.0);
            self.step((t, theta), (0.5 * h, h), window.share(), averages).map_err(at(1))?;
            for (k, &weight) in window.side.iter().enumerate() {
                std::mem::swap(&mut self.q, &mut self.next);
                self.manifold.advance().map_err(at(k + 1))?;
                let theta = theta + window.turn(k + 1, direction);
                self.step((t, theta), (h, h), weight, averages).map_err(at(k + 2))?;
            }
        }
        Ok(())
    }

    fn evaluations(&self) -> Evaluations {
        self.manifold.evaluations
    }
}

/// Each window begins anew.
impl<S: ?Sized> Carried for MicroShake<'_, S> {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        self.manifold.evaluations.carry(memory)
    }
}
