//! An angle of a point is continued over many turns, in rows, potentials and forces.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action::advanced::wrap::Penalized;
use least_action::drive::gradient::{Gradient, differentiate};
use least_action::drive::{Interval, Recording, integrate, resume};
use least_action::method::*;
use least_action::prelude::*;
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use test_support::loss::Weighted;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A bob goes round on an arm; a string that it winds up lifts a weight.
mod bobbin {
    use super::*;

    /// The formula of the angle.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) enum By {
        Angle,
        HalfAngle,
        Slope,
    }

    pub(super) struct Bobbin {
        pub ratio: f64,
        pub by: By,
    }

    #[lagrangian(sensitive(ratio))]
    impl Bobbin {
        fn lagrangian(&self, p: Vec2, height: Scalar) -> Scalar {
            0.5 * der(p).norm_squared() + 1.5 * der(height).powi(2)
        }

        #[holonomic]
        fn arm(&self, p: Vec2) -> Scalar {
            p.norm_squared() - 1.0
        }

        #[holonomic]
        fn string(&self, p: Vec2, height: Scalar) -> Scalar {
            let angle = if self.by == By::Angle {
                p.y.atan2(p.x)
            } else if self.by == By::HalfAngle {
                2.0 * p.y.atan2(1.0 + p.x)
            } else {
                (p.y / p.x).atan()
            };
            height - self.ratio * angle
        }
    }
}

/// A rope that unwinds from a drum.
mod drum {
    use super::*;

    pub(super) struct Drum {
        pub radius: f64,
    }

    #[lagrangian]
    impl Drum {
        fn lagrangian(&self, p: Vec2) -> Scalar {
            0.5 * der(p).norm_squared()
        }

        #[holonomic]
        fn rope(&self, p: Vec2) -> Scalar {
            let d = p.norm();
            let free = (d.powi(2) - self.radius.powi(2)).sqrt();
            free + self.radius * (p.y.atan2(p.x) - (self.radius / d).acos()) - 1.0
        }
    }
}

/// Bobs on arms of length 1 under torsion springs, friction in proportion to the angle, and one without.
mod torsion {
    use super::*;

    pub(super) struct Torsion {
        pub stiffness: f64,
        pub drag: f64,
    }

    #[lagrangian(sensitive(stiffness))]
    impl Torsion {
        fn lagrangian(&self, bobs: [Vec2; 2]) -> Scalar {
            let angles = sum(0..2, |k| bobs[k].y.atan2(bobs[k].x).powi(2));
            sum(0..2, |k| 0.5 * der(bobs[k]).norm_squared()) - 0.5 * self.stiffness * angles
        }

        #[force]
        fn twisted(&self, bobs: [Vec2; 2]) -> [Vec2; 2] {
            each(0..2, |k| {
                let angle = bobs[k].y.atan2(bobs[k].x);
                -self.drag * angle * vec2(-bobs[k].y, bobs[k].x)
            })
        }

        #[holonomic]
        fn arms(&self, bobs: [Vec2; 2]) -> [Scalar; 2] {
            each(0..2, |k| bobs[k].norm_squared() - 1.0)
        }
    }
}

use bobbin::{Bobbin, By};
use drum::Drum;
use torsion::Torsion;

fn last<'r>(run: &'r Recording, of: &'r str) -> f64 {
    *run.column(of).unwrap().last().unwrap()
}

/// The last height of a bobbin, whose speed stays; and whether the run is believed.
fn height<M: Method<Bound<Bobbin>>>(method: &M, (by, ratio): (By, f64), h: f64) -> Outcome<(f64, bool)> {
    let system = Bobbin { ratio, by }.bind()?;
    let start = State::new(vec![1.0, 0.0, 0.0], vec![0.0, SPEED, ratio * SPEED]);
    let run = integrate(&system, method, start, h)?.until(62.0).every(100).record()?;
    Ok((last(&run, "height"), run.verdict().is_believed()))
}

/// The speed of a bob.
const SPEED: f64 = 2.0;

fn checked<M: Method<Bound<Bobbin>>>(method: &M, what: (By, f64), h: f64, tolerance: f64) -> Outcome<()> {
    let wanted = what.1 * SPEED * 62.0;
    let (found, believed) = height(method, what, h)?;
    assert!((found - wanted).abs() < tolerance && believed, "{}, {what:?}: {found}, not {wanted}", M::NAME);
    Ok(())
}

