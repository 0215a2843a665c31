//! A mass on a spring in the plane: a natural system with a nonlinear potential.

use integrator_core::describe::{Description, Family, Force, Mass, Operations, Part, Structure};
use integrator_core::error::BindError;
use integrator_core::sparse::{SymmetricMatrix, SymmetricPattern};
use integrator_core::system::{Constrained, Kind, Lagrangian, Layout, Natural, Start, State, Stiff, System};
use serde::{Deserialize, Serialize};
use workbench::{Erased, Model, Restricted};

/// V = ½ k (|p| − l)² + m g y.
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

impl Model for SpringPendulum {
    fn erased(&self) -> Result<Box<dyn Erased>, BindError> {
        if self.mass <= 0.0 {
            let (model, coordinate) = ("SpringPendulum".into(), "bob.x".into());
            return Err(BindError::MassNotPositive { model, coordinate, value: self.mass });
        }
        let mut layout = Layout::new();
        layout.push("bob", Kind::Vec2, vec![]);
        Ok(Box::new(Bound {
            mass: SymmetricMatrix::diagonal(vec![self.mass; 2]),
            pattern: SymmetricPattern::new(2, [(1, 0)]),
            second: SymmetricPattern::new(5, [(1, 0)]),
            model: self.clone(),
            layout,
        }))
    }
}

struct Bound {
    model: SpringPendulum,
    layout: Layout,
    mass: SymmetricMatrix,
    pattern: SymmetricPattern,
    second: SymmetricPattern,
}

impl System for Bound {
    fn name(&self) -> &'static str {
        "SpringPendulum"
    }
    fn layout(&self) -> &Layout {
        &self.layout
    }
}

impl Natural for Bound {
    fn mass(&self) -> &SymmetricMatrix {
        &self.mass
    }
    fn potential(&self, q: &[f64], _t: f64) -> f64 {
        let SpringPendulum { mass, gravity, stiffness, length } = self.model;
        0.5 * stiffness * (q[0].hypot(q[1]) - length).powi(2) + mass * gravity * q[1]
    }
    fn potential_gradient(&self, q: &[f64], t: f64, gradient: &mut [f64]) {
        self.potential_second(q, t, gradient, &mut [0.0; 3]);
    }
    fn potential_pattern(&self) -> &SymmetricPattern {
        &self.pattern
    }
    fn potential_second(&self, q: &[f64], _t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let SpringPendulum { mass, gravity, stiffness: k, length } = self.model;
        let (x, y, r) = (q[0], q[1], q[0].hypot(q[1]));
        let (along, bent) = (k * (1.0 - length / r), k * length / r.powi(3));
        gradient[0] = along * x;
        gradient[1] = along * y + mass * gravity;
        hessian.copy_from_slice(&[along + bent * x * x, bent * x * y, along + bent * y * y]);
    }
    fn potential_product(&self, q: &[f64], t: f64, a: &[f64], product: &mut [f64]) {
        let mut hessian = [0.0; 3];
        self.potential_second(q, t, &mut [0.0; 2], &mut hessian);
        product.fill(0.0);
        self.pattern.multiply_add(&hessian, a, product);
    }
    fn potential_third(&self, q: &[f64], _t: f64, a: &[f64], contraction: &mut [f64]) {
        let SpringPendulum { stiffness, length, .. } = self.model;
        let r = q[0].hypot(q[1]);
        let (factor, dot, square) =
            (stiffness * length / r.powi(3), q[0] * a[0] + q[1] * a[1], a[0] * a[0] + a[1] * a[1]);
        for i in 0..2 {
            contraction[i] = factor * (q[i] * square + 2.0 * dot * a[i] - 3.0 * dot * dot * q[i] / (r * r));
        }
    }
}

impl Lagrangian for Bound {
    fn lagrangian(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) - self.potential(q, t)
    }
    fn energy(&self, q: &[f64], v: &[f64], t: f64) -> f64 {
        0.5 * self.mass.quadratic(v) + self.potential(q, t)
    }
    fn first_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64]) {
        self.second_derivatives(q, v, t, gradient, &mut [0.0; 6]);
    }
    fn second_pattern(&self) -> &SymmetricPattern {
        &self.second
    }
    fn second_derivatives(&self, q: &[f64], v: &[f64], t: f64, gradient: &mut [f64], hessian: &mut [f64]) {
        let (mut first, mut second) = ([0.0; 2], [0.0; 3]);
        self.potential_second(q, t, &mut first, &mut second);
        let m = self.model.mass;
        gradient.copy_from_slice(&[-first[0], -first[1], m * v[0], m * v[1], 0.0]);
        hessian.copy_from_slice(&[-second[0], -second[1], -second[2], m, m, 0.0]);
    }
}

impl Erased for Bound {
    fn lagrangian(&self) -> &dyn Lagrangian {
        self
    }
    fn natural(&self) -> Option<&dyn Natural> {
        Some(self)
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
        let family = |name: &str, part, expression: &str, gradient| Family {
            name: name.into(),
            part,
            expression: expression.into(),
            elements: 1,
            gathers: vec!["bob".into()],
            variables: 2,
            operations: Operations {
                value: gradient / 2,
                gradient,
                hessian: 2 * gradient,
                third: 3 * gradient,
            },
        };
        Description {
            model: "SpringPendulum".into(),
            documentation: "A mass on a spring in the plane.\nHangs from the origin.".into(),
            dimension: 2,
            equations: 0,
            coordinates: self.layout.coordinates().to_vec(),
            structure: Structure {
                mass: Mass::Constant,
                mass_diagonal: true,
                force: Force::PositionOnly,
                time_dependent: false,
            },
            families: vec![
                family("kinetic[0]", Part::Kinetic, "0.5 mass |der(bob)|²", 6),
                family("potential[0]", Part::Potential, "0.5 stiffness (|bob| − length)²", 14),
                family("potential[1]", Part::Potential, "mass gravity bob.y", 2),
            ],
            constraints: vec![],
        }
    }
}
