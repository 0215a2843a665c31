//! Sums over near pairs → kernels, with the roles of both ends, and loops that find the points and ends.

use super::binding::{Loops, Names, coefficient_code, coefficient_name, gather_name};
use super::checked::Purpose;
use super::straight_line::{internal, local, plain};
use crate::coded::FamilyKernel as Kernel;
use crate::coded::{Coded, Slot};
use crate::graph::{Leaf, Node};
use crate::kernels;
use crate::lower::in_range::InRange;
use crate::lower::pairs::Points;
use crate::schedule::{Instruction, Program, Source as Read};
use least_action_kernel::{NearFacts, Role, Sort, Source, Text};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::{Expr, ExprReference, Token};

/// The facts about a sum over near pairs.
pub(super) fn facts(loops: &Loops<'_>, near: &InRange, found: &kernels::Kernel, coded: &Coded) -> NearFacts {
    let (shared, pairs) = (found.coefficients.outputs.len(), found.pairs.outputs.len());
    let of_end = |end: usize| near.coefficients[end].len();
    let role = |slot: &Slot| match slot.gather() {
        Some(gather) if gather == near.separation => Role::Separation,
        Some(gather) if near.gathers[0].contains(&gather) => Role::First,
        _ => Role::Second,
    };
    let sources = [
        (Source::Shared, shared),
        (Source::Pair, pairs),
        (Source::First, of_end(0)),
        (Source::Second, of_end(1)),
    ];
    let sources = sources.into_iter().flat_map(|(source, count)| std::iter::repeat_n(source, count));
    let text = |key: &Expr| Text::Owned(crate::parse::text(&loops.variables().as_written(key)));
    NearFacts {
        roles: coded.slots.iter().map(role).collect(),
        sources: sources.collect(),
        dimension: near.near.list.points_of(0).dimension,
        sort: if near.near.of_one { Sort::Rows } else { Sort::Pairs },
        exchangeable: near.exchangeable,
        keys: near.keys.each_ref().map(|keys| keys.iter().map(text).collect()),
    }
}

