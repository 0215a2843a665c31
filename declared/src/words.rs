//! The words of emitted binding code: its functions, methods and constants, by number.

use crate::rust::Vocabulary;

/// Declares an enum of words, each with its text; the number of a word is its place.
macro_rules! words {
    ($(#[$documentation:meta])* $Name:ident { $($Word:ident = $text:literal),+ $(,)? }) => {
        $(#[$documentation])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $Name {
            $($Word),+
        }

        impl $Name {
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$Word, $text)),+];

            /// The number of a word.
            fn number(text: &str) -> Option<u32> {
                Self::ALL.iter().position(|(_, known)| *known == text).map(|place| place as u32)
            }

            /// The word with this number.
            pub(crate) fn of(number: u32) -> Option<Self> {
                Self::ALL.get(number as usize).map(|(word, _)| *word)
            }
        }
    };
}

words! {
    /// Functions.
    Function {
        FamilyNew = "Family::new", FamilyInRows = "Family::in_rows", NearFamilyNew = "NearFamily::new",
        AllPairsNew = "AllPairs::new", Coefficient = "v1::coefficient", Round = "v1::round",
        Length = "v1::length", LengthOf = "v1::length_of", Longest = "v1::longest", Nth = "v1::nth",
        Switch = "v1::switch", Key = "v1::key", Table = "v1::Table", Operands = "v1::Operands",
        Edge = "cell::edge", Normal = "cell::normal", Entries3x3 = "v1::Entries3x3",
    }
}

words! {
    /// Methods of the objects that functions make, and of the binder.
    Method {
        Room = "room", Coordinate = "coordinate", Items = "items", Moves = "moves", Dimension = "dimension",
        Entry = "entry", Signal = "signal", Sampled = "sampled", Phase = "phase",
        BeginKinetic = "begin_kinetic", KineticElement = "kinetic_element", Mass = "mass",
        MassOfSums = "mass_of_sums", BeginCollective = "begin_collective",
        FollowCollective = "follow_collective", CollectiveRow = "collective_row",
        FirstPartialSum = "first_partial_sum", CollectiveFamily = "collective_family",
        RowOfCollective = "row_of_collective", NearCollective = "near_collective",
        Collective = "collective", Potential = "potential", Stiff = "stiff", NearPoints = "near_points",
        NearPotential = "near_potential", NearStiff = "near_stiff", General = "general", Row = "row",
        BeginConstraint = "begin_constraint", KeptComponents = "kept_components",
        EndConstraint = "end_constraint", Constraint = "constraint", NonholonomicRow = "nonholonomic_row",
        BeginNonholonomic = "begin_nonholonomic",
        KeptNonholonomicComponents = "kept_nonholonomic_components", EndNonholonomic = "end_nonholonomic",
        Nonholonomic = "nonholonomic", BeginForce = "begin_force", ForceRow = "force_row",
        EndForce = "end_force", Force = "force", BeginDissipation = "begin_dissipation",
        Dissipation = "dissipation", Dissipated = "dissipated", Push = "push", Has = "has", Give = "give",
        Point = "point", ThenSecondArray = "then_second_array", Periodic = "periodic", Except = "except",
        Finish = "finish", Shared = "shared", First = "first", Second = "second", Visit = "visit",
        Pair = "pair", Representatives = "representatives", Firsts = "firsts", Seconds = "seconds",
        Pairs = "pairs", Of = "of", Rows = "rows",
    }
}

words! {
    /// Constants.
    Constant {
        Scalar = "Kind::Scalar", Angle = "Kind::Angle", Vec2 = "Kind::Vec2", Vec3 = "Kind::Vec3",
        Mat3 = "Kind::Mat3", Positions = "Reader::Positions", Motion = "Reader::Motion",
        Input = "Use::Input", ValueTable = "Use::Table", SteepTable = "Use::SteepTable",
    }
}

/// The words, with the names of kernels, which are constants behind the others.
#[derive(Debug)]
pub(crate) struct Words<'k> {
    pub(crate) kernels: &'k [String],
}

/// The last two words of a path.
fn last_two(path: &[&str]) -> String {
    path[path.len().saturating_sub(2)..].join("::")
}

impl Words<'_> {
    /// The number of the kernel that a constant is, if it is none of the words.
    pub(crate) fn kernel(constant: u32) -> Option<usize> {
        (constant as usize).checked_sub(Constant::ALL.len())
    }
}

impl Vocabulary for Words<'_> {
    fn function(&self, path: &[&str]) -> Option<u32> {
        Function::number(&last_two(path))
    }

    fn constant(&self, path: &[&str]) -> Option<u32> {
        let kernel = || match path {
            [name] => self.kernels.iter().position(|known| known == name),
            _ => None,
        };
        let number = || Some((Constant::ALL.len() + kernel()?) as u32);
        Constant::number(&last_two(path)).or_else(number)
    }

    fn method(&self, name: &str) -> Option<u32> {
        Method::number(name)
    }
}
