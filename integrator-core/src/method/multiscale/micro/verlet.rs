//! Verlet in its leap-frog form: v_½ = v₀ + ½ h a₀, then q_{k+1} = q_k + h v_{k+½}, v_{k+3/2} = v_{k+½} + h a_{k+1}; backwards with −h.

use super::{Micro, MicroSolver, acceleration, sides};
use crate::error::StartError;
use crate::method::mass_solver::MassSolver;
use crate::method::multiscale::averages::Averages;
use crate::method::multiscale::error::MicroError;
use crate::method::multiscale::window::Window;
use crate::method::{Evaluations, Verlet};
use crate::system::Vibrated;

impl MicroSolver for Verlet {
    const ORDER: u32 = 2;

    fn prepare<'s, S: Vibrated + ?Sized>(&self, system: &'s S) -> Result<Box<dyn Micro + 's>, StartError> {
        let zero = vec![0.0; system.dimension()];
        let (first, q, v, a) = (zero.clone(), zero.clone(), zero.clone(), zero);
        let mass = MassSolver::new(system, system.mass())?;
        Ok(Box::new(MicroVerlet { system, mass, q, v, first, a, gradients: 0 }))
    }
}

struct MicroVerlet<'s, S: ?Sized> {
    system: &'s S,
    mass: MassSolver,
    q: Vec<f64>,
    v: Vec<f64>,
    first: Vec<f64>,
    a: Vec<f64>,
    gradients: u64,
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

impl<S: ?Sized> std::fmt::Debug for MicroVerlet<'_, S> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MicroVerlet").finish_non_exhaustive()
    }
}
