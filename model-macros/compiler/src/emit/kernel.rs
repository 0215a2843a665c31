//! The kernel of a family → Rust: its facts, and each operation as straight-line code.

use super::straight_line::{Numbers, internal, number, written};
use crate::coded::FamilyKernel as Kernel;
use crate::coded::{Code, Coded, Port, Put};
use crate::kernels::Operation;
use least_action_kernel::{ElementFacts, NearFacts, Results, Smoothness, Source};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

/// The types of the emitted operations by their code: equal code is compiled once.
pub(super) type Types = BTreeMap<String, TokenStream>;

/// The code of kernels.
#[derive(Default)]
pub(super) struct Printed {
    /// The facts and the code of the operations.
    pub(super) code: TokenStream,
    /// The modules of their types: rustc compiles modules side by side.
    pub(super) modules: TokenStream,
    /// The type of each operation of each kernel: operations with equal code share one.
    pub(super) of: Vec<BTreeMap<Operation, TokenStream>>,
}

impl Printed {
    /// The code of these kernels, whose types stand in modules in `home`.
    pub(super) fn of(kernels: &[Kernel<'_>], home: &Ident) -> Self {
        let (mut printed, mut types) = (Self::default(), Types::default());
        for kernel in kernels {
            match &kernel.near {
                None => printed.add(kernel, &kernel.name, home, &mut types),
                Some(facts) => {
                    let element = format_ident!("{}_ELEMENT", kernel.name, span = kernel.name.span());
                    printed.add(kernel, &element, home, &mut types);
                    printed.code.extend(super::near::kernel(&kernel.name, facts, &element));
                }
            }
        }
        printed
    }

    /// Adds a kernel under this name.
    fn add(&mut self, kernel: &Kernel<'_>, name: &Ident, home: &Ident, types: &mut Types) {
        let Kernel { module, coded, near, .. } = kernel;
        let facts = &coded.facts;
        let counts = [facts.slots, facts.inputs.len(), facts.coefficients, facts.sums];
        let of = BTreeMap::new();
        let mut place = Place { kernel_name: name, of, counts: counts.map(Literal::usize_unsuffixed) };
        let inputs = pairs(&facts.inputs);
        let mut code = place.inputs(&inputs);
        let mut names = Vec::new();
        for (operation, of) in &coded.operations {
            let (Some(of), None) = (of, operation.code_of()) else { continue };
            let name = Ident::new(operation.name(), Span::mixed_site());
            let (body, directed) = (body(of), of.is_directed());
            let key = format!("{counts:?} {inputs} {directed} {:?} {:?} {body}", of.vector, of.row);
            let of_type = types.entry(key).or_insert_with(|| {
                let own = quote!(#home::#module::#name);
                code.extend(place.code(of, &body, &own));
                names.push(name);
                own
            });
            place.of.insert(*operation, of_type.clone());
        }
        code.extend(place.facts(coded, near.as_ref()));
        self.code.extend(code);
        self.modules.extend(quote!(pub(super) mod #module { #(pub struct #names;)* }));
        self.of.push(place.of);
    }
}

/// Pairs of places, as code.
fn pairs(pairs: &[(usize, usize)]) -> TokenStream {
    let pairs = pairs.iter().map(|(one, other)| {
        let (one, other) = (Literal::usize_unsuffixed(*one), Literal::usize_unsuffixed(*other));
        quote!((#one, #other))
    });
    quote!([#(#pairs),*])
}

/// The names and sizes that the code of a kernel needs.
struct Place<'a> {
    kernel_name: &'a Ident,
    /// The type of each operation.
    of: BTreeMap<Operation, TokenStream>,
    /// The numbers of slots, inputs, coefficients and sums.
    counts: [Literal; 4],
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
    fn code(&self, code: &Code, body: &TokenStream, own: &TokenStream) -> TokenStream {
        let Self { counts: [g, x, c, r], .. } = self;
        let [vector, row] =
            [format!("{:?}", code.vector), format!("{:?}", code.row)].map(|name| internal(&name));
        let (directed, inputs, Arguments { ports, t, theta }) =
            (code.is_directed(), self.inputs_name(), Arguments::new());
        quote! {
            impl __v1::Code<#g, #x, #c, #r> for #own {
                const INPUTS: [(usize, usize); #x] = #inputs;
                const READS_DIRECTION: bool = #directed;
                const VECTOR: __v1::Vector = __v1::Vector::#vector;
                const ROW: __v1::Row = __v1::Row::#row;

                #[inline(always)]
                fn run<T: __v1::Real>(#ports: &mut impl __v1::Ports<T>) -> T {
                    let __v1::Instant { t: #t, theta: #theta } = #ports.now();
                    #body
                }
            }
        }
    }

    /// The facts of the kernel, with its operations.
    fn facts(&self, coded: &Coded, near: Option<&NearFacts>) -> TokenStream {
        let Self { kernel_name, counts: [g, _, c, r], .. } = self;
        let ElementFacts { name, reads, over_all_pairs, linear, entries, numbers, forms, .. } = &coded.facts;
        let (inputs, smoothness) = (self.inputs_name(), smoothness_code(coded.facts.smoothness));
        let costs = coded.facts.costs.map(Literal::u32_unsuffixed);
        let entries = entries.iter().map(|entry| {
            let [row, column, number] =
                [entry.row, entry.column, entry.number].map(Literal::usize_unsuffixed);
            let negative = entry.negative;
            quote!(__v1::HessianEntry { row: #row, column: #column, number: #number, negative: #negative })
        });
        let forms = forms.iter().map(|form| {
            let terms = form.iter().map(|&(at, factor)| {
                let (at, factor) = (Literal::usize_unsuffixed(at), number(factor));
                quote!((#at, #factor))
            });
            quote!(__v1::Borrowed(&[#(#terms),*]))
        });
        let (numbers, reads_of_sums) =
            (Literal::usize_unsuffixed(*numbers), pairs(&coded.facts.reads_of_sums));
        let documentation = format!(" `{name}`");
        let (name, reads) = (&**name, reads.iter().map(|text| &**text));
        let operations = Operation::ALL.map(|operation| self.executable(coded, near, operation));
        quote! {
            #[doc = #documentation]
            static #kernel_name: __v1::Kernel = __v1::Kernel {
                facts: __v1::ElementFacts {
                    name: __v1::Borrowed(#name),
                    reads: __v1::Borrowed(&[#(__v1::Borrowed(#reads)),*]),
                    smoothness: #smoothness,
                    over_all_pairs: #over_all_pairs,
                    linear: #linear,
                    costs: [#(#costs),*],
                    slots: #g,
                    inputs: __v1::Borrowed(&#inputs),
                    coefficients: #c,
                    entries: __v1::Borrowed(&[#(#entries),*]),
                    numbers: #numbers,
                    forms: __v1::Borrowed(&[#(#forms),*]),
                    sums: #r,
                    reads_of_sums: __v1::Borrowed(&#reads_of_sums),
                },
                operations: [#(#operations),*],
            };
        }
    }

    /// An operation, compiled.
    fn executable(&self, coded: &Coded, near: Option<&NearFacts>, operation: Operation) -> TokenStream {
        let Self { of, counts: [g, x, c, r], .. } = self;
        let code = match coded.operations.iter().find(|(known, _)| *known == operation) {
            None => return quote!(__v1::Executable::LeftOut),
            Some((_, None)) => return quote!(__v1::Executable::Zero),
            Some((_, Some(code))) => code,
        };
        let of_type = &of[&operation.code_of().unwrap_or(operation)];
        // The code of another operation runs in loops of its own, which near pairs do not have.
        let near = near.filter(|_| operation.code_of().is_none());
        if let (Some(near), Results::Scalar | Results::Vector) = (near, operation.results()) {
            let shared = near.sources.iter().filter(|source| **source == Source::Shared).count();
            let shared = Literal::usize_unsuffixed(shared);
            return quote!(__v1::Executable::near::<#of_type, #g, #x, #c, #r, #shared>());
        }
        let kind = match operation {
            Operation::GradientRows => "rows",
            Operation::ThirdRate | Operation::QuadraticRate => "rates",
            _ if code.registers => "wide",
            _ => "single",
        };
        let kind = Ident::new(kind, Span::mixed_site());
        quote!(__v1::Executable::#kind::<#of_type, #g, #x, #c, #r>())
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
struct Arguments {
    ports: Ident,
    t: Ident,
    theta: Ident,
}

impl Arguments {
    fn new() -> Self {
        Self { ports: internal("ports"), t: internal("t"), theta: internal("theta") }
    }
}

/// The lines of an operation, and its scalar or zero.
fn body(code: &Code) -> TokenStream {
    let Arguments { ports, t, theta } = Arguments::new();
    let port = |name: &str, at: usize| {
        let (name, at) = (internal(name), Literal::usize_unsuffixed(at));
        quote!(#ports.#name(#at))
    };
    let read = |from: Port| match from {
        Port::X(k) => port("x", k),
        Port::A(k) => port("a", k),
        Port::C(k) => port("c", k),
        Port::Time => quote!(#t),
        Port::Phase => quote!(#theta),
        Port::Signal(k) => port("signal", k),
        Port::Weight(k) => port("weight", k),
    };
    let put = |to: &Put, value: &TokenStream| {
        let places = |places: &[usize]| -> Vec<Literal> {
            places.iter().map(|place| Literal::usize_unsuffixed(*place)).collect()
        };
        match to {
            Put::Vector(k) => {
                let k = Literal::usize_unsuffixed(*k);
                quote!(#ports.vector(#k, #value);)
            }
            Put::Sum(k) => {
                let k = Literal::usize_unsuffixed(*k);
                quote!(#ports.sum(#k, #value);)
            }
            Put::Number { number, plus, minus } => {
                let (number, plus, minus) = (Literal::usize_unsuffixed(*number), places(plus), places(minus));
                quote! {
                    #ports.number(#number, #value);
                    #(#ports.plus(#plus, #value);)*
                    #(#ports.minus(#minus, #value);)*
                }
            }
        }
    };
    let (lines, values) = written(&code.lines, Numbers::Generic, &read, &put);
    let scalar = code.scalar.map_or_else(|| quote!(T::number(#t, 0.0)), |scalar| values[scalar].clone());
    quote!(#lines #scalar)
}
