//! A term family → the kernel of one element: its derivatives, emitted as straight-line code.

use super::straight_line::{Numbers, Put, StraightLine, lines, number};
use crate::classify::Family;
use crate::eliminate::{Candidate, Element, Wanted};
use crate::graph::{Graph, Leaf, NodeId};
use crate::schedule::Value;
use crate::side_by_side::side_by_side;
use crate::smoothness::{Smoothness, smoothness};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// Which derivatives a family needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Of L(q, v, t): first and second derivatives.
    General,
    /// Of V(q, t): products and third derivatives too.
    Potential,
    /// Of g(q, t): what constraint engines need besides.
    Constraint,
    /// Of a component of F(q, v, t): first derivatives.
    Force,
}

/// The operations of a gradient from which on loops over SIMD registers are compiled: below, memory decides.
const WORTH_REGISTERS: u32 = 8;

/// Where the declaration says that there are fewer elements, no loops for many are compiled; the binding asks for as many before
/// it thinks of registers.
const FEW: usize = 16;

/// What an element of a kernel is made of.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    /// Where it reads.
    pub(super) slots: Vec<Slot>,
    /// What each coefficient is: an expression of those of the declaration.
    pub(super) values: Vec<NodeId>,
}

/// An entry of a coordinate that an element reads, of its velocity, or the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Position(usize),
    Velocity(usize),
    Time,
}

impl Slot {
    /// The slot and the component of an input.
    fn of(leaf: Leaf) -> (Self, usize) {
        match leaf {
            Leaf::Position { gather, component } => (Self::Position(gather), component),
            Leaf::Velocity { gather, component } => (Self::Velocity(gather), component),
            // Nothing else is an input.
            _ => (Self::Time, 0),
        }
    }

    /// Those of some inputs, each once.
    fn all(inputs: &[Leaf]) -> Vec<Self> {
        let mut slots: Vec<Self> = Vec::new();
        for leaf in inputs {
            let (slot, _) = Self::of(*leaf);
            if !slots.contains(&slot) {
                slots.push(slot);
            }
        }
        slots
    }
}

/// An emitted kernel.
pub(super) struct Kernel {
    /// The facts and the code of the operations.
    pub(super) code: TokenStream,
    /// The types of the operations, which stand in a module of the family.
    pub(super) types: TokenStream,
    /// Its sizes.
    pub(super) sizes: Sizes,
}

/// The derivatives of an element, each in its cheapest form.
#[derive(Debug)]
pub(super) struct Derivatives(Vec<(Wanted, Candidate)>);

impl Derivatives {
    /// The derivatives of each family, found side by side.
    pub(super) fn of(graph: &Graph, families: &[(&Family, Use)], named: &BTreeSet<NodeId>) -> Vec<Self> {
        let elements: Vec<Element> = families
            .iter()
            .map(|(family, _)| {
                let element = Element::new(graph, family.node, &family.inputs, named);
                element.with_phase_rate(family.phase_rate)
            })
            .collect();
        let jobs: Vec<(&Element, Wanted)> = elements
            .iter()
            .zip(families)
            .flat_map(|(element, (_, used))| used.wanted().iter().map(move |wanted| (element, *wanted)))
            .collect();
        let mut found = side_by_side(&jobs, |(element, wanted)| element.best(*wanted)).into_iter();
        families
            .iter()
            .map(|(_, used)| Self(used.wanted().iter().copied().zip(found.by_ref()).collect()))
            .collect()
    }

    /// One of those that the use of the family asks for.
    fn get(&self, wanted: Wanted) -> Option<&Candidate> {
        self.0.iter().find(|(known, _)| *known == wanted).map(|(_, candidate)| candidate)
    }
}

