//! Figures 2 to 5: RATTLE on the constrained system; adaptive methods on the stiff one.

use least_action::advanced::wrap::Penalized;
use least_action::method::{Bdf, Method, Rattle, Reference, Stepper};
use least_action::system::{Constrained, State};
use least_action_pages::Error as PageError;
use least_action_pages::plot::{Axis, Panel, panels};

use super::{Claim, Columns, END, Experiment, Row, Slow, Verdict, last, manifold, played, straight};
use crate::error::Error;
use crate::experiment::{Curves, logarithms};

/// The steps of RATTLE are 1/8, 1/16, …, 1/8192.
const FINEST: u32 = 13;
/// The tolerances of the adaptive method. The paper's code had (1e-3, 1e-6) to (1e-8, 1e-11).
const TOLERANCES: [f64; 5] = [1e-4, 1e-6, 1e-8, 1e-10, 1e-12];
/// The tolerances of the stiff method, which is of order 2.
const OF_ORDER_2: [f64; 4] = [1e-4, 1e-5, 1e-6, 1e-7];

/// The names of the rows of the errors in q and in q̇, one pair for each frequency.
const ROWS: [[&str; 2]; 3] = [
    ["q, ω = 100", "dq/dt, ω = 100"],
    ["q, ω = 1000", "dq/dt, ω = 1000"],
    ["q, ω = 10000", "dq/dt, ω = 10000"],
];

/// The rows and the curves of errors in q and in q̇, against the quantity along the axis.
pub(super) struct Errors {
    pub(super) rows: Vec<Row>,
    curves: [Curves; 2],
}

impl Errors {
    pub(super) fn new() -> Self {
        Self { rows: Vec::new(), curves: [Vec::new(), Vec::new()] }
    }

    /// Adds the errors at one frequency.
    pub(super) fn push(&mut self, number: usize, omega: f64, along: &[f64], errors: &[[f64; 2]]) {
        for (part, (name, curves)) in ROWS[number].into_iter().zip(&mut self.curves).enumerate() {
            let values: Vec<f64> = errors.iter().map(|pair| pair[part]).collect();
            let points = along.iter().copied().zip(values.iter().copied());
            curves.push((format!("ω = {omega}"), logarithms(points)));
            self.rows.push(Row::of(name, values));
        }
    }

    pub(super) fn picture(&self, title: &str, along: &'static str) -> Result<String, PageError> {
        let [of_q, of_v] = self.curves.clone();
        let number = |name: &'static str| Axis::number(name).logarithmic();
        let panel = |heading, curves| Panel::of(heading, number(along), number("error"), curves);
        panels(title, &[panel("Error in q(10)", of_q), panel("Error in q̇(10)", of_v)])
    }

    /// The last number of a row: the smallest step or tolerance.
    fn last(&self, number: usize, part: usize) -> f64 {
        self.rows[2 * number + part].values.last().copied().unwrap_or(f64::NAN)
    }
}

/// Figure 2.
pub(super) fn rattle(springs: &dyn Constrained, slow: &[Slow]) -> Result<Experiment, Error> {
    let steps: Vec<u32> = (3..=FINEST).step_by(2).collect();
    let sizes: Vec<f64> = steps.iter().map(|power| 0.5_f64.powi(*power as i32)).collect();
    let ends = sizes.iter().map(|size| {
        let stepper = Rattle::default().start(springs, straight(), *size)?;
        last(stepper, (END / size).round() as u64)
    });
    let ends: Vec<State> = ends.collect::<Result<_, Error>>()?;
    let mut errors = Errors::new();
    for (number, slow) in slow.iter().enumerate() {
        let of_runs: Vec<[f64; 2]> = ends.iter().map(|end| slow.errors(end)).collect();
        errors.push(number, slow.omega, &sizes, &of_runs);
    }
    let floors: Vec<f64> = (0..3).map(|number| errors.last(number, 0)).collect();
    let coarse = &errors.rows[4].values;
    let ratio = (coarse[1] / coarse[2]).log2() / 2.0;
    let claims = vec![
        Claim {
            statement: "The error is O(H²), a few 10⁻² in q at H = 1/8, until it saturates.",
            found: format!(
                "{:.1e} at H = 1/8, and order {ratio:.2} between 1/32 and 1/128, for ω = 10⁴",
                coarse[0]
            ),
            verdict: Verdict::of(coarse[0] > 0.01 && coarse[0] < 0.1 && (ratio - 2.0).abs() < 0.1),
        },
        Claim {
            statement: "It saturates at O(ω⁻²), what the rods differ from the springs: about 8(−3) in q at ω = 100, below 10⁻⁴ at 1000, below 10⁻⁶ at 10000.",
            found: format!("{:.2e}, {:.2e} and {:.2e}", floors[0], floors[1], floors[2]),
            verdict: Verdict::of(
                (floors[0] / 8e-3 - 1.0).abs() < 0.2 && floors[1] < 1e-4 && floors[2] < 1e-6,
            ),
        },
    ];
    Ok(Experiment {
        heading: "Figure 2: RATTLE on the constrained system, against the slow solution".to_owned(),
        columns: Some(Columns::of(
            "error at t = 10",
            steps.iter().map(|power| format!("H = 1/{}", 1_u32 << power)),
        )),
        picture: errors.picture("Figure 2: RATTLE", "H")?,
        motion: played(springs, &Rattle::default(), &straight())?,
        rows: errors.rows,
        claims,
    })
}

