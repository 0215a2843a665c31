//! A bead on a parabolic wire: a mass that depends on the position.

use integrator_core::describe::{Description, Force, Mass, Structure};
use integrator_core::error::BindError;
use integrator_core::sparse::SymmetricPattern;
use integrator_core::system::{Constrained, Kind, Lagrangian, Layout, Natural, Start, State, Stiff, System};
use serde::{Deserialize, Serialize};
use workbench::{Erased, Model, Restricted};

/// y = curvature · x²; L = ½ m (1 + 4 c² x²) v² − m g c x².
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

impl Model for Bead {
    fn erased(&self) -> Result<Box<dyn Erased>, BindError> {
        let mut layout = Layout::new();
        layout.push("x", Kind::Scalar, vec![]);
        Ok(Box::new(Bound { model: self.clone(), layout, second: SymmetricPattern::new(3, [(1, 0)]) }))
    }
}

struct Bound {
    model: Bead,
    layout: Layout,
    second: SymmetricPattern,
}

impl System for Bound {
    fn name(&self) -> &'static str {
        "Bead"
    }
    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Lagrangian for Bound {
    fn lagrangian(&self, q: &[f64], v: &[f64], _t: f64) -> f64 {
        let Bead { mass, gravity, curvature: c } = self.model;
        0.5 * mass * (1.0 + 4.0 * c * c * q[0] * q[0]) * v[0] * v[0] - mass * gravity * c * q[0] * q[0]
    }
    fn energy(&self, q: &[f64], v: &[f64], _t: f64) -> f64 {
        let Bead { mass, gravity, curvature: c } = self.model;
        0.5 * mass * (1.0 + 4.0 * c * c * q[0] * q[0]) * v[0] * v[0] + mass * gravity * c * q[0] * q[0]
    }
    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        self.second_derivatives(q, v, t, gradient, &mut [0.0; 4]);
    }
    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second
    }
    fn second_derivatives(&self, q: &[f64], v: &[f64], _t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let Bead { mass, gravity, curvature: c } = self.model;
        let (x, v) = (q[0], v[0]);
        let inertia = mass * (1.0 + 4.0 * c * c * x * x);
        gradient[0] = 4.0 * mass * c * c * x * v * v - 2.0 * mass * gravity * c * x;
        gradient[1] = inertia * v;
        gradient[2] = 0.0;
        hessian[0] = 4.0 * mass * c * c * v * v - 2.0 * mass * gravity * c;
        hessian[1] = 8.0 * mass * c * c * x * v;
        hessian[2] = inertia;
        hessian[3] = 0.0;
    }
}

impl Erased for Bound {
    fn lagrangian(&self) -> &dyn Lagrangian {
        self
    }
    fn natural(&self) -> Option<&dyn Natural> {
        None
    }
    fn stiff(&self) -> Option<&dyn Stiff> {
        None
    }
    fn constrained(&self) -> Option<&dyn Constrained> {
        None
    }
    fn restricted(&self) -> Option<&dyn Restricted> {
        None
    }
    fn description(&self) -> Description {
        Description {
            model: "Bead".into(),
            documentation: "A bead on a parabolic wire.".into(),
            dimension: 1,
            equations: 0,
            coordinates: self.layout.coordinates().to_vec(),
            structure: Structure {
                mass: Mass::DependsOn(vec!["x".into()]),
                mass_diagonal: true,
                force: Force::PositionOnly,
                time_dependent: false,
            },
            families: vec![],
            constraints: vec![],
        }
    }
}
