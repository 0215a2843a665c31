//! Verlet in leap-frog form: v_½ = v₀ + ½ h a₀, then q_{k+1} = q_k + h v_{k+½}, v_{k+3/2} = v_{k+½} + h
//! a_{k+1}; backwards with −h.

use super::{Accelerations, Micro, MicroSolver};
use crate::carried::carried;
use crate::error::Begun;
use crate::method::averages::Averages;
use crate::method::multiscale::error::MicroError;
use crate::method::multiscale::window::Window;
use crate::method::report::Evaluations;
use crate::method::verlet::Verlet;
use crate::system::Vibrated;

impl MicroSolver for Verlet {
    const ORDER: u32 = 2;

    fn prepare<'s, S: Vibrated + ?Sized>(&self, system: &'s S) -> Begun<Box<dyn Micro + 's>> {
        let zero = vec![0.0; system.dimension()];
        let (first, q, v, a) = (zero.clone(), zero.clone(), zero.clone(), zero);
        Ok(Box::new(MicroVerlet { accelerations: Accelerations::new(system)?, q, v, first, a }))
    }
}

struct MicroVerlet<'s, S: ?Sized> {
    accelerations: Accelerations<'s, S>,
    q: Vec<f64>,
    v: Vec<f64>,
    first: Vec<f64>,
    a: Vec<f64>,
}

impl<S: Vibrated + ?Sized> Micro for MicroVerlet<'_, S> {
    fn follow(
        &mut self,
        q: &[f64],
        (t, theta): (f64, f64),
        window: &Window,
        sides: &[f64],
        averages: &mut Averages,
    ) -> Result<(), MicroError> {
        let Self { accelerations, q: x, v, first, a } = self;
        // Some types know this length.
        let n = accelerations.system.dimension();
        let (q, x, v, first, a) = (&q[..n], &mut x[..n], &mut v[..n], &mut first[..n], &mut a[..n]);
        accelerations.at(q, (t, theta), first)?;
        for (average, entry) in averages.acceleration[..n].iter_mut().zip(&*first) {
            *average += sides.len() as f64 * window.share() * entry;
        }
        for &direction in sides {
            let h = direction * window.step;
            let known = q.iter().zip(&averages.velocity[..n]).zip(&*first);
            for ((x, v), ((q, start), first)) in x.iter_mut().zip(v.iter_mut()).zip(known) {
                *v = start + 0.5 * h * first;
                *x = q + h * *v;
            }
            for (k, weight) in window.side.iter().enumerate() {
                accelerations.at(x, (t, theta + window.turn(k + 1, direction)), a)?;
                // The kick and the drift after the last point are useless, but cheaper than a branch.
                for ((average, a), (x, v)) in
                    averages.acceleration[..n].iter_mut().zip(&*a).zip(x.iter_mut().zip(v.iter_mut()))
                {
                    *average += weight * a;
                    *v += h * a;
                    *x += h * *v;
                }
            }
        }
        Ok(())
    }

    fn evaluations(&self) -> Evaluations {
        self.accelerations.evaluations
    }
}

carried!([S: ?Sized] MicroVerlet<'_, S> { accelerations } besides { q, v, first, a });
