use crate::carried::carried;

/// The averages over the last window of a multiscale method.
#[derive(Debug, Clone, PartialEq)]
pub struct Averages {
    /// The time at its centre.
    pub time: f64,
    /// The averaged acceleration M⁻¹ F; n entries.
    pub acceleration: Vec<f64>,
    /// The averaged force F; with constraints, of the potential and the constraints together; n entries.
    pub force: Vec<f64>,
    /// The averages of the multipliers of the fast motion, in M q̈ = f + Gᵀ λ; m entries.
    pub multipliers: Vec<f64>,
    /// The velocity when the fast motion begins: slow part and enslaved ripple; n entries.
    pub velocity: Vec<f64>,
}

impl Averages {
    pub(super) fn new(dimension: usize, constraints: usize) -> Self {
        Self {
            time: f64::NAN,
            acceleration: vec![f64::NAN; dimension],
            force: vec![f64::NAN; dimension],
            multipliers: vec![f64::NAN; constraints],
            velocity: vec![f64::NAN; dimension],
        }
    }

    /// Sets the sums to zero.
    pub(super) fn begin(&mut self) {
        self.acceleration.fill(0.0);
        self.multipliers.fill(0.0);
    }

    /// Adds the averages over the other half of the window.
    pub(super) fn add(&mut self, other: &Self) {
        let ours = self.acceleration.iter_mut().chain(&mut self.multipliers);
        ours.zip(other.acceleration.iter().chain(&other.multipliers)).for_each(|(sum, part)| *sum += part);
    }
}

carried!([] Averages { time, acceleration, force, multipliers, velocity } besides {});
