//! Items for the tests of this crate only.
//!
//! They have no stability: any item may change or go with any commit.

/// The run time of kernels.
pub mod binding {
    pub use crate::binding::assembly::Assembly;
    pub use crate::binding::coefficients::{Coefficients, Column};
    pub use crate::binding::function::partial::PartialSums;
    pub use crate::binding::function::second::rest;
    pub use crate::binding::gather::Tuples;
    pub use crate::binding::layout::Layout;
    pub use crate::binding::layout::scattered::{Scattered, spread_out};
    pub use crate::binding::layout::strided::Strided;
    pub use crate::binding::line::{ElementRow, Line};
    pub use crate::binding::signals::{Now, Signals};
    pub use crate::binding::threads::{ENTRIES, all_finite, cut, each_entry};
}

/// Sums over near pairs.
pub mod near {
    pub use crate::binding::at::{At, Weights};
    pub use crate::binding::kernel::Operation;
    pub use crate::lists::list::{Part, Transposition};
    pub use crate::lists::points::Points;
    pub use crate::lists::search::Rows;
    pub use crate::system::image::{Image, dot};
}

/// Comparisons of derivatives.
pub mod check {
    pub use crate::check::compare::Compared;
    pub use crate::check::noise::noise;
}

/// Lines of formulas.
pub mod describe {
    pub use crate::describe::display::{broken, lines, width};
}

/// Runs.
pub mod drive {
    pub use crate::drive::integral::Integral;
}

/// Numbers in registers.
pub mod lanes {
    pub use crate::lanes::functions;
    pub use crate::lanes::interleave::{Quadruple, deinterleaved, gathered, interleaved, scattered};
    pub use crate::lanes::register::{Lanes, MOST_LANES};
}

/// Parts of methods.
pub mod method {
    pub use crate::method::composition::coefficients;
    pub use crate::method::force_stepping::exit::{exit, leave};
    pub use crate::method::force_stepping::soonest::Soonest;
    pub use crate::method::langevin::noise::Noise;
    pub use crate::method::multiscale::window::Window;
    pub use crate::method::slow_manifold::filter::{Filter, kernel};
    pub use crate::method::spectrum::Ends;
}

/// Memory for evaluations.
pub mod scratch {
    pub use crate::scratch::Scratch;
}

/// Sparse algebra.
pub mod sparse {
    pub use crate::sparse::factor::general::General;
    pub use crate::sparse::factor::kernel::{Entries, Factor};
    pub use crate::sparse::factor::lu::Lu;
    pub use crate::sparse::factor::saddle::Saddle;
    pub use crate::sparse::gram::Gram;
    pub use crate::sparse::kicked::KickSystem;
    pub use crate::sparse::multipliers::MultiplierSystem;
    pub use crate::sparse::sum::PatternSum;
}
