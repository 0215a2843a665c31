//! A term family → the kernel of one element: its derivatives, emitted as straight-line code.

use super::straight_line::{Numbers, StraightLine, storing};
use crate::classify::Family;
use crate::graph::{Leaf, NodeId};
use crate::kernels::{self, Function, Use, Wanted};
use crate::schedule::Program;
use crate::smoothness::Smoothness;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

/// The operations of a gradient from which on loops over SIMD registers are compiled: below, memory decides.
const WORTH_REGISTERS: u32 = 8;

/// Where the declaration says that there are fewer elements, no loops for many are compiled; the binding asks for as many before
/// it thinks of registers.
const FEW: usize = 16;

/// What an element of a kernel is made of: local coordinates, coefficients, stored Hessian entries.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    pub(super) coordinates: Literal,
    pub(super) coefficients: Literal,
    pub(super) entries: Literal,
    /// The value of each coefficient, from those of the declaration.
    pub(super) values: Program,
}

/// An emitted kernel.
pub(super) struct Kernel {
    /// The marker type and its implementations.
    pub(super) code: TokenStream,
    /// Whether it is compiled for registers, too.
    pub(super) wide: bool,
    /// Its sizes.
    pub(super) sizes: Sizes,
}

/// Emits the kernel of `family` under the name `marker`; `text` is the expression in words.
pub(super) fn kernel(
    family: &Family,
    found: &kernels::Kernel,
    used: Use,
    marker: &Ident,
    text: &str,
    reads: &[String],
) -> Kernel {
    let smoothness = smoothness_code(found.smoothness);
    let none = Function::default();
    let best = |wanted| found.function(wanted).unwrap_or(&none);
    let writer = Writer { family };
    let value = writer.function(best(Wanted::Value));
    let gradient = writer.function(best(Wanted::Gradient));
    let n = family.inputs.len();
    let second = writer.storing(best(Wanted::Second), &Outputs::places(n, found.entries.len()));
    let rate = writer.function(best(Wanted::Rate));
    let positions = (!matches!(used, Use::General | Use::Force)).then(|| {
        let (product, third) = (best(Wanted::Product), best(Wanted::Third));
        (writer.function(product), writer.function(third), third.zero)
    });
    let constraint = (used == Use::Constraint).then(|| {
        [Wanted::ValueGradient, Wanted::Quadratic, Wanted::Curvature]
            .map(|wanted| writer.function(best(wanted)))
    });

    let sizes = Sizes {
        coordinates: Literal::usize_unsuffixed(n),
        coefficients: Literal::usize_unsuffixed(found.coefficients.outputs.len()),
        entries: Literal::usize_unsuffixed(found.entries.len()),
        values: found.coefficients.clone(),
    };
    let third_operations = positions.as_ref().map_or(0, |(_, third, _)| third.operations);
    let operations = [value.operations, gradient.operations, second.operations, third_operations];
    let summed = matches!(used, Use::General | Use::Potential);
    let side = if family.most.is_some_and(|most| most < FEW) {
        "Few"
    } else if summed && gradient.operations >= WORTH_REGISTERS {
        "SideBySide"
    } else {
        "OneByOne"
    };
    let wide = side == "SideBySide";
    let side = Ident::new(side, Span::mixed_site());
    let third_coefficients = positions.as_ref().map_or(&[][..], |(_, third, _)| &third.coefficients);
    let read = [&value.coefficients, &gradient.coefficients, &second.coefficients, third_coefficients].map(
        |places| {
            let places = places.iter().copied().map(Literal::usize_unsuffixed);
            quote!(&[#(#places),*])
        },
    );
    let operations = operations.map(Literal::u32_unsuffixed);
    let point = Literal::usize_unsuffixed(point(&family.inputs));
    let entries = found.entries.iter().map(|&(row, column)| {
        let (row, column) = (Literal::usize_unsuffixed(row), Literal::usize_unsuffixed(column));
        quote!((#row, #column))
    });
    let Sizes { coordinates: x, coefficients: c, entries: h, .. } = &sizes;
    let (value, gradient, rate) = (single(&value), list(&gradient), single(&rate));
    let second = &second.lines;
    let Outputs { gradient: gradient_, hessian: hessian_ } = Outputs::new();
    let Arguments { x: x_, c: c_, .. } = Arguments::new();
    let now_ = Arguments::instant();
    let documentation = format!(" `{text}`");
    let mut code = quote! {
        #[doc = #documentation]
        struct #marker;

        impl ::integrator_core::binding::Kernel<#x, #c, #h> for #marker {
            const NAME: &'static str = #text;
            const ENTRIES: [(usize, usize); #h] = [#(#entries),*];
            const READS: &'static [&'static str] = &[#(#reads),*];
            const SMOOTHNESS: ::integrator_core::describe::Smoothness = #smoothness;
            const OPERATIONS: [u32; 4] = [#(#operations),*];
            const COEFFICIENTS: [&'static [usize]; 4] = [#(#read),*];
            const POINT: usize = #point;

            type Side = ::integrator_core::binding::#side;

            #[inline(always)]
            fn value<T: ::integrator_core::lanes::Real>(#x_: &[T; #x], #c_: &[T; #c], #now_) -> T {
                #value
            }

            #[inline(always)]
            fn gradient<T: ::integrator_core::lanes::Real>(#x_: &[T; #x], #c_: &[T; #c], #now_) -> [T; #x] {
                #gradient
            }

            #[inline(always)]
            fn second<T: ::integrator_core::lanes::Real>(
                #x_: &[T; #x],
                #c_: &[T; #c],
                #now_,
                #gradient_: &mut impl ::integrator_core::binding::Fill<T>,
                #hessian_: &mut impl ::integrator_core::binding::Fill<T>,
            ) {
                #second
            }

            #[inline(always)]
            fn rate<T: ::integrator_core::lanes::Real>(#x_: &[T; #x], #c_: &[T; #c], #now_) -> T {
                #rate
            }

        }
    };
    if let Some((product, third, quadratic)) = &positions {
        code.extend(position_kernel(product, third, *quadratic, marker, &sizes));
    }
    if let Some([both, quadratic, curvature]) = &constraint {
        code.extend(constraint_kernel(both, quadratic, curvature, marker, &sizes));
    }
    Kernel { code, wide, sizes }
}

/// How many consecutive coordinates are read together: those of points in space or in a plane, or one.
fn point(inputs: &[Leaf]) -> usize {
    let next = |leaf: Leaf, by: usize| match leaf {
        Leaf::Position { gather, component } => Leaf::Position { gather, component: component + by },
        Leaf::Velocity { gather, component } => Leaf::Velocity { gather, component: component + by },
        other => other,
    };
    let in_points = |length: &usize| {
        let (points, rest) = (inputs.chunks_exact(*length), inputs.len() % length);
        rest == 0 && points.into_iter().all(|point| (0..*length).all(|by| point[by] == next(point[0], by)))
    };
    [3, 2].into_iter().find(in_points).unwrap_or(1)
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

fn position_kernel(
    product: &StraightLine,
    third: &StraightLine,
    quadratic: bool,
    marker: &Ident,
    sizes: &Sizes,
) -> TokenStream {
    let (product, third) = (list(product), list(third));
    let Sizes { coordinates: x, coefficients: c, entries: h, .. } = sizes;
    let Arguments { x: x_, a: a_, c: c_, .. } = Arguments::new();
    let now_ = Arguments::instant();
    quote! {
        impl ::integrator_core::binding::PositionKernel<#x, #c, #h> for #marker {
            const QUADRATIC: bool = #quadratic;

            #[inline(always)]
            fn product<T: ::integrator_core::lanes::Real>(#x_: &[T; #x], #a_: &[T; #x], #c_: &[T; #c], #now_) -> [T; #x] {
                #product
            }

            #[inline(always)]
            fn third<T: ::integrator_core::lanes::Real>(#x_: &[T; #x], #a_: &[T; #x], #c_: &[T; #c], #now_) -> [T; #x] {
                #third
            }
        }
    }
}

fn constraint_kernel(
    both: &StraightLine,
    quadratic: &StraightLine,
    curvature: &StraightLine,
    marker: &Ident,
    sizes: &Sizes,
) -> TokenStream {
    let both = {
        let StraightLine { lines, outputs, .. } = both;
        let (value, gradient) = outputs.split_at(1);
        quote!(#lines (#(#value),*, [#(#gradient),*]))
    };
    let (quadratic, curvature) = (single(quadratic), single(curvature));
    let Sizes { coordinates: x, coefficients: c, entries: h, .. } = sizes;
    let Arguments { x: x_, a: a_, c: c_, .. } = Arguments::new();
    let now_ = Arguments::instant();
    quote! {
        impl ::integrator_core::binding::ConstraintKernel<#x, #c, #h> for #marker {
            #[inline(always)]
            fn value_gradient<T: ::integrator_core::lanes::Real>(#x_: &[T; #x], #c_: &[T; #c], #now_) -> (T, [T; #x]) {
                #both
            }

            #[inline(always)]
            fn quadratic<T: ::integrator_core::lanes::Real>(#x_: &[T; #x], #a_: &[T; #x], #c_: &[T; #c], #now_) -> T {
                #quadratic
            }

            #[inline(always)]
            fn curvature<T: ::integrator_core::lanes::Real>(#x_: &[T; #x], #a_: &[T; #x], #c_: &[T; #c], #now_) -> T {
                #curvature
            }
        }
    }
}

/// The body of a function that returns one number.
fn single(code: &StraightLine) -> TokenStream {
    let (lines, output) = (&code.lines, code.outputs.first().to_token_stream());
    quote!(#lines #output)
}

/// The body of a function that returns a list.
fn list(code: &StraightLine) -> TokenStream {
    let StraightLine { lines, outputs, .. } = code;
    quote!(#lines [#(#outputs),*])
}

/// The arguments of an emitted function: local coordinates, direction, coefficients, time, phase.
pub(super) struct Arguments {
    pub(super) x: Ident,
    pub(super) a: Ident,
    pub(super) c: Ident,
    pub(super) t: Ident,
    pub(super) theta: Ident,
}

impl Arguments {
    pub(super) fn new() -> Self {
        let name = |text| Ident::new(text, Span::mixed_site());
        Self { x: name("x"), a: name("a"), c: name("c"), t: name("t"), theta: name("theta") }
    }

    /// Time and phase come as one argument, which is taken apart at once.
    fn instant() -> TokenStream {
        let Self { t, theta, .. } = Self::new();
        quote! {
            ::integrator_core::binding::Instant { t: #t, theta: #theta }: ::integrator_core::binding::Instant<T>
        }
    }
}

/// The memory that an emitted function fills.
struct Outputs {
    gradient: Ident,
    hessian: Ident,
}

impl Outputs {
    fn new() -> Self {
        let name = |text| Ident::new(text, Span::mixed_site());
        Self { gradient: name("gradient"), hessian: name("hessian") }
    }

    /// The places of a vector of this length and of so many Hessian entries.
    fn places(length: usize, entries: usize) -> Vec<(Ident, usize)> {
        let Self { gradient, hessian } = Self::new();
        let places = |of: Ident, count: usize| (0..count).map(move |at| (of.clone(), at));
        places(gradient, length).chain(places(hessian, entries)).collect()
    }
}

struct Writer<'a> {
    family: &'a Family,
}

impl Writer<'_> {
    /// The code of a function.
    fn function(&self, function: &Function) -> StraightLine {
        self.storing(function, &[])
    }

    /// The code of a function that fills these places.
    fn storing(&self, function: &Function, places: &[(Ident, usize)]) -> StraightLine {
        let Function { program, coefficients, .. } = function;
        let Arguments { x, a, c, t, theta } = Arguments::new();
        let place = |wanted: Leaf| {
            let at = self.family.inputs.iter().position(|known| *known == wanted).unwrap_or(0);
            Literal::usize_unsuffixed(at)
        };
        let read = |leaf: Leaf| match leaf {
            Leaf::Direction { gather, component } => {
                let at = place(Leaf::Position { gather, component });
                quote!(#a[#at])
            }
            Leaf::Time if !self.family.inputs.contains(&Leaf::Time) => quote!(#t),
            Leaf::Phase => quote!(#theta),
            input => {
                let at = place(input);
                quote!(#x[#at])
            }
        };
        let coefficient = |node: NodeId| {
            let at = coefficients.iter().find(|(known, _)| *known == node).map_or(0, |(_, place)| *place);
            let at = Literal::usize_unsuffixed(at);
            quote!(#c[#at])
        };
        let code = storing(program, Numbers::Generic, &read, &coefficient, places);
        StraightLine { coefficients: coefficients.iter().map(|(_, place)| *place).collect(), ..code }
    }
}
