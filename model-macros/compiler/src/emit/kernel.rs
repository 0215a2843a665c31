//! A term family → the kernel of one element: its derivatives, emitted as straight-line code.

use super::straight_line::{Numbers, Put, StraightLine, lines, number};
use crate::classify::Family;
use crate::graph::{Leaf, NodeId};
use crate::kernels::{self, Function, Use, Wanted};
use crate::schedule::{self, Program, Value};
use crate::smoothness::Smoothness;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

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
    /// The value of each coefficient, from those of the declaration.
    pub(super) values: Program,
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

/// Emits the kernel of `family` under the name `kernel_name`, with the types of its operations in the module `home`; `text` is the
/// expression in words.
pub(super) fn kernel(
    family: &Family,
    found: &kernels::Kernel,
    used: Use,
    (kernel_name, home): (&Ident, &TokenStream),
    text: &str,
    reads: &[String],
) -> Kernel {
    let smoothness = smoothness_code(found.smoothness);
    let forms = forms(found, family);
    let none = Function::default();
    let best = |wanted| found.function(wanted).unwrap_or(&none);
    let n = family.inputs.len();
    let writer = Writer { family };
    let mut codes: Vec<Operation> = Vec::new();
    let mut add = |name: &'static str, body: Body| {
        let operations = body.operations;
        codes.push(Operation { name, body });
        operations
    };

    let value = add("Value", writer.scalar(best(Wanted::Value)));
    add("Rate", writer.scalar(best(Wanted::Rate)));
    let gradient = add("Gradient", writer.vector(best(Wanted::Gradient)));
    let both = best(Wanted::Second);
    let numbers = Numbered::of(&both.program, &found.entries, n);
    let second = match used {
        Use::Force => gradient,
        Use::Constraint => add("Hessian", writer.second(both, &numbers, 0)),
        Use::General | Use::Potential => add("Second", writer.second(both, &numbers, n)),
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

    let sizes = Sizes { slots: Slot::all(&family.inputs), values: found.coefficients.clone() };
    let operations = [value, gradient, second, third_operations];
    let few = family.most.is_some_and(|most| most < FEW);
    let wide = matches!(used, Use::General | Use::Potential) && !few && gradient >= WORTH_REGISTERS;
    let [g, x, c] = [sizes.slots.len(), n, sizes.values.outputs.len()].map(Literal::usize_unsuffixed);
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
    for Operation { name, body } in &codes {
        let Body { code: body, directed, vector, .. } = body;
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
fn forms(found: &kernels::Kernel, family: &Family) -> Vec<TokenStream> {
    let input = |leaf: Leaf| family.inputs.iter().position(|known| *known == leaf);
    found
        .forms
        .iter()
        .map(|form| {
            let terms = form.iter().filter_map(|&(factor, leaf)| {
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
    body: Body,
}

/// The body of the function of an operation.
struct Body {
    code: TokenStream,
    operations: u32,
    /// Whether it reads a direction, and whether it adds a vector.
    directed: bool,
    vector: bool,
}

impl Body {
    fn of(function: &Function, code: TokenStream, vector: bool) -> Self {
        let Function { program, .. } = function;
        let is_direction = |operation: &schedule::Operation| {
            matches!(operation, schedule::Operation::Read(Leaf::Direction { .. }))
        };
        let directed = program.operations.iter().any(is_direction);
        Self { code, operations: program.cost, directed, vector }
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
    fn of(second: &Program, entries: &[(usize, usize)], n: usize) -> Self {
        let mut found = Self { values: Vec::new(), entries: Vec::new() };
        for (output, &(row, column)) in second.outputs.iter().skip(n).zip(entries) {
            let (value, negative) = match second.operations[*output] {
                schedule::Operation::Negate(value) => (value, true),
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
}

impl Writer<'_> {
    /// A function that returns one number.
    fn scalar(&self, function: &Function) -> Body {
        let code = self.lines(function, &[]);
        let (lines, value) = (&code.lines, &code.outputs.first().cloned().unwrap_or_else(zero));
        Body::of(function, quote!(#lines #value), false)
    }

    /// A function that adds a vector.
    fn vector(&self, function: &Function) -> Body {
        let puts = vector(&function.program, 0, function.program.outputs.len());
        let (StraightLine { lines, .. }, zero) = (self.lines(function, &puts), zero());
        Body::of(function, quote!(#lines #zero), true)
    }

    /// A function that returns a number and adds a vector.
    fn value_and_vector(&self, function: &Function) -> Body {
        let length = function.program.outputs.len().saturating_sub(1);
        let code = self.lines(function, &vector(&function.program, 1, length));
        let (lines, value) = (&code.lines, &code.outputs.first().cloned().unwrap_or_else(zero));
        Body::of(function, quote!(#lines #value), true)
    }

    /// A function that adds a matrix and, before it, so many first derivatives.
    fn second(&self, function: &Function, numbers: &Numbered, first: usize) -> Body {
        let mut puts = vector(&function.program, 0, first);
        for (number, value) in numbers.values.iter().enumerate() {
            let (plus, minus) = (numbers.with(number, false), numbers.with(number, true));
            let number = Literal::usize_unsuffixed(number);
            let Arguments { ports, .. } = Arguments::new();
            let statement = move |code: &TokenStream| quote!(#ports.matrix(#number, &[#(#plus),*], &[#(#minus),*], #code););
            puts.push(Put { value: *value, statement: Box::new(statement) });
        }
        let (StraightLine { lines, .. }, zero) = (self.lines(function, &puts), zero());
        Body::of(function, quote!(#lines #zero), first > 0)
    }

    /// The code of a function.
    fn lines(&self, function: &Function, puts: &[Put]) -> StraightLine {
        let Function { program, coefficients, .. } = function;
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
fn vector(program: &Program, first: usize, length: usize) -> Vec<Put> {
    let outputs = program.outputs.iter().skip(first).take(length).enumerate();
    let zero = schedule::Operation::Number(0.0);
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
