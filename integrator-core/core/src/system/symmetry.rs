//! Symmetries as data, and the rates at which they move coordinates.

use super::layout::{Kind, Layout};
use serde::Serialize;

/// A quantity that the motion of a system conserves, but for the work of forces and of constraints on velocities where it is balanced, and the
/// symmetry that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ConservedQuantity {
    /// The name of its column: `energy`, `momentum_x`, `angular_momentum_z`, `momentum_theta`, …
    pub name: &'static str,
    /// The symmetry in words.
    pub symmetry: &'static str,
    /// The conserved quantity, in words.
    pub formula: &'static str,
    /// The conserved quantity, as LaTeX.
    pub latex: &'static str,
    /// The unit of the quantity, in the units of the model.
    pub unit: &'static str,
    /// The kind of evidence that the compiler has.
    pub certainty: Certainty,
    /// The motion under which the Lagrangian does not change.
    pub motion: Motion,
}

/// The kind of evidence that the compiler has for a symmetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// A proof, symbolic and for all parameters.
    Proven,
    /// No proof, but no random point was found where the symmetry fails.
    Numerical,
}

/// The motion of a symmetry.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Time alone.
    Time,
    /// Coordinates, each as a part says.
    Space(&'static [CoordinateMotion]),
}

/// The motion of all entries of one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CoordinateMotion {
    /// The place of the coordinate in the declaration.
    pub coordinate: usize,
    /// The motion of one entry.
    pub action: Action,
    /// The factor of the rate, beside the other parts.
    pub factor: f64,
}

/// The rate of one entry of a coordinate; axes are numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A scalar or an angle moves at the rate 1.
    Shift,
    /// A vector moves along an axis.
    Translation(usize),
    /// A vector turns about an axis through the origin; in the plane, about the axis 2 that stands on it. Of a matrix so turn
    /// the columns: R ↦ exp(s ê) R.
    Rotation(usize),
    /// A matrix turns about an axis of the body: R ↦ R exp(s ê).
    BodyRotation(usize),
}

impl ConservedQuantity {
    /// ξ(q), written over `rate`; zero for a shift of time. For velocities, whose rate is (∂ξ/∂q) v, see
    /// [`ConservedQuantity::velocity_rate`].
    pub fn rate(&self, layout: &Layout, q: &[f64], rate: &mut [f64]) {
        rate.fill(0.0);
        if let Motion::Space(parts) = self.motion {
            for part in parts {
                part.moved(layout, q, |at, value| {
                    rate[at] += part.factor * value;
                    0.0
                });
            }
        }
    }

    /// (∂ξ/∂q) v, written over `rate`: velocities turn with the positions, and are the same after a shift.
    pub fn velocity_rate(&self, layout: &Layout, v: &[f64], rate: &mut [f64]) {
        rate.fill(0.0);
        if let Motion::Space(parts) = self.motion {
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
    /// The sum of `take` over the degrees of freedom that move, each with its rate.
    pub(crate) fn moved(&self, layout: &Layout, q: &[f64], mut take: impl FnMut(usize, f64) -> f64) -> f64 {
        let Some(group) = layout.coordinates().get(self.coordinate) else { return 0.0 };
        let components = group.kind.components();
        let mut sum = 0.0;
        for entry in (group.offset..group.offset + group.size()).step_by(components) {
            match self.action {
                Action::Shift => sum += take(entry, 1.0),
                Action::Translation(axis) => sum += take(entry + axis % components, 1.0),
                Action::Rotation(axis) => {
                    // A matrix stands row by row.
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
