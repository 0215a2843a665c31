//! A term family → the kernel of one element: its derivatives, emitted as straight-line code.

use super::straight_line::straight_line;
use crate::classify::Family;
use crate::differentiate::{directional, gradient, partial};
use crate::graph::{Graph, Leaf, NodeId, is_velocity};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// Which derivatives a family needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Of L(q, v, t): first and second derivatives.
    General,
    /// Of V(q, t): products and third derivatives too.
    Potential,
    /// Of g(q, t): what constraint engines need besides.
    Constraint,
}

/// The sizes of a kernel: local coordinates, coefficients, stored Hessian entries.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    pub(super) coordinates: Literal,
    pub(super) coefficients: Literal,
    pub(super) entries: Literal,
}

/// An emitted kernel.
pub(super) struct Kernel {
    /// The marker type and its implementations.
    pub(super) code: TokenStream,
    /// Its sizes.
    pub(super) sizes: Sizes,
}

/// Emits the kernel of `family` under the name `marker`; `text` is the expression in words.
pub(super) fn kernel(
    graph: &mut Graph,
    family: &Family,
    used: Use,
    marker: &Ident,
    text: &str,
    reads: &[String],
) -> Kernel {
    let inputs = &family.inputs;
    let root = family.node;
    let first = gradient(graph, root, inputs);
    let mut positions = Vec::new();
    let mut second = Vec::new();
    for (column, &leaf) in inputs.iter().enumerate() {
        let derivatives = partial(graph, &first, leaf);
        for (row, &derivative) in derivatives.iter().enumerate().skip(column) {
            // What time and positions have in common enters no equation of motion.
            let pair = [leaf, inputs[row]];
            let idle = pair.contains(&Leaf::Time) && !pair.iter().any(|leaf| is_velocity(*leaf));
            if !idle && !graph.is_zero(derivative) {
                positions.push((row, column));
                second.push(derivative);
            }
        }
    }
    let sizes = Sizes {
        coordinates: Literal::usize_unsuffixed(inputs.len()),
        coefficients: Literal::usize_unsuffixed(family.coefficients.len()),
        entries: Literal::usize_unsuffixed(positions.len()),
    };
    let writer = Writer { family, graph: &*graph };

    let (value, value_operations) = writer.function(&[root]);
    let (gradient_code, gradient_operations) = writer.function(&first);
    let both: Vec<NodeId> = first.iter().chain(&second).copied().collect();
    let (second_code, second_operations) = writer.function(&both);
    let rate = if family.inputs.contains(&Leaf::Time) {
        graph.zero()
    } else {
        partial(graph, &[root], Leaf::Time)[0]
    };
    let writer = Writer { family, graph: &*graph };
    let (rate_code, _) = writer.function(&[rate]);

    let third = if used == Use::General { None } else { Some(Directional::of(graph, family)) };
    let writer = Writer { family, graph: &*graph };
    let third_operations = third.as_ref().map_or(0, |third| writer.function(&third.third).1);
    let n = inputs.len();
    let Sizes { coordinates: x, coefficients: c, entries: h } = &sizes;
    let entries = positions.iter().map(|&(row, column)| {
        let (row, column) = (Literal::usize_unsuffixed(row), Literal::usize_unsuffixed(column));
        quote!((#row, #column))
    });
    let operations = [value_operations, gradient_operations, second_operations, third_operations];
    let operations = operations.map(Literal::u32_unsuffixed);
    let value = value.returning(|outputs| outputs[0].clone());
    let gradient_code = gradient_code.returning(|outputs| quote!([#(#outputs),*]));
    let second_code = second_code.returning(|outputs| {
        let (first, second) = outputs.split_at(n);
        quote!(([#(#first),*], [#(#second),*]))
    });
    let rate_code = rate_code.returning(|outputs| outputs[0].clone());
    let Arguments { x: x_, c: c_, t: t_, .. } = Arguments::new();
    let documentation = format!(" `{text}`");
    let mut code = quote! {
        #[doc = #documentation]
        struct #marker;

        impl ::integrator_core::binding::Kernel<#x, #c, #h> for #marker {
            const NAME: &'static str = #text;
            const ENTRIES: [(usize, usize); #h] = [#(#entries),*];
            const READS: &'static [&'static str] = &[#(#reads),*];
            const OPERATIONS: [u32; 4] = [#(#operations),*];

            #[inline(always)]
            fn value(#x_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> f64 {
                #value
            }

            #[inline(always)]
            fn gradient(#x_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> [f64; #x] {
                #gradient_code
            }

            #[inline(always)]
            fn second(#x_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> ([f64; #x], [f64; #h]) {
                #second_code
            }

            #[inline(always)]
            fn rate(#x_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> f64 {
                #rate_code
            }

        }
    };
    if let Some(third) = &third {
        code.extend(position_kernel(graph, family, third, marker, &sizes));
    }
    if used == Use::Constraint {
        code.extend(constraint_kernel(graph, family, &first, marker, &sizes));
    }
    Kernel { code, sizes }
}

/// The direction that belongs to a position.
fn direction(graph: &mut Graph, leaf: Leaf) -> Option<NodeId> {
    match leaf {
        Leaf::Position { gather, component } => Some(graph.leaf(Leaf::Direction { gather, component })),
        Leaf::Velocity { .. } | Leaf::Direction { .. } | Leaf::Coefficient(_) | Leaf::Time => None,
    }
}

/// Derivatives along a direction a.
struct Directional {
    /// Hess f · a.
    product: Vec<NodeId>,
    /// a·f‴·a.
    third: Vec<NodeId>,
}

impl Directional {
    fn of(graph: &mut Graph, family: &Family) -> Self {
        let along = directional(graph, &[family.node], &direction)[0];
        let product = gradient(graph, along, &family.inputs);
        let twice = directional(graph, &[along], &direction)[0];
        Self { product, third: gradient(graph, twice, &family.inputs) }
    }
}

fn position_kernel(
    graph: &Graph,
    family: &Family,
    derivatives: &Directional,
    marker: &Ident,
    sizes: &Sizes,
) -> TokenStream {
    let quadratic = derivatives.third.iter().all(|entry| graph.is_zero(*entry));
    let writer = Writer { family, graph };
    let product = writer.function(&derivatives.product).0.returning(|outputs| quote!([#(#outputs),*]));
    let third = writer.function(&derivatives.third).0.returning(|outputs| quote!([#(#outputs),*]));
    let Sizes { coordinates: x, coefficients: c, entries: h } = sizes;
    let Arguments { x: x_, a: a_, c: c_, t: t_ } = Arguments::new();
    quote! {
        impl ::integrator_core::binding::PositionKernel<#x, #c, #h> for #marker {
            const QUADRATIC: bool = #quadratic;

            #[inline(always)]
            fn product(#x_: &[f64; #x], #a_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> [f64; #x] {
                #product
            }

            #[inline(always)]
            fn third(#x_: &[f64; #x], #a_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> [f64; #x] {
                #third
            }
        }
    }
}

fn constraint_kernel(
    graph: &mut Graph,
    family: &Family,
    first: &[NodeId],
    marker: &Ident,
    sizes: &Sizes,
) -> TokenStream {
    let along = directional(graph, &[family.node], &direction)[0];
    let quadratic = directional(graph, &[along], &direction)[0];
    let in_time = |graph: &mut Graph, leaf: Leaf| match leaf {
        Leaf::Time => Some(graph.constant(1.0)),
        leaf => direction(graph, leaf),
    };
    let moving = directional(graph, &[family.node], &in_time)[0];
    let curvature = directional(graph, &[moving], &in_time)[0];
    let both: Vec<NodeId> = std::iter::once(family.node).chain(first.iter().copied()).collect();
    let writer = Writer { family, graph: &*graph };
    let both = writer.function(&both).0.returning(|outputs| {
        let (value, gradient) = outputs.split_at(1);
        quote!((#(#value),*, [#(#gradient),*]))
    });
    let quadratic = writer.function(&[quadratic]).0.returning(|outputs| outputs[0].clone());
    let curvature = writer.function(&[curvature]).0.returning(|outputs| outputs[0].clone());
    let Sizes { coordinates: x, coefficients: c, entries: h } = sizes;
    let Arguments { x: x_, a: a_, c: c_, t: t_ } = Arguments::new();
    quote! {
        impl ::integrator_core::binding::ConstraintKernel<#x, #c, #h> for #marker {
            #[inline(always)]
            fn value_gradient(#x_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> (f64, [f64; #x]) {
                #both
            }

            #[inline(always)]
            fn quadratic(#x_: &[f64; #x], #a_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> f64 {
                #quadratic
            }

            #[inline(always)]
            fn curvature(#x_: &[f64; #x], #a_: &[f64; #x], #c_: &[f64; #c], #t_: f64) -> f64 {
                #curvature
            }
        }
    }
}

/// The arguments of an emitted function: local coordinates, direction, coefficients, time.
pub(super) struct Arguments {
    pub(super) x: Ident,
    pub(super) a: Ident,
    pub(super) c: Ident,
    pub(super) t: Ident,
}

impl Arguments {
    pub(super) fn new() -> Self {
        let name = |text| Ident::new(text, Span::mixed_site());
        Self { x: name("x"), a: name("a"), c: name("c"), t: name("t") }
    }
}

struct Writer<'a> {
    family: &'a Family,
    graph: &'a Graph,
}

/// The body of an emitted function, before its result is put together.
struct Body {
    lines: TokenStream,
    outputs: Vec<TokenStream>,
}

impl Body {
    fn returning(self, result: impl FnOnce(&[TokenStream]) -> TokenStream) -> TokenStream {
        let Self { lines, outputs } = self;
        let result = result(&outputs);
        quote!(#lines #result)
    }
}

impl Writer<'_> {
    fn function(&self, roots: &[NodeId]) -> (Body, u32) {
        let Arguments { x, a, c, t } = Arguments::new();
        let read = |leaf: Leaf| {
            let place =
                |wanted: Leaf| self.family.inputs.iter().position(|known| *known == wanted).unwrap_or(0);
            match leaf {
                Leaf::Direction { gather, component } => {
                    let at = place(Leaf::Position { gather, component });
                    let at = Literal::usize_unsuffixed(at);
                    quote!(#a[#at])
                }
                Leaf::Coefficient(id) => {
                    let at = self.family.coefficients.iter().position(|known| *known == id).unwrap_or(0);
                    let at = Literal::usize_unsuffixed(at);
                    quote!(#c[#at])
                }
                Leaf::Time if !self.family.inputs.contains(&Leaf::Time) => quote!(#t),
                input => {
                    let at = place(input);
                    let at = Literal::usize_unsuffixed(at);
                    quote!(#x[#at])
                }
            }
        };
        let code = straight_line(self.graph, roots, &read);
        let body = Body { lines: code.lines, outputs: code.outputs };
        (body, code.operations)
    }
}