/// The kernel of near pairs under this name: the kernel of an element, and the facts about the sum.
pub(super) fn kernel(name: &Ident, facts: &NearFacts, element: &Ident) -> TokenStream {
    let named = |name: String| internal(&name);
    let roles = facts.roles.iter().map(|role| named(format!("{role:?}")));
    let sources = facts.sources.iter().map(|source| named(format!("{source:?}")));
    let (dimension, exchangeable) = (Literal::usize_unsuffixed(facts.dimension), facts.exchangeable);
    let sort = named(format!("{:?}", facts.sort));
    let [first, second] = facts.keys.each_ref().map(|keys| keys.iter().map(|key| &**key).collect::<Vec<_>>());
    quote! {
        static #name: __v1::NearKernel = __v1::NearKernel {
            kernel: __v1::KernelHandle::Static(&#element),
            facts: __v1::NearFacts {
                roles: __v1::Borrowed(&[#(__v1::Role::#roles),*]),
                sources: __v1::Borrowed(&[#(__v1::Source::#sources),*]),
                dimension: #dimension,
                sort: __v1::Sort::#sort,
                exchangeable: #exchangeable,
                keys: [
                    __v1::Borrowed(&[#(__v1::Borrowed(#first)),*]),
                    __v1::Borrowed(&[#(__v1::Borrowed(#second)),*]),
                ],
            },
        };
    }
}

/// The body of a function that fills a family in range; `finish` takes it.
pub(super) fn family(
    loops: &Loops<'_>,
    Kernel { name: marker, family, coded, .. }: &Kernel<'_>,
    found: &kernels::Kernel,
    finish: &Ident,
) -> TokenStream {
    let Some(near) = &family.near else { return TokenStream::new() };
    let slots = &coded.slots[..];
    let place = quote!(&#marker.kernel.name);
    // A stage itself loops over items that `let`s name elsewhere.
    let items = near.row.iter().flat_map(|row| row.items.iter().copied());
    loops.steps(&near.outer[..near.visits], &place, &mut items.collect(), &|emitted| {
        Writer { loops, near, slots, found, place: &place }.inside(marker, finish, emitted)
    })
}

struct Writer<'a> {
    loops: &'a Loops<'a>,
    near: &'a InRange,
    slots: &'a [Slot],
    found: &'a kernels::Kernel,
    place: &'a TokenStream,
}

impl Writer<'_> {
    /// The points, and the family with its ends.
    fn inside(&self, marker: &Ident, finish: &Ident, emitted: &mut BTreeSet<usize>) -> TokenStream {
        let Self { near, place, .. } = self;
        let binder = &self.loops.names.binder;
        let (list, family) = (local("near"), local("family"));
        let points = self.points(&list, emitted);
        let shared = self.values(&self.found.coefficients, emitted, &|values| {
            if values.is_empty() { TokenStream::new() } else { quote!(#family.shared(&[#(#values),*])?;) }
        });
        let first = if near.near.of_one {
            let visits = &near.outer[near.visits..];
            let number = &near.near.ends[0];
            self.loops.steps(visits, place, &mut emitted.clone(), &|emitted| {
                let number = self.loops.checked(number, Purpose::Count, place);
                let lets = self.loops.lets(&[&near.near.ends[0]], place, emitted);
                let (before, row) = self.row(emitted).unwrap_or_else(|| (TokenStream::new(), quote!(0)));
                let end = self.end(0, emitted, &quote!(#family.visit), &quote!(#row, #number,));
                quote!(#lets #before #end)
            })
        } else {
            let row = self.row(emitted).map(|(before, row)| quote!(#before #family.row(#row);));
            let first = self.all(0, &family, "first", "firsts", emitted);
            quote!(#row #first)
        };
        let second = self.all(1, &family, "second", "seconds", emitted);
        let pairs = if self.found.pairs.outputs.is_empty() {
            TokenStream::new()
        } else {
            let ([i, j], at) = (&near.near.ends, local("at"));
            let body = self.values(
                &self.found.pairs,
                &mut emitted.clone(),
                &|values| quote!(#family.pair(#at, &[#(#values),*])?;),
            );
            quote!(for (#at, #i, #j) in #family.representatives()? { #body })
        };
        quote! {
            #points
            let mut #family = ::least_action::emitted::v1::NearFamily::new(&#marker, &#list);
            #shared
            #first
            #second
            #pairs
            #binder.#finish(#family)?;
        }
    }

    /// The code that finds the row of a stage to which elements add, and the row.
    fn row(&self, emitted: &mut BTreeSet<usize>) -> Option<(TokenStream, TokenStream)> {
        let Self { near, place, .. } = self;
        let Names { binder, row } = &self.loops.names;
        let keys = &near.row.as_ref()?.keys;
        let lets = self.loops.lets(&keys.iter().collect::<Vec<_>>(), place, emitted);
        let rounds = quote!(&[#(::least_action::emitted::v1::round(#keys)),*]);
        let find = quote!(#lets let #row = #binder.row_of_collective(#rounds, #place)?;);
        Some((find, row.to_token_stream()))
    }

    /// The points of the list, as `list`.
    fn points(&self, list: &Ident, emitted: &mut BTreeSet<usize>) -> TokenStream {
        let Self { near, place, .. } = self;
        let binder = &self.loops.names.binder;
        let of = &near.near.list;
        let expressions: Vec<&Expr> = of.expressions().collect();
        let lets = self.loops.lets(&expressions, place, emitted);
        let text = crate::parse::text(&of.written).replace('\n', " ");
        let any = |expression: &Expr| self.loops.checked(expression, Purpose::Any, place);
        let radius = any(&of.radius);
        let dimension = Literal::usize_unsuffixed(of.points_of(0).dimension);
        let arrays = if of.is_of_one_array() { vec![1] } else { vec![0, 1] };
        let mut points = TokenStream::new();
        for (k, end) in arrays.into_iter().enumerate() {
            if k > 0 {
                points.extend(quote!(#list.then_second_array();));
            }
            points.extend(self.array(end, list, &mut emitted.clone()));
        }
        let cell = of.cell.as_ref().map(|cell| {
            let cell = any(cell);
            quote!(#list.periodic(*::core::borrow::Borrow::<::least_action::binding::Cell>::borrow(&#cell));)
        });
        let exceptions = of.exceptions.iter().map(|pairs| {
            let (pairs, i, j) = (any(pairs), local("first"), local("second"));
            quote!(for (#i, #j) in #pairs { #list.except(#i, #j); })
        });
        quote! {
            #lets
            let mut #list = #binder.near_points(#text, #radius, #dimension)?;
            #points
            #cell
            #(#exceptions)*
            let #list = #list.finish()?;
        }
    }

    /// The points of the array of an end.
    fn array(&self, end: usize, list: &Ident, emitted: &mut BTreeSet<usize>) -> TokenStream {
        let Self { near, place, .. } = self;
        let Points { length, .. } = near.near.list.points_of(end);
        let length = self.loops.checked(length, Purpose::Count, place);
        let graph = &self.loops.lowered.graph;
        let gather = near.near.points[end].first().map(|node| graph.node(*node));
        let Some(Node::Leaf(Leaf::Position { gather, .. })) = gather else { return TokenStream::new() };
        let (number, start) = (&near.near.ends[end], gather_name(*gather));
        let reads = self.loops.reads(&[*gather], &[], place, emitted);
        quote!(for #number in 0..#length { #reads #list.point(#start); })
    }

    /// The code for all ends of one side, if they have reads, coefficients or keys.
    fn all(
        &self,
        end: usize,
        family: &Ident,
        method: &str,
        count: &str,
        emitted: &BTreeSet<usize>,
    ) -> TokenStream {
        let near = self.near;
        if near.gathers[end].is_empty() && near.coefficients[end].is_empty() && near.keys[end].is_empty() {
            return TokenStream::new();
        }
        let (method, count, number) = (internal(method), internal(count), &near.near.ends[end]);
        let body = self.end(end, &mut emitted.clone(), &quote!(#family.#method), &quote!(#number,));
        quote!(for #number in 0..#family.#count() { #body })
    }

    /// The code for one end: its slots, coefficients and keys.
    fn end(
        &self,
        end: usize,
        emitted: &mut BTreeSet<usize>,
        method: &TokenStream,
        numbers: &TokenStream,
    ) -> TokenStream {
        let Self { near, place, .. } = self;
        let (gathers, coefficients) = (&near.gathers[end], &near.coefficients[end]);
        let expressions: Vec<&Expr> = near.keys[end].iter().collect();
        let lets = self.loops.lets(&expressions, place, emitted);
        let reads = self.loops.reads(gathers, coefficients, place, emitted);
        let of_end = |slot: &&Slot| slot.gather().is_some_and(|gather| gathers.contains(&gather));
        let slots = self.slots.iter().filter(of_end).map(|slot| self.loops.slot(*slot));
        let values = coefficients.iter().map(|id| coefficient_name(*id));
        let keys = near.keys[end].iter().map(|key| {
            // With parentheses if the key needs them.
            let key = reference(self.loops.checked(key, Purpose::Any, place));
            quote!(::least_action::emitted::v1::key(#key))
        });
        quote!(#lets #reads #method(#numbers &[#(#slots),*], &[#(#values),*], &[#(#keys),*])?;)
    }

    /// The values of a program of coefficients, handed to `take`.
    fn values(
        &self,
        program: &Program,
        emitted: &mut BTreeSet<usize>,
        take: &dyn Fn(&[TokenStream]) -> TokenStream,
    ) -> TokenStream {
        let read = program.operations.iter().filter_map(|operation| match operation {
            Instruction::Read(Read::Leaf(Leaf::Coefficient(id))) => Some(*id),
            _ => None,
        });
        let coefficients: Vec<usize> = read.collect::<BTreeSet<usize>>().into_iter().collect();
        let reads = self.loops.reads(&[], &coefficients, self.place, emitted);
        let code = plain(program, &coefficient_code);
        let (lines, taken) = (&code.lines, take(&code.outputs));
        quote!(#reads #lines #taken)
    }
}

/// `&expression` as a tree, so that parentheses come where it needs them.
fn reference(expression: Expr) -> Expr {
    let expr = Box::new(expression);
    Expr::Reference(ExprReference {
        attrs: Vec::new(),
        and_token: Token![&](Span::mixed_site()),
        mutability: None,
        expr,
    })
}
