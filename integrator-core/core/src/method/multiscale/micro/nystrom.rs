//! Nyström's method of order 4: twelve micro-steps replace 160 of Verlet.

use super::{Accelerations, Micro, MicroSolver};
use crate::carried::carried;
use crate::error::Begun;
use crate::method::averages::Averages;
use crate::method::multiscale::error::MicroError;
use crate::method::multiscale::window::Window;
use crate::method::report::Evaluations;
use crate::system::Vibrated;

/// Nyström's method of order 4, as a micro-solver.
///
/// # Scheme
/// With the acceleration a(q, θ), from a₀ at (q, v, θ):
///
/// ```text
/// a₁ = a(q + ½ h v + ⅛ h² a₀, θ + ½ ω h),  a₂ = a(q + h v + ½ h² a₁, θ + ω h),
/// q⁺ = q + h v + ⅙ h² (a₀ + 2 a₁),         v⁺ = v + ⅙ h (a₀ + 4 a₁ + a₂).
/// ```
///
/// The filter averages a on the micro-grid alone, three evaluations a micro-step. Twelve micro-steps in
/// a period replace 160 of Verlet: the relative error of the force of a ripple is 8·10⁻⁵, instead of
/// 1.3·10⁻⁴.
///
/// # Reference
/// E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, section II.14, table
/// 14.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Nystrom;

impl MicroSolver for Nystrom {
    const ORDER: u32 = 4;

    fn prepare<'s, S: Vibrated + ?Sized>(&self, system: &'s S) -> Begun<Box<dyn Micro + 's>> {
        let zero = vec![0.0; system.dimension()];
        let (start, middle, end, stage) = (zero.clone(), zero.clone(), zero.clone(), zero.clone());
        let (first, q, v) = (zero.clone(), zero.clone(), zero);
        let accelerations = Accelerations::new(system)?;
        Ok(Box::new(MicroNystrom { accelerations, q, v, first, start, middle, end, stage }))
    }
}

struct MicroNystrom<'s, S: ?Sized> {
    accelerations: Accelerations<'s, S>,
    q: Vec<f64>,
    v: Vec<f64>,
    /// The acceleration at the centre of the window.
    first: Vec<f64>,
    /// a₀, a₁ and a₂ of a micro-step.
    start: Vec<f64>,
    middle: Vec<f64>,
    end: Vec<f64>,
    stage: Vec<f64>,
}

impl<S: Vibrated + ?Sized> Micro for MicroNystrom<'_, S> {
    fn follow(
        &mut self,
        q: &[f64],
        (t, theta): (f64, f64),
        window: &Window,
        sides: &[f64],
        averages: &mut Averages,
    ) -> Result<(), MicroError> {
        let Self { accelerations, q: x, v, first, start: a0, middle: a1, end: a2, stage } = self;
        accelerations.at(q, (t, theta), first)?;
        for (average, entry) in averages.acceleration.iter_mut().zip(&*first) {
            *average += sides.len() as f64 * window.share() * entry;
        }
        for &direction in sides {
            let h = direction * window.step;
            x.copy_from_slice(q);
            v.copy_from_slice(&averages.velocity);
            a0.copy_from_slice(first);
            for (k, weight) in window.side.iter().enumerate() {
                let (half, whole) =
                    (theta + window.half_turn(k, direction), theta + window.turn(k + 1, direction));
                for (stage, ((x, v), a0)) in stage.iter_mut().zip(x.iter().zip(&*v).zip(&*a0)) {
                    *stage = x + 0.5 * h * (v + 0.25 * h * a0);
                }
                accelerations.at(stage, (t, half), a1)?;
                for (stage, ((x, v), a1)) in stage.iter_mut().zip(x.iter().zip(&*v).zip(&*a1)) {
                    *stage = x + h * (v + 0.5 * h * a1);
                }
                accelerations.at(stage, (t, whole), a2)?;
                let stages = a0.iter().zip(&*a1).zip(&*a2);
                for ((x, v), ((a0, a1), a2)) in x.iter_mut().zip(v.iter_mut()).zip(stages) {
                    *x += h * (*v + h / 6.0 * (a0 + 2.0 * a1));
                    *v += h / 6.0 * (a0 + 4.0 * a1 + a2);
                }
                accelerations.at(x, (t, whole), a0)?;
                for (average, a) in averages.acceleration.iter_mut().zip(&*a0) {
                    *average += weight * a;
                }
            }
        }
        Ok(())
    }

    fn evaluations(&self) -> Evaluations {
        self.accelerations.evaluations
    }
}

carried!([S: ?Sized] MicroNystrom<'_, S> {
    accelerations
} besides { q, v, first, start, middle, end, stage });
