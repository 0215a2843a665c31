//! Section 5: the iterates of table 1, the slow points (33)–(36) and their multipliers.

use least_action::advanced::wrap::Penalized;
use least_action::method::SlowManifold;
use least_action::system::{Constrained, State};
use least_action::{Bound, Model};
use least_action_models::DoubleSpring;
use least_action_pages::plot::Axis;

use super::{Claim, Columns, Experiment, Known, Row, Verdict, manifold, straight};
use crate::error::Error;
use crate::experiment::picture;

/// The tolerance of table 1.
const TOLERANCE: f64 = 1e-9;

pub(super) fn springs() -> Result<Bound<DoubleSpring>, Error> {
    Ok(DoubleSpring::default().bind()?)
}

/// The start of table 1.
fn far() -> State {
    State::new(vec![1.0, 0.25, 2.0, 0.0], vec![0.0, -0.5, 0.0, 0.5])
}

/// g₁, g₂, ġ₁, ġ₂ of the printed iterates for ω = 1000; −7.49e-8 and 2.33e-3 correct two misprints.
const TABLE_1000: [[f64; 4]; 6] = [
    [3.08e-2, 3.08e-2, -1.21e-1, -2.42e-1],
    [-3.40e-4, -2.41e-4, 2.33e-3, 5.25e-3],
    [9.71e-7, 8.11e-7, 2.01e-5, 1.18e-5],
    [1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6],
    [1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6],
    [1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6],
];

/// The printed table for ω = 10000.
const TABLE_10000: [[f64; 4]; 6] = [
    [3.08e-2, 3.08e-2, -1.21e-1, -2.42e-1],
    [-3.40e-4, -2.41e-4, 2.34e-3, 5.28e-3],
    [-3.00e-8, -7.49e-8, 1.75e-5, 1.02e-5],
    [1.01e-8, 8.91e-9, 3.00e-8, 1.45e-8],
    [1.01e-8, 8.95e-9, 2.43e-8, 1.61e-8],
    [1.01e-8, 8.95e-9, 2.43e-8, 1.62e-8],
];

/// Known to a unit of the third digit: some of the paper's numbers are rounded, others truncated.
fn printed(value: f64) -> Known {
    let unit = 10_f64.powf(value.abs().log10().floor() - 2.0);
    Known { value, within: unit / value.abs() }
}

/// Table 1 for one frequency.
pub(super) fn table(springs: &dyn Constrained, omega: f64) -> Result<Experiment, Error> {
    let system = Penalized::new(springs, omega)?;
    let mut projector = manifold(TOLERANCE).projector(&system)?;
    let mut iterates: Vec<[f64; 4]> = Vec::new();
    let convergence = projector.project_watched(&mut far(), &mut |_, fast_part, fast_rate| {
        if let ([g1, g2], [rate1, rate2]) = (fast_part, fast_rate) {
            iterates.push([*g1, *g2, *rate1, *rate2]);
        }
    })?;
    let (known, misprint) = if omega < 5000.0 {
        let found = iterates.get(1).map_or(f64::NAN, |row| row[2]);
        let statement = "ω = 1000, m = 1: ġ₁ = 2.36(−3), as printed.";
        (&TABLE_1000, wrong(statement, found, 2.36e-3))
    } else {
        let found = iterates.get(2).map_or(f64::NAN, |row| row[1]);
        let statement = "ω = 10000, m = 2: g₂ = 7.49(−8), as printed.";
        (&TABLE_10000, wrong(statement, found, 7.49e-8))
    };
    let names = ["m = 0", "m = 1", "m = 2", "m = 3", "m = 4", "m = 5"];
    let rows = names.into_iter().zip(known).zip(&iterates).map(|((name, known), values)| Row {
        name,
        values: values.to_vec(),
        known: known.map(printed).to_vec(),
    });
    let claims = vec![
        Claim {
            statement: "Five iterations reach the tolerance 10⁻⁹.",
            found: format!(
                "{} iterations with {} forces; an iteration multiplies the change by {:.1e} in the mean",
                convergence.iterations,
                convergence.evaluations.gradients,
                convergence.contraction.unwrap_or(f64::NAN)
            ),
            verdict: Verdict::of(convergence.iterations == 5 && iterates.len() == 6),
        },
        misprint,
    ];
    let end = iterates.last().copied().unwrap_or([f64::NAN; 4]);
    let distance = |column: usize| {
        let points =
            iterates.iter().enumerate().map(|(m, row)| (m as f64, (row[column] - end[column]).abs()));
        points.filter(|(_, d)| *d > 0.0).map(|(m, d)| (m, d.log10())).collect::<Vec<_>>()
    };
    let curves = ["g₁", "g₂", "ġ₁", "ġ₂"].into_iter().enumerate();
    let curves = curves.map(|(column, name)| (name.to_owned(), distance(column))).collect();
    let axes = [Axis::number("m"), Axis::number("|g − g₅|").logarithmic()];
    let title = format!("The iterations of table 1, ω = {omega}");
    Ok(Experiment {
        heading: format!("Table 1: q = (1, ¼, 2, 0), q̇ = (0, −½, 0, ½), ω = {omega}"),
        columns: Some(Columns::of("iterates", ["g1", "g2", "dg1/dt", "dg2/dt"])),
        rows: rows.collect(),
        claims,
        picture: picture(&title, "Distance from the last iterate", axes, curves)?,
        motion: None,
    })
}