/// A step of second order turns by asin(h ω), if the weight does not hold the bob.
#[test]
fn a_string_winds_up() -> Outcome<()> {
    let second = |ratio: f64, h: f64| 1.05 * ratio * h.powi(2) * SPEED.powi(3) * 62.0 / 6.0;
    for (ratio, by) in [(0.1, By::Angle), (0.5, By::Angle), (0.5, By::Slope), (0.1, By::HalfAngle)] {
        checked(&VariationalMidpoint::default(), (by, ratio), 0.02, second(ratio, 0.02))?;
    }
    for what in [(By::Angle, 0.1), (By::Slope, 0.5)] {
        checked(&Rattle::default(), what, 0.02, second(what.1, 0.02))?;
        checked(&Shake::default(), what, 0.02, second(what.1, 0.02))?;
        checked(&Composition::of(VariationalTrapezoid::default(), 4), what, 0.04, 1e-4)?;
        checked(&Reference { tolerance: 1e-9 }, what, 31.0, 1e-6)?;
        checked(&Bdf { tolerance: 1e-7, ..Bdf::default() }, what, 31.0, 1e-2)?;
    }
    // The gradient of a half angle has no limit where the bob passes the other end of its diameter.
    let Err(error) = height(&Rattle::default(), (By::HalfAngle, 0.1), 0.01) else {
        return Err("a jump".into());
    };
    assert!(error.to_string().contains("the gradient of the constraint `string` turned by"), "{error}");
    Ok(())
}

/// (x, y) at t: l φ + R φ²/2 = v t.
fn on_rope(radius: f64, t: f64) -> [f64; 2] {
    let phi = ((1.0 + 2.0 * radius * SPEED * t).sqrt() - 1.0) / radius;
    let ((s, c), free) = (phi.sin_cos(), 1.0 + radius * phi);
    [radius * c + free * s, free * c - radius * s]
}

#[test]
fn a_rope_unwinds() -> Outcome<()> {
    let radius = 0.2;
    let system = Drum { radius }.bind()?;
    let error = |method: &dyn Fn(State) -> Outcome<Recording>, end: f64| -> Outcome<f64> {
        let run = method(State::new(vec![radius, 1.0], vec![SPEED, 0.0]))?;
        let [x, y] = on_rope(radius, end);
        Ok((last(&run, "p.x") - x).hypot(last(&run, "p.y") - y))
    };
    assert!((on_rope(radius, 4.0)[0] + 1.661_590_961_098_389_4).abs() < 1e-15);
    // Ten turns.
    let end = 250.0;
    let reference =
        |start| Ok(integrate(&system, &Reference::default(), start, 125.0)?.until(end).record()?);
    let exact = error(&reference, end)?;
    assert!(exact < 1e-7, "{exact}");
    let rattle = |h: f64| {
        let system = &system;
        move |start| Ok(integrate(system, &Rattle::default(), start, h)?.until(end).record()?)
    };
    let [coarse, fine] = [error(&rattle(0.04), end)?, error(&rattle(0.02), end)?];
    assert!((3.8..4.2).contains(&(coarse / fine)) && fine < 0.1, "{coarse}, {fine}");
    Ok(())
}

fn wound() -> State {
    State::new(vec![1.0, 0.0, 0.0, 1.0], vec![0.0, 7.0, -7.0, 0.0])
}

/// θ̈ = −(k + c) θ on each arm: ten turns and back.
#[test]
fn springs_and_forces_wind_up() -> Outcome<()> {
    let (omega, end) = (0.1_f64, 20.0);
    for (stiffness, drag) in [(0.01, 0.0), (0.006, 0.004)] {
        let system = Torsion { stiffness, drag }.bind()?;
        let angles = [0.0, FRAC_PI_2].map(|at| at * (omega * end).cos() + 7.0 / omega * (omega * end).sin());
        let off = |run: &Recording| {
            let bob = |k: usize| (last(run, &format!("bobs[{k}].x")), last(run, &format!("bobs[{k}].y")));
            [0, 1]
                .map(|k| (bob(k).0 - angles[k].cos()).hypot(bob(k).1 - angles[k].sin()))
                .into_iter()
                .fold(0.0, f64::max)
        };
        let by_reference = integrate(&system, &Reference::default(), wound(), 5.0)?.until(end).record()?;
        assert!(off(&by_reference) < 1e-8, "{}", off(&by_reference));
        let by = |h: f64| -> Outcome<f64> {
            let run = integrate(&system, &Rattle::default(), wound(), h)?.until(end).record()?;
            assert!(run.verdict().is_believed());
            Ok(off(&run))
        };
        let [coarse, fine] = [by(0.02)?, by(0.01)?];
        assert!((3.7..4.3).contains(&(coarse / fine)) && fine < 0.03, "{coarse}, {fine}");
        let penalized = Penalized::new(&system, 200.0)?;
        let run = integrate(&penalized, &ImplicitMidpoint::default(), wound(), 0.005)?.until(5.0).record()?;
        assert!(run.verdict().is_believed());
    }
    Ok(())
}

