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

/// Declares [`Function`] and [`TABLE`]: for each function the arguments of [`of`], and in braces the
/// facts that differ from most functions.
macro_rules! table {
    ($($(#[$documentation:meta])* $Name:ident: ($($most:expr),+) { $($fact:ident: $value:expr),* };)+) => {
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
        static TABLE: [Entry; COUNT] = [$(Entry { $($fact: $value,)* ..of($($most),+) }),+];
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
    Sin: ("sin", f64::sin, r"\sin") {
        parity: Parity::Odd, together: Some(Function::Cos), rule: Rule::Sine
    };
    /// The cosine.
    Cos: ("cos", f64::cos, r"\cos") {
        parity: Parity::Even, together: Some(Function::Sin), rule: Rule::Cosine
    };
    /// The tangent.
    Tan: ("tan", f64::tan, r"\tan") { parity: Parity::Odd, rule: Rule::Tangent, domain: Domain::BelowOne };
    /// The arcsine.
    Asin: ("asin", f64::asin, r"\arcsin") { parity: Parity::Odd, domain: Domain::BelowOne };
    /// The arccosine.
    Acos: ("acos", f64::acos, r"\arccos") { domain: Domain::BelowOne };
    /// The arctangent.
    Atan: ("atan", f64::atan, r"\arctan") { parity: Parity::Odd };
    /// The hyperbolic sine.
    Sinh: ("sinh", f64::sinh, r"\sinh") { parity: Parity::Odd, rule: Rule::HyperbolicSine };
    /// The hyperbolic cosine.
    Cosh: ("cosh", f64::cosh, r"\cosh") { parity: Parity::Even, rule: Rule::HyperbolicCosine };
    /// The hyperbolic tangent.
    Tanh: ("tanh", f64::tanh, r"\tanh") { parity: Parity::Odd, rule: Rule::HyperbolicTangent };
    /// The inverse of the hyperbolic sine.
    Asinh: ("asinh", f64::asinh, r"\operatorname{asinh}") { parity: Parity::Odd };
    /// The inverse of the hyperbolic cosine.
    Acosh: ("acosh", f64::acosh, r"\operatorname{acosh}") { domain: Domain::AboveOne };
    /// The inverse of the hyperbolic tangent.
    Atanh: ("atanh", f64::atanh, r"\operatorname{atanh}") { parity: Parity::Odd, domain: Domain::BelowOne };
    /// The exponential.
    Exp: ("exp", f64::exp, "") { notation: Notation::Around("e^{", "}"), rule: Rule::Exponential };
    /// eˣ − 1.
    ExpM1: ("exp_m1", f64::exp_m1, r"\operatorname{exp\_m1}") { rule: Rule::ExponentialLessOne };
    /// The natural logarithm.
    Ln: ("ln", f64::ln, r"\ln") { domain: Domain::Positive };
    /// ln(1 + x).
    Ln1p: ("ln_1p", f64::ln_1p, r"\operatorname{ln\_1p}") { domain: Domain::BelowOne };
    /// The cube root.
    Cbrt: ("cbrt", f64::cbrt, "") {
        parity: Parity::Odd, notation: Notation::Around(r"\sqrt[3]{", "}"), domain: Domain::Positive
    };
    /// The error function.
    Erf: ("erf", special::erf, r"\operatorname{erf}") {
        standard: false, parity: Parity::Odd, cost: 40, latency: 120, together: Some(Function::Gaussian)
    };
    /// The complementary error function.
    Erfc: ("erfc", special::erfc, r"\operatorname{erfc}") {
        standard: false, cost: 40, latency: 120, together: Some(Function::Gaussian)
    };
    /// exp(−x²), the slope of the error functions, which compute it on their way at little cost.
    Gaussian: ("gaussian", special::gaussian, "") {
        standard: false, spoken: false, parity: Parity::Even, cost: 5, together: Some(Function::Erfc),
        notation: Notation::Gaussian, rule: Rule::Gaussian
    };
    /// The nearest integer, of two the even one: the number of cells between a point and an image of
    /// another. It is constant but where it jumps, and has no derivative.
    Round: ("round_ties_even", f64::round_ties_even, r"\operatorname{round}") {
        spoken: false, parity: Parity::Odd, cost: 4, latency: 12
    };
}
