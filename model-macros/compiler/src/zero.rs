//! Proofs that an expression is zero for all values of its leaves.
//!
//! The expression is multiplied out into monomials over *atoms*: leaves, functions of arguments that are
//! in this form, and powers of sums that are no positive integers. Relations of functions become
//! explicit: sines and cosines of sums are taken apart, exponentials of sums become products, hyperbolic
//! functions become exponentials. Then sin² = 1 − cos² is used, and multiplication clears powers of
//! sums, as it clears denominators.
//! The factors are numbers of the source; a result of 10⁻⁹ of the added numbers is rounding.
//!
//! A proof goes from the leaves up: a product is zero if a factor is, so in f′(r²) · (r²)˙ only the
//! small second factor is ever multiplied out.

mod polynomial;

use crate::functions::FunctionTable;
use crate::functions::Rule;
use crate::graph::{Function, Graph, Node, NodeId};
use polynomial::{Monomial, Polynomial, halves_of};
use std::collections::HashMap;
use std::rc::Rc;

/// Functions of longer sums stay as they are.
const LONGEST_ARGUMENT: usize = 4;
/// Higher multiple angles stay as they are.
const LARGEST_MULTIPLE: f64 = 6.0;
/// The largest depth of nested expressions.
const DEEPEST: usize = 400;
/// The most times that powers are cleared before the proof is given up.
const MOST_ROUNDS: usize = 24;

/// Looks for proofs, and remembers expanded expressions.
#[derive(Debug, Default)]
pub(crate) struct Prover {
    expanded: HashMap<NodeId, Option<Rc<Polynomial>>>,
    /// For each examined node, true if it is proven to be zero.
    vanishing: HashMap<NodeId, bool>,
}

impl Prover {
    /// True if `node` is proven to be zero.
    pub(crate) fn is_zero(&mut self, graph: &mut Graph, node: NodeId) -> bool {
        // An exhausted graph proves nothing.
        self.vanishes(graph, node, 0) && !graph.is_exhausted()
    }

    fn vanishes(&mut self, graph: &mut Graph, node: NodeId, depth: usize) -> bool {
        if let Some(known) = self.vanishing.get(&node) {
            return *known;
        }
        let vanishes = self.is_shown_to_vanish(graph, node, depth);
        self.vanishing.insert(node, vanishes);
        vanishes
    }

    fn is_shown_to_vanish(&mut self, graph: &mut Graph, node: NodeId, depth: usize) -> bool {
        if graph.is_zero(node) {
            return true;
        }
        if depth > DEEPEST || graph.is_exhausted() {
            return false;
        }
        let mut whole = node;
        match graph.node(node).clone() {
            Node::Product(factors) => {
                for (base, halves) in factors {
                    if halves > 0 && self.vanishes(graph, base, depth + 1) {
                        return true;
                    }
                }
            }
            Node::Sum { constant, terms } => {
                // A term that vanishes alone need not be multiplied out with the rest.
                let mut rest = Vec::new();
                for (factor, term) in terms {
                    let product = matches!(graph.node(term), Node::Product(_));
                    if !(product && self.vanishes(graph, term, depth + 1)) {
                        rest.push((factor.0, term));
                    }
                }
                if rest.is_empty() {
                    return constant.0 == 0.0;
                }
                let constant = graph.constant(constant.0);
                whole = graph.combination(std::iter::once((1.0, constant)).chain(rest));
            }
            _ => {}
        }
        let Some(polynomial) = self.expand(graph, whole, depth + 1) else { return false };
        self.cancels(graph, &polynomial, MOST_ROUNDS).unwrap_or(false)
    }

