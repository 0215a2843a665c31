//! The surface on which everything is drawn, at its scale.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::ticks::Numbered;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Numbered, Numbered>>;
pub(super) type Failure = Box<dyn std::error::Error>;

/// Everything is drawn this much larger than shown: the backend rounds positions to whole units.
pub(super) const SCALE: i32 = 4;
