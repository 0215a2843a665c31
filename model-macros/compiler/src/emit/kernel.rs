//! A term family → the kernel of one element: its derivatives, emitted as straight-line code.

use super::straight_line::{Numbers, Put, StraightLine, internal, lines, number};
use crate::classify::Family;
use crate::graph::{Leaf, NodeId, Reading};
use crate::kernels::{self, Function, Use, Wanted, placed};
use crate::lower::form::loops_of;
use crate::schedule::{self, Operation as Instruction, Program, Value};
use crate::smoothness::Smoothness;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

/// The slots and the coefficients of an element.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    /// The slots that the element reads.
    pub(super) slots: Vec<Slot>,
    /// The value of each coefficient, from the coefficients of the declaration.
    pub(super) values: Program,
}

/// Consecutive numbers that an element reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) entry: Entry,
    /// The component with which it begins.
    pub(super) first: usize,
}

/// An entry of a coordinate that an element reads, of its velocity, or the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Position(usize),
    Velocity(usize),
    Time,
}

impl Slot {
    /// The gather of an entry.
    pub(super) fn gather(self) -> Option<usize> {
        match self.entry {
            Entry::Position(gather) | Entry::Velocity(gather) => Some(gather),
            Entry::Time => None,
        }
    }

    /// The slots of inputs, each once; `whole` slots begin with the entry, others with the first
    /// component that is read. Then functions of other components are equal code.
    fn all(inputs: &[Leaf], whole: bool) -> Vec<Self> {
        let mut slots: Vec<Self> = Vec::new();
        for leaf in inputs {
            let (entry, component) = Entry::of(*leaf);
            let first = if whole { 0 } else { component };
            match slots.iter_mut().find(|known| known.entry == entry) {
                Some(known) => known.first = known.first.min(first),
                None => slots.push(Self { entry, first }),
            }
        }
        slots
    }
}

impl Entry {
    /// The entry and the component of an input.
    fn of(leaf: Leaf) -> (Self, usize) {
        match leaf {
            Leaf::Position { gather, component } => (Self::Position(gather), component),
            Leaf::Velocity { gather, component } => (Self::Velocity(gather), component),
            // Inputs are positions, velocities and the time.
            _ => (Self::Time, 0),
        }
    }
}

/// An emitted kernel.
pub(super) struct Kernel {
    /// The facts and the code of the operations.
    pub(super) code: TokenStream,
    /// The types of the operations, for the module of the family.
    pub(super) types: TokenStream,
    /// The type of each operation by its name: operations with equal code share one.
    pub(super) of_names: BTreeMap<&'static str, TokenStream>,
    /// Its sizes.
    pub(super) sizes: Sizes,
    /// The number of its coefficients.
    pub(super) coefficients: usize,
    /// The operations of its gradient.
    pub(super) operations: u32,
}

/// The types of the emitted operations by their code: equal code is compiled once.
pub(super) type Types = BTreeMap<String, TokenStream>;

