//! Section 4.4: the transitions of a ring of DNA base pairs.

use least_action::Model;
use least_action::drive::Recording;
use least_action::method::{Verlet, ZhangSkeel};
use least_action::system::Start;
use least_action_models::Dna;
use least_action_pages::plot::{Axis, Panel, Units, panels};

use super::{Claim, Experiment, Verdict, energies, run};
use crate::error::Error;
use crate::moving;

const BETA: f64 = 0.3;
const END: f64 = 4000.0;

pub(super) fn compute() -> Result<Experiment, Error> {
    let model = Dna::default();
    let system = model.bind()?;
    let start = model.start();
    let verlet = run(&system, &Verlet, &start, 0.2, END, 10)?;
    let zhang_skeel = run(&system, &ZhangSkeel { beta: BETA }, &start, 2.0, END, 1)?;

    let wanders = |run: &Recording| {
        means(run)
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), (_, mean)| (low.min(*mean), high.max(*mean)))
    };
    let (verlet_range, zhang_skeel_range) = (wanders(&verlet), wanders(&zhang_skeel));
    // The mean of all angles near 0.8 is one state, near 5.5 the other.
    let opens = |(low, high): (f64, f64)| low < 1.2 && high > 5.0;
    let (of_verlet, of_zhang_skeel) = (energies(&verlet), energies(&zhang_skeel));
    let initial = zhang_skeel.column("energy").unwrap_or_default().first().copied().unwrap_or(f64::NAN);
    let survives = |step: f64| {
        run(&system, &Verlet, &start, step, 1000.0, 10)
            .is_ok_and(|run| energies(&run).1 < 10.0 * initial.abs())
    };
    let survives_implicitly = |step: f64| {
        run(&system, &ZhangSkeel { beta: BETA }, &start, step, END, 10)
            .is_ok_and(|run| energies(&run).1 < 10.0 * initial.abs())
    };
    let (slow, fast) = (survives(0.9), survives(1.05));
    let (two, three) = (survives_implicitly(2.0), survives_implicitly(3.0));
    let claims = vec![
        Claim {
            statement: "The mean angle passes from one well to the other, by both methods.",
            found: format!(
                "means between {:.2} and {:.2} by Verlet, h = 0.2, and {:.2} and {:.2} by Zhang–Skeel, h = 2",
                verlet_range.0, verlet_range.1, zhang_skeel_range.0, zhang_skeel_range.1
            ),
            verdict: Verdict::of(opens(verlet_range) && opens(zhang_skeel_range)),
        },
        Claim {
            statement: "The energy of Zhang–Skeel is lower than that of Verlet.",
            found: format!(
                "{initial:.3} initially; {:.3} to {:.3} by Verlet, {:.3} to {:.3} by Zhang–Skeel",
                of_verlet.0, of_verlet.1, of_zhang_skeel.0, of_zhang_skeel.1
            ),
            verdict: Verdict::of(of_zhang_skeel.0 < of_verlet.0 && of_zhang_skeel.1 <= of_verlet.1 + 0.05),
        },
        Claim {
            statement: "h = 2 is no problem for Zhang–Skeel.",
            found: format!("stable at h = 2: {}, at h = 3: {}", yes(two), yes(three)),
            verdict: Verdict::of(two),
        },
        Claim {
            statement: "h = 0.2 is near the stability limit of Verlet.",
            found: format!(
                "the largest frequency is 2 and the limit h = 1: stable at h = 0.9: {}, at h = 1.05: {}; 0.2 is a choice of accuracy",
                yes(slow),
                yes(fast)
            ),
            verdict: Verdict::refuted(slow && !fast),
        },
    ];
    let energy = |run: &Recording| run.times().zip(run.column("energy").unwrap_or_default()).collect();
    let both = |heading, axis, verlet, zhang_skeel| {
        let curves = vec![("Verlet".to_owned(), verlet), ("Zhang–Skeel".to_owned(), zhang_skeel)];
        Panel::of(heading, Axis::number("t"), axis, curves)
    };
    let picture = panels(
        "Ring of 200 base pairs: Verlet with h = 0.2, Zhang–Skeel with h = 2",
        &[
            both("Mean angle against time", Axis::of("mean θ", "rad"), means(&verlet), means(&zhang_skeel)),
            both("Energy against time", Axis::number("energy"), energy(&verlet), energy(&zhang_skeel)),
        ],
    )?;
    Ok(Experiment {
        heading: "Section 4.4: 200 base pairs of DNA, T = 4000, β = 0.3".to_owned(),
        claims,
        picture,
        motion: moving::through_recording(model, Units::none(), &zhang_skeel, END)?,
        ..Experiment::default()
    })
}

fn yes(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

/// The mean of all angles at each moment.
fn means(run: &Recording) -> Vec<(f64, f64)> {
    run.times().zip(run.positions().map(|q| q.iter().sum::<f64>() / q.len() as f64)).collect()
}