    /// True if a polynomial is zero by the relations between its atoms; `None` if it became too large.
    fn cancels(&mut self, graph: &mut Graph, polynomial: &Polynomial, rounds: usize) -> Option<bool> {
        if polynomial.is_zero() {
            return Some(true);
        }
        if rounds == 0 || !graph.spend(polynomial.terms().len()) {
            return None;
        }
        for atom in polynomial.atoms() {
            // The powers of the atom from `period` halves on are powers of the image.
            let (image, period) = match graph.node(atom).clone() {
                Node::Sum { .. } | Node::Product(_) => (self.expand(graph, atom, 0)?, 2),
                Node::Function(Function::Sin, argument)
                    if polynomial
                        .terms()
                        .any(|(_, monomial)| !(0..=2).contains(&halves_of(monomial, atom))) =>
                {
                    let cosine = graph.function(Function::Cos, argument);
                    let square = Polynomial::power_of(cosine, 4);
                    (Rc::new(Polynomial::sum([(1.0, &Polynomial::constant(1.0)), (-1.0, &square)])?), 4)
                }
                _ => continue,
            };
            // Integer and half-integer powers are independent: each class vanishes alone.
            for class in polynomial.split(|monomial| halves_of(monomial, atom).rem_euclid(2)).into_values() {
                let cleared = replaced(&class, atom, |halves| {
                    let powers = image.to_the(u32::try_from(halves / period).ok()?)?;
                    powers.times(&Polynomial::power_of(atom, halves % period))
                })?;
                if !self.cancels(graph, &cleared, rounds - 1)? {
                    return Some(false);
                }
            }
            return Some(true);
        }
        Some(false)
    }

    /// The expression, multiplied out.
    fn expand(&mut self, graph: &mut Graph, node: NodeId, depth: usize) -> Option<Rc<Polynomial>> {
        if let Some(known) = self.expanded.get(&node) {
            return known.clone();
        }
        if depth > DEEPEST {
            return None;
        }
        let found = self.expanded_node(graph, node, depth).map(Rc::new);
        let size = found.as_ref().map_or(1, |polynomial| polynomial.terms().len());
        let found = found.filter(|_| graph.spend(size));
        self.expanded.insert(node, found.clone());
        found
    }

    fn expanded_node(&mut self, graph: &mut Graph, node: NodeId, depth: usize) -> Option<Polynomial> {
        match graph.node(node).clone() {
            Node::Constant(value) => Polynomial::sum([(1.0, &Polynomial::constant(value.0))]),
            Node::Leaf(_) => Some(Polynomial::power_of(node, 2)),
            Node::Sum { constant, terms } => {
                let mut parts = vec![(1.0, Rc::new(Polynomial::constant(constant.0)))];
                for (factor, term) in terms {
                    parts.push((factor.0, self.expand(graph, term, depth + 1)?));
                }
                Polynomial::sum(parts.iter().map(|(factor, part)| (*factor, &**part)))
            }
            Node::Product(factors) => {
                let mut product = Polynomial::constant(1.0);
                for (base, halves) in factors {
                    let base = self.expand(graph, base, depth + 1)?;
                    let power = power(graph, &base, halves)?;
                    if !graph.spend(product.terms().len().saturating_mul(power.terms().len())) {
                        return None;
                    }
                    product = product.times(&power)?;
                }
                Some(product)
            }
            Node::Function(function, argument) => {
                let argument = self.expand(graph, argument, depth + 1)?;
                of_function(graph, function, &argument)
            }
            Node::Power { base, exponent } => {
                let (base, exponent) =
                    (self.expand(graph, base, depth + 1)?, self.expand(graph, exponent, depth + 1)?);
                of_power(graph, &base, &exponent)
            }
            Node::Atan2 { y, x } => {
                let (y, x) = (self.expand(graph, y, depth + 1)?, self.expand(graph, x, depth + 1)?);
                let (y, x) = (y.node(graph), x.node(graph));
                let angle = graph.atan2(y, x);
                Some(atom(graph, angle))
            }
            #[allow(unreachable_patterns, reason = "what is no elementary function has no rules here")]
            _ => None,
        }
    }
}

