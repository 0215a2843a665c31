//! The parts of the engines, each by itself.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests, in which a failure is a panic"
)]

mod binding {
    mod checked;
    mod coefficients;
    mod gather;
    mod kernels;
    mod layout;
    mod near;
    mod partial;
    mod programs;
    mod second;
    mod threads;
}
mod carried;
mod check {
    mod compare;
    mod noise;
}
mod describe {
    mod display;
}
mod drive {
    mod checkpoint;
    mod integral;
}
mod error;
mod expr {
    mod continued;
    mod language;
    mod opaque;
}
mod lanes {
    mod functions;
    mod interleave;
}
mod method {
    mod composition;
    mod force_stepping {
        mod exit;
        mod soonest;
    }
    mod langevin {
        mod noise;
    }
    mod multiscale {
        mod phase;
        mod window;
    }
    mod slow_manifold {
        mod filter;
    }
    mod spectrum;
    mod step_lengths;
}
mod scratch;
mod sparse {
    mod factor;
    mod gram;
    mod kicked;
    mod matrices;
    mod multipliers;
    mod pattern;
    mod rows;
    mod sum;
}
mod system {
    mod configuration;
    mod signal;
}
