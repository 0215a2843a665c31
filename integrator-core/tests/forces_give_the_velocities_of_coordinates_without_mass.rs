//! Coordinates of first order: bristles, currents and integrals have dampers and no mass.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action::drive::integrate;
use least_action::error::StartError;
use least_action::method::{
    Bdf, Method, Rattle, Reference, Stepper as _, VariationalEuler, VariationalMidpoint,
    VariationalTrapezoid, Verlet,
};
use least_action::prelude::*;
use least_action::system::Lagrangian;

/// A block of 1 kg on a spring that is drawn away, with bristles (LuGre) between block and floor.
struct Bristles {
    sigma: [f64; 3],
}

#[lagrangian]
impl Bristles {
    fn lagrangian(&self, x: Scalar, z: Scalar, t: Time) -> Scalar {
        0.5 * der(x).powi(2) - (0.1 * t - x).powi(2)
    }

    fn law(&self, x: Scalar, z: Scalar) -> Scalar {
        let v = der(x);
        v - self.sigma[0] * v.abs() * z / (1.0 + 0.5 * (-(v / 0.001).powi(2)).exp())
    }

    #[force(x)]
    fn friction(&self, x: Scalar, z: Scalar) -> Scalar {
        -self.sigma[0] * z - self.sigma[1] * self.law(x, z) - self.sigma[2] * der(x)
    }

    #[force(z)]
    fn held(&self, x: Scalar, z: Scalar) -> Scalar {
        self.law(x, z) - der(z)
    }
}

/// Two springs in line on a damper, x'' = −k (x − s), c s' = k (x − s): a Maxwell element, linear.
struct Maxwell;

#[lagrangian]
impl Maxwell {
    fn lagrangian(&self, x: Scalar, s: [Scalar; 2]) -> Scalar {
        0.5 * der(x).powi(2) - 2.0 * (x - s[0]).powi(2) - 0.5 * (x - s[1]).powi(2)
    }

    #[dissipation]
    fn dampers(&self, s: [Scalar; 2]) -> Scalar {
        0.5 * der(s[0]).powi(2) + 1.5 * (der(s[0]) - der(s[1])).powi(2)
    }
}

/// A bob on a rod, with a damper in series with a spring.
struct OnARod;

#[lagrangian]
impl OnARod {
    fn lagrangian(&self, bob: Vec2, s: Scalar) -> Scalar {
        0.5 * der(bob).norm_squared() - 9.81 * bob.y - 2.0 * (bob.x - s).powi(2)
    }

    #[holonomic]
    fn rod(&self, bob: Vec2) -> Scalar {
        bob.norm_squared() - 1.0
    }

    #[dissipation]
    fn damper(&self, s: Scalar) -> Scalar {
        0.5 * der(s).powi(2)
    }
}

fn end<S: Lagrangian + ?Sized, M: Method<S>>(
    system: &S,
    method: &M,
    start: &State,
    (step, steps): (f64, u32),
) -> State {
    let mut stepper = method.start(system, start.clone(), step).unwrap();
    (0..steps).for_each(|_| stepper.step().unwrap());
    stepper.state().clone()
}

