use least_action::prelude::*;

/// Every elementary function, at arguments where each is smooth.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// An exponent that is no integer.
    pub exponent: f64,
    /// An integer exponent.
    pub power: i32,
}

#[lagrangian]
impl Analysis {
    fn lagrangian(&self, x: Scalar, y: Scalar) -> Scalar {
        let kinetic = 0.5 * (der(x).powi(2) + der(y).powi(2));
        let (sine, cosine) = (x * y).sin_cos();
        let positive = 1.5 + sine;
        let small = 0.5 * cosine;
        let circular = x.sin() + y.cos() + small.tan() + small.asin() + small.acos() + (x + y).atan();
        let hyperbolic =
            x.sinh() + y.cosh() + (x - y).tanh() + x.asinh() + (2.0 + positive).acosh() + small.atanh();
        let errors = x.erf() * (0.7 * y).erfc() + (x - y).erf().powi(2) + small.erfc() / positive;
        let exponential = x.exp() + y.exp2() + x.exp_m1() + positive.ln() + small.ln_1p() + positive.log2();
        let roots =
            positive.sqrt() + positive.cbrt() + positive.log10() + positive.recip() + x.hypot(2.0 + y);
        let powers = positive.powf(self.exponent) + x.powi(3) + positive.powi(-2) + positive.powi(self.power);
        let angle = (2.0 + x).atan2(y) + y.atan2(-2.0 - x);
        kinetic - circular * hyperbolic - exponential / positive - roots * powers - angle - errors
    }

    #[holonomic]
    fn curve(&self, x: Scalar, y: Scalar) -> Scalar {
        (2.0 + x).powf(self.exponent) * y.sin() + (x * y).erf() - (1.0 + x.powi(2)).sqrt() * (0.5 * y).exp()
    }
}

/// A particle on a surface: each entry of the mass depends on the position, through helpers of helpers.
#[derive(Debug, Clone)]
pub struct Surface {
    /// The curvature.
    pub bend: f64,
}

#[lagrangian]
impl Surface {
    fn height(&self, x: Scalar, y: Scalar) -> Scalar {
        let saddle = x.powi(2) - y.powi(2);
        Self::scaled(self.bend, saddle) + (x * y).sin()
    }

    fn scaled(factor: f64, x: Scalar) -> Scalar {
        factor * x / (1.0 + x.powi(2))
    }

    fn lagrangian(&self, u: Scalar, v: Scalar) -> Scalar {
        let place = vec3(u, v, self.height(u, v));
        0.5 * der(place).norm_squared() - place.z * (1.0 + place.norm())
    }

    #[holonomic]
    fn level(&self, v: Scalar, u: Scalar) -> Scalar {
        self.height(u, v) - 0.1
    }
}