/// The state at t = 10 and the forces it took, by the adaptive method with some projections on the way.
fn adaptive(
    system: &Penalized<'_, dyn Constrained + '_>,
    start: &State,
    tolerance: f64,
    projected: Option<f64>,
) -> Result<(State, u64), Error> {
    let method = Reference { tolerance };
    let mut stepper = method.start(system, start.clone(), 1.0)?;
    let mut projector = projected.map(|tolerance| manifold(tolerance).projector(system)).transpose()?;
    for unit in 1..=10 {
        stepper.step()?;
        if let Some(projector) = projector.as_mut().filter(|_| unit < 10) {
            let mut state = stepper.state().clone();
            projector.project(&mut state)?;
            stepper.go_on_from(&state);
        }
    }
    Ok((stepper.state().clone(), stepper.report().evaluations.gradients))
}

/// The errors at all frequencies and tolerances, and the forces in this order, of a method that returns
/// the state at t = 10 with its forces.
fn all(
    springs: &dyn Constrained,
    slow: &[Slow],
    tolerances: &[f64],
    method: impl Fn(&Penalized<'_, dyn Constrained + '_>, &Slow, f64) -> Result<(State, u64), Error>,
) -> Result<(Errors, Vec<Vec<u64>>), Error> {
    let (mut errors, mut forces) = (Errors::new(), Vec::new());
    for (number, slow) in slow.iter().enumerate() {
        let system = Penalized::new(springs, slow.omega)?;
        let (mut of_runs, mut counts) = (Vec::new(), Vec::new());
        for &tolerance in tolerances {
            let (end, count) = method(&system, slow, tolerance)?;
            of_runs.push(slow.errors(&end));
            counts.push(count);
        }
        errors.push(number, slow.omega, tolerances, &of_runs);
        forces.push(counts);
    }
    Ok((errors, forces))
}

fn experiment(
    heading: &str,
    title: &str,
    (errors, tolerances): (Errors, &[f64]),
    claims: Vec<Claim>,
    motion: Option<String>,
) -> Result<Experiment, Error> {
    Ok(Experiment {
        heading: heading.to_owned(),
        columns: Some(Columns::of(
            "error at t = 10, tolerance",
            tolerances.iter().map(|tolerance| format!("{tolerance:e}")),
        )),
        picture: errors.picture(title, "tolerance")?,
        motion,
        rows: errors.rows,
        claims,
    })
}

/// Figure 3.
pub(super) fn unprojected(springs: &dyn Constrained, slow: &[Slow]) -> Result<Experiment, Error> {
    let (errors, _) = all(springs, slow, &TOLERANCES, |system, _, tolerance| {
        adaptive(system, &straight(), tolerance, None)
    })?;
    let found = [errors.last(1, 0), errors.last(1, 1), errors.last(2, 0), errors.last(2, 1)];
    let near = found.iter().zip([9.6e-6, 5.4e-4, 9.7e-8, 2.0e-4]);
    let claims = vec![Claim {
        statement: "The errors saturate around 10⁻⁵ in q and 10⁻³ in q̇ at ω = 1000, around 10⁻⁷ and 10⁻⁴ at ω = 10000: the start \
                    oscillates.",
        found: format!(
            "{:.2e} and {:.2e}, {:.2e} and {:.2e}; known: 9.6(−6) and 5.4(−4), 9.7(−8) and 2.0(−4)",
            found[0], found[1], found[2], found[3]
        ),
        verdict: Verdict::of(near.into_iter().all(|(found, known)| (found / known - 1.0).abs() < 0.05)),
    }];
    // With the softest springs, which stretch visibly.
    let softest = Penalized::new(springs, slow[0].omega)?;
    let motion = played(&softest, &Reference::default(), &straight())?;
    let heading =
        "Figure 3: an adaptive method on the stiff system from q = (1, 0, 2, 0), which is not projected";
    experiment(heading, "Figure 3: the start is not projected", (errors, &TOLERANCES), claims, motion)
}