/// Raises all powers of `atom` by an even number of halves, to none negative; `image` replaces them.
fn replaced(
    class: &Polynomial,
    atom: NodeId,
    image: impl Fn(i32) -> Option<Polynomial>,
) -> Option<Polynomial> {
    let lowest = class.terms().map(|(_, monomial)| halves_of(monomial, atom)).min()?;
    let raised = if lowest < 0 { lowest - lowest.rem_euclid(2) } else { 0 };
    // The half shared by a class of half-integer powers is divided out too.
    let shared = lowest.rem_euclid(2);
    let mut parts = Vec::new();
    for (halves, part) in class.split(|monomial| halves_of(monomial, atom)) {
        let without = part.times(&Polynomial::power_of(atom, -halves))?;
        parts.push(without.times(&image(halves - raised - shared)?)?);
    }
    Polynomial::sum(parts.iter().map(|part| (1.0, part)))
}

/// base^(halves / 2).
fn power(graph: &mut Graph, base: &Polynomial, halves: i32) -> Option<Polynomial> {
    if halves > 0 && halves % 2 == 0 {
        return base.to_the(u32::try_from(halves / 2).ok()?);
    }
    if base.is_zero() {
        return (halves > 0).then(Polynomial::default);
    }
    if let Some((factor, monomial)) = base.single() {
        if halves % 2 == 0 {
            let raised: Monomial = monomial.iter().map(|&(atom, own)| (atom, own * (halves / 2))).collect();
            return Some(Polynomial::monomial(factor.powi(halves / 2), raised));
        }
        if factor > 0.0 {
            let scale = factor.sqrt().powi(halves);
            let raised = match monomial[..] {
                [] => Vec::new(),
                [(atom, 2)] => vec![(atom, halves)],
                // The root of a square is a size: it stays together.
                _ => vec![(graph.monomial(monomial.iter().copied()), halves)],
            };
            return Some(Polynomial::monomial(scale, raised));
        }
    }
    let leading = base.terms().next()?.0;
    let leading = if halves % 2 == 0 { leading } else { leading.abs() };
    let normal = Polynomial::sum([(1.0 / leading, base)])?.node(graph);
    let (sign, normal) = graph.split_factor(normal);
    let scale = leading * sign;
    let scale = if halves % 2 == 0 { scale.powi(halves / 2) } else { scale.sqrt().powi(halves) };
    scale.is_finite().then(|| Polynomial::monomial(scale, vec![(normal, halves)]))
}

/// A node as a factor and an atom.
fn atom(graph: &mut Graph, node: NodeId) -> Polynomial {
    if let Some(value) = graph.value_of(node) {
        return Polynomial::constant(value);
    }
    let (factor, rest) = graph.split_factor(node);
    Polynomial::monomial(factor, vec![(rest, 2)])
}

fn of_function(graph: &mut Graph, function: Function, argument: &Polynomial) -> Option<Polynomial> {
    match function.entry().rule {
        Rule::Sine => sine_and_cosine(graph, argument).map(|both| both.0),
        Rule::Cosine => sine_and_cosine(graph, argument).map(|both| both.1),
        Rule::Tangent => {
            let (sine, cosine) = sine_and_cosine(graph, argument)?;
            sine.times(&power(graph, &cosine, -2)?)
        }
        Rule::Exponential => exponential(graph, argument),
        Rule::ExponentialLessOne => {
            Polynomial::sum([(1.0, &exponential(graph, argument)?), (-1.0, &Polynomial::constant(1.0))])
        }
        Rule::Gaussian => {
            let square = argument.times(argument)?;
            exponential(graph, &Polynomial::sum([(-1.0, &square)])?)
        }
        rule @ (Rule::HyperbolicSine | Rule::HyperbolicCosine | Rule::HyperbolicTangent) => {
            let negated = Polynomial::sum([(-1.0, argument)])?;
            let (up, down) = (exponential(graph, argument)?, exponential(graph, &negated)?);
            let sinh = Polynomial::sum([(0.5, &up), (-0.5, &down)])?;
            let cosh = Polynomial::sum([(0.5, &up), (0.5, &down)])?;
            match rule {
                Rule::HyperbolicSine => Some(sinh),
                Rule::HyperbolicCosine => Some(cosh),
                _ => sinh.times(&power(graph, &cosh, -2)?),
            }
        }
        Rule::Atom => {
            let argument = argument.node(graph);
            let value = graph.function(function, argument);
            Some(atom(graph, value))
        }
    }
}

