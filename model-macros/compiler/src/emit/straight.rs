//! The terms of V and R and the rows of g, if each is one element at known places.
//!
//! The type of the model shows them, and engines evaluate them in straight code.

use super::kernel::Kernel;
use crate::classify::{Family, Plan};
use crate::coded::{Entry, Slot};
use crate::compiled::Compiled;
use crate::kernels::{Operation, Use};
use crate::lower::Source;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

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
    /// No elements yet of a model whose coordinates have fixed places; `None` for other models.
    pub(super) fn new(compiled: &Compiled) -> Option<Self> {
        let Compiled { declaration, lowered, .. } = compiled;
        let coordinates = declaration.coordinates.iter().map(|coordinate| coordinate.kind.components()).sum();
        let fixed = declaration.coordinates.iter().all(|coordinate| coordinate.lengths.is_empty());
        let plain = lowered.signals.is_empty() && lowered.stages.is_empty();
        let none = TokenStream::new;
        let (terms, general, rows) = (none(), none(), none());
        let straight = Self { coordinates, operations: 0, terms, general, rows, count: 0 };
        (fixed && plain && coordinates <= MOST_COORDINATES).then_some(straight)
    }

    /// Adds a term of V or of R.
    pub(super) fn with_term(
        mut self,
        compiled: &Compiled,
        family: &Family,
        (kernel, used): (&Kernel, Use),
    ) -> Option<Self> {
        let term = self.shown(compiled, family, kernel, used, 0)?;
        let terms = if used == Use::Potential { &mut self.terms } else { &mut self.general };
        terms.extend(term);
        Some(self)
    }

    /// Adds the rows of a method.
    pub(super) fn with_rows(mut self, compiled: &Compiled, plan: &Plan, kernels: &[Kernel]) -> Option<Self> {
        let rows = plan.rows_without_loops()?;
        let mut kernels = kernels.iter();
        for families in rows {
            for family in families {
                let row = self.shown(compiled, family, kernels.next()?, Use::Constraint, self.count)?;
                self.rows.extend(row);
            }
            self.count += 1;
        }
        Some(self)
    }

    /// Shows an element: its operations, its sizes, the places of its slots and its row.
    fn shown(
        &mut self,
        compiled: &Compiled,
        family: &Family,
        kernel: &Kernel,
        used: Use,
        row: usize,
    ) -> Option<TokenStream> {
        let Compiled { declaration, lowered, .. } = compiled;
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
        let gradient =
            if used == Use::Constraint { Operation::ValueGradient } else { Operation::Gradient };
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
        .map(|operation| kernel.of.get(&operation).unwrap_or(&kernel.of[&Operation::Value]));
        let sizes = [starts.len(), family.inputs.len(), kernel.coded.facts.coefficients].map(Literal::usize_unsuffixed);
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
