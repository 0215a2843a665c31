use least_action::prelude::*;
use serde::{Deserialize, Serialize};

/// Kepler's problem reduced to the distance: L = ½ ṙ² + 1/r − Θ²/(2 r²), angular momentum Θ = √(1 − e²).
///
/// The angle of r(t) is θ(t) = ∫ Θ/r² dt.
///
/// Units: none.
///
/// # Source
/// M. Gonzalez, B. Schmidt and M. Ortiz, *Force-stepping integrators in Lagrangian mechanics*, Int. J.
/// Numer. Meth. Engng (2010), section 6.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeplerRadial {
    /// Eccentricity e of the orbit, in [0, 1).
    #[serde(deserialize_with = "crate::allowed::eccentricity")]
    pub eccentricity: f64,
}

impl Default for KeplerRadial {
    fn default() -> Self {
        Self { eccentricity: 0.85 }
    }
}

#[lagrangian]
impl KeplerRadial {
    fn lagrangian(&self, r: Scalar) -> Scalar {
        let square = 1.0 - self.eccentricity.powi(2);
        0.5 * der(r).powi(2) + 1.0 / r - 0.5 * square / r.powi(2)
    }
}

/// Nodes and weights of the right half of Gauss's formula with eight nodes on [−1, 1].
const GAUSS: [[f64; 2]; 4] = [
    [0.183_434_642_495_649_8, 0.362_683_783_378_361_96],
    [0.525_532_409_916_329, 0.313_706_645_877_887_27],
    [0.796_666_477_413_626_7, 0.222_381_034_453_374_46],
    [0.960_289_856_497_536_3, 0.101_228_536_290_376_26],
];
/// Gauss's formula integrates a distance that changes by less than this part, exactly but for rounding.
const SHORT: f64 = 0.2;
/// Where |4 a c − b²| is less than this part of its terms, the closed form loses digits.
const DEGENERATE: f64 = 1e-3;

impl KeplerRadial {
    /// The angle ∫ Θ/r² dt, swept in `time` along r(t) = a + b t + c t² > 0, as by force-stepping.
    ///
    /// With D = 4 a c − b²: ∫ dt/r² = [(2 c t + b)/(D r)] + (2 c/D) ∫ dt/r, where ∫ dt/r is an arcus
    /// tangens for D > 0 and a logarithm for D < 0. Gauss's formula integrates short pieces and D
    /// near 0.
    #[must_use]
    pub fn angle(&self, [a, b, c]: [f64; 3], time: f64) -> f64 {
        (1.0 - self.eccentricity.powi(2)).sqrt() * inverse_square([a, b, c], time)
    }
}

/// ∫ dt/(a + b t + c t²)² from 0 to `time`.
fn inverse_square([a, b, c]: [f64; 3], time: f64) -> f64 {
    let r = |t: f64| a + t * (b + t * c);
    if (b * time).abs() + (c * time * time).abs() <= SHORT * a {
        let half = 0.5 * time;
        let pair = |[node, weight]: [f64; 2]| {
            weight * (r(half * (1.0 - node)).powi(-2) + r(half * (1.0 + node)).powi(-2))
        };
        return half * GAUSS.into_iter().map(pair).sum::<f64>();
    }
    let discriminant = 4.0 * a * c - b * b;
    if discriminant.abs() <= DEGENERATE * ((4.0 * a * c).abs() + b * b) {
        let half = 0.5 * time;
        let rest = [r(half), b + 2.0 * c * half, c];
        return inverse_square([a, b, c], half) + inverse_square(rest, half);
    }
    let slope = |t: f64| 2.0 * c * t + b;
    let root = discriminant.abs().sqrt();
    let inverse = if discriminant > 0.0 {
        2.0 / root * ((slope(time) / root).atan() - (slope(0.0) / root).atan())
    } else if slope(0.0) * slope(time) > 0.0 {
        // As slope² + D = 4 c r, the logarithm needs no difference of almost equal numbers.
        let side = slope(0.0).signum();
        let part = |t: f64| r(t).ln() - 2.0 * (slope(t) + side * root).abs().ln();
        side * (part(time) - part(0.0)) / root
    } else {
        let part = |t: f64| ((slope(t) - root) / (slope(t) + root)).abs().ln();
        (part(time) - part(0.0)) / root
    };
    (slope(time) / r(time) - slope(0.0) / a) / discriminant + 2.0 * c / discriminant * inverse
}

/// At perihelion: r = 1 − e, ṙ = 0.
impl Start for KeplerRadial {
    fn start(&self) -> State {
        State::at_rest(vec![1.0 - self.eccentricity])
    }
}
