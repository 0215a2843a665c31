use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// A magnetized rigid body that turns about a fixed point in a field, by its rotation matrix.
///
/// L = ¼ tr(Ṙᵀ Ṙ) − B μ R₃₃, Rᵀ R = 1: with Ṙ = R Ω̂ it has T = ½ |Ω|², and Ω̇ = B μ (Rᵀ e₃) × e₃.
///
/// Units: none.
///
/// # Source
/// M. Tao and H. Owhadi, *Variational and linearly-implicit integrators, with applications*, IMA J.
/// Numer. Anal. (2014), section 4.5. The product B μ is not printed there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RigidBody {
    /// The magnetic moment times the field, B μ.
    pub moment: f64,
}

impl Default for RigidBody {
    fn default() -> Self {
        Self { moment: 1.0 }
    }
}

#[lagrangian]
impl RigidBody {
    fn lagrangian(&self, r: Mat3) -> Scalar {
        0.25 * der(r).norm_squared() - self.moment * r[(2, 2)]
    }

    #[holonomic]
    fn orthogonal(&self, r: Mat3) -> Mat3 {
        r.transpose() * r - Mat3::IDENTITY
    }
}

/// R = 1 and Ω = (1, 0.2, 0.1).
impl Start for RigidBody {
    fn start(&self) -> State {
        State::of_points(Matrix3::identity(), Vector3::new(1.0, 0.2, 0.1).cross_matrix())
    }
}
