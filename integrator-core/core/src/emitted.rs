//! Items for generated code only.
//!
//! `#[lagrangian]` writes paths into [`v1`]. A later version of this crate must compile code that an
//! earlier compiler generated, so items of a version keep their meaning; a new form of code gets a new
//! version.

/// The first form of generated code.
pub mod v1 {
    pub use crate::binding::binder::{Binder, coefficient, nth, switch};
    pub use crate::binding::bound::Declared;
    pub use crate::binding::checked::{Operands, Other, Table, TableEntries, Whole, Within};
    pub use crate::binding::collectives::{Reader, length, longest, round};
    pub use crate::binding::facts::{Classification, Facts};
    pub use crate::binding::family::Family;
    pub use crate::binding::instant::Instant;
    pub use crate::binding::kernel::{
        Code, ElementFacts, Executable, HessianEntry, Kernel, KernelHandle, Ports, Row, Vector,
    };
    pub use crate::binding::near::family::NearFamily;
    pub use crate::binding::near::kernel::{NearFacts, NearKernel, Role, Sort, Source};
    pub use crate::binding::near::key::key;
    pub use crate::binding::parameter::{Parameter, Sensitive};
    pub use crate::binding::signals::Use;
    pub use crate::binding::straight::{Sizes, Visit};
    pub use crate::describe::{Force, Formulas, Mass, Smoothness};
    pub use crate::expr::array::{Array, Entries, Equations, add_components};
    pub use crate::expr::build::lift;
    pub use crate::expr::matrix::{Entries3x3, MatrixColumns};
    pub use crate::expr::opaque::{Opaque, derivative};
    pub use crate::expr::oracle::marked_part;
    pub use crate::expr::place::place;
    pub use crate::lanes::real::Real;
    pub use crate::lists::all_pairs::{AllPairs, length_of, numbers as cell};
    pub use crate::lists::range::{Near, NearPoints};
    pub use crate::structure::{
        Constant, DependsOn, Even, FastPhase, NotEven, Nothing, PositionOnly, Something, Unproven,
    };
    pub use crate::system::driven::{ConstrainedEven, ConstrainedVibrated, EvenInPhase, Vibrated};
    pub use crate::system::symmetry::{Action, Certainty, ConservedQuantity, CoordinateMotion, Motion};
    pub use crate::system::{
        Constrained, Driven, Faces, Forced, Holonomic, Lagrangian, Natural, Nonholonomic, RowsOf, Stiff,
    };
    pub use std::borrow::Cow::Borrowed;
}

/// What carries out declarations that no rustc compiles.
pub mod run_time {
    pub use crate::binding::checked::give;
    pub use crate::binding::program::Program;
}
