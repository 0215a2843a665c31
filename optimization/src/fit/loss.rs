//! The weight of large residuals.

/// The loss ½ Σ c² ρ((r/c)²) of samples: a robust one limits the pull of outliers. Its scale c is in
/// standard deviations.
///
/// A residual r counts as sign(r) c √ρ((r/c)²), whose square is the loss, with the exact derivative:
/// any loss is a sum of squares.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Loss {
    /// ρ = z.
    #[default]
    Squares,
    /// ρ = z up to 1 and 2 √z − 1 beyond; 1.345 has 95 % of the efficiency under normal noise.
    /// P. J. Huber, Robust estimation of a location parameter, 1964.
    Huber(f64),
    /// ρ = 2 (√(1 + z) − 1), a smooth form of Huber's.
    SoftL1(f64),
    /// ρ = ln(1 + z), whose pull falls to zero far away; 2.385 has 95 % of the efficiency.
    Cauchy(f64),
}

/// A residual under a loss.
pub(super) struct Weighed {
    /// r̃, whose square is the loss.
    pub(super) root: f64,
    /// dr̃/dr.
    pub(super) slope: f64,
    /// ψ, the slope of half the loss, and its slope.
    pub(super) pull: [f64; 2],
}

impl Loss {
    /// c; infinite for squares.
    pub(super) fn scale(self) -> f64 {
        match self {
            Self::Squares => f64::INFINITY,
            Self::Huber(c) | Self::SoftL1(c) | Self::Cauchy(c) => c,
        }
    }

    pub(super) fn of(self, r: f64) -> Weighed {
        let c = self.scale();
        let z = (r / c).powi(2);
        // ρ, ρ′ and ρ″.
        let [rho, first, second] = match self {
            Self::Huber(_) if z > 1.0 => {
                let root = z.sqrt();
                [2.0 * root - 1.0, 1.0 / root, -0.5 / (z * root)]
            }
            Self::Squares | Self::Huber(_) => return Weighed { root: r, slope: 1.0, pull: [r, 1.0] },
            Self::SoftL1(_) => {
                let root = (1.0 + z).sqrt();
                [2.0 * z / (1.0 + root), 1.0 / root, -0.5 / root.powi(3)]
            }
            Self::Cauchy(_) => [z.ln_1p(), 1.0 / (1.0 + z), -1.0 / (1.0 + z).powi(2)],
        };
        let root = (c * rho.sqrt()).copysign(r);
        let slope = if root == 0.0 { 1.0 } else { first * r / root };
        Weighed { root, slope, pull: [first * r, first + 2.0 * z * second] }
    }
}
