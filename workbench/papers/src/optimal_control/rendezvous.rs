//! A spacecraft meets another one on a circular orbit within one turn.

use std::f64::consts::{PI, TAU};

use least_action::method::VariationalTrapezoid;
use least_action::prelude::*;
use least_action::system::{Course, Signal};
use least_action_pages::plot::{Axis, Panel, Units, panels};

use super::{Claim, Experiment, Known, Refined, Verdict, order, over_time, solve, zero};
use crate::error::Error;
use crate::moving;

/// A spacecraft near a target on a circular orbit, whose turn takes 2π: x points away from the planet,
/// y along the orbit (Hill's equations).
#[derive(Clone)]
struct Chaser {
    outwards: Signal,
    forwards: Signal,
}

#[lagrangian(sensitive(outwards, forwards))]
impl Chaser {
    fn lagrangian(&self, place: Vec2) -> Scalar {
        let turned = place.x * der(place).y - place.y * der(place).x;
        0.5 * der(place).norm_squared() + turned + 1.5 * place.x.powi(2)
    }

    #[force(place)]
    fn thrust(&self, outwards: Input, forwards: Input) -> Vec2 {
        vec2(outwards, forwards)
    }
}

impl Start for Chaser {
    fn start(&self) -> State {
        State::at_rest(vec![0.0, 1.0])
    }

    fn look(&self) -> Look {
        Look::new().fixed("target", [Vector3::zeros()])
    }
}

pub(super) fn compute() -> Result<Experiment, Error> {
    let all = Refined::of(&[25, 50, 100], 200, &[0.0; 4], |steps| {
        let none = zero(TAU, steps, Course::Constant)?;
        let mut chaser = Chaser { outwards: none.clone(), forwards: none };
        let times = (chaser.start(), TAU, TAU / steps as f64);
        let solved = solve(&mut chaser, &VariationalTrapezoid::default(), times, |control| {
            control.to("place", 0.0).to("der", 0.0)
        })?;
        Ok((chaser, solved))
    })?;
    // ½ dᵀ W⁻¹ d with d = −Φ(2π) (0, 1, 0, 0) and the Gramian W = ∫ Φ B Bᵀ Φᵀ dt over a turn.
    let least = 5.0 / (4.0 * PI * (15.0 * PI.powi(2) - 52.0));
    let (columns, rows) = all.table(
        "least ½ ∫ |u|² dt, constant on each step",
        ["J(h), variational trapezoid; known J", "J(h) − J, J = 5/(4π (15π² − 52))"],
        least,
        |steps| Known { value: least, within: 2.0 * (TAU / steps as f64).powi(2) },
    );
    let found = order(&all.errors(least));
    let path = all.finest.run.positions().map(|q| (q[0], q[1])).collect();
    let picture = panels(
        "Rendezvous",
        &[
            Panel::of(
                "Path: x away from the planet, y along the orbit",
                Axis::number("x"),
                Axis::number("y"),
                vec![("spacecraft".to_owned(), path)],
            ),
            over_time("Thrust", Axis::number("u"), all.finest.inputs()),
        ],
    )?;
    let ends = all.ends("One run with the inputs ends at the target, at rest.");
    Ok(Experiment {
        heading: "Rendezvous within a turn of a circular orbit, from a unit of length ahead".to_owned(),
        columns: Some(columns),
        rows,
        claims: vec![
            Claim {
                statement: "J(h) tends to the value of the Gramian at order 2.",
                found: format!("order {found:.3} between the last numbers of steps"),
                verdict: Verdict::of((found - 2.0).abs() < 0.05),
            },
            ends,
        ],
        picture,
        motion: moving::through_recording(all.model, Units::none(), &all.finest.run, TAU)?,
    })
}