/// A printed number that does not come out.
fn wrong(statement: &'static str, found: f64, printed_value: f64) -> Claim {
    let Known { value, within } = printed(printed_value);
    Claim {
        statement,
        found: format!("{found:.4e}, by an independent implementation too"),
        verdict: Verdict::refuted((found - value).abs() > within * value.abs()),
    }
}

/// The points (33)–(36), as differences from the start.
pub(super) fn points(springs: &dyn Constrained) -> Result<Experiment, Error> {
    let mut differences = Vec::new();
    let mut iterations = Vec::new();
    for omega in [1000.0, 10_000.0] {
        let system = Penalized::new(springs, omega)?;
        let mut state = straight();
        iterations.push(manifold(TOLERANCE).projector(&system)?.project(&mut state)?.iterations);
        let State { q, v, .. } = &state;
        differences.push([q[0] - 1.0, q[2] - 2.0, v[1] + 0.5, 0.5 - v[3]]);
    }
    // The printed digits of 1.00000150, −0.4999951 and so on.
    let known = [
        ("x1 − 1", [(1.50e-6, 5e-9), (1.50e-8, 5e-11)]),
        ("x2 − 2", [(2.75e-6, 5e-9), (2.75e-8, 5e-11)]),
        ("dy1/dt + ½", [(4.9e-6, 5e-8), (4.8e-8, 5e-10)]),
        ("½ − dy2/dt", [(2.7e-6, 5e-8), (2.7e-8, 5e-10)]),
    ];
    let rows = known.into_iter().enumerate().map(|(index, (name, known))| Row {
        name,
        values: differences.iter().map(|point| point[index]).collect(),
        known: known.map(|(value, half)| Known { value, within: 1.001 * half / value }).to_vec(),
    });
    Ok(Experiment {
        heading: "Section 5.4: the slow points (33)–(36) from q = (1, 0, 2, 0), q̇ = (0, −½, 0, ½)".to_owned(),
        columns: Some(Columns::of("coordinate", ["ω = 1000", "ω = 10000"])),
        rows: rows.collect(),
        claims: vec![Claim {
            statement: "Two iterations reach the tolerance 10⁻⁹.",
            found: format!("{} iterations for ω = 1000, {} for ω = 10000", iterations[0], iterations[1]),
            verdict: Verdict::of(iterations == [2, 2]),
        }],
        ..Experiment::default()
    })
}

/// The multipliers of the constrained system, from ω² g and by extrapolation.
pub(super) fn multipliers(springs: &dyn Constrained) -> Result<Experiment, Error> {
    let differences = |omega: f64, levels: u32| -> Result<Vec<f64>, Error> {
        let start = SlowManifold::default().consistent_start(springs, omega, levels, &straight())?;
        // The tension is −λ.
        Ok(start.multipliers.iter().zip([1.5, 1.25]).map(|(multiplier, exact)| -multiplier - exact).collect())
    };
    let system = Penalized::new(springs, 1000.0)?;
    let mut state = straight();
    let mut projector = manifold(TOLERANCE).projector(&system)?;
    projector.project(&mut state)?;
    let g2 = projector.fast_part().last().copied().unwrap_or(f64::NAN);
    let rows = vec![
        Row::of("ω² g − λ, ω = 1000", differences(1000.0, 1)?).knowing([-4.338_667e-4, -1.183_044e-3], 0.01),
        Row::of("ω² g − λ, ω = 10000", differences(10_000.0, 1)?)
            .knowing([-4.338_99e-6, -1.182_037e-5], 0.01),
        Row::of("ω = 300, 600, 1200, extrapolated", differences(300.0, 3)?),
    ];
    let error = rows[2].values.iter().fold(0.0, |worst: f64, error| worst.max(error.abs()));
    Ok(Experiment {
        heading: "Section 5.4: the multipliers 1.5 and 1.25".to_owned(),
        columns: Some(Columns::of("distance from 1.5 and 1.25", ["λ1", "λ2"])),
        rows,
        claims: vec![
            Claim {
                statement: "Extrapolation in ω⁻² gives the multipliers to many digits.",
                found: format!(
                    "three frequencies leave an error of {error:.1e}; no equation for the multipliers is solved"
                ),
                verdict: Verdict::of(error < 1e-8),
            },
            wrong("ω = 1000: g₂ = 1.23(−6), as printed.", g2, 1.23e-6),
        ],
        ..Experiment::default()
    })
}

/// The work of a projection for frequencies from 10² to 10⁸.
pub(super) fn cost(springs: &dyn Constrained) -> Result<Experiment, Error> {
    let mut forces = Vec::new();
    for exponent in 2..=8 {
        let system = Penalized::new(springs, 10_f64.powi(exponent))?;
        let convergence = manifold(1e-6).projector(&system)?.project(&mut far())?;
        forces.push(convergence.evaluations.gradients as f64);
    }
    let same = forces.iter().all(|count| (count - forces[0]).abs() < 0.5);
    let found = format!(
        "{} forces at each ω: four iterations of 35; the two ends of the window have no weight",
        forces[0]
    );
    Ok(Experiment {
        heading: "Section 3: the work of a projection from the start of table 1, tolerance 10⁻⁶".to_owned(),
        columns: Some(Columns::of("forces", (2..=8).map(|exponent| format!("ω = 1e{exponent}")))),
        rows: vec![Row::of("from q = (1, ¼, 2, 0)", forces)],
        claims: vec![Claim {
            statement: "The work does not depend on ω.",
            found,
            verdict: Verdict::of(same),
        }],
        ..Experiment::default()
    })
}
