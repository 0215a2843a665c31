//! An angle of a point is continued over many turns, in rows, potentials and forces.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]

use least_action::drive::{Energy, Interval, Recording, integrate, resume};
use least_action::method::*;
use least_action::prelude::*;
use std::error::Error;

type Outcome = Result<(), Box<dyn Error>>;

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

fn height<M: Method<Bound<Bobbin>>>(method: &M, by: By, ratio: f64, h: f64, tolerance: f64) -> Outcome {
    let speed = 2.0;
    let system = Bobbin { ratio, by }.bind()?;
    let start = State::new(vec![1.0, 0.0, 0.0], vec![0.0, speed, ratio * speed]);
    let run = integrate(&system, method, start, h)?.until(62.0).every(100).measure(Energy::of(&system)).record();
    let run = match run { Ok(run) => run, Err(error) => { println!("{} {by:?} {ratio} {}", M::NAME, error.error); return Ok(()) } };
    let state = run.positions().last().unwrap().to_vec();
    println!("{} {by:?} {ratio} {:?} energy {} {}", M::NAME, state, last(&run, "energy"), run.verdict().is_believed());
    Ok(())
}

#[test]
fn strings_wind_up() -> Outcome {
    for (ratio, by) in [0.1, 0.5].into_iter().flat_map(|ratio| [By::Angle, By::HalfAngle, By::Slope].map(|by| (ratio, by))) {
        height(&Rattle::default(), by, ratio, 0.01, 1e-2)?;
        height(&Shake::default(), by, ratio, 0.01, 1e-2)?;
        height(&VariationalMidpoint::default(), by, ratio, 0.01, 1e-2)?;
        height(&VariationalTrapezoid::default(), by, ratio, 0.01, 1e-2)?;
        height(&Reference::default(), by, ratio, 4.0, 1e-6)?;
        height(&Bdf::default(), by, ratio, 4.0, 1e-3)?;
    }
    Ok(())
}

#[test]
fn a_rope_unwinds() -> Outcome {
    let radius = 0.2;
    let system = Drum { radius }.bind()?;
    let start = State::new(vec![radius, 1.0], vec![2.0, 0.0]);
    // l φ + R φ²/2 = v t, over ten turns.
    let place = |t: f64| {
        let phi = ((1.0 + 4.0 * radius * t).sqrt() - 1.0) / radius;
        let (s, c) = phi.sin_cos();
        [radius * c + (1.0 + radius * phi) * s, -radius * s + (1.0 + radius * phi) * c]
    };
    let error = |run: &Recording, t: f64| {
        let q = run.positions().last().unwrap();
        let [x, y] = place(t);
        (q[0] - x).hypot(q[1] - y)
    };
    println!("{:?}", place(4.0));
    let end = 480.0;
    let run = integrate(&system, &Reference::default(), start.clone(), 20.0)?.until(end).record()?;
    println!("reference {}", error(&run, end));
    let mut before = None;
    for h in [0.02, 0.01] {
        let run = integrate(&system, &Rattle::default(), start.clone(), h)?.until(end).record()?;
        println!("rattle {}", error(&run, end));
        before = before.or(Some(error(&run, end)));
    }
    Ok(())
}

#[test]
fn a_spring_winds_up() -> Outcome {
    let (stiffness, speed): (f64, f64) = (0.01, 7.0);
    let system = Torsion { stiffness, drag: 0.0 }.bind()?;
    let start = State::new(vec![1.0, 0.0, 0.0, 1.0], vec![0.0, speed, -speed, 0.0]);
    let h = 0.005;
    let run = integrate(&system, &VariationalMidpoint::default(), start.clone(), h)?.until(20.0).measure(Energy::of(&system)).record()?;
    println!("{:?} {}", run.positions().last(), last(&run, "energy"));
    println!("{:?}", run.verdict());
    Ok(())
}
