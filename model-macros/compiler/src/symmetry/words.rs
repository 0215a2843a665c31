//! Symmetries in words: their names, their conserved quantities and units.

use super::{Action, Flow, Generator};
use crate::ast::{Coordinate, Kind};
use syn::ext::IdentExt;

/// A symmetry for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The name of the quantity: `energy`, `momentum_x`, `angular_momentum_z`, `momentum_theta`.
    pub name: String,
    /// The symmetry.
    pub symmetry: String,
    /// The conserved quantity.
    pub formula: String,
    /// The conserved quantity as LaTeX.
    pub latex: String,
    /// The unit of the quantity, in the units of the model.
    pub unit: String,
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// `x`, `y` or `z`.
pub(crate) fn axis_name(axis: usize) -> &'static str {
    AXES[axis % 3]
}

/// The words for all symmetries; no two have one name.
pub fn words<'f>(flows: impl IntoIterator<Item = &'f Flow>, coordinates: &[Coordinate]) -> Vec<Words> {
    let mut all: Vec<Words> = Vec::new();
    for flow in flows {
        let mut words = match flow {
            Flow::Time => of_time(),
            Flow::Space(parts) => of_space(parts, coordinates),
        };
        let base = words.name.clone();
        let mut number = 2;
        while all.iter().any(|known| known.name == words.name) {
            words.name = format!("{base}_{number}");
            number += 1;
        }
        all.push(words);
    }
    all
}

fn of_time() -> Words {
    Words {
        name: "energy".to_owned(),
        symmetry: "shift of time".to_owned(),
        formula: "v · ∂L/∂v − L".to_owned(),
        latex: r"\dot q \cdot \frac{\partial L}{\partial \dot q} - L".to_owned(),
        unit: "energy".to_owned(),
    }
}

fn of_space(parts: &[(Generator, f64)], coordinates: &[Coordinate]) -> Words {
    let mut formula = String::new();
    let mut latex = String::new();
    for (generator, factor) in parts {
        let coordinate = &coordinates[generator.coordinate];
        let (plain, typeset) = momentum(*generator, coordinate);
        join(&mut formula, *factor, &plain, "−", "");
        join(&mut latex, *factor, &typeset, "-", r"\,");
    }
    Words {
        name: name(parts, coordinates),
        symmetry: symmetry(parts, coordinates),
        formula,
        latex,
        unit: unit(parts, coordinates),
    }
}

/// Appends a term with its sign and factor.
fn join(text: &mut String, factor: f64, term: &str, minus: &str, times: &str) {
    let sign = match (text.is_empty(), factor < 0.0) {
        (true, false) => String::new(),
        (true, true) => minus.to_owned(),
        (false, false) => " + ".to_owned(),
        (false, true) => format!(" {minus} "),
    };
    text.push_str(&sign);
    if factor.abs() != 1.0 {
        text.push_str(&factor.abs().to_string());
        text.push_str(if times.is_empty() { " " } else { times });
    }
    text.push_str(term);
}

fn plain_name(coordinate: &Coordinate) -> String {
    coordinate.name.unraw().to_string()
}

/// The momentum of one generator, as text and as LaTeX.
fn momentum(generator: Generator, coordinate: &Coordinate) -> (String, String) {
    let name = plain_name(coordinate);
    let symbol = crate::latex::symbol(&name, coordinate.kind.components() > 1);
    let many = !coordinate.lengths.is_empty();
    let (sum, typeset_sum) = if many { ("Σ ", r"\sum ") } else { ("", "") };
    let momentum = format!(r"\frac{{\partial L}}{{\partial \dot{{{symbol}}}}}");
    match generator.action {
        Action::Shift => (format!("{sum}∂L/∂der({name})"), format!("{typeset_sum}{momentum}")),
        Action::Translation(axis) => {
            let axis = AXES[axis % 3];
            (
                format!("{sum}(∂L/∂der({name})).{axis}"),
                format!(r"{typeset_sum}\left({momentum}\right)_{{{axis}}}"),
            )
        }
        Action::Rotation(axis) => {
            let axis = AXES[axis % 3];
            let matrix = coordinate.kind == Kind::Mat3;
            let (columns, subscript) = if matrix { (", by columns", r"_{\text{columns}}") } else { ("", "") };
            (
                format!("{sum}({name} × ∂L/∂der({name}){columns}).{axis}"),
                format!(r"{typeset_sum}\left({symbol} \times{subscript} {momentum}\right)_{{{axis}}}"),
            )
        }
        Action::BodyRotation(axis) => {
            // Multiplied from the right, the rows of a matrix turn the other way round.
            let axis = AXES[axis % 3];
            (
                format!("{sum}(∂L/∂der({name}) × {name}, by rows).{axis}"),
                format!(r"{typeset_sum}\left({momentum} \times_{{\text{{rows}}}} {symbol}\right)_{{{axis}}}"),
            )
        }
    }
}

