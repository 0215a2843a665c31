use least_action::prelude::*;

/// The medium that a bead moves in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Medium {
    /// Nothing.
    Empty,
    /// A harmonic trap.
    Trap(f64),
    /// A periodic landscape.
    Wave {
        /// The height of the wave.
        height: f64,
        /// The wave number.
        number: f64,
    },
}

/// Beads on a line, each in a medium of its own; choices stand inside and outside of sums.
#[derive(Debug, Clone)]
pub struct Soft {
    /// The medium of each bead.
    pub media: Vec<Medium>,
    /// The medium of the centre of mass.
    pub common: Medium,
}

#[lagrangian]
impl Soft {
    fn lagrangian(&self, beads: [Scalar; self.media.len()]) -> Scalar {
        let n = self.media.len();
        let kinetic = sum(0..n, |i| 0.5 * (1.0 + i as f64) * der(beads[i]).powi(2));
        let single = sum(0..n, |i| match self.media[i] {
            Medium::Empty => 0.0,
            Medium::Trap(stiffness) if i > 0 => 0.5 * stiffness * beads[i].powi(2),
            Medium::Trap(stiffness) => stiffness * beads[0].cosh(),
            Medium::Wave { height, number } => height * (number * beads[i]).cos(),
        });
        let centre = sum(0..n, |i| beads[i]) / n as f64;
        let common = match self.common {
            Medium::Trap(stiffness) => stiffness * centre.powi(2),
            Medium::Wave { height, .. } => height * centre,
            Medium::Empty => 0.0,
        };
        kinetic - single - common
    }

    /// Beads with a trap stand where it pulls them, others are free: an equation that asks in a sum.
    #[holonomic]
    fn balance(&self, beads: [Scalar; self.media.len()]) -> Scalar {
        let pull = sum(0..self.media.len(), |i| match self.media[i] {
            Medium::Trap(stiffness) if i != 1 => stiffness * beads[i],
            _ => {
                if i % 2 == 0 {
                    beads[i].powi(2)
                } else {
                    0.25
                }
            }
        });
        pull * pull - pull
    }
}

/// Points of which some are held by springs, as a table says; sums that ask the table meet themselves.
#[derive(Debug, Clone)]
pub struct Anchored {
    /// Place and stiffness of the anchor of each point that has one.
    pub anchors: Vec<Option<([f64; 2], f64)>>,
    /// Pairs of points and the length of the spring between them.
    pub bonds: Vec<(usize, usize, f64)>,
    /// A weight, where there is one.
    pub weight: Option<f64>,
}

#[lagrangian]
impl Anchored {
    fn lagrangian(&self, points: [Vec2; self.anchors.len()]) -> Scalar {
        let n = self.anchors.len();
        let kinetic = sum(0..n, |i| 0.5 * der(points[i]).norm_squared());
        let held = sum(0..n, |i| {
            if let Some((place, stiffness)) = self.anchors[i] {
                0.5 * stiffness * (points[i] - vec2(place)).norm_squared()
            } else {
                0.0
            }
        });
        let bonds = sum(self.bonds.iter(), |&(i, j, length)| {
            let stretch = points[i].distance(points[j]) - length;
            0.5 * stretch.powi(2)
        });
        // The sum meets itself: each factor asks the table for itself.
        let moment = sum(0..n, |i| {
            if let Some((place, stiffness)) = self.anchors[i] {
                let lever = stiffness * place[0];
                if stiffness > 1.0 { lever * points[i].y } else { points[i].x }
            } else {
                points[i].y
            }
        });
        let weight = if let Some(weight) = self.weight { weight * moment } else { 0.0 };
        kinetic - stiff(held) - bonds - 0.1 * moment * moment - weight
    }
}
