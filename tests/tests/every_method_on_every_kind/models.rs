//! A model of every kind, with the faces that its methods ask for.

use least_action::advanced::system::Vibrated;
use least_action::emitted::v1::ConstrainedVibrated;
use least_action::prelude::*;
use least_action::system::{Constrained, Lagrangian, Natural, Signal, Start, State, Stiff};
use least_action_command::Workbench;
use serde::{Deserialize, Serialize};

/// A bound model, with its faces.
pub(crate) trait Faces {
    fn lagrangian(&self) -> &dyn Lagrangian;
    fn natural(&self) -> Option<&dyn Natural>;
    fn stiff(&self) -> Option<&dyn Stiff>;
    fn constrained(&self) -> Option<&dyn Constrained>;
    fn vibrated(&self) -> Option<&dyn Vibrated>;
    fn constrained_vibrated(&self) -> Option<&dyn ConstrainedVibrated>;
}

impl<M: Model> Faces for Bound<M> {
    fn lagrangian(&self) -> &dyn Lagrangian {
        self
    }
    fn natural(&self) -> Option<&dyn Natural> {
        self.faces().natural
    }
    fn stiff(&self) -> Option<&dyn Stiff> {
        self.faces().stiff
    }
    fn constrained(&self) -> Option<&dyn Constrained> {
        self.faces().constrained
    }
    fn vibrated(&self) -> Option<&dyn Vibrated> {
        self.faces().vibrated
    }
    fn constrained_vibrated(&self) -> Option<&dyn ConstrainedVibrated> {
        self.faces().constrained_vibrated
    }
}

macro_rules! kinds {
    ($($number:literal $module:ident $name:literal { $($declaration:tt)* })*) => {
        $(mod $module {
            use super::*;

            #[derive(Debug, Clone, Serialize, Deserialize)]
            pub(super) struct Model {
                pub(super) torque: Signal,
                pub(super) stiffness: f64,
                pub(super) shaking: f64,
                pub(super) omega: f64,
            }

            impl Default for Model {
                fn default() -> Self {
                    Self { torque: torque(), stiffness: 2.0, shaking: 0.3, omega: 3.0 }
                }
            }

            impl Start for Model {
                fn start(&self) -> State {
                    super::start()
                }
            }

            #[lagrangian]
            impl Model { $($declaration)* }
        })*

        /// The bound model of a kind, with other values of its stiffness and fast frequency, if given.
        pub(crate) fn bound(number: usize, stiffness: Option<f64>, omega: Option<f64>) -> Box<dyn Faces> {
            match number {
                $($number => {
                    let model = $module::Model::default();
                    let (stiffness, omega) = (stiffness.unwrap_or(model.stiffness), omega.unwrap_or(model.omega));
                    let model = $module::Model { stiffness, omega, ..model };
                    Box::new(model.bind().expect("it is a system"))
                })*
                _ => unreachable!("there is no such kind"),
            }
        }

        /// The faces that a kind has, by its types and by facts at run time alike.
        pub(crate) fn dynamic(number: usize) -> [bool; 11] {
            match number {
                $($number => super::dynamic::agree(&$module::Model::default()),)*
                _ => unreachable!("there is no such kind"),
            }
        }

        /// The command over models of all kinds.
        pub(crate) fn command() -> Workbench {
            Workbench::new("kinds").model::<Body>(SPECIAL[0]).model::<Springs>(SPECIAL[1])$(.model::<$module::Model>($name))*
        }
    };
}

/// The input of every kind that has one; it bends at the time 1.
pub(crate) fn torque() -> Signal {
    Signal::linear(vec![-1.0, 1.0, 9.0], vec![0.1, 0.4, -0.9]).expect("numbers in order")
}

/// The kinds for some methods alone, beside the kinds of `kinds.rs`.
pub(crate) const SPECIAL: [&str; 2] = ["rotation-matrix", "potential-of-distances"];

/// A heavy top by its rotation matrix.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(crate) struct Body {}

#[lagrangian]
impl Body {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        let spread = mat3([[1.0, 0.0, 0.0], [0.0, 1.3, 0.0], [0.0, 0.0, 0.6]]);
        0.5 * (der(r) * spread * der(r).transpose()).trace() - r[(2, 2)]
    }

    #[holonomic]
    fn rotation(&self, r: Mat3) -> Mat3 {
        r.transpose() * r - Mat3::IDENTITY
    }
}

impl Start for Body {
    fn start(&self) -> State {
        // The rate of the identity is the matrix of the angular velocity (0.3, 0.5, 0.2).
        State::new(
            vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            vec![0.0, -0.2, 0.5, 0.2, 0.0, -0.3, -0.5, 0.3, 0.0],
        )
    }
}

/// Three points that springs join.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(crate) struct Springs {}

#[lagrangian]
impl Springs {
    fn lagrangian(&self, points: [Vec2; 3]) -> Scalar {
        let kinetic = sum(0..3, |i| 0.5 * der(points[i]).norm_squared());
        kinetic - sum(pairs(3), |(i, j)| (points[i] - points[j]).norm_squared().powi(2))
    }
}

impl Start for Springs {
    fn start(&self) -> State {
        State::new(vec![0.0, 0.0, 1.0, 0.0, 0.3, 0.9], vec![0.1, 0.0, 0.0, 0.3, -0.2, 0.0])
    }
}

/// A start on the rows of every kind: p on the unit sphere and moving along it, s by its row.
pub(crate) fn start() -> State {
    let p = [0.8, 0.0, 0.6];
    let v = [-0.3, 0.7, 0.4];
    State::new(vec![p[0], p[1], p[2], 0.2], vec![v[0], v[1], v[2], p[0] * (p[0] * v[0] + p[1] * v[1])])
}

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));