fn off(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

#[test]
fn bristles_without_mass_hold_and_slip_as_radau_says() {
    // scipy, Radau at 1e-10: x at 7.4, 7.5, 8, 10, 15 and 20.
    let known = [
        (7.4, 6.568_423_235_308_31e-5),
        (7.5, 1.032_161_466_930_997e-3),
        (8.0, 0.073_508_308_406_105),
        (10.0, 0.627_583_128_981_881),
        (15.0, 0.918_279_705_553_96),
        (20.0, 1.272_596_412_323_47),
    ];
    let system = Bristles { sigma: [1e5, 1e5_f64.sqrt(), 0.4] }.bind().unwrap();
    let start = State::at_rest(vec![0.0, 0.0]);
    macro_rules! check {
        ($name:literal, $method:expr, $step:expr, $bound:expr) => {
            let run = integrate(&system, &$method, start.clone(), $step).unwrap().until(20.0);
            let run = run.record().map_err(|error| error.to_string()).unwrap();
            let path: Vec<(f64, f64)> = run.times().zip(run.path::<f64>("x", []).unwrap()).collect();
            for (time, right) in known {
                let x = path.iter().find(|(t, _)| (t - time).abs() < 1e-6).unwrap().1;
                assert!((x - right).abs() < $bound, "{} at {time}: {x} {right}", $name);
            }
        };
    }
    check!("reference", Reference::default(), 0.1, 1e-6);
    check!("bdf", Bdf { tolerance: 1e-12, order: 5 }, 0.1, 1e-6);
    check!("midpoint", VariationalMidpoint::default(), 1e-3, 1e-4);
}

#[test]
fn methods_keep_their_order_on_dampers_without_mass() {
    let system = Maxwell.bind().unwrap();
    // The given velocities of the dampers are no part of the state.
    let start = State::new(vec![1.0, 0.2, -0.1], vec![0.5, 7.0, 7.0]);
    let right = end(&system, &Reference::default(), &start, (0.5, 4));
    let bdf = end(&system, &Bdf { tolerance: 1e-10, order: 5 }, &start, (0.5, 4));
    assert!(off(&bdf.q, &right.q) < 1e-7 && off(&bdf.v, &right.v) < 1e-7, "{bdf:?} {right:?}");
    // The forces balance, 4 (x − s₀) = s₀' + 3 (s₀' − s₁') and x − s₁ = 3 (s₁' − s₀').
    let (q, v) = (&right.q, &right.v);
    assert!((4.0 * (q[0] - q[1]) - v[1] - 3.0 * (v[1] - v[2])).abs() < 1e-12);
    assert!((q[0] - q[2] - 3.0 * (v[2] - v[1])).abs() < 1e-12);
    for (name, order, errors) in [
        (
            "midpoint",
            2,
            [80, 160].map(|n| {
                let state = end(&system, &VariationalMidpoint::default(), &start, (2.0 / f64::from(n), n));
                off(&state.q, &right.q).max(off(&state.v, &right.v))
            }),
        ),
        (
            "euler",
            1,
            [160, 320].map(|n| {
                off(&end(&system, &VariationalEuler::default(), &start, (2.0 / f64::from(n), n)).q, &right.q)
            }),
        ),
    ] {
        let ratio = errors[0] / errors[1];
        let gain = 2_f64.powi(order);
        assert!(ratio > 0.9 * gain && ratio < 1.15 * gain && errors[1] < 0.1, "{name}: {errors:?}");
    }
    let rod = OnARod.bind().unwrap();
    let start = State::at_rest(vec![0.6, -0.8, 0.1]);
    let right = end(&rod, &Reference::default(), &start, (0.5, 4));
    let [coarse, fine] = [200, 400].map(|n| {
        off(&end(&rod, &VariationalMidpoint::default(), &start, (2.0 / f64::from(n), n)).q, &right.q)
    });
    assert!(fine < 1e-4 && coarse / fine > 3.6 && coarse / fine < 4.4, "{coarse} {fine}");
}

#[test]
fn a_method_that_cannot_says_so_and_names_the_coordinate() {
    let refused = |error: Option<StartError>, place: &str| {
        let words = error.unwrap().to_string();
        assert!(words.contains(place), "{words}");
        words
    };
    let (system, rod) = (Maxwell.bind().unwrap(), OnARod.bind().unwrap());
    let start = State::at_rest(vec![0.0; 3]);
    for error in [
        Verlet.start(&system, start.clone(), 0.1).err(),
        VariationalTrapezoid::default().start(&system, start.clone(), 0.1).err(),
    ] {
        assert!(refused(error, "`s[0]`").contains("`variational-midpoint`"));
    }
    let on_rod = State::at_rest(vec![0.6, -0.8, 0.1]);
    assert!(
        refused(Rattle::default().start(&rod, on_rod, 0.1).err(), "`s`").contains("`variational-midpoint`")
    );
}
