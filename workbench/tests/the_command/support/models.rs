//! Small models of each kind that the command line tells apart.

use least_action::prelude::*;

/// A mass on a spring in the plane: a nonlinear potential, and no constraints.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SpringPendulum {
    pub(crate) mass: f64,
    pub(crate) gravity: f64,
    pub(crate) stiffness: f64,
    pub(crate) length: f64,
}

impl Default for SpringPendulum {
    fn default() -> Self {
        Self { mass: 1.0, gravity: 1.0, stiffness: 40.0, length: 1.0 }
    }
}

impl Start for SpringPendulum {
    fn start(&self) -> State {
        State::at_rest(vec![self.length, 0.0])
    }
}

/// A mass on a spring in the plane.
/// Hangs from the origin.
#[lagrangian]
impl SpringPendulum {
    fn lagrangian(&self, bob: Vec2) -> Scalar {
        let spring = 0.5 * self.stiffness * (bob.norm() - self.length).powi(2);
        0.5 * self.mass * der(bob).norm_squared() - spring - self.mass * self.gravity * bob.y
    }
}

/// Point masses on rigid rods in the plane: constraints, and a constant mass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Chain {
    pub(crate) links: usize,
    pub(crate) mass: f64,
    pub(crate) gravity: f64,
    pub(crate) rod: f64,
}

impl Default for Chain {
    fn default() -> Self {
        Self { links: 3, mass: 1.0, gravity: 1.0, rod: 5.0_f64.sqrt() }
    }
}

impl Start for Chain {
    fn start(&self) -> State {
        let unit = self.rod / 5.0_f64.sqrt();
        State::at_rest((1..=self.links).flat_map(|i| [i as f64 * unit, -2.0 * i as f64 * unit]).collect())
    }
}

/// Point masses on rigid rods in the plane.
#[lagrangian]
impl Chain {
    fn lagrangian(&self, bobs: [Vec2; self.links]) -> Scalar {
        sum(0..self.links, |i| {
            0.5 * self.mass * der(bobs[i]).norm_squared() - self.mass * self.gravity * bobs[i].y
        })
    }

    #[holonomic]
    fn rods(&self, bobs: [Vec2; self.links]) -> [Scalar; self.links] {
        each(0..self.links, |i| {
            let pivot = if i == 0 { Vec2::ZERO } else { bobs[i - 1] };
            (bobs[i] - pivot).norm_squared() - self.rod.powi(2)
        })
    }
}

/// A bead on the wire y = curvature · x²: a mass that depends on the position.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Bead {
    pub(crate) mass: f64,
    pub(crate) gravity: f64,
    pub(crate) curvature: f64,
}

impl Default for Bead {
    fn default() -> Self {
        Self { mass: 1.0, gravity: 9.81, curvature: 0.5 }
    }
}

impl Start for Bead {
    fn start(&self) -> State {
        State::at_rest(vec![1.0])
    }
}

#[lagrangian]
impl Bead {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        let place = vec2(x, self.curvature * x * x);
        0.5 * self.mass * der(place).norm_squared() - self.mass * self.gravity * place.y
    }
}

/// A pendulum in polar coordinates whose rod is a constraint: a mass that depends on the position, and
/// constraints.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PolarPendulum {
    pub(crate) gravity: f64,
}

impl Default for PolarPendulum {
    fn default() -> Self {
        Self { gravity: 9.81 }
    }
}

impl Start for PolarPendulum {
    fn start(&self) -> State {
        State::new(vec![1.0, 0.0], vec![0.0, 2.0])
    }
}

#[lagrangian]
impl PolarPendulum {
    fn lagrangian(&self, radius: Scalar, angle: Angle) -> Scalar {
        let bob = radius * vec2(angle.sin(), -angle.cos());
        0.5 * der(bob).norm_squared() - self.gravity * bob.y
    }

    #[holonomic]
    fn rod(&self, radius: Scalar) -> Scalar {
        radius - 1.0
    }
}

/// Springs along a line, with a stiffness for each: a table that may be too short for the beads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Springs {
    pub(crate) beads: usize,
    pub(crate) stiffness: Vec<f64>,
}

impl Default for Springs {
    fn default() -> Self {
        Self { beads: 2, stiffness: vec![1.0, 2.0] }
    }
}

impl Start for Springs {
    fn start(&self) -> State {
        State::at_rest(vec![0.5; self.beads])
    }
}

#[lagrangian]
impl Springs {
    fn lagrangian(&self, x: [Scalar; self.beads]) -> Scalar {
        let kinetic = sum(0..self.beads, |i| 0.5 * der(x[i]).powi(2));
        kinetic - stiff(sum(0..self.beads, |i| 0.5 * self.stiffness_of(i) * x[i].powi(2)))
    }

    /// Ordinary Rust, which nothing asks before it panics.
    fn stiffness_of(&self, bead: usize) -> f64 {
        self.stiffness[bead]
    }
}

/// A cart on wheels with a heading, an axle that turns with it, and oil: constraints on velocities and a
/// dissipation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cart {
    pub(crate) radius: f64,
    pub(crate) oil: f64,
}

impl Default for Cart {
    fn default() -> Self {
        Self { radius: 0.5, oil: 0.1 }
    }
}

impl Start for Cart {
    fn start(&self) -> State {
        State::new(vec![0.0, 0.0, 0.0, 0.0], vec![1.0, 0.0, 0.5, 0.5 / self.radius])
    }
}

#[lagrangian]
impl Cart {
    fn lagrangian(&self, place: Vec2, heading: Angle, axle: Angle) -> Scalar {
        0.5 * der(place).norm_squared() + 0.1 * der(heading).powi(2) + 0.05 * der(axle).powi(2)
    }

    #[nonholonomic]
    fn wheels(&self, place: Vec2, heading: Angle) -> Scalar {
        der(place).cross(vec2(heading.cos(), heading.sin()))
    }

    #[nonholonomic]
    fn gear(&self, heading: Angle, axle: Angle) -> Scalar {
        self.radius * der(axle) - der(heading)
    }

    #[dissipation]
    fn oil(&self, place: Vec2) -> Scalar {
        0.5 * self.oil * der(place).norm_squared()
    }
}

/// Ions that push each other in a magnetic field: near pairs beside a force that depends on the
/// velocity.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ions {
    pub(crate) count: usize,
    pub(crate) field: f64,
    pub(crate) cutoff: f64,
}

impl Default for Ions {
    fn default() -> Self {
        Self { count: 3, field: 0.7, cutoff: 1.5 }
    }
}

impl Start for Ions {
    fn start(&self) -> State {
        let q: Vec<f64> = (0..self.count).flat_map(|i| [i as f64, 0.1 * i as f64, 0.0]).collect();
        State::new(q.clone(), q)
    }
}

#[lagrangian]
impl Ions {
    fn lagrangian(&self, ions: [Vec3; self.count]) -> Scalar {
        let kinetic = sum(0..self.count, |i| 0.5 * der(ions[i]).norm_squared());
        let magnetic = sum(0..self.count, |i| {
            0.5 * self.field * (ions[i].x * der(ions[i].y) - ions[i].y * der(ions[i].x))
        });
        let pushes = sum(within(self.cutoff, ions), |(_i, _j, d)| (self.cutoff - d.norm()).powi(4));
        kinetic + magnetic - pushes
    }
}
