//! What a run tells about its steps, for steps of several runs in lanes.

use crate::sparse::RowPattern;
use crate::system::InLanes;

/// The steps of a flow whose memory belongs to its state alone: of velocity Verlet, or with rows of
/// RATTLE.
#[derive(Clone, Copy)]
pub struct Scheme<'f> {
    pub(crate) system: InLanes<'f>,
    /// 1/M_ii.
    pub(crate) reciprocals: &'f [f64],
    /// The lengths of the parts of a step.
    pub(crate) parts: &'static [f64],
    pub(crate) rows: Option<RowScheme<'f>>,
}

/// Where Newton's method ends, and which pivots it refuses.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) tolerance: f64,
    pub(crate) iterations: u32,
    /// The part of its column below which a pivot of G M⁻¹ Gᵀ is refused.
    pub(crate) least_pivot: f64,
}

/// The position and the velocity stages.
#[derive(Clone, Copy)]
pub(crate) struct RowScheme<'f> {
    pub(crate) settings: Settings,
    /// 1/M_ii.
    pub(crate) reciprocals: &'f [f64],
    /// The pattern of the full G, and the place there of each entry of the system.
    pub(crate) pattern: &'f RowPattern,
    pub(crate) places: &'f [u32],
    /// Neighbouring coordinates with a number of components, and their end.
    pub(crate) coordinates: &'f [(usize, usize)],
    /// The reciprocals of the least natural sizes.
    pub(crate) bounds: &'f [f64],
}