#[test]
fn a_run_goes_on_to_the_bit_across_a_turn() -> Outcome<()> {
    let system = Torsion { stiffness: 0.01, drag: 0.002 }.bind()?;
    let file = std::env::temp_dir().join(format!("least-action-angles-{}", std::process::id()));
    let method = Composition::of(Rattle::default(), 4);
    let run = || integrate(&system, &method, wound(), 0.01);
    let whole = run()?.until(6.0).record()?;
    run()?.until(3.0).checkpoint(&file, Interval::Steps(1000)).record()?;
    // Another run of the system stands elsewhere.
    run()?.until(0.1).record()?;
    let rest = resume(&system, &method, &file)?.until(6.0).record()?;
    std::fs::remove_file(&file)?;
    let bits = |run: &Recording| run.rows().last().unwrap().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&rest), bits(&whole));
    Ok(())
}

/// The height and the places at the end, weighted.
fn slopes<M: Model, E: Differentiable<Bound<M>>>(
    model: &M,
    method: &E,
    start: &State,
    end: f64,
) -> Outcome<Gradient> {
    let n = start.q.len();
    let (wq, wv) = ((1..=n).map(|k| k as f64).collect(), vec![0.5; n]);
    let system = model.bind()?;
    let motion = differentiate(&system, method, start.clone(), 0.01)?.until(end);
    let mut loss = Weighted { wq, wv, kappa: 0.0, rho: 0.01 };
    Ok(motion.within(0).gradient(&mut loss)?)
}

fn by_differences<M: Model, E: Differentiable<Bound<M>>>(
    of: impl Fn(f64) -> M,
    method: &E,
    start: impl Fn(f64) -> State,
) -> Outcome<()> {
    let (end, d) = (4.0, 1e-4);
    let value = |k: f64| Ok::<_, Box<dyn Error>>(slopes(&of(k), method, &start(k), end)?.value);
    let (gradient, [before, after]) = (slopes(&of(0.0), method, &start(0.0), end)?, [start(-d), start(d)]);
    let of_start = gradient
        .v
        .iter()
        .zip(after.v.iter().zip(&before.v))
        .map(|(slope, (b, a))| slope * (b - a) / (2.0 * d));
    let found = gradient.parameters[0] + of_start.sum::<f64>();
    let wanted = (8.0 * (value(d)? - value(-d)?) - (value(2.0 * d)? - value(-2.0 * d)?)) / (12.0 * d);
    assert!((found - wanted).abs() < 1e-7 * (1.0 + wanted.abs()), "{}: {found}, not {wanted}", E::NAME);
    Ok(())
}

#[test]
fn gradients_follow_angles() -> Outcome<()> {
    let torsion = |k: f64| Torsion { stiffness: 0.01 + k, drag: 0.002 };
    by_differences(torsion, &Rattle::default(), |_| wound())?;
    by_differences(torsion, &VariationalMidpoint::default(), |_| wound())?;
    let bobbin = |k: f64| Bobbin { ratio: 0.3 + k, by: By::Angle };
    let start = |k: f64| State::new(vec![1.0, 0.0, 0.0], vec![0.0, SPEED, (0.3 + k) * SPEED]);
    by_differences(bobbin, &Rattle::default(), start)?;
    by_differences(bobbin, &Composition::of(VariationalMidpoint::default(), 4), start)
}

#[test]
fn describe_says_where() -> Outcome<()> {
    let description = Drum { radius: 0.2 }.bind()?.description();
    let [angle] = &description.sums[..] else { return Err("one sum".into()) };
    let [family] = &angle.families[..] else { return Err("one family".into()) };
    assert_eq!((&*angle.name, &*family.expression), ("angle_0", "atan2(p.y, p.x)"));
    assert!(family.range.as_deref().is_some_and(|note| note.contains("a run follows each")));
    Ok(())
}