/// Figure 4.
pub(super) fn projected_once(springs: &dyn Constrained, slow: &[Slow]) -> Result<Experiment, Error> {
    let (errors, forces) = all(springs, slow, &TOLERANCES, |system, slow, tolerance| {
        adaptive(system, &slow.start, tolerance, None)
    })?;
    // With the tolerance 10⁻⁸.
    let forces = forces.iter().map(|counts| counts[2]).collect::<Vec<_>>();
    let found = [errors.last(0, 0), errors.last(1, 0), errors.last(2, 0)];
    let ratios = [forces[1] as f64 / forces[0] as f64, forces[2] as f64 / forces[1] as f64];
    let claims = vec![
        Claim {
            statement: "From the slow point, the errors do not saturate.",
            found: format!(
                "with the tolerance 10⁻¹² they are {:.1e}, {:.1e} and {:.1e} in q",
                found[0], found[1], found[2]
            ),
            verdict: Verdict::of(found.iter().all(|error| *error < 1e-8)),
        },
        Claim {
            statement: "The cost grows in proportion to ω.",
            found: format!(
                "{}, {} and {} forces with the tolerance 10⁻⁸: factors {:.1} and {:.1}, the first one less since the slow motion needs \
                 steps of its own",
                forces[0], forces[1], forces[2], ratios[0], ratios[1]
            ),
            verdict: Verdict::of(ratios[0] > 5.0 && ratios[1] > 8.0 && ratios[1] < 12.0),
        },
    ];
    let heading = "Figure 4: the adaptive method on the stiff system, from the slow point";
    experiment(heading, "Figure 4: the start is projected", (errors, &TOLERANCES), claims, None)
}

/// Figure 4 by a stiff method.
pub(super) fn stiff(springs: &dyn Constrained, slow: &[Slow]) -> Result<Experiment, Error> {
    let (errors, forces) = all(springs, slow, &OF_ORDER_2, |system, slow, tolerance| {
        let mut stepper = Bdf { tolerance, ..Bdf::default() }.start(system, slow.start.clone(), END)?;
        stepper.step()?;
        Ok((stepper.state().clone(), stepper.report().evaluations.gradients))
    })?;
    // At ω = 10⁴, with the tolerances 10⁻⁶ and 10⁻⁷.
    let ([rough, fine], of_fine) = ([forces[2][2], forces[2][3]], errors.last(2, 0));
    let fastest = &slow[2];
    let (end, explicit) = adaptive(&Penalized::new(springs, fastest.omega)?, &fastest.start, 1e-6, None)?;
    let [of_explicit, _] = fastest.errors(&end);
    let claims = vec![Claim {
        statement: "Not in the paper: a stiff method of order 2 needs fewer forces than the explicit one of order 8, but only where a \
                    rough solution is enough.",
        found: format!(
            "at ω = 10⁴ {rough} for an error of {:.0e} in q and {fine} for {of_fine:.0e}; the explicit one at least {explicit}, for {of_explicit:.0e}",
            errors.rows[4].values[2],
        ),
        verdict: Verdict::of(rough < explicit && 10.0 * of_explicit < of_fine),
    }];
    let heading = "Beside figure 4: backward differentiation formulas of order 2, from the slow point";
    experiment(heading, "Backward differentiation formulas", (errors, &OF_ORDER_2), claims, None)
}

/// Figure 5.
pub(super) fn projected_often(springs: &dyn Constrained, slow: &[Slow]) -> Result<Experiment, Error> {
    let (errors, _) = all(springs, slow, &TOLERANCES, |system, slow, tolerance| {
        adaptive(system, &slow.start, tolerance, Some(slow.tolerance))
    })?;
    let known = [3.9e-8, 4.4e-7];
    let found = [errors.last(1, 0), errors.last(1, 1)];
    let slowest = errors.last(0, 0);
    let claims = vec![
        Claim {
            statement: "At ω = 1000 the errors saturate at about 5(−8) in q and 5(−7) in q̇, what nine projections add.",
            found: format!("{:.2e} and {:.2e}; known: 3.9(−8) and 4.4(−7)", found[0], found[1]),
            verdict: Verdict::of(
                found.iter().zip(known).all(|(found, known)| (found / known - 1.0).abs() < 0.1),
            ),
        },
        Claim {
            statement: "At ω = 100 they do not depend on the tolerance.",
            found: format!("{slowest:.1e} in q, {:.1e} in q̇; known: 5(−4) to 1(−3)", errors.last(0, 1)),
            verdict: Verdict::of(slowest > 2e-4 && slowest < 2e-3),
        },
    ];
    let heading = "Figure 5: the adaptive method from the slow point, with a projection at t = 1, 2, …, 9";
    experiment(heading, "Figure 5: projections on the way", (errors, &TOLERANCES), claims, None)
}
