use least_action::prelude::*;

/// A rigid body by its rotation matrix, in a field that turns its third axis up, and with a spring.
#[derive(Debug, Clone)]
pub struct Rotor {
    /// The integrals of the mass over the squares of the body's coordinates.
    pub spread: [[f64; 3]; 3],
    /// The strength of the field.
    pub field: f64,
    /// A point of the body.
    pub hook: [f64; 3],
}

#[lagrangian]
impl Rotor {
    fn lagrangian(&self, r: Mat3, centre: Vec3) -> Scalar {
        let spread = mat3(self.spread);
        let turning = 0.5 * (der(r) * spread).dot(der(r));
        let hook = centre + r * vec3(self.hook);
        let spring = 0.5 * (hook - vec3(1.0, 0.5, -0.25)).norm_squared();
        turning + 0.5 * der(centre).norm_squared() + self.field * r[(2, 2)] - spring
    }

    #[holonomic]
    fn orthogonal(&self, r: Mat3) -> Mat3 {
        r.transpose() * r - Mat3::IDENTITY
    }
}

/// Bodies of any shape, with everything that a matrix can do.
#[derive(Debug, Clone)]
pub struct Frames {
    /// The number of frames.
    pub frames: usize,
    /// The matrix at rest.
    pub rest: [[f64; 3]; 3],
}

#[lagrangian]
impl Frames {
    fn volume(f: Mat3) -> Scalar {
        f.determinant()
    }

    fn lagrangian(&self, frames: [Mat3; self.frames], shift: Vec3) -> Scalar {
        let kinetic =
            sum(0..self.frames, |i| 0.5 * der(frames[i]).norm_squared()) + 0.5 * der(shift).norm_squared();
        let rest = mat3(self.rest);
        let elastic = sum(frames.iter(), |frame| {
            let strain = rest.inverse() * *frame;
            let right = strain.transpose() * strain;
            0.5 * (right - Mat3::IDENTITY).norm_squared()
                + 0.25 * right.trace()
                + Self::volume(strain).powi(2)
        });
        let coupled = sum(0..self.frames, |i| {
            let next = frames[(i + 1) % self.frames];
            let product = frames[i] * next / 2.0 - 0.5 * next.transpose();
            product.column(1).dot(shift) + product.row(0).cross(frames[i].diagonal()).norm_squared()
        });
        let built = Mat3::from_columns([shift, vec3(0.0, 1.0, 0.5), shift.cross(vec3(0.5, 0.25, 1.0))]);
        let rows = Mat3::from_rows([shift, -shift, vec3(1.0, shift.x, 2.0)]);
        let odd = (built * rows + Mat3::from_diagonal(shift)).norm_squared() - (-built)[(0, 2)];
        let dyad = shift.outer(vec3(1.0, 2.0, 3.0)).dot(rest) + Mat3::ZERO.trace();
        let chosen = if self.frames > 1 { frames[1] } else { Mat3::IDENTITY };
        kinetic - elastic - coupled - 0.1 * odd - dyad - (chosen * shift).x * (rest * chosen).norm().cos()
    }

    /// Volumes, and a matrix that is antisymmetric, whose diagonal says nothing.
    #[holonomic]
    fn volumes(&self, frames: [Mat3; self.frames]) -> [Scalar; self.frames] {
        each(0..self.frames, |i| frames[i].determinant() - 1.0)
    }

    #[holonomic]
    fn without_turning(&self, frames: [Mat3; self.frames]) -> [Mat3; self.frames] {
        each(0..self.frames, |i| frames[i] - frames[i].transpose())
    }
}

/// One matrix that many elements read: enough of them for SIMD registers, of few degrees of freedom.
#[derive(Debug, Clone)]
pub struct Crystal {
    /// The factor of the matrix in each element.
    pub cells: Vec<[[f64; 3]; 3]>,
}

#[lagrangian]
impl Crystal {
    fn lagrangian(&self, f: Mat3, drift: Vec3) -> Scalar {
        let kinetic = 0.5 * der(f).norm_squared() + 0.5 * der(drift).norm_squared();
        let elastic = sum(self.cells.iter(), |cell| {
            let there = f * mat3(*cell);
            let strain = there.transpose() * there - Mat3::IDENTITY;
            0.25 * strain.norm_squared() + 0.1 * there.determinant().powi(2) - there.trace() * there[(0, 2)]
        });
        let carried = sum(self.cells.iter(), |cell| {
            let back = (f + 2.0 * Mat3::IDENTITY).inverse() * mat3(*cell);
            (back * drift).dot(back.row(1)) + back.column(2).cross(drift).norm_squared()
        });
        kinetic - elastic - 0.1 * carried
    }
}
