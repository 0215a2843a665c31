//! Section 4.5: the magnetized rigid body, by the Lie-group method and by the penalty.

use least_action::Model;
use least_action::drive::Recording;
use least_action::method::Reference;
use least_action::method::rotation::{
    PenalizedRotation, RotationCayley, RotationPenalty, RotationPenaltyEuler,
};
use least_action::system::Start;
use least_action_models::RigidBody;
use least_action_pages::Error as PageError;
use least_action_pages::plot::{Axis, Panel, Units, panels};

use super::{Claim, Columns, EXACT, Experiment, Rigid, Row, Verdict, differences, energies, run};
use crate::error::Error;
use crate::moving;

const OMEGA: f64 = 10.0;
const BETA: f64 = 0.4;
const STEP: f64 = 0.1;
const END: f64 = 10.0;

pub(super) fn compute() -> Result<Experiment, Error> {
    let model = RigidBody::default();
    let bound = model.bind()?;
    let system: &dyn Rigid = &bound;
    let start = model.start();
    let penalized = PenalizedRotation::new(system, OMEGA)?;
    let exact = run(system, &Reference::default(), &start, STEP, END, 1)?;
    let cayley = run(system, &RotationCayley, &start, STEP, END, 1)?;
    let euler = run(&penalized, &RotationPenaltyEuler { beta: BETA }, &start, STEP, END, 1)?;
    let trapezoid = run(&penalized, &RotationPenalty { beta: BETA }, &start, STEP, END, 1)?;

    let times = [1.0, 5.0, 10.0];
    let row = |name, run, known: [f64; 3]| {
        let all = differences(run, &exact);
        let at = |t: &f64| all.get((t / STEP).round() as usize).map_or(f64::NAN, |(_, error)| *error);
        Row::of(name, times.iter().map(at).collect()).knowing(known, EXACT)
    };
    let rows = vec![
        row(
            "Hamilton–Pontryagin, Cayley map",
            &cayley,
            [4.815_556_273_996_768e-3, 3.878_124_158_566_709e-2, 0.136_602_714_359_277_15],
        ),
        row(
            "penalty, symplectic Euler",
            &euler,
            [1.278_645_197_539_407_5e-2, 6.295_776_783_522_516e-2, 0.210_990_198_608_083_93],
        ),
        row(
            "penalty, trapezoidal",
            &trapezoid,
            [1.247_113_048_995_784_9e-2, 6.137_182_448_780_942e-2, 0.211_189_202_093_746_34],
        ),
    ];
    let (low, high) = energies(&trapezoid);
    let orthogonality = |run: &Recording| run.positions().map(defect).fold(0.0, f64::max);
    let (of_cayley, of_trapezoid) = (orthogonality(&cayley), orthogonality(&trapezoid));
    let stable = |step: f64| {
        run(&penalized, &RotationPenalty { beta: BETA }, &start, step, END, 1)
            .is_ok_and(|run| energies(&run).1 < 2.0)
    };
    let claims = vec![
        Claim {
            statement: "The penalty methods follow the motion of the Lie-group method, without drift of the energy.",
            found: format!("energy of the trapezoidal form between {low:.4} and {high:.4}, 1.525 initially; known: 1.5245 and 1.584"),
            verdict: Verdict::of((low - 1.5245).abs() < 1e-3 && (high - 1.584).abs() < 1e-3),
        },
        Claim {
            statement: "The Lie-group method keeps the rotation matrix orthogonal to rounding, the penalty to the size of its oscillation.",
            found: format!("largest entry of RᵀR − 1: {of_cayley:.1e}, and {of_trapezoid:.1e} with the penalty; known: 4.1e-2"),
            verdict: Verdict::of(of_cayley < 1e-13 && (of_trapezoid - 4.1e-2).abs() < 1e-3),
        },
        Claim {
            statement: "β = 0.4 makes the penalty method unconditionally stable.",
            found: "the kinetic energy ¼ tr ṘᵀṘ has the mass ½ for each entry, so that the effective parameter is β/2 = 0.2 < ¼, \
                    and the step is limited: with ω = 10 the trapezoidal form is stable at h = 0.1 and not at h = 0.14. \
                    The f printed after (37) has the wrong sign and is transposed: the errors above are those of the derivative \
                    of the action"
                .to_owned(),
            verdict: Verdict::refuted(!stable(0.14)),
        },
    ];
    let picture = picture(&exact, &cayley, &euler, &trapezoid)?;
    Ok(Experiment {
        heading: "Section 4.5: magnetized rigid body, h = 0.1, B μ = 1, penalty ω = 10".to_owned(),
        columns: Some(Columns::errors_at(&times)),
        rows,
        claims,
        picture,
        motion: moving::through_recording(model, Units::none(), &cayley, END)?,
    })
}

fn picture(
    exact: &Recording,
    cayley: &Recording,
    euler: &Recording,
    trapezoid: &Recording,
) -> Result<String, PageError> {
    let curve = |name: &str, run: &Recording, entry: usize| {
        (name.to_owned(), run.times().zip(run.positions().map(|q| q[entry])).collect())
    };
    let named = [("exact", exact), ("Cayley", cayley), ("penalty", trapezoid)];
    let entries = [("R₁₁", 0), ("R₃₃", 8)].map(|(name, entry)| {
        let curves = named.iter().map(|(name, run)| curve(name, run, entry)).collect();
        Panel::of(&format!("{name} against time"), Axis::number("t"), Axis::number(name), curves)
    });
    let runs = [("Cayley", cayley), ("penalty, Euler", euler), ("penalty, trapezoidal", trapezoid)];
    let errors = runs.map(|(name, run)| {
        let errors = differences(run, exact).into_iter().filter(|(_, error)| *error > 0.0);
        (name.to_owned(), errors.map(|(t, error)| (t, error.log10())).collect())
    });
    let axis = Axis::number("max |R − R̂|").logarithmic();
    let errors = Panel::of("Error", Axis::number("t"), axis, errors.to_vec());
    panels("Magnetized rigid body, h = 0.1", &entries.into_iter().chain([errors]).collect::<Vec<_>>())
}

/// The largest entry of RᵀR − 1.
fn defect(r: &[f64]) -> f64 {
    let entry = |i: usize, j: usize| (0..3).map(|k| r[3 * k + i] * r[3 * k + j]).sum::<f64>();
    let all = (0..9).map(|k| (k / 3, k % 3));
    all.map(|(i, j)| (entry(i, j) - if i == j { 1.0 } else { 0.0 }).abs()).fold(0.0, f64::max)
}
