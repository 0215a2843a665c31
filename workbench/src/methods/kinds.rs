//! The kinds of methods, for tables that have no room for their names.

use super::Fit;

/// A kind: its letter, its name, and its methods.
pub struct MethodKind {
    pub letter: char,
    pub words: &'static str,
    pub methods: &'static [&'static str],
}

/// All kinds; every method is of one.
pub const KINDS: [MethodKind; 9] = [
    MethodKind { letter: 'E', words: "explicit", methods: &["verlet", "blanes-moan", "mclachlan"] },
    MethodKind {
        letter: 'I',
        words: "implicit",
        methods: &[
            "newmark",
            "newmark-pushforward",
            "newmark-linear-a",
            "newmark-linear-b",
            "implicit-midpoint",
            "zhang-skeel",
            "zhang-skeel-simplified",
            "zhang-skeel-euler",
            "zhang-skeel-stiff",
        ],
    },
    MethodKind { letter: 'C', words: "of constraints", methods: &["shake", "rattle"] },
    MethodKind {
        letter: 'V',
        words: "variational",
        methods: &["variational-euler", "variational-midpoint", "variational-trapezoid"],
    },
    MethodKind {
        letter: 'B',
        words: "of rigid bodies",
        methods: &["so3-penalty", "so3-penalty-euler", "so3-cayley", "so3-verlet"],
    },
    MethodKind {
        letter: 'F',
        words: "force- and energy-stepping",
        methods: &["force-stepping", "energy-stepping", "labudde-greenspan"],
    },
    MethodKind { letter: 'H', words: "multiscale", methods: &["hmm-synchronous", "hmm-asynchronous"] },
    MethodKind { letter: 'S', words: "on slow manifolds", methods: &["projected-rk4"] },
    MethodKind { letter: 'R', words: "accurate references", methods: &["reference", "bdf"] },
];

/// A letter for each kind of which a method fits, a dot for the others.
pub(crate) fn letters(fits: &[Fit]) -> String {
    let has = |kind: &MethodKind| fits.iter().any(|fit| fit.fits && kind.methods.contains(&fit.method));
    KINDS.iter().map(|kind| if has(kind) { kind.letter } else { '·' }).collect()
}
