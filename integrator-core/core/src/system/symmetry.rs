//! Symmetries as data, and their rates of coordinates.

use super::layout::{Kind, Layout, Text};
use serde::Serialize;
use std::borrow::Cow;

/// A quantity that the motion conserves, or, if it is balanced, that only forces and constraints on
/// velocities change; with its symmetry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConservedQuantity {
    /// The name of its column: `energy`, `momentum_x`, `angular_momentum_z`, `momentum_theta`, …
    pub name: Text,
    /// The symmetry in words.
    pub symmetry: Text,
    /// The conserved quantity, in words.
    pub formula: Text,
    /// The conserved quantity, as LaTeX.
    pub latex: Text,
    /// The unit of the quantity, in the units of the model.
    pub unit: Text,
    /// The evidence of the compiler.
    pub certainty: Certainty,
    /// The motion that leaves the Lagrangian unchanged.
    pub motion: Motion,
}

/// The evidence of the compiler for a symmetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// A symbolic proof for all parameters.
    Proven,
    /// No proof, but the symmetry holds at all random points.
    Numerical,
}

/// The motion of a symmetry.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Time alone.
    Time,
    /// Coordinates, whose rates [`ConservedQuantity::rate`] writes.
    Space(Cow<'static, [CoordinateMotion]>),
}

/// The motion of all entries of one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CoordinateMotion {
    /// The index of the coordinate in the declaration.
    pub coordinate: usize,
    /// The motion of one entry.
    pub action: Action,
    /// The factor of the rate, relative to the other parts.
    pub factor: f64,
}

/// The rate of one entry of a coordinate; axes count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A scalar or an angle moves at rate 1.
    Shift,
    /// A vector moves along an axis.
    Translation(usize),
    /// A vector turns about an axis through the origin; in the plane, about axis 2,
    /// normal to it. The columns of a matrix turn like vectors: R ↦ exp(s ê) R.
    Rotation(usize),
    /// A matrix turns about an axis of the body: R ↦ R exp(s ê).
    BodyRotation(usize),
}

impl ConservedQuantity {
    /// Writes ξ(q) over `rate`; zero for a shift of time. For velocities see
    /// [`ConservedQuantity::velocity_rate`].
    pub fn rate(&self, layout: &Layout, q: &[f64], rate: &mut [f64]) {
        rate.fill(0.0);
        if let Motion::Space(parts) = &self.motion {
            for part in parts.iter() {
                part.moved(layout, q, |at, value| {
                    rate[at] += part.factor * value;
                    0.0
                });
            }
        }
    }

    /// Writes the rate (∂ξ/∂q) v of velocities over `rate`:
    /// they turn with the positions; shifts leave them.
    pub fn velocity_rate(&self, layout: &Layout, v: &[f64], rate: &mut [f64]) {
        rate.fill(0.0);
        if let Motion::Space(parts) = &self.motion {
            let turns = |action| matches!(action, Action::Rotation(_) | Action::BodyRotation(_));
            for part in parts.iter().filter(|part| turns(part.action)) {
                part.moved(layout, v, |at, value| {
                    rate[at] += part.factor * value;
                    0.0
                });
            }
        }
    }
}

impl CoordinateMotion {
    /// The sum of `take` over the moving degrees of freedom, each with its rate.
    pub(crate) fn moved(&self, layout: &Layout, q: &[f64], mut take: impl FnMut(usize, f64) -> f64) -> f64 {
        let Some(group) = layout.coordinates().get(self.coordinate) else { return 0.0 };
        let components = group.kind.components();
        let mut sum = 0.0;
        for entry in (group.offset..group.offset + group.size()).step_by(components) {
            match self.action {
                Action::Shift => sum += take(entry, 1.0),
                Action::Translation(axis) => sum += take(entry + axis % components, 1.0),
                Action::Rotation(axis) => {
                    // A matrix is stored row by row.
                    let columns = if group.kind == Kind::Mat3 { 3 } else { 1 };
                    for column in 0..columns {
                        let first = entry + (axis + 1) % 3 * columns + column;
                        let second = entry + (axis + 2) % 3 * columns + column;
                        sum += take(first, -q[second]) + take(second, q[first]);
                    }
                }
                Action::BodyRotation(axis) => {
                    for row in (entry..entry + components).step_by(3) {
                        let (first, second) = (row + (axis + 1) % 3, row + (axis + 2) % 3);
                        sum += take(first, q[second]) + take(second, -q[first]);
                    }
                }
            }
        }
        sum
    }
}
