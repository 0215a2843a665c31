//! The terms of V and R and the rows of g, if each is one element at known places.
//!
//! The type of the model shows them, and engines evaluate them in straight code.

use crate::ast::Sort;
use crate::coded::FamilyKernel as Kernel;
use crate::coded::{Entry, Slot};
use crate::compiled::Compiled;
use crate::kernels::{Operation, Use};
use crate::lower::Source;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::collections::BTreeMap;

/// The type of each operation of a kernel.
type Types = BTreeMap<Operation, TokenStream>;

/// The most coordinates, and the most operations of all gradients: every engine compiles them anew.
const MOST_COORDINATES: usize = 20;
const MOST_OPERATIONS: u32 = 500;

/// The elements that the type shows.
pub(super) struct Straight {
    coordinates: usize,
    operations: u32,
    terms: TokenStream,
    general: TokenStream,
    rows: TokenStream,
    /// The number of rows.
    count: usize,
}

impl Straight {
    /// The elements of a model whose coordinates have fixed places, if all are alone; `None` for others.
    pub(super) fn of(compiled: &Compiled, kernels: &[Kernel<'_>], of: &[Types]) -> Option<Self> {
        let Compiled { declaration, lowered, classified, .. } = compiled;
        let coordinates = declaration.coordinates.iter().map(|coordinate| coordinate.kind.components()).sum();
        let fixed = declaration.coordinates.iter().all(|coordinate| coordinate.lengths.is_empty());
        let plain = lowered.signals.is_empty() && lowered.stages.is_empty();
        if !fixed || !plain || coordinates > MOST_COORDINATES {
            return None;
        }
        let none = TokenStream::new;
        let (terms, general, rows) = (none(), none(), none());
        let mut straight = Self { coordinates, operations: 0, terms, general, rows, count: 0 };
        let with = |wanted: &'static [Use]| {
            kernels.iter().zip(of).filter(move |(kernel, _)| wanted.contains(&kernel.used))
        };
        for (kernel, of) in with(&[Use::Potential, Use::General]) {
            // The dissipations that read sums are functions, too: a model with sums is not straight.
            let term = straight.shown(compiled, kernel, of, 0)?;
            let terms =
                if kernel.used == Use::Potential { &mut straight.terms } else { &mut straight.general };
            terms.extend(term);
        }
        let mut constraints = with(&[Use::Constraint]);
        for (_, plan) in classified.beside.iter().filter(|(sort, _)| *sort == Sort::Holonomic) {
            for families in plan.rows_without_loops()? {
                for _ in families {
                    let (kernel, of) = constraints.next()?;
                    let row = straight.shown(compiled, kernel, of, straight.count)?;
                    straight.rows.extend(row);
                }
                straight.count += 1;
            }
        }
        Some(straight)
    }

    /// Shows an element: its operations, its sizes, the places of its slots and its row.
    fn shown(
        &mut self,
        compiled: &Compiled,
        kernel: &Kernel<'_>,
        of: &Types,
        row: usize,
    ) -> Option<TokenStream> {
        let Compiled { declaration, lowered, .. } = compiled;
        let Kernel { family, used, .. } = kernel;
        self.operations += kernel.coded.code(Operation::Gradient).map_or(0, |gradient| gradient.cost);
        if !family.path.is_empty() || family.near.is_some() || self.operations > MOST_OPERATIONS {
            return None;
        }
        let n = self.coordinates;
        let start = |slot: &Slot| {
            let (gather, behind) = match slot.entry {
                Entry::Position(gather) => (gather, 0),
                Entry::Velocity(gather) => (gather, n),
                Entry::Time => return Some(Literal::usize_unsuffixed(2 * n)),
            };
            let Source::Declared(number) = lowered.gathers[gather].source else { return None };
            let before = declaration.coordinates[..number].iter().map(|before| before.kind.components());
            Some(Literal::usize_unsuffixed(behind + before.sum::<usize>() + slot.first))
        };
        let starts: Vec<Literal> = kernel.coded.slots.iter().map(start).collect::<Option<_>>()?;
        let gradient = if *used == Use::Constraint { Operation::ValueGradient } else { Operation::Gradient };
        // A missing or zero operation is one without a vector.
        let operations = [
            Operation::Value,
            gradient,
            Operation::Second,
            Operation::Product,
            Operation::Third,
            Operation::Quadratic,
            Operation::Curvature,
        ]
        .map(|operation| of.get(&operation).unwrap_or(&of[&Operation::Value]));
        let sizes = [starts.len(), family.inputs.len(), kernel.coded.facts.coefficients]
            .map(Literal::usize_unsuffixed);
        let row = Literal::usize_unsuffixed(row);
        Some(quote!(visit.term::<(#(#operations),*), #(#sizes),*>([#(#starts),*], #row);))
    }

    /// The items of the implementation of `Model`.
    pub(super) fn items(&self) -> TokenStream {
        let Self { coordinates, terms, general, rows, count, .. } = self;
        let [coordinates, count] = [*coordinates, *count].map(Literal::usize_unsuffixed);
        quote! {
            const STRAIGHT: ::core::option::Option<__v1::Sizes> =
                ::core::option::Option::Some(__v1::Sizes { coordinates: #coordinates, rows: #count });

            #[inline(always)]
            fn terms(visit: &mut impl __v1::Visit) {
                #terms
            }

            #[inline(always)]
            fn general(visit: &mut impl __v1::Visit) {
                #general
            }

            #[inline(always)]
            fn rows(visit: &mut impl __v1::Visit) {
                #rows
            }
        }
    }
}