/// base^exponent: the halves in the exponent become powers.
fn of_power(graph: &mut Graph, base: &Polynomial, exponent: &Polynomial) -> Option<Polynomial> {
    let constant = exponent.terms().find(|(_, monomial)| monomial.is_empty()).map_or(0.0, |(value, _)| value);
    let halves = (2.0 * constant).round();
    if halves.abs() > 64.0 {
        return None;
    }
    let rest = Polynomial::sum([(1.0, exponent), (-halves / 2.0, &Polynomial::constant(1.0))])?;
    let outside = if halves == 0.0 { Polynomial::constant(1.0) } else { power(graph, base, halves as i32)? };
    let (base, rest) = (base.node(graph), rest.node(graph));
    let inside = graph.powf(base, rest);
    outside.times(&atom(graph, inside))
}

/// sin and cos of a sum, from the sines and cosines of its terms.
fn sine_and_cosine(graph: &mut Graph, argument: &Polynomial) -> Option<(Polynomial, Polynomial)> {
    if argument.terms().len() > LONGEST_ARGUMENT {
        let node = argument.node(graph);
        let (sine, cosine) = (graph.function(Function::Sin, node), graph.function(Function::Cos, node));
        return Some((atom(graph, sine), atom(graph, cosine)));
    }
    let mut both = (Polynomial::default(), Polynomial::constant(1.0));
    for (factor, monomial) in argument.terms() {
        if monomial.is_empty() {
            both = added(&both, &(Polynomial::constant(factor.sin()), Polynomial::constant(factor.cos())))?;
            continue;
        }
        let multiple = factor.abs().round();
        let whole = (factor.abs() - multiple).abs() < 1e-12 && (1.0..=LARGEST_MULTIPLE).contains(&multiple);
        let (unit, times) = if whole { (1.0, multiple as u32) } else { (factor.abs(), 1) };
        let node = Polynomial::monomial(unit, monomial.clone()).node(graph);
        let (sine, cosine) = (graph.function(Function::Sin, node), graph.function(Function::Cos, node));
        let sine = Polynomial::sum([(factor.signum(), &atom(graph, sine))])?;
        let one = (sine, atom(graph, cosine));
        for _ in 0..times {
            both = added(&both, &one)?;
        }
    }
    Some(both)
}

/// sin(a + b) and cos(a + b).
fn added(a: &(Polynomial, Polynomial), b: &(Polynomial, Polynomial)) -> Option<(Polynomial, Polynomial)> {
    let sine = Polynomial::sum([(1.0, &a.0.times(&b.1)?), (1.0, &a.1.times(&b.0)?)])?;
    let cosine = Polynomial::sum([(1.0, &a.1.times(&b.1)?), (-1.0, &a.0.times(&b.0)?)])?;
    Some((sine, cosine))
}

/// exp of a sum: the product of the exponentials of its terms.
fn exponential(graph: &mut Graph, argument: &Polynomial) -> Option<Polynomial> {
    if argument.terms().len() > LONGEST_ARGUMENT {
        let node = argument.node(graph);
        let value = graph.function(Function::Exp, node);
        return Some(atom(graph, value));
    }
    let mut product = Polynomial::constant(1.0);
    for (factor, monomial) in argument.terms() {
        if monomial.is_empty() {
            product = product.times(&Polynomial::constant(factor.exp()))?;
            continue;
        }
        let halves = (2.0 * factor).round();
        let whole = (2.0 * factor - halves).abs() < 1e-12 && halves.abs() <= 32.0;
        let (unit, halves) =
            if whole { (1.0, halves as i32) } else { (factor.abs(), 2 * factor.signum() as i32) };
        let node = Polynomial::monomial(unit, monomial.clone()).node(graph);
        let value = graph.function(Function::Exp, node);
        product = product.times(&Polynomial::power_of(value, halves))?;
    }
    Some(product)
}
