use least_action::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// A drop of gas in the plane, held together by its own attraction, as smoothed particles (a toy star).
///
/// L = Σ ½ m ẋ² − Σ m k ρᵢ^(γ−1)/(γ − 1) − Σ ½ m λ |xᵢ − c|², with the density ρᵢ = Σⱼ m W(|xᵢ − xⱼ|), j
/// = i included, and the centre c of all particles: a pressure p = k ρ^γ, and attractions of all pairs
/// that grow with their distance. W is the cubic spline of the plane, 10/(7πh²) times 1 − 3x²/2 + 3x³/4
/// for x = r/h below 1, (2 − x)³/4 below 2, and 0 beyond.
///
/// At rest ρ^(γ−1) falls with the square of the distance from the centre, ρ = λ (R² − r²)/4k for γ = 2,
/// and the drop ends at R. The defaults make its mass, λ and R one, so that the unit of time is 1/√λ. A
/// stretched drop with γ = 2 breathes with the period π/√λ, however far.
///
/// Units: none.
///
/// # Source
/// J. J. Monaghan, *Smoothed particle hydrodynamics*, Rep. Prog. Phys. 68 (2005) 1703, for W and the
/// Lagrangian; J. J. Monaghan, D. J. Price, *Toy stars in two dimensions*, Mon. Not. R. Astron. Soc. 365
/// (2006) 991, for the drop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SmoothedDrop {
    /// Number of particles.
    pub particles: usize,
    /// Mass of the drop.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub mass: f64,
    /// Factor k of the pressure.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub stiffness: f64,
    /// Exponent γ of the pressure, more than one.
    #[serde(deserialize_with = "crate::allowed::above_one")]
    pub gamma: f64,
    /// Strength λ of the attraction: the force on a unit mass at distance one from the centre.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub attraction: f64,
    /// Radius h of the kernel, which ends at 2h.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub h: f64,
    /// Factor by which the drop is wider at the start than at rest.
    #[serde(deserialize_with = "crate::allowed::positive")]
    pub stretch: f64,
    /// Angular velocity at the start.
    pub spin: f64,
}

impl Default for SmoothedDrop {
    fn default() -> Self {
        Self {
            particles: 200,
            mass: 1.0,
            stiffness: PI / 8.0,
            gamma: 2.0,
            attraction: 1.0,
            h: 0.15,
            stretch: 1.2,
            spin: 0.0,
        }
    }
}

impl SmoothedDrop {
    /// The mass of a particle.
    fn part(&self) -> f64 {
        self.mass / self.particles as f64
    }

    /// The kernel at its centre.
    fn peak(&self) -> f64 {
        10.0 / (7.0 * PI * self.h.powi(2))
    }

    /// The radius of the drop at rest.
    ///
    /// From the enthalpy γ/(γ − 1) k ρ^(γ−1) = ½ λ (R² − r²) and the mass π (γ − 1)/γ ρ(0) R².
    pub fn radius(&self) -> f64 {
        let ratio = (self.gamma - 1.0) / self.gamma;
        // ρ₀ = (c R²)^(1/(γ−1))
        let c = 0.5 * self.attraction * ratio / self.stiffness;
        let power = 2.0 + 2.0 / (self.gamma - 1.0);
        (self.mass / (PI * ratio * c.powf(1.0 / (self.gamma - 1.0)))).powf(1.0 / power)
    }
}

#[lagrangian]
impl SmoothedDrop {
    fn spline(&self, x: Scalar) -> Scalar {
        if x < 1.0 { 1.0 - 1.5 * x.powi(2) + 0.75 * x.powi(3) } else { 0.25 * (2.0 - x).powi(3) }
    }

    fn lagrangian(&self, points: [Vec2; self.particles]) -> Scalar {
        let (n, mass) = (self.particles, self.part());
        let kinetic = sum(0..n, |i| 0.5 * mass * der(points[i]).norm_squared());
        let near = within(2.0 * self.h, points);
        let density = each(0..n, |i| {
            mass * self.peak() * (1.0 + sum(near.of(i), |(_, d)| self.spline(d.norm() / self.h)))
        });
        let pressure =
            mass * self.stiffness / (self.gamma - 1.0) * sum(0..n, |i| density[i].powf(self.gamma - 1.0));
        let centre = sum(0..n, |i| points[i]) / n as f64;
        let attraction = sum(0..n, |i| 0.5 * mass * self.attraction * (points[i] - centre).norm_squared());
        kinetic - pressure - attraction
    }
}

/// On a spiral of sunflowers, each particle with its part of the mass at rest, made wider and turning.
impl Start for SmoothedDrop {
    fn start(&self) -> State {
        let golden = TAU * (1.0 - 0.5 * (5.0_f64.sqrt() - 1.0));
        let power = (self.gamma - 1.0) / self.gamma;
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for particle in 0..self.particles {
            // The part of the mass within r is 1 − (1 − r²/R²)^(γ/(γ−1)).
            let within = (particle as f64 + 0.5) / self.particles as f64;
            let r = self.stretch * self.radius() * (1.0 - (1.0 - within).powf(power)).sqrt();
            let (sine, cosine) = (golden * particle as f64).sin_cos();
            q.extend([r * cosine, r * sine]);
            v.extend([-self.spin * r * sine, self.spin * r * cosine]);
        }
        State::new(q, v)
    }
}
