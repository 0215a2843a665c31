//! The functions of one number that are no powers: one table, which every stage reads.
//!
//! A new function is a line of `least_action_kernel::Function`, an entry of this table and an arm of
//! `differentiate/functions.rs`. It also needs a method of `least_action::lanes::Real` with its code for
//! registers, and a line in `least_action::expr`, the route over dual numbers.

pub(crate) mod special;

pub use least_action_kernel::Function;

/// The facts about a function f.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
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
    Function::spoken().map(|function| (function.name(), function.entry().domain))
}

/// The table of functions.
pub trait FunctionTable: Sized {
    /// The facts about the function.
    fn entry(self) -> &'static Entry;

    /// The function that declarations call by this name.
    fn of_name(name: &str) -> Option<Self>;

    /// The functions that declarations call.
    fn spoken() -> impl Iterator<Item = Self>;
}

/// Writes the table: for each function the arguments of [`of`], and in braces the facts that differ from
/// most functions.
macro_rules! table {
    ($($Name:ident: ($($most:expr),+) { $($fact:ident: $value:expr),* };)+) => {
        impl FunctionTable for Function {
            fn entry(self) -> &'static Entry {
                match self {
                    $(Self::$Name => {
                        const ENTRY: Entry = Entry { $($fact: $value,)* ..of($($most),+) };
                        &ENTRY
                    })+
                }
            }

            fn of_name(name: &str) -> Option<Self> {
                Self::spoken().find(|function| function.name() == name)
            }

            fn spoken() -> impl Iterator<Item = Self> {
                Self::ALL.into_iter().filter(|function| function.entry().spoken)
            }
        }
    };
}

/// An entry with the properties that most functions share.
const fn of(value: fn(f64) -> f64, latex: &'static str) -> Entry {
    Entry {
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
    Sin: (f64::sin, r"\sin") {
        parity: Parity::Odd, together: Some(Function::Cos), rule: Rule::Sine
    };
    Cos: (f64::cos, r"\cos") {
        parity: Parity::Even, together: Some(Function::Sin), rule: Rule::Cosine
    };
    Tan: (f64::tan, r"\tan") { parity: Parity::Odd, rule: Rule::Tangent, domain: Domain::BelowOne };
    Asin: (f64::asin, r"\arcsin") { parity: Parity::Odd, domain: Domain::BelowOne };
    Acos: (f64::acos, r"\arccos") { domain: Domain::BelowOne };
    Atan: (f64::atan, r"\arctan") { parity: Parity::Odd };
    Sinh: (f64::sinh, r"\sinh") { parity: Parity::Odd, rule: Rule::HyperbolicSine };
    Cosh: (f64::cosh, r"\cosh") { parity: Parity::Even, rule: Rule::HyperbolicCosine };
    Tanh: (f64::tanh, r"\tanh") { parity: Parity::Odd, rule: Rule::HyperbolicTangent };
    Asinh: (f64::asinh, r"\operatorname{asinh}") { parity: Parity::Odd };
    Acosh: (f64::acosh, r"\operatorname{acosh}") { domain: Domain::AboveOne };
    Atanh: (f64::atanh, r"\operatorname{atanh}") { parity: Parity::Odd, domain: Domain::BelowOne };
    Exp: (f64::exp, "") { notation: Notation::Around("e^{", "}"), rule: Rule::Exponential };
    ExpM1: (f64::exp_m1, r"\operatorname{exp\_m1}") { rule: Rule::ExponentialLessOne };
    Ln: (f64::ln, r"\ln") { domain: Domain::Positive };
    Ln1p: (f64::ln_1p, r"\operatorname{ln\_1p}") { domain: Domain::BelowOne };
    Cbrt: (f64::cbrt, "") {
        parity: Parity::Odd, notation: Notation::Around(r"\sqrt[3]{", "}"), domain: Domain::Positive
    };
    Erf: (special::erf, r"\operatorname{erf}") {
        standard: false, parity: Parity::Odd, cost: 40, latency: 120, together: Some(Function::Gaussian)
    };
    Erfc: (special::erfc, r"\operatorname{erfc}") {
        standard: false, cost: 40, latency: 120, together: Some(Function::Gaussian)
    };
    Gaussian: (special::gaussian, "") {
        standard: false, spoken: false, parity: Parity::Even, cost: 5, together: Some(Function::Erfc),
        notation: Notation::Gaussian, rule: Rule::Gaussian
    };
    Round: (f64::round_ties_even, r"\operatorname{round}") {
        spoken: false, parity: Parity::Odd, cost: 4, latency: 12
    };
}
