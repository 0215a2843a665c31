//! The instruction sets with registers of several numbers, each as the value that runs a loop.
//!
//! Builds with debug assertions have none: without optimization registers gain nothing, and their code
//! compiles slowly.

pub(super) use compiled::Instructions;

#[cfg(debug_assertions)]
mod compiled {
    use pulp::WithSimd;

    #[derive(Debug, Clone, Copy)]
    pub(in crate::lanes) enum Instructions {}

    impl Instructions {
        pub(in crate::lanes) fn available() -> [Option<Self>; 0] {
            []
        }

        pub(in crate::lanes) fn run<L: WithSimd>(self, _: L) -> L::Output {
            match self {}
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
mod compiled {
    use crate::lanes::frame::vectorize;
    use pulp::WithSimd;
    use pulp::x86::{V3, V4};

    #[derive(Debug, Clone, Copy)]
    pub(in crate::lanes) enum Instructions {
        /// AVX2 with fused multiply-add.
        Four(V3),
        /// AVX-512.
        Eight(V4),
    }

    impl Instructions {
        pub(in crate::lanes) fn available() -> [Option<Self>; 2] {
            [V3::try_new().map(Self::Four), V4::try_new().map(Self::Eight)]
        }

        #[inline]
        pub(in crate::lanes) fn run<L: WithSimd>(self, work: L) -> L::Output {
            match self {
                Self::Four(token) => vectorize(token, work),
                Self::Eight(token) => vectorize(token, work),
            }
        }
    }
}

#[cfg(all(target_arch = "wasm32", not(debug_assertions)))]
mod compiled {
    use pulp::{Scalar, Simd, WithSimd};

    /// One number with the bits of registers: WebAssembly has no fused multiply-add, and code for more
    /// would be as large as all else.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::lanes) struct Instructions(Scalar);

    impl Instructions {
        pub(in crate::lanes) fn available() -> [Option<Self>; 1] {
            [Some(Self(Scalar))]
        }

        #[inline]
        pub(in crate::lanes) fn run<L: WithSimd>(self, work: L) -> L::Output {
            self.0.vectorize(work)
        }
    }
}

#[cfg(all(not(any(target_arch = "x86_64", target_arch = "wasm32")), not(debug_assertions)))]
mod compiled {
    use pulp::WithSimd;

    /// The registers of another processor.
    #[derive(Debug, Clone, Copy)]
    pub(in crate::lanes) struct Instructions(pulp::Arch);

    impl Instructions {
        pub(in crate::lanes) fn available() -> [Option<Self>; 1] {
            [Some(Self(pulp::Arch::new()))]
        }

        #[inline]
        pub(in crate::lanes) fn run<L: WithSimd>(self, work: L) -> L::Output {
            self.0.dispatch(work)
        }
    }
}
