//! Implicit steps whose residuals are rounding errors of cancelled terms: places that depend on time,
//! large terms that leave a small difference, units far from one. None fails, and all follow the system
//! without these terms.

use least_action::method::{
    Composition, ImplicitMidpoint, LaBuddeGreenspan, Method, Newmark, PushForwardNewmark, Rattle, Shake,
    VariationalEuler, VariationalMidpoint, VariationalTrapezoid,
};
use least_action::prelude::*;
use least_action::system::Lagrangian;
use test_support::structure::{advance, distance};

/// A bead on a rod that turns with the angular velocity w.
struct Turning {
    w: f64,
    mass: f64,
}

#[lagrangian]
impl Turning {
    fn lagrangian(&self, s: Scalar, t: Time) -> Scalar {
        let place = s * vec2((self.w * t).cos(), (self.w * t).sin());
        0.5 * self.mass * der(place).norm_squared()
    }
}

/// A point on a spring in a frame that moves on a circle, whose radius may be large.
struct Carried {
    w: f64,
    radius: f64,
    mass: f64,
    stiffness: f64,
}

#[lagrangian]
impl Carried {
    fn lagrangian(&self, q: Vec2, t: Time) -> Scalar {
        let centre = self.radius * vec2((self.w * t).cos(), (self.w * t).sin());
        0.5 * self.mass * der(q + centre).norm_squared() - 0.5 * self.stiffness * q.norm_squared()
    }
}

/// Two points on a spring, with a length in it that is there twice.
struct Twice {
    mass: f64,
    stiffness: f64,
    length: f64,
    /// Two numbers that are equal.
    there: f64,
    back: f64,
}

#[lagrangian]
impl Twice {
    fn lagrangian(&self, points: [Vec2; 2]) -> Scalar {
        let kinetic = sum(0..2, |i| 0.5 * self.mass * der(points[i]).norm_squared());
        let stretch = ((points[0] - points[1]).norm() + self.there) - self.length - self.back;
        kinetic - 0.5 * self.stiffness * stretch.powi(2)
    }
}

/// A pendulum on a rod, with a length in the constraint that is there twice, at a pivot that may turn.
struct Rod {
    mass: f64,
    length: f64,
    there: f64,
    back: f64,
    radius: f64,
    w: f64,
}

#[lagrangian]
impl Rod {
    fn lagrangian(&self, q: Vec2) -> Scalar {
        0.5 * self.mass * der(q).norm_squared() - self.mass * self.length * q.y
    }

    #[holonomic]
    fn rod(&self, q: Vec2, t: Time) -> Scalar {
        let pivot = self.radius * vec2((self.w * t).cos() - 1.0, (self.w * t).sin());
        ((q - pivot).norm_squared() + self.there) - self.length.powi(2) - self.back
    }
}

/// Every variational method takes the steps.
fn variational<S: Lagrangian>(system: &S, start: &State, step: f64) -> Vec<State> {
    vec![
        advance(system, &VariationalEuler::default(), start, step, 200),
        advance(system, &VariationalMidpoint::default(), start, step, 200),
        advance(system, &VariationalTrapezoid::default(), start, step, 200),
        advance(system, &Composition::of(VariationalMidpoint::default(), 4), start, step, 200),
    ]
}

/// s = s₀ cosh(w t), in any unit of length, time and mass.
#[test]
fn a_bead_on_a_turning_rod_flies_out() {
    for unit in [1.0, 1e-10, 1e8] {
        for (w, mass) in [(1.0, 1.0), (3e-7, 1e-26), (1e9, 1e12)] {
            let system = Turning { w, mass }.bind().unwrap();
            let start = State::new(vec![unit], vec![0.0]);
            let ends = variational(&system, &start, 0.01 / w);
            let exact = unit * 2.0_f64.cosh();
            for (end, error) in ends.iter().zip([3e-2, 1e-4, 1e-4, 1e-7]) {
                assert!((end.q[0] / exact - 1.0).abs() < error, "{unit:e} {w:e} {mass:e}: {end:?}");
            }
            // From rest on the axis nothing happens; a start beside it goes as far as rounding allows.
            let ends = variational(&system, &State::at_rest(vec![0.0]), 0.01 / w);
            assert!(ends.iter().all(|end| end.q[0] == 0.0), "{ends:?}");
            variational(&system, &State::new(vec![1e-15 * unit], vec![w * unit]), 0.01 / w);
        }
    }
}

