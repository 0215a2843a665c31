//! One moment of a motion.

/// One moment: its time, its positions, and the measured values.
pub struct Moment<'m> {
    pub t: f64,
    pub q: &'m [f64],
    /// The velocities; none where they were not recorded.
    pub v: &'m [f64],
    /// One value for each name that the viewer was given, in their order.
    pub measured: &'m [f64],
}
