//! Verlet in its leap-frog form: v_½ = v₀ + ½ h a₀, then q_{k+1} = q_k + h v_{k+½}, v_{k+3/2} = v_{k+½} + h a_{k+1}; backwards with −h.

use super::{Micro, sides};
use crate::error::StartError;
use crate::method::Evaluations;
use crate::method::mass_solver::MassSolver;
use crate::method::multiscale::averages::Averages;
use crate::method::multiscale::error::MicroError;
use crate::method::multiscale::window::Window;
use crate::system::Vibrated;

/// The fast motion without constraints.
#[derive(Debug)]
pub(in crate::method::multiscale) struct MicroVerlet<'s, S: ?Sized> {
    pub(in crate::method::multiscale) system: &'s S,
    mass: MassSolver,
    q: Vec<f64>,
    v: Vec<f64>,
    first: Vec<f64>,
    a: Vec<f64>,
    gradients: u64,
}

impl<'s, S: Vibrated + ?Sized> MicroVerlet<'s, S> {
    pub(in crate::method::multiscale) fn new(system: &'s S) -> Result<Self, StartError> {
        let zero = vec![0.0; system.dimension()];
        let mass = MassSolver::new(system, system.mass())?;
        Ok(Self {
            system,
            mass,
            q: zero.clone(),
            v: zero.clone(),
            first: zero.clone(),
            a: zero,
            gradients: 0,
        })
    }
}

/// M⁻¹ f at the phase, written over `a`.
fn acceleration<S: Vibrated + ?Sized>(
    system: &S,
    mass: &mut MassSolver,
    q: &[f64],
    t: f64,
    theta: f64,
    a: &mut [f64],
) -> Result<(), MicroError> {
    system.gradient_at_phase(q, t, theta, a);
    a.iter_mut().for_each(|entry| *entry = -*entry);
    Ok(mass.apply(a)?)
}

impl<S: Vibrated + ?Sized> Micro for MicroVerlet<'_, S> {
    fn follow(
        &mut self,
        q: &[f64],
        t: f64,
        theta: f64,
        window: &Window,
        averages: &mut Averages,
    ) -> Result<(), MicroError> {
        let Self { system, mass, q: x, v, first, a, gradients } = self;
        acceleration(*system, mass, q, t, theta, first)?;
        for (average, entry) in averages.acceleration.iter_mut().zip(&*first) {
            *average += window.centre * entry;
        }
        *gradients += 1 + window.steps();
        for &direction in sides(window) {
            let h = direction * window.step;
            let known = q.iter().zip(&averages.velocity).zip(&*first);
            for ((x, v), ((q, start), first)) in x.iter_mut().zip(v.iter_mut()).zip(known) {
                *v = start + 0.5 * h * first;
                *x = q + h * *v;
            }
            for (k, weight) in window.side.iter().enumerate() {
                acceleration(*system, mass, x, t, theta + window.turn(k + 1, direction), a)?;
                // The kick and the drift after the last point lead nowhere, and cost less than a question.
                for ((average, a), (x, v)) in
                    averages.acceleration.iter_mut().zip(&*a).zip(x.iter_mut().zip(v.iter_mut()))
                {
                    *average += weight * a;
                    *v += h * a;
                    *x += h * *v;
                }
            }
        }
        Ok(())
    }

    fn force(&self, acceleration: &[f64], force: &mut [f64]) {
        self.system.mass().multiply(acceleration, force);
    }

    fn evaluations(&self) -> Evaluations {
        Evaluations { gradients: self.gradients, ..Evaluations::default() }
    }
}