/// Emits the kernel of `family` under the name `kernel_name`; types of operations that are not among the
/// known `types` stand in the module `home`; `text` is the expression in words.
pub(super) fn kernel(
    family: &Family,
    found: &kernels::Kernel,
    used: Use,
    (kernel_name, home): (&Ident, &TokenStream),
    (text, reads): (&str, &[String]),
    types: &mut Types,
) -> Kernel {
    let second = found.function(Wanted::Second).map(|function| &function.program);
    let numbers = Numbered::of(second, &found.entries, family.inputs.len());
    let operations = operations(family, found, used, &numbers);
    // Engines look for points among the slots, but for sums.
    let slots = Slot::all(&family.inputs, !used.is_of_a_sum());
    let sizes = Sizes { slots, values: found.coefficients.clone() };
    let coefficients = ends_from(found) + family.ends().count();
    let counts = [sizes.slots.len(), family.inputs.len(), coefficients, family.sums.len()];
    let mut place = Place {
        kernel_name,
        types: BTreeMap::new(),
        counts: counts.map(Literal::usize_unsuffixed),
        wide: found.has_registers(family, used),
        of_sum: used.is_of_a_sum(),
        of_pairs: found.is_of_light_pairs(family),
    };
    let inputs = inputs(&family.inputs, &sizes.slots);
    let mut code = place.inputs(&inputs);
    let mut names = Vec::new();
    for operation in &operations {
        let name = Ident::new(operation.name, Span::mixed_site());
        let of_type = types.entry(operation.key(&counts, &inputs)).or_insert_with(|| {
            let own = quote!(#home::#name);
            code.extend(place.code(operation, &own));
            names.push(name);
            own
        });
        place.types.insert(operation.name, of_type.clone());
    }
    code.extend(place.facts(family, found, used, &operations, &numbers, (text, reads)));
    let types = quote!(#(pub struct #names;)*);
    let gradient = operations.iter().find(|operation| operation.name == "Gradient");
    let operations = gradient.map_or(0, |gradient| gradient.body.operations);
    Kernel { code, types, of_names: place.types, sizes, coefficients, operations }
}

/// The slot and the component of each input, as code.
fn inputs(inputs: &[Leaf], slots: &[Slot]) -> TokenStream {
    let inputs = inputs.iter().map(|leaf| {
        let (entry, component) = Entry::of(*leaf);
        let slot = placed(slots.iter().position(|known| known.entry == entry));
        let component = component - slots[slot].first;
        let (slot, component) = (Literal::usize_unsuffixed(slot), Literal::usize_unsuffixed(component));
        quote!((#slot, #component))
    });
    quote!([#(#inputs),*])
}

/// The operations of a kernel, as far as its use asks for them.
fn operations(family: &Family, found: &kernels::Kernel, used: Use, numbers: &Numbered) -> Vec<Operation> {
    let writer = Writer { family, ends_from: ends_from(found) };
    let of_sum = used.is_of_a_sum();
    // The use of the row by operations in rows.
    let (adds, weighs) = if used == Use::Constraint { ("Adds", "Weighs") } else { ("None", "None") };
    let of_row = used == Use::Row;
    let of_value = if of_row { "Adds" } else { adds };
    let of_gradient = if of_row { "InRow" } else { "AtInputs" };
    let (second, firsts, of_second, row) = if used == Use::Constraint || of_sum {
        ("Hessian", 0, "None", weighs)
    } else {
        ("Second", family.inputs.len(), "AtInputs", "None")
    };
    let all = [
        (Wanted::Value, "Value", "None", of_value),
        (Wanted::Rate, "Rate", "None", of_value),
        (Wanted::Gradient, "Gradient", of_gradient, "None"),
        (Wanted::ProductOfAll, "Product", "AtInputs", weighs),
        (Wanted::Second, second, of_second, row),
        (Wanted::Product, "Product", "AtInputs", weighs),
        (Wanted::Third, "Third", "AtInputs", weighs),
        (Wanted::ValueGradient, "ValueGradient", "InRow", adds),
        (Wanted::Quadratic, "Quadratic", "None", adds),
        (Wanted::Curvature, "Curvature", "None", adds),
        (Wanted::Along, "Along", "None", "None"),
    ];
    let operation = |(wanted, name, vector, row)| {
        let function = found.function(wanted).filter(|function| wanted != Wanted::Third || !function.zero)?;
        let body = match wanted {
            Wanted::Gradient | Wanted::ProductOfAll | Wanted::Product | Wanted::Third => {
                writer.body(function, &puts(&function.program, 0, usize::MAX, "vector"), false)
            }
            Wanted::Second => writer.second(function, numbers, firsts),
            Wanted::ValueGradient => {
                writer.body(function, &puts(&function.program, 1, usize::MAX, "vector"), true)
            }
            _ if of_sum => writer.body(function, &puts(&function.program, 0, usize::MAX, "sum"), false),
            _ => writer.body(function, &[], true),
        };
        Some(Operation { name, body, vector, row })
    };
    all.into_iter().filter_map(operation).collect()
}

/// The names and sizes that the code of a kernel needs.
struct Place<'a> {
    kernel_name: &'a Ident,
    /// The type of each operation.
    types: BTreeMap<&'static str, TokenStream>,
    /// The numbers of slots, inputs, coefficients and sums.
    counts: [Literal; 4],
    /// True if the kernel is compiled for registers, too.
    wide: bool,
    /// True for a kernel of sums.
    of_sum: bool,
    /// True for a kernel of all pairs with short products.
    of_pairs: bool,
}

impl Place<'_> {
    fn inputs_name(&self) -> Ident {
        format_ident!("{}_INPUTS", self.kernel_name, span = Span::mixed_site())
    }

    fn inputs(&self, inputs: &TokenStream) -> TokenStream {
        let (name, [_, x, ..]) = (self.inputs_name(), &self.counts);
        quote! {
            /// The slot and the component of each input.
            const #name: [(usize, usize); #x] = #inputs;
        }
    }

    /// The code of an operation, under a type of its own.
    fn code(&self, operation: &Operation, own: &TokenStream) -> TokenStream {
        let Self { counts: [g, x, c, r], .. } = self;
        let Operation { body: Body { code, directed, .. }, vector, row, .. } = operation;
        let [vector, row] = [*vector, *row].map(internal);
        let (inputs, Arguments { ports, t, theta }) = (self.inputs_name(), Arguments::new());
        quote! {
            impl __v1::Code<#g, #x, #c, #r> for #own {
                const INPUTS: [(usize, usize); #x] = #inputs;
                const READS_DIRECTION: bool = #directed;
                const VECTOR: __v1::Vector = __v1::Vector::#vector;
                const ROW: __v1::Row = __v1::Row::#row;

                #[inline(always)]
                fn run<T: __v1::Real>(#ports: &mut impl __v1::Ports<T>) -> T {
                    let __v1::Instant { t: #t, theta: #theta } = #ports.now();
                    #code
                }
            }
        }
    }

    /// The facts of the kernel, with its operations.
    fn facts(
        &self,
        family: &Family,
        found: &kernels::Kernel,
        used: Use,
        operations: &[Operation],
        numbers: &Numbered,
        (text, reads): (&str, &[String]),
    ) -> TokenStream {
        let Self { kernel_name, counts: [g, _, c, _], .. } = self;
        let (inputs, smoothness) = (self.inputs_name(), smoothness_code(found.smoothness));
        // A row in (q, v, t) has no second derivatives.
        let second = match used {
            Use::Row => "Gradient",
            Use::Constraint | Use::Stage | Use::Moving => "Hessian",
            Use::General | Use::Potential | Use::NearStage | Use::NearMoving => "Second",
        };
        let cost = |name: &str| {
            let operation = operations.iter().find(|operation| operation.name == name);
            Literal::u32_unsuffixed(operation.map_or(0, |operation| operation.body.operations))
        };
        let costs = ["Value", "Gradient", second, "Third"].map(cost);
        let [value, rate, gradient, second] =
            ["Value", "Rate", "Gradient", second].map(|name| self.operation(name));
        let has = |name: &str| operations.iter().any(|operation| operation.name == name);
        let position = has("Product").then(|| {
            let product = self.operation("Product");
            let third = super::optional(has("Third").then(|| self.operation("Third")));
            let third_rate = self.rate(found, "Third");
            quote!(__v1::PositionOperations { product: #product, third: #third, third_rate: #third_rate })
        });
        let constraint = has("ValueGradient").then(|| {
            let [value_gradient, quadratic, curvature] =
                ["ValueGradient", "Quadratic", "Curvature"].map(|name| self.operation(name));
            let quadratic_rate = self.rate(found, "Quadratic");
            quote! {
                __v1::ConstraintOperations {
                    value_gradient: #value_gradient,
                    quadratic: #quadratic,
                    curvature: #curvature,
                    quadratic_rate: #quadratic_rate,
                }
            }
        });
        let sums = self.of_sum.then(|| self.of_sums(family, &has));
        let [position, constraint, sums] = [position, constraint, sums].map(super::optional);
        let entries = numbers.entries.iter().map(|&(row, column, number, negative)| {
            let [row, column, number] = [row, column, number].map(Literal::usize_unsuffixed);
            quote!(__v1::HessianEntry { row: #row, column: #column, number: #number, negative: #negative })
        });
        let (count, forms) = (Literal::usize_unsuffixed(numbers.values.len()), forms(found, family));
        let documentation = format!(" `{text}`");
        let is_over_pairs = loops_of(&family.path).any(|repeat| repeat.near.is_some());
        let over_all_pairs = family.near.is_none() && is_over_pairs;
        let is_read = |operation: &Instruction| matches!(operation, Instruction::Read(_));
        let linear = found
            .function(Wanted::Gradient)
            .is_some_and(|gradient| !gradient.program.operations.iter().any(is_read));
        quote! {
            #[doc = #documentation]
            static #kernel_name: __v1::Kernel = __v1::Kernel {
                name: #text,
                reads: &[#(#reads),*],
                smoothness: #smoothness,
                over_all_pairs: #over_all_pairs,
                linear: #linear,
                operations: [#(#costs),*],
                slots: #g,
                inputs: &#inputs,
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
                sums: #sums,
            };
        }
    }

    /// The part of the facts that only kernels of sums have.
    fn of_sums(&self, family: &Family, has: &dyn Fn(&str) -> bool) -> TokenStream {
        let Self { types, counts: [g, x, c, r], .. } = self;
        let (along, gradient) = (self.operation("Along"), types.get("Gradient"));
        let [quadratic, curvature] =
            ["Quadratic", "Curvature"].map(|name| super::optional(has(name).then(|| self.operation(name))));
        let reads = family.reads_of_sums.iter().map(|&(sum, input)| {
            let [sum, input] = [sum, input].map(Literal::usize_unsuffixed);
            quote!((#sum, #input))
        });
        quote! {
            __v1::SumOperations {
                along: #along,
                quadratic: #quadratic,
                curvature: #curvature,
                rows: __v1::rows::<#gradient, #g, #x, #c, #r>,
                count: #r,
                reads: &[#(#reads),*],
            }
        }
    }

    /// The rate of an operation, compiled for third derivatives with parameters as coordinates;
    /// functions of Rust have none.
    fn rate(&self, found: &kernels::Kernel, name: &str) -> TokenStream {
        let Self { types, counts: [g, x, c, _], of_sum, .. } = self;
        let calls = |operation: &Instruction| matches!(operation, Instruction::Call(..));
        let third = found.function(Wanted::Third).filter(|third| !third.zero);
        let known = third.is_some_and(|third| !third.program.operations.iter().any(calls));
        let of_type = types.get(name).filter(|_| found.parametric && known && !of_sum);
        super::optional(of_type.map(|of_type| quote!(__v1::Operation::rates::<#of_type, #g, #x, #c>())))
    }

    /// An operation, compiled.
    fn operation(&self, name: &str) -> TokenStream {
        let Self { types, counts: [g, x, c, r], wide, of_sum, of_pairs, .. } = self;
        // As in `Wanted::has_registers`.
        let registers = match name {
            "Value" | "Gradient" | "Third" => *wide,
            "Second" => *wide && !of_sum,
            "Product" => *wide && (*of_sum || *of_pairs),
            "Along" | "Quadratic" => *wide && *of_sum,
            _ => false,
        };
        let kind = Ident::new(if registers { "wide" } else { "single" }, Span::mixed_site());
        let Some(of_type) = types.get(name) else { return quote!(__v1::Operation::left_out()) };
        quote!(__v1::Operation::#kind::<#of_type, #g, #x, #c, #r>())
    }
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
    /// The use of the vector that the operation adds.
    vector: &'static str,
    /// The use of the row to which an element belongs.
    row: &'static str,
}

impl Operation {
    /// The text of all that its compiled code depends on.
    fn key(&self, counts: &[usize; 4], inputs: &TokenStream) -> String {
        let Self { body: Body { code, directed, .. }, vector, row, .. } = self;
        format!("{counts:?} {inputs} {directed} {vector} {row} {code}")
    }
}

/// The body of the function of an operation.
struct Body {
    code: TokenStream,
    operations: u32,
    /// True if the operation reads a direction.
    directed: bool,
}

impl Body {
    fn of(function: &Function, code: TokenStream) -> Self {
        let Function { program, .. } = function;
        let is_direction = |operation: &schedule::Operation| {
            matches!(operation, schedule::Operation::Read(Leaf::Direction { .. } | Leaf::Along(_)))
        };
        let directed = program.operations.iter().any(is_direction);
        Self { code, operations: program.cost, directed }
    }
}

/// The entries of a Hessian and their numbers: an entry may be the negative of a number, and entries may
/// share one.
struct Numbered {
    values: Vec<Value>,
    /// Row, column, number, and true if negative.
    entries: Vec<(usize, usize, usize, bool)>,
}

impl Numbered {
    /// The entries of second derivatives, whose program yields n first derivatives before.
    fn of(second: Option<&Program>, entries: &[(usize, usize)], n: usize) -> Self {
        let mut found = Self { values: Vec::new(), entries: Vec::new() };
        let Some(second) = second else { return found };
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
    let path = quote!(::least_action::emitted::v1::Smoothness);
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
        Self { ports: internal("ports"), t: internal("t"), theta: internal("theta") }
    }
}

struct Writer<'a> {
    family: &'a Family,
    /// The place of the first coefficient of an end.
    ends_from: usize,
}

/// The place behind the coefficients that belong to no end.
fn ends_from(found: &kernels::Kernel) -> usize {
    found.coefficients.outputs.len() + found.pairs.outputs.len()
}

impl Writer<'_> {
    /// A function that puts numbers somewhere, and returns its first result or zero.
    fn body(&self, function: &Function, puts: &[Put], has_value: bool) -> Body {
        let StraightLine { lines, outputs } = self.lines(function, puts);
        let value = outputs.into_iter().next().filter(|_| has_value).unwrap_or_else(zero);
        Body::of(function, quote!(#lines #value))
    }

    /// A function that adds a matrix behind `first` first derivatives.
    fn second(&self, function: &Function, numbers: &Numbered, first: usize) -> Body {
        let mut puts = puts(&function.program, 0, first, "vector");
        for (number, value) in numbers.values.iter().enumerate() {
            let (plus, minus) = (numbers.with(number, false), numbers.with(number, true));
            let number = Literal::usize_unsuffixed(number);
            let Arguments { ports, .. } = Arguments::new();
            let statement = move |code: &TokenStream| {
                quote! {
                    #ports.number(#number, #code);
                    #(#ports.plus(#plus, #code);)*
                    #(#ports.minus(#minus, #code);)*
                }
            };
            puts.push(Put { value: *value, statement: Box::new(statement) });
        }
        self.body(function, &puts, false)
    }

    /// The code of a function.
    fn lines(&self, function: &Function, puts: &[Put]) -> StraightLine {
        let Function { program, coefficients, .. } = function;
        let Arguments { ports, t, theta } = Arguments::new();
        let place = |wanted: Leaf| placed(self.family.inputs.iter().position(|known| *known == wanted));
        let port = |name: &str, at: usize| {
            let (name, at) = (internal(name), Literal::usize_unsuffixed(at));
            quote!(#ports.#name(#at))
        };
        let read = |leaf: Leaf| match leaf {
            Leaf::Direction { gather, component } => port("a", place(Leaf::Position { gather, component })),
            Leaf::Along(input) => port("a", input),
            Leaf::Weight(sum) => port("weight", sum),
            Leaf::Time if !self.family.inputs.contains(&Leaf::Time) => quote!(#t),
            Leaf::Phase => quote!(#theta),
            Leaf::End(id) => {
                port("c", self.ends_from + placed(self.family.ends().position(|known| known == id)))
            }
            Leaf::Signal { number, reading } => port("signal", Reading::COUNT * number + reading as usize),
            input => port("x", place(input)),
        };
        let coefficient = |node: NodeId| {
            let known = coefficients.iter().find(|(known, _)| *known == node);
            port("c", known.map_or(0, |(_, place)| *place))
        };
        lines(program, Numbers::Generic, &read, &coefficient, puts)
    }
}

/// Hands at most `length` outputs from `first` on to a port; outputs that are always zero are left out.
fn puts(program: &Program, first: usize, length: usize, port: &'static str) -> Vec<Put> {
    let outputs = program.outputs.iter().skip(first).take(length).enumerate();
    let zero = schedule::Operation::Number(0.0);
    outputs
        .filter(|(_, value)| program.operations[**value] != zero)
        .map(|(k, value)| {
            let (k, Arguments { ports, .. }) = (Literal::usize_unsuffixed(k), Arguments::new());
            let port = internal(port);
            let statement = move |code: &TokenStream| quote!(#ports.#port(#k, #code););
            Put { value: *value, statement: Box::new(statement) }
        })
        .collect()
}

/// Zero in all lanes.
fn zero() -> TokenStream {
    let Arguments { t, .. } = Arguments::new();
    quote!(T::number(#t, 0.0))
}