#[test]
fn a_point_in_a_frame_that_moves_far_out_swings() {
    let (w, mass, stiffness) = (1.3, 0.7, 5.0);
    for radius in [1.0, 1e3, 1e6] {
        let system = Carried { w, radius, mass, stiffness }.bind().unwrap();
        let ends = variational(&system, &State::new(vec![0.3, -0.2], vec![0.1, 0.4]), 0.01);
        // The force on it is m w² times the radius, so that it goes as far.
        for end in &ends[1..] {
            assert!(
                distance(&end.q, &ends[3].q) < 1e-3 * (1.0 + radius),
                "{radius:e}: {end:?} {:?}",
                ends[3]
            );
        }
    }
}

/// Terms that cancel change the force by their rounding, and no more.
#[test]
fn large_terms_that_cancel_leave_the_way_as_it_is() {
    fn check<M: Method<Bound<Twice>>>(method: &M) {
        for unit in [1.0, 1e-10, 1e9] {
            let spring = |large: f64| {
                let (there, back) = (large * unit, large * unit);
                Twice { mass: 2.0, stiffness: 50.0, length: unit, there, back }.bind().unwrap()
            };
            let start = State::new(
                [0.0, 0.0, 1.1, 0.2].map(|x| x * unit).to_vec(),
                [0.3, -0.1, 0.0, 0.5].map(|v| v * unit).to_vec(),
            );
            let expected = advance(&spring(0.0), method, &start, 0.05, 100);
            for large in [1.0, 1e3, 1e6] {
                let found = advance(&spring(large), method, &start, 0.05, 100);
                let away = distance(&found.q, &expected.q) / unit;
                assert!(away < 1e-11 * (1.0 + large), "{} {unit:e} {large:e}: {away:e}", M::NAME);
            }
        }
    }
    check(&Newmark::default());
    check(&Newmark { beta: 0.4, ..Newmark::default() });
    check(&PushForwardNewmark::default());
    check(&ImplicitMidpoint::default());
    check(&LaBuddeGreenspan::default());
    check(&VariationalEuler::default());
    check(&VariationalMidpoint::default());
    check(&VariationalTrapezoid::default());
    check(&Composition::of(ImplicitMidpoint::default(), 6));
}

#[test]
fn constraints_of_large_terms_that_cancel_are_kept() {
    fn check<M: Method<Bound<Rod>>>(method: &M) {
        for unit in [1.0, 1e-10, 1e9] {
            for (radius, w) in [(0.0, 0.0), (0.3, 2.0), (1e3, 1e-2)] {
                let rod = |large: f64| {
                    let (there, back) = (large * unit * unit, large * unit * unit);
                    Rod { mass: 2.0, length: unit, there, back, radius: radius * unit, w }.bind().unwrap()
                };
                let start = State::new(vec![unit, 0.0], vec![0.0, radius * w * unit]);
                let expected = advance(&rod(0.0), method, &start, 0.01, 200);
                for large in [1.0, 1e3, 1e5] {
                    let found = advance(&rod(large), method, &start, 0.01, 200);
                    let away = distance(&found.q, &expected.q) / unit;
                    let bound = 1e-11 * (1.0 + large + radius);
                    assert!(away < bound, "{} {unit:e} {radius} {large:e}: {away:e}", M::NAME);
                }
            }
        }
    }
    check(&Shake::default());
    check(&Rattle::default());
    check(&Composition::of(Rattle::default(), 4));
}