impl Use {
    /// What it asks for: what takes longest to find comes first.
    fn wanted(self) -> &'static [Wanted] {
        use Wanted::{Curvature, Gradient, Product, Quadratic, Rate, Second, Third, Value, ValueGradient};
        match self {
            // The force on one degree of freedom is asked for its first derivatives only.
            Self::Force => &[Gradient, Value, Rate],
            Self::General => &[Second, Gradient, Value, Rate],
            Self::Potential => &[Third, Second, Product, Gradient, Value, Rate],
            Self::Constraint => {
                &[Third, Second, Product, Curvature, Quadratic, ValueGradient, Gradient, Value, Rate]
            }
        }
    }
}

/// Emits the kernel of `family` under the name `kernel_name`, with the types of its operations in the module `home`; `text` is the
/// expression in words.
pub(super) fn kernel(
    graph: &mut Graph,
    family: &Family,
    derivatives: &Derivatives,
    used: Use,
    (kernel_name, home): (&Ident, &TokenStream),
    text: &str,
    reads: &[String],
) -> Kernel {
    let smoothness = smoothness_code(smoothness(graph, family.node));
    let forms = forms(graph, family);
    let none = Candidate::zero();
    let best = |wanted| derivatives.get(wanted).unwrap_or(&none);
    let n = family.inputs.len();
    let mut writer = Writer { family, graph, values: Vec::new() };
    let mut codes: Vec<Operation> = Vec::new();
    let mut add = |name: &'static str, function: Function| {
        let operations = function.operations;
        codes.push(Operation { name, function });
        operations
    };

    let value = add("Value", writer.scalar(best(Wanted::Value)));
    add("Rate", writer.scalar(best(Wanted::Rate)));
    let gradient = add("Gradient", writer.vector(best(Wanted::Gradient)));
    let both = best(Wanted::Second);
    let numbers = Numbered::of(both, n);
    let second = match used {
        Use::Force => gradient,
        Use::Constraint => add("Hessian", writer.second(both, n, &numbers, false)),
        Use::General | Use::Potential => add("Second", writer.second(both, n, &numbers, true)),
    };
    let (product, third) = (best(Wanted::Product), best(Wanted::Third));
    let of_positions = matches!(used, Use::Potential | Use::Constraint);
    let has_third = of_positions && !third.zero;
    let mut third_operations = 0;
    if of_positions {
        add("Product", writer.vector(product));
        if has_third {
            third_operations = add("Third", writer.vector(third));
        }
    }
    if used == Use::Constraint {
        add("ValueGradient", writer.value_and_vector(best(Wanted::ValueGradient)));
        add("Quadratic", writer.scalar(best(Wanted::Quadratic)));
        add("Curvature", writer.scalar(best(Wanted::Curvature)));
    }

    let sizes = Sizes { slots: Slot::all(&family.inputs), values: writer.values };
    let operations = [value, gradient, second, third_operations];
    let few = family.most.is_some_and(|most| most < FEW);
    let wide = matches!(used, Use::General | Use::Potential) && !few && gradient >= WORTH_REGISTERS;
    let [g, x, c] = [sizes.slots.len(), n, sizes.values.len()].map(Literal::usize_unsuffixed);
    let inputs_name = format_ident!("{kernel_name}_INPUTS", span = Span::mixed_site());
    let inputs = family.inputs.iter().map(|leaf| {
        let (slot, component) = Slot::of(*leaf);
        let slot = sizes.slots.iter().position(|known| *known == slot).unwrap_or_default();
        let (slot, component) = (Literal::usize_unsuffixed(slot), Literal::usize_unsuffixed(component));
        quote!((#slot, #component))
    });
    let documentation = format!(" `{text}`");
    let mut code = quote! {
        /// The slot and the component of each input.
        const #inputs_name: [(usize, usize); #x] = [#(#inputs),*];
    };
    let mut types = TokenStream::new();
    for Operation { name, function } in &codes {
        let Function { body, directed, vector, .. } = function;
        let of_vector = match (vector, used, *name) {
            (false, ..) => "None",
            (_, Use::Force, "Gradient") | (_, Use::Constraint, "ValueGradient") => "InRow",
            _ => "AtInputs",
        };
        let of_row = match (used, *name) {
            (Use::Constraint, "Product" | "Third" | "Hessian") => "Weighs",
            (Use::Constraint, "Value" | "Rate" | "ValueGradient" | "Quadratic" | "Curvature")
            | (Use::Force, "Value") => "Adds",
            _ => "None",
        };
        let [name, of_vector, of_row] =
            [*name, of_vector, of_row].map(|name| Ident::new(name, Span::mixed_site()));
        let Arguments { ports, t, theta, .. } = Arguments::new();
        types.extend(quote!(pub struct #name;));
        code.extend(quote! {
            impl ::integrator_core::binding::Code<#g, #x, #c> for #home::#name {
                const INPUTS: [(usize, usize); #x] = #inputs_name;
                const READS_DIRECTION: bool = #directed;
                const VECTOR: ::integrator_core::binding::Vector = ::integrator_core::binding::Vector::#of_vector;
                const ROW: ::integrator_core::binding::Row = ::integrator_core::binding::Row::#of_row;

                #[inline(always)]
                fn run<T: ::integrator_core::lanes::Real>(#ports: &mut impl ::integrator_core::binding::Ports<T>) -> T {
                    let ::integrator_core::binding::Instant { t: #t, theta: #theta } = #ports.now();
                    #body
                }
            }
        });
    }
    let operation = |name: &str| {
        let registers = wide && matches!(name, "Value" | "Gradient" | "Second" | "Third");
        let kind = Ident::new(if registers { "wide" } else { "single" }, Span::mixed_site());
        let name = Ident::new(name, Span::mixed_site());
        quote!(::integrator_core::binding::Operation::#kind::<#home::#name, #g, #x, #c>())
    };
    let [value, rate, gradient] = ["Value", "Rate", "Gradient"].map(operation);
    let second = operation(match used {
        Use::Force => "Gradient",
        Use::Constraint => "Hessian",
        Use::General | Use::Potential => "Second",
    });
    let position = if of_positions {
        let (product, third) = (operation("Product"), optional(has_third.then(|| operation("Third"))));
        quote! {
            ::core::option::Option::Some(::integrator_core::binding::PositionOperations { product: #product, third: #third })
        }
    } else {
        optional(None)
    };
    let constraint = if used == Use::Constraint {
        let [value_gradient, hessian, quadratic, curvature] =
            ["ValueGradient", "Hessian", "Quadratic", "Curvature"].map(operation);
        quote! {
            ::core::option::Option::Some(::integrator_core::binding::ConstraintOperations {
                value_gradient: #value_gradient,
                hessian: #hessian,
                quadratic: #quadratic,
                curvature: #curvature,
            })
        }
    } else {
        optional(None)
    };
    let operations = operations.map(Literal::u32_unsuffixed);
    let entries = numbers.entries.iter().map(|&(row, column, number, negative)| {
        let [row, column, number] = [row, column, number].map(Literal::usize_unsuffixed);
        quote!(::integrator_core::binding::Entry { row: #row, column: #column, number: #number, negative: #negative })
    });
    let count = Literal::usize_unsuffixed(numbers.values.len());
    code.extend(quote! {
        #[doc = #documentation]
        static #kernel_name: ::integrator_core::binding::Kernel = ::integrator_core::binding::Kernel {
            name: #text,
            reads: &[#(#reads),*],
            smoothness: #smoothness,
            operations: [#(#operations),*],
            slots: #g,
            inputs: &#inputs_name,
            coefficients: #c,
            entries: &[#(#entries),*],
            numbers: #count,
            forms: &[#(#forms),*],
            value: #value,
            rate: #rate,
            gradient: #gradient,
            second: #second,
            position: #position,
            constraint: #constraint,
        };
    });
    Kernel { code, types, sizes }
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(
        || quote!(::core::option::Option::None),
        |value| quote!(::core::option::Option::Some(#value)),
    )
}

/// The linear forms of the inputs through which the expression sees its positions.
fn forms(graph: &Graph, family: &Family) -> Vec<TokenStream> {
    let input = |leaf: Leaf| family.inputs.iter().position(|known| *known == leaf);
    crate::eliminate::cuts::linear_forms(graph, family.node)
        .into_iter()
        .map(|form| {
            let terms = form.into_iter().filter_map(|(factor, leaf)| {
                let at = Literal::usize_unsuffixed(input(leaf)?);
                let factor = number(factor);
                Some(quote!((#at, #factor)))
            });
            quote!(&[#(#terms),*])
        })
        .collect()
}

/// An operation of a kernel, under the name of its type.
struct Operation {
    name: &'static str,
    function: Function,
}

/// The body of the function of an operation.
struct Function {
    body: TokenStream,
    operations: u32,
    /// Whether it reads a direction, and whether it adds a vector.
    directed: bool,
    vector: bool,
}

impl Function {
    fn of(candidate: &Candidate, body: TokenStream, vector: bool) -> Self {
        let direction = |operation: &crate::schedule::Operation| {
            matches!(operation, crate::schedule::Operation::Read(Leaf::Direction { .. }))
        };
        let directed = candidate.program.operations.iter().any(direction);
        Self { body, operations: candidate.program.cost, directed, vector }
    }
}

/// The entries of a Hessian and the numbers that they are made of: an entry may be the negative of a number, and several
/// entries may share one.
struct Numbered {
    values: Vec<Value>,
    /// Row, column, number and whether its negative.
    entries: Vec<(usize, usize, usize, bool)>,
}

impl Numbered {
    /// Those of second derivatives, whose program yields n first derivatives before.
    fn of(second: &Candidate, n: usize) -> Self {
        let mut found = Self { values: Vec::new(), entries: Vec::new() };
        let outputs = second.program.outputs.iter().skip(n);
        for (output, &(row, column)) in outputs.zip(&second.entries) {
            let (value, negative) = match second.program.operations[*output] {
                crate::schedule::Operation::Negate(value) => (value, true),
                _ => (*output, false),
            };
            let number = found.values.iter().position(|known| *known == value).unwrap_or_else(|| {
                found.values.push(value);
                found.values.len() - 1
            });
            found.entries.push((row, column, number, negative));
        }
        found
    }

    /// The entries that have a number, or its negative.
    fn with(&self, number: usize, negative: bool) -> Vec<Literal> {
        let entries = self.entries.iter().enumerate();
        let wanted = entries.filter(|(_, entry)| entry.2 == number && entry.3 == negative);
        wanted.map(|(place, _)| Literal::usize_unsuffixed(place)).collect()
    }
}

fn smoothness_code(smoothness: Smoothness) -> TokenStream {
    let path = quote!(::integrator_core::describe::Smoothness);
    match smoothness {
        Smoothness::Smooth => quote!(#path::Smooth),
        Smoothness::Times(order) => {
            let order = Literal::u32_unsuffixed(order);
            quote!(#path::Times(#order))
        }
        Smoothness::Unknown => quote!(#path::Unknown),
    }
}

/// The names in an emitted function.
pub(super) struct Arguments {
    pub(super) ports: Ident,
    pub(super) t: Ident,
    pub(super) theta: Ident,
}

impl Arguments {
    pub(super) fn new() -> Self {
        let name = |text| Ident::new(text, Span::mixed_site());
        Self { ports: name("ports"), t: name("t"), theta: name("theta") }
    }
}

struct Writer<'a> {
    family: &'a Family,
    graph: &'a mut Graph,
    /// The coefficients of the functions so far.
    values: Vec<NodeId>,
}

impl Writer<'_> {
    /// A function that returns one number.
    fn scalar(&mut self, candidate: &Candidate) -> Function {
        let code = self.lines(candidate, &[]);
        let (lines, value) = (&code.lines, &code.outputs.first().cloned().unwrap_or_else(zero));
        Function::of(candidate, quote!(#lines #value), false)
    }

    /// A function that adds a vector.
    fn vector(&mut self, candidate: &Candidate) -> Function {
        let code = self.lines(candidate, &vector(candidate, 0, candidate.program.outputs.len()));
        let (lines, zero) = (&code.lines, zero());
        Function::of(candidate, quote!(#lines #zero), true)
    }

    /// A function that returns a number and adds a vector.
    fn value_and_vector(&mut self, candidate: &Candidate) -> Function {
        let length = candidate.program.outputs.len().saturating_sub(1);
        let code = self.lines(candidate, &vector(candidate, 1, length));
        let (lines, value) = (&code.lines, &code.outputs.first().cloned().unwrap_or_else(zero));
        Function::of(candidate, quote!(#lines #value), true)
    }

    /// A function that adds a matrix, and the vector of first derivatives if that is wanted.
    fn second(&mut self, candidate: &Candidate, n: usize, numbers: &Numbered, first: bool) -> Function {
        let mut puts = if first { vector(candidate, 0, n) } else { Vec::new() };
        for (number, value) in numbers.values.iter().enumerate() {
            let (plus, minus) = (numbers.with(number, false), numbers.with(number, true));
            let number = Literal::usize_unsuffixed(number);
            let Arguments { ports, .. } = Arguments::new();
            let statement = move |code: &TokenStream| quote!(#ports.matrix(#number, &[#(#plus),*], &[#(#minus),*], #code););
            puts.push(Put { value: *value, statement: Box::new(statement) });
        }
        let code = self.lines(candidate, &puts);
        let (lines, zero) = (&code.lines, zero());
        Function::of(candidate, quote!(#lines #zero), first)
    }

    /// The code of a function; its coefficients join those of the others.
    fn lines(&mut self, candidate: &Candidate, puts: &[Put]) -> StraightLine {
        let Candidate { program, graph, .. } = candidate;
        let mut coefficients: Vec<(NodeId, usize)> = Vec::new();
        for node in program.coefficients() {
            let value = self.graph.import(graph, node);
            let place = self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
                self.values.push(value);
                self.values.len() - 1
            });
            coefficients.push((node, place));
        }
        let Arguments { ports, t, theta } = Arguments::new();
        let place = |wanted: Leaf| {
            let at = self.family.inputs.iter().position(|known| *known == wanted).unwrap_or(0);
            Literal::usize_unsuffixed(at)
        };
        let read = |leaf: Leaf| match leaf {
            Leaf::Direction { gather, component } => {
                let at = place(Leaf::Position { gather, component });
                quote!(#ports.a(#at))
            }
            Leaf::Time if !self.family.inputs.contains(&Leaf::Time) => quote!(#t),
            Leaf::Phase => quote!(#theta),
            input => {
                let at = place(input);
                quote!(#ports.x(#at))
            }
        };
        let coefficient = |node: NodeId| {
            let at = coefficients.iter().find(|(known, _)| *known == node).map_or(0, |(_, place)| *place);
            let at = Literal::usize_unsuffixed(at);
            quote!(#ports.c(#at))
        };
        lines(program, Numbers::Generic, &read, &coefficient, puts)
    }
}

/// Adds outputs from `first` on to the entries of a vector; those that are always zero need not be.
fn vector(candidate: &Candidate, first: usize, length: usize) -> Vec<Put> {
    let program = &candidate.program;
    let outputs = program.outputs.iter().skip(first).take(length).enumerate();
    let zero = crate::schedule::Operation::Number(0.0);
    outputs
        .filter(|(_, value)| program.operations[**value] != zero)
        .map(|(k, value)| {
            let (k, Arguments { ports, .. }) = (Literal::usize_unsuffixed(k), Arguments::new());
            let statement = move |code: &TokenStream| quote!(#ports.vector(#k, #code););
            Put { value: *value, statement: Box::new(statement) }
        })
        .collect()
}

/// Zero in all lanes.
fn zero() -> TokenStream {
    let Arguments { t, .. } = Arguments::new();
    quote!(T::number(#t, 0.0))
}