/// The action that all parts on vectors share with factor one, if they do.
fn common(parts: &[(Generator, f64)]) -> Option<Action> {
    let vectors = parts.iter().filter(|(generator, _)| generator.action != Action::Shift);
    let mut actions = vectors.map(|(generator, factor)| (*factor == 1.0).then_some(generator.action));
    let first = actions.next()??;
    actions.all(|action| action == Some(first)).then_some(first)
}

fn name(parts: &[(Generator, f64)], coordinates: &[Coordinate]) -> String {
    let moved: Vec<String> =
        parts.iter().map(|(generator, _)| plain_name(&coordinates[generator.coordinate])).collect();
    let of_shifts = parts.iter().all(|(generator, _)| generator.action == Action::Shift);
    if of_shifts {
        return format!("momentum_{}", moved.join("_"));
    }
    let shifts = parts.iter().any(|(generator, _)| generator.action == Action::Shift);
    let can = |action: Action, coordinate: &Coordinate| match action {
        Action::Shift => false,
        Action::Translation(axis) => {
            matches!(coordinate.kind, Kind::Vec2 | Kind::Vec3) && axis < coordinate.kind.components()
        }
        Action::Rotation(_) => coordinate.kind.components() > 1,
        Action::BodyRotation(_) => coordinate.kind == Kind::Mat3,
    };
    let Some(action) = common(parts) else { return format!("momentum_{}", moved.join("_")) };
    let everything = coordinates
        .iter()
        .enumerate()
        .filter(|(_, coordinate)| can(action, coordinate))
        .all(|(k, _)| parts.iter().any(|(generator, _)| generator.coordinate == k));
    let of = if everything { String::new() } else { format!("_{}", moved.join("_")) };
    match action {
        Action::Translation(axis) if !shifts => format!("momentum{of}_{}", AXES[axis % 3]),
        Action::Rotation(axis) if turns_angles(parts, coordinates) => {
            format!("angular_momentum{of}_{}", AXES[axis % 3])
        }
        Action::BodyRotation(axis) if !shifts => format!("body_angular_momentum{of}_{}", AXES[axis % 3]),
        _ => format!("momentum_{}", moved.join("_")),
    }
}

/// True if all coordinates that are shifted are angles.
fn turns_angles(parts: &[(Generator, f64)], coordinates: &[Coordinate]) -> bool {
    parts.iter().all(|(generator, _)| {
        generator.action != Action::Shift || coordinates[generator.coordinate].kind == Kind::Angle
    })
}

fn symmetry(parts: &[(Generator, f64)], coordinates: &[Coordinate]) -> String {
    let texts = parts.iter().map(|(generator, factor)| {
        let name = plain_name(&coordinates[generator.coordinate]);
        let times = if *factor == 1.0 { String::new() } else { format!(", {factor} times") };
        match generator.action {
            Action::Shift => format!("shift of {name}{times}"),
            Action::Translation(axis) => format!("translation of {name} along {}{times}", AXES[axis % 3]),
            Action::Rotation(axis) => format!("rotation of {name} about {}{times}", AXES[axis % 3]),
            Action::BodyRotation(axis) => {
                format!("rotation of {name} about {} of the body{times}", AXES[axis % 3])
            }
        }
    });
    let texts: Vec<String> = texts.collect();
    texts.join(" with ")
}

/// q · ∂L/∂v is an energy times a time; for a part, it is divided by the unit of its motion.
fn unit(parts: &[(Generator, f64)], coordinates: &[Coordinate]) -> String {
    let units = parts.iter().map(|(generator, _)| {
        let coordinate = &coordinates[generator.coordinate];
        match (generator.action, coordinate.kind) {
            (Action::Rotation(_) | Action::BodyRotation(_), _) | (Action::Shift, Kind::Angle) => {
                "energy · time".to_owned()
            }
            (Action::Translation(_), _) => {
                format!("energy · time / length of {}", plain_name(coordinate))
            }
            (Action::Shift, _) => format!("energy · time / unit of {}", plain_name(coordinate)),
        }
    });
    let units: std::collections::BTreeSet<String> = units.collect();
    units.into_iter().next().unwrap_or_default()
}
