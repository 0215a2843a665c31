//! The functions of one number that are no powers: one table, which every stage reads.
//!
//! A new function is an entry of this table and an arm of `differentiate/functions.rs`.
//! It also needs a method of `least_action::lanes::Real` with its code for registers, and a line in
//! `least_action::expr`, the route over dual numbers.

pub(crate) mod special;

/// The facts about a function f.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name in the language, in the lanes and in `f64`.
    pub name: &'static str,
    /// f(x).
    pub value: fn(f64) -> f64,
    /// True if `f64` has the method in the standard library.
    pub standard: bool,
    /// True if declarations call it as a method; the others serve functions of the language.
    pub spoken: bool,
    /// The parity of the function.
    pub parity: Parity,
    /// The cost of one evaluation, in additions.
    pub cost: u32,
    /// The cycles, about, until its value can be used.
    pub latency: u32,
    /// A function that comes along when this one is evaluated at an argument.
    pub together: Option<Function>,
    /// The notation in LaTeX.
    pub notation: Notation,
    /// The rule by which proofs of symmetry take it apart.
    pub rule: Rule,
    /// The arguments at which it is smooth.
    pub domain: Domain,
}

/// The parity: odd and even functions pull out the sign, so that f(a − b) and f(b − a) share a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parity {
    /// f(−x) = −f(x).
    Odd,
    /// f(−x) = f(x).
    Even,
    /// Neither.
    None,
}

/// The notation of a function in LaTeX.
#[derive(Debug, Clone, Copy)]
pub enum Notation {
    /// Before its argument, which stands in parentheses.
    Before(&'static str),
    /// Around its argument.
    Around(&'static str, &'static str),
    /// The exponential of minus the square of its argument.
    Gaussian,
}

/// The theorem by which a proof takes a function of a sum apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// None: all that is known is that equal arguments give equal values.
    Atom,
    /// The addition theorem of the sine.
    Sine,
    /// The addition theorem of the cosine.
    Cosine,
    /// Sine over cosine.
    Tangent,
    /// exp(a + b) = exp a · exp b.
    Exponential,
    /// The exponential less one.
    ExponentialLessOne,
    /// The exponential of minus the square.
    Gaussian,
    /// Half the difference of two exponentials.
    HyperbolicSine,
    /// Half the sum of two exponentials.
    HyperbolicCosine,
    /// Hyperbolic sine over hyperbolic cosine.
    HyperbolicTangent,
}

/// Arguments at which a function is smooth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// All numbers.
    Everywhere,
    /// Numbers between −1 and 1 at least.
    BelowOne,
    /// Positive numbers.
    Positive,
    /// Numbers above 1.
    AboveOne,
}

/// Names and domains of all functions that declarations call.
pub fn functions() -> impl Iterator<Item = (&'static str, Domain)> {
    TABLE.iter().filter(|entry| entry.spoken).map(|entry| (entry.name, entry.domain))
}

/// Declares [`Function`] and [`TABLE`].
macro_rules! table {
    ($($(#[$documentation:meta])* $Name:ident: $entry:expr;)+) => {
        /// An elementary or special function of one argument that is no power.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function {
            $($(#[$documentation])* $Name,)+
        }

        const COUNT: usize = [$(Function::$Name),+].len();

        impl Function {
            /// Every function.
            pub const ALL: [Self; COUNT] = [$(Self::$Name),+];
        }

        /// The table, in the order of [`Function`].
        static TABLE: [Entry; COUNT] = [$($entry),+];
    };
}

impl Function {
    /// The facts about the function.
    pub fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The function that declarations call by this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::spoken().find(|function| function.name() == name)
    }

    /// The functions that declarations call.
    pub fn spoken() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|function| function.entry().spoken)
    }
}

/// An entry with the properties that most functions share.
const fn of(name: &'static str, value: fn(f64) -> f64, latex: &'static str) -> Entry {
    Entry {
        name,
        value,
        standard: true,
        spoken: true,
        parity: Parity::None,
        cost: 20,
        latency: 60,
        together: None,
        notation: Notation::Before(latex),
        rule: Rule::Atom,
        domain: Domain::Everywhere,
    }
}

