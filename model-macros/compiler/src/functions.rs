//! The functions of one number that are no powers: one table, which every stage reads.
//!
//! A new function is an entry of this table, a method of `least_action::lanes::Real` with its code for registers, and a
//! line in the route over dual numbers, `least_action::expr`.

mod special;

use crate::graph::{Graph, NodeId};
use std::f64::consts::FRAC_2_SQRT_PI;

/// The facts about a function f.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// Its name: that of the method of scalars, of the lanes and of `f64`.
    pub(crate) name: &'static str,
    /// f(x).
    pub(crate) value: fn(f64) -> f64,
    /// True if `f64` has the method in the standard library, rather than by the lanes alone.
    pub(crate) standard: bool,
    /// True if declarations call it as a method; the others are parts of functions of the language.
    pub(crate) spoken: bool,
    /// The parity of the function.
    pub(crate) parity: Parity,
    /// f′(x), of the nodes of x and of f(x).
    pub(crate) derivative: fn(&mut Graph, NodeId, NodeId) -> NodeId,
    /// The cost of one evaluation, in additions.
    pub(crate) cost: u32,
    /// About how many cycles pass until its value can be used.
    pub(crate) latency: u32,
    /// A function that is found together with it from the same argument.
    pub(crate) together: Option<Function>,
    /// The notation in LaTeX.
    pub(crate) notation: Notation,
    /// The rule by which proofs of symmetry take it apart.
    pub(crate) rule: Rule,
    /// The arguments at which it is smooth.
    pub(crate) domain: Domain,
}

/// The parity of a function: odd and even functions take the sign out of their argument, so that f(a − b) and f(b − a) share a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parity {
    /// f(−x) = −f(x).
    Odd,
    /// f(−x) = f(x).
    Even,
    /// Neither.
    None,
}

/// The notation of a function in LaTeX.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Notation {
    /// Before its argument, which stands in parentheses.
    Before(&'static str),
    /// Around its argument.
    Around(&'static str, &'static str),
    /// The exponential of minus the square of its argument.
    Gaussian,
}

/// The theorem by which a proof takes a function of a sum apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// None: equal arguments give equal values, and no more is known.
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
    /// Half their sum.
    HyperbolicCosine,
    /// One over the other.
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
        pub(crate) enum Function {
            $($(#[$documentation])* $Name,)+
        }

        const COUNT: usize = [$(Function::$Name),+].len();

        impl Function {
            /// Every function.
            pub(crate) const ALL: [Self; COUNT] = [$(Self::$Name),+];
        }

        /// The table, in the order of [`Function`].
        static TABLE: [Entry; COUNT] = [$($entry),+];
    };
}

impl Function {
    /// The facts about the function.
    pub(crate) fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        self.entry().name
    }

    /// The function that declarations call by this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::spoken().find(|function| function.name() == name)
    }

    /// The functions that declarations call.
    pub(crate) fn spoken() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|function| function.entry().spoken)
    }
}

