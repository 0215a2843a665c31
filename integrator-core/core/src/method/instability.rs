//! The reason why a step is too long, and the longest safe step.

/// A step with which a run probably fails.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Instability {
    /// The method.
    pub method: &'static str,
    /// The step.
    pub step: f64,
    /// An estimate of the longest safe step.
    pub longest: f64,
    /// The quantity that is too large, as the message tells it.
    #[doc(hidden)]
    pub cause: Cause,
}

/// A quantity that is too large for a step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// The fastest frequency ω, and the largest h ω of the method.
    Frequency {
        /// ω.
        omega: f64,
        /// The number below which h ω must stay.
        limit: f64,
    },
    /// The fastest rate c of drag, and the largest c h of a composition.
    Drag {
        /// c.
        rate: f64,
        /// The number below which c h must stay.
        limit: f64,
    },
    /// The correction of Zhang–Skeel.
    Correction {
        /// The number N.
        number: f64,
        /// [`CORRECTION_LIMIT`](super::stability::CORRECTION_LIMIT).
        limit: f64,
    },
    /// The events of an event-driven method in a step of the output.
    Events {
        /// Their kind, in words.
        kind: &'static str,
        /// The expected number.
        expected: f64,
        /// The number at which a step ends with an error.
        limit: f64,
        /// The parameter that changes their number, in words.
        remedy: &'static str,
    },
}

impl std::fmt::Display for Instability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { method, step, longest, cause } = self;
        if let Cause::Events { kind, expected, limit, remedy } = cause {
            return write!(
                f,
                "{method} is to cross some {expected:.0e} {kind} in a step of {step}, and ends with an error at {limit:.0e}; \
                 take an output step below {longest:.1e}, or {remedy}"
            );
        }
        write!(f, "{method} with the step {step} tends to blow up: ")?;
        match cause {
            Cause::Events { .. } => {}
            Cause::Frequency { omega, limit } => write!(
                f,
                "h ω is {:.3} for the fastest frequency ω = {omega:.4} at the start, and must stay below {limit:.3}",
                step * omega
            )?,
            Cause::Drag { rate, limit } => write!(
                f,
                "c h is {:.3} for the fastest drag c = {rate:.4} at the start, which parts of a step that go backwards turn into growth \
                 above {limit:.3}",
                step * rate
            )?,
            Cause::Correction { number, limit } => write!(
                f,
                "what Hess V changes by in a step is {number:.2} of the mass at the start, and should stay below {limit}"
            )?,
        }
        write!(f, "; take a step below {longest:.2e}")?;
        match cause {
            Cause::Frequency { .. } | Cause::Events { .. } => Ok(()),
            Cause::Drag { .. } => write!(f, ", or order 2"),
            Cause::Correction { .. } => write!(f, ", or newmark-pushforward"),
        }
    }
}

impl Instability {
    /// The instability of a composition, whose limit is `factor` times the limit of its parts.
    pub(super) fn of_composition(self, factor: f64) -> Self {
        let cause = match self.cause {
            Cause::Frequency { omega, limit } => Cause::Frequency { omega, limit: limit * factor },
            other => other,
        };
        Self { step: self.step * factor, longest: self.longest * factor, cause, ..self }
    }
}