table! {
    /// The sine.
    Sin: Entry {
        parity: Parity::Odd,
        together: Some(Function::Cos),
        rule: Rule::Sine,
        ..of("sin", f64::sin, r"\sin")
    };
    /// The cosine.
    Cos: Entry {
        parity: Parity::Even,
        together: Some(Function::Sin),
        rule: Rule::Cosine,
        ..of("cos", f64::cos, r"\cos")
    };
    /// The tangent.
    Tan: Entry {
        parity: Parity::Odd,
        rule: Rule::Tangent,
        domain: Domain::BelowOne,
        ..of("tan", f64::tan, r"\tan")
    };
    /// The arcsine.
    Asin: Entry {
        parity: Parity::Odd,
        domain: Domain::BelowOne,
        ..of("asin", f64::asin, r"\arcsin")
    };
    /// The arccosine.
    Acos: Entry {
        domain: Domain::BelowOne,
        ..of("acos", f64::acos, r"\arccos")
    };
    /// The arctangent.
    Atan: Entry {
        parity: Parity::Odd,
        ..of("atan", f64::atan, r"\arctan")
    };
    /// The hyperbolic sine.
    Sinh: Entry {
        parity: Parity::Odd,
        rule: Rule::HyperbolicSine,
        ..of("sinh", f64::sinh, r"\sinh")
    };
    /// The hyperbolic cosine.
    Cosh: Entry {
        parity: Parity::Even,
        rule: Rule::HyperbolicCosine,
        ..of("cosh", f64::cosh, r"\cosh")
    };
    /// The hyperbolic tangent.
    Tanh: Entry {
        parity: Parity::Odd,
        rule: Rule::HyperbolicTangent,
        ..of("tanh", f64::tanh, r"\tanh")
    };
    /// The inverse of the hyperbolic sine.
    Asinh: Entry {
        parity: Parity::Odd,
        ..of("asinh", f64::asinh, r"\operatorname{asinh}")
    };
    /// The inverse of the hyperbolic cosine.
    Acosh: Entry {
        domain: Domain::AboveOne,
        ..of("acosh", f64::acosh, r"\operatorname{acosh}")
    };
    /// The inverse of the hyperbolic tangent.
    Atanh: Entry {
        parity: Parity::Odd,
        domain: Domain::BelowOne,
        ..of("atanh", f64::atanh, r"\operatorname{atanh}")
    };
    /// The exponential.
    Exp: Entry {
        notation: Notation::Around("e^{", "}"),
        rule: Rule::Exponential,
        ..of("exp", f64::exp, "")
    };
    /// eˣ − 1.
    ExpM1: Entry {
        rule: Rule::ExponentialLessOne,
        ..of("exp_m1", f64::exp_m1, r"\operatorname{exp\_m1}")
    };
    /// The natural logarithm.
    Ln: Entry {
        domain: Domain::Positive,
        ..of("ln", f64::ln, r"\ln")
    };
    /// ln(1 + x).
    Ln1p: Entry {
        domain: Domain::BelowOne,
        ..of("ln_1p", f64::ln_1p, r"\operatorname{ln\_1p}")
    };
    /// The cube root.
    Cbrt: Entry {
        parity: Parity::Odd,
        notation: Notation::Around(r"\sqrt[3]{", "}"),
        domain: Domain::Positive,
        ..of("cbrt", f64::cbrt, "")
    };
    /// The error function.
    Erf: Entry {
        standard: false,
        parity: Parity::Odd,
        cost: 40,
        latency: 120,
        together: Some(Function::Gaussian),
        ..of("erf", special::erf, r"\operatorname{erf}")
    };
    /// The complementary error function.
    Erfc: Entry {
        standard: false,
        cost: 40,
        latency: 120,
        together: Some(Function::Gaussian),
        ..of("erfc", special::erfc, r"\operatorname{erfc}")
    };
    /// exp(−x²), the slope of the error functions, which compute it on their way at little cost.
    Gaussian: Entry {
        standard: false,
        spoken: false,
        parity: Parity::Even,
        cost: 5,
        together: Some(Function::Erfc),
        notation: Notation::Gaussian,
        rule: Rule::Gaussian,
        ..of("gaussian", special::gaussian, "")
    };
    /// The nearest integer, of two the even one: the number of cells between a point and an image of
    /// another. It is constant but where it jumps, and has no derivative.
    Round: Entry {
        spoken: false,
        parity: Parity::Odd,
        cost: 4,
        latency: 12,
        ..of("round_ties_even", f64::round_ties_even, r"\operatorname{round}")
    };
}
