use serde::Serialize;

/// The verdict of a run on itself; [`Watch`](super::Watch) says how it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The defect of the energy, if energy is conserved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Finding>,
    /// The defect of the energy in a single step, beyond the work done, if energy is not conserved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<Finding>,
    /// The largest violation of a constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Finding>,
    /// The largest violation of a constraint on velocities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonholonomic: Option<Finding>,
}

/// A measured error of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The error, as a part of the mean kinetic energy, or of the size of a constraint.
    pub error: f64,
    /// The largest credible error.
    pub limit: f64,
    /// The steps until it was first above the limit, or else largest.
    pub step: u64,
    /// The time there.
    pub time: f64,
}

impl Finding {
    fn is_believed(&self) -> bool {
        self.error <= self.limit
    }

    fn doubt(&self, error: &str, scale: &str, advice: &str) -> Option<String> {
        let Self { limit, step, time, .. } = self;
        let part = match self.error {
            error if error < 10.0 => format!("{:.1} % of", 100.0 * error),
            error => format!("{error:.1e} times"),
        };
        let limit = 100.0 * limit;
        (!self.is_believed()).then(|| {
            format!(
                "{error} by {part} {scale}, from t = {time} (step {step}); a result with more than {limit} % is not to be believed: {advice}"
            )
        })
    }
}

impl Verdict {
    /// True if no error is above its limit.
    pub fn is_believed(&self) -> bool {
        [self.energy, self.balance, self.constraints, self.nonholonomic]
            .iter()
            .flatten()
            .all(Finding::is_believed)
    }

    /// The reason for doubt in one line, with a remedy; `None` for a credible result.
    pub fn doubt(&self) -> Option<String> {
        let step = "take a smaller step, or another method";
        let energy = self.energy.and_then(|energy| {
            energy.doubt("the energy, which the motion conserves, is off", "the mean kinetic energy", step)
        });
        let balance = || {
            self.balance.and_then(|balance| {
                let error = "the energy differs from its balance with the work done";
                balance.doubt(error, "the mean kinetic energy", step)
            })
        };
        let constraints = || {
            self.constraints.and_then(|constraints| {
                let advice = "take a smaller step, a smaller tolerance, or a start on the constraints";
                constraints.doubt("a constraint is violated", "its size", advice)
            })
        };
        let nonholonomic = || {
            self.nonholonomic.and_then(|nonholonomic| {
                let advice = "take a smaller step, or a method that keeps constraints on velocities";
                nonholonomic.doubt("a constraint on velocities is violated", "its size", advice)
            })
        };
        energy.or_else(balance).or_else(constraints).or_else(nonholonomic)
    }
}
