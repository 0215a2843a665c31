//! The reach of a step: its end is about as far away as speed and acceleration carry the motion.
//!
//! The equations of a step may have other solutions, farther away by orders of magnitude: beyond a pole
//! of the Lagrangian, or a turn of an angle. No iteration of Newton's method tells them apart.

/// A step reaches at most this many times h |v| + h² |a|, in the coordinate that moves most.
const FAR: f64 = 30.0;

/// True if a step by `moved` is on another solution than the `motion`, h |v| + h² |a|.
pub(super) fn is_beyond(moved: f64, motion: f64) -> bool {
    moved > FAR * motion || moved.is_nan()
}