/// An entry of what most functions have in common.
const fn of(
    name: &'static str,
    value: fn(f64) -> f64,
    latex: &'static str,
    derivative: fn(&mut Graph, NodeId, NodeId) -> NodeId,
) -> Entry {
    Entry {
        name,
        value,
        standard: true,
        spoken: true,
        parity: Parity::None,
        derivative,
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
        ..of("sin", f64::sin, r"\sin", |graph, x, _| graph.function(Function::Cos, x))
    };
    /// The cosine.
    Cos: Entry {
        parity: Parity::Even,
        together: Some(Function::Sin),
        rule: Rule::Cosine,
        ..of("cos", f64::cos, r"\cos", |graph, x, _| {
            let sine = graph.function(Function::Sin, x);
            graph.negate(sine)
        })
    };
    /// The tangent.
    Tan: Entry {
        parity: Parity::Odd,
        rule: Rule::Tangent,
        domain: Domain::BelowOne,
        ..of("tan", f64::tan, r"\tan", |graph, _, value| {
            let (one, square) = (graph.constant(1.0), graph.power(value, 4));
            graph.add(one, square)
        })
    };
    /// The arcsine.
    Asin: Entry {
        parity: Parity::Odd,
        domain: Domain::BelowOne,
        ..of("asin", f64::asin, r"\arcsin", |graph, x, _| inverse_of_circle(graph, x, 1.0))
    };
    /// The arccosine.
    Acos: Entry {
        domain: Domain::BelowOne,
        ..of("acos", f64::acos, r"\arccos", |graph, x, _| inverse_of_circle(graph, x, -1.0))
    };
    /// The arctangent.
    Atan: Entry {
        parity: Parity::Odd,
        ..of("atan", f64::atan, r"\arctan", |graph, x, _| {
            let (one, square) = (graph.constant(1.0), graph.power(x, 4));
            let below = graph.add(one, square);
            graph.power(below, -2)
        })
    };
    /// The hyperbolic sine.
    Sinh: Entry {
        parity: Parity::Odd,
        rule: Rule::HyperbolicSine,
        ..of("sinh", f64::sinh, r"\sinh", |graph, x, _| graph.function(Function::Cosh, x))
    };
    /// The hyperbolic cosine.
    Cosh: Entry {
        parity: Parity::Even,
        rule: Rule::HyperbolicCosine,
        ..of("cosh", f64::cosh, r"\cosh", |graph, x, _| graph.function(Function::Sinh, x))
    };
    /// The hyperbolic tangent.
    Tanh: Entry {
        parity: Parity::Odd,
        rule: Rule::HyperbolicTangent,
        ..of("tanh", f64::tanh, r"\tanh", |graph, _, value| {
            let (one, square) = (graph.constant(1.0), graph.power(value, 4));
            graph.subtract(one, square)
        })
    };
    /// The inverse of the hyperbolic sine.
    Asinh: Entry {
        parity: Parity::Odd,
        ..of("asinh", f64::asinh, r"\operatorname{asinh}", |graph, x, _| {
            let (one, square) = (graph.constant(1.0), graph.power(x, 4));
            let inside = graph.add(square, one);
            graph.power(inside, -1)
        })
    };
    /// The inverse of the hyperbolic cosine.
    Acosh: Entry {
        domain: Domain::AboveOne,
        ..of("acosh", f64::acosh, r"\operatorname{acosh}", |graph, x, _| {
            let (one, square) = (graph.constant(1.0), graph.power(x, 4));
            let inside = graph.subtract(square, one);
            graph.power(inside, -1)
        })
    };
    /// The inverse of the hyperbolic tangent.
    Atanh: Entry {
        parity: Parity::Odd,
        domain: Domain::BelowOne,
        ..of("atanh", f64::atanh, r"\operatorname{atanh}", |graph, x, _| {
            let (one, square) = (graph.constant(1.0), graph.power(x, 4));
            let below = graph.subtract(one, square);
            graph.power(below, -2)
        })
    };
    /// The exponential.
    Exp: Entry {
        notation: Notation::Around("e^{", "}"),
        rule: Rule::Exponential,
        ..of("exp", f64::exp, "", |_, _, value| value)
    };
    /// eˣ − 1.
    ExpM1: Entry {
        rule: Rule::ExponentialLessOne,
        ..of("exp_m1", f64::exp_m1, r"\operatorname{exp\_m1}", |graph, _, value| {
            let one = graph.constant(1.0);
            graph.add(value, one)
        })
    };
    /// The natural logarithm.
    Ln: Entry {
        domain: Domain::Positive,
        ..of("ln", f64::ln, r"\ln", |graph, x, _| graph.power(x, -2))
    };
    /// ln(1 + x).
    Ln1p: Entry {
        domain: Domain::BelowOne,
        ..of("ln_1p", f64::ln_1p, r"\operatorname{ln\_1p}", |graph, x, _| {
            let one = graph.constant(1.0);
            let below = graph.add(one, x);
            graph.power(below, -2)
        })
    };
    /// The cube root.
    Cbrt: Entry {
        parity: Parity::Odd,
        notation: Notation::Around(r"\sqrt[3]{", "}"),
        domain: Domain::Positive,
        ..of("cbrt", f64::cbrt, "", |graph, _, value| {
            let square = graph.power(value, -4);
            graph.scale(1.0 / 3.0, square)
        })
    };
    /// The error function.
    Erf: Entry {
        standard: false,
        parity: Parity::Odd,
        cost: 40,
        latency: 120,
        together: Some(Function::Gaussian),
        ..of("erf", special::erf, r"\operatorname{erf}", |graph, x, _| gaussian(graph, x, 1.0))
    };
    /// The complementary error function.
    Erfc: Entry {
        standard: false,
        cost: 40,
        latency: 120,
        together: Some(Function::Gaussian),
        ..of("erfc", special::erfc, r"\operatorname{erfc}", |graph, x, _| gaussian(graph, x, -1.0))
    };
    /// exp(−x²), the slope of the error functions: these compute it on their way, and both take hardly longer than one.
    Gaussian: Entry {
        standard: false,
        spoken: false,
        parity: Parity::Even,
        cost: 5,
        together: Some(Function::Erfc),
        notation: Notation::Gaussian,
        rule: Rule::Gaussian,
        ..of("gaussian", special::gaussian, "", |graph, x, value| {
            let product = graph.multiply(x, value);
            graph.scale(-2.0, product)
        })
    };
    /// The nearest integer, of two the even one: how many cells lie between a point and the nearest image of another. It is a constant
    /// but where it jumps, and has no derivative.
    Round: Entry {
        spoken: false,
        parity: Parity::Odd,
        cost: 4,
        latency: 12,
        ..of("round_ties_even", f64::round_ties_even, r"\operatorname{round}", |graph, _, _| graph.zero())
    };
}

/// sign · 2/√π exp(−x²).
fn gaussian(graph: &mut Graph, x: NodeId, sign: f64) -> NodeId {
    let value = graph.function(Function::Gaussian, x);
    graph.scale(sign * FRAC_2_SQRT_PI, value)
}

/// sign / √(1 − x²).
fn inverse_of_circle(graph: &mut Graph, x: NodeId, sign: f64) -> NodeId {
    let (one, square) = (graph.constant(1.0), graph.power(x, 4));
    let inside = graph.subtract(one, square);
    let root = graph.power(inside, -1);
    graph.scale(sign, root)
}

#[cfg(test)]
mod tests {
    use super::{Domain, Function, Parity};

    #[test]
    fn every_entry_stands_at_its_place_and_has_the_sign_that_it_says() {
        for function in Function::ALL {
            let entry = function.entry();
            assert_eq!(Function::of_name(entry.name), entry.spoken.then_some(function));
            if entry.domain == Domain::AboveOne {
                continue;
            }
            let (above, below) = ((entry.value)(0.8), (entry.value)(-0.8));
            let close = |a: f64, b: f64| (a - b).abs() < 1e-15;
            let found = match (close(above, below), close(above, -below)) {
                (true, _) => Parity::Even,
                (_, true) => Parity::Odd,
                _ => Parity::None,
            };
            assert_eq!(found, entry.parity, "{}", entry.name);
        }
    }
}
