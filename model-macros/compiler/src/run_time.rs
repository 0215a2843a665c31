//! The second back end: a declaration as values, which the run time binds without rustc.

use crate::compile::read;
use crate::compiled::Compiled;
use crate::emit::oracle::blocks;
use crate::emit::parts::Parts;
use crate::emit::{ModelFacts, oracle};
use crate::graph::Opaque;
use crate::this::with_one_self;
use least_action_kernel::{Code, ElementFacts, NearFacts, Operation};
use proc_macro2::TokenStream;

/// A declaration as values.
#[derive(Debug)]
pub struct RunTime {
    /// The facts that the declaration tells without the parameters.
    pub facts: ModelFacts,
    /// Terms without effect, as the attribute warns of them.
    pub warnings: Vec<syn::Error>,
    /// The declaration `#[lagrangian] impl …` as text.
    pub text: String,
    /// Blocks with its methods over dual numbers, which implement `Oracle`.
    pub oracle: TokenStream,
    /// Its kernels and their binding.
    pub part: Part,
    /// The same with the sensitive parameters as coordinates.
    pub sensitive: Option<Part>,
}

/// Kernels, and the code that finds their elements.
#[derive(Debug)]
pub struct Part {
    /// Statements that declare coordinates, phase and signals to `binder`.
    pub begin: TokenStream,
    /// Statements that put families into `binder`, in order.
    pub functions: Vec<TokenStream>,
    /// The kernels that they name.
    pub kernels: Vec<KernelValue>,
}

/// A kernel as data.
#[derive(Debug)]
pub struct KernelValue {
    /// The name by which the code knows it.
    pub name: String,
    /// The facts about an element.
    pub facts: ElementFacts,
    /// The facts about a sum over near pairs.
    pub near: Option<NearFacts>,
    /// Each operation, as far as its use asks for it; `None` for one that is identically zero.
    pub operations: Vec<(Operation, Option<Code<Opaque>>)>,
}

/// Reads a declaration: the arguments of its attribute, and the `impl` block below it.
///
/// # Errors
/// The mistakes of the declaration, each at its place.
pub fn run_time(arguments: TokenStream, item: TokenStream) -> Result<RunTime, syn::Error> {
    let (compiled, text) = read(arguments, with_one_self(item)).map_err(|(error, _)| error)?;
    let sensitive = compiled.parametric.as_deref().map(Part::of);
    let oracle = oracle(&compiled, blocks);
    let warnings = warnings(&compiled);
    Ok(RunTime {
        warnings,
        facts: ModelFacts::of(&compiled),
        text,
        oracle,
        part: Part::of(&compiled),
        sensitive,
    })
}

/// The warnings, unless the declaration allows them.
fn warnings(compiled: &Compiled) -> Vec<syn::Error> {
    let is_allowed = |attribute: &syn::Attribute| {
        let mut found = false;
        if attribute.path().is_ident("allow") {
            // What follows a lint, such as its reason, is rustc's to judge.
            let _ = attribute.parse_nested_meta(|lint| {
                found |= lint.path.is_ident("deprecated") || lint.path.is_ident("warnings");
                Ok(())
            });
        }
        found
    };
    if compiled.declaration.item.attrs.iter().any(is_allowed) {
        return Vec::new();
    }
    let idle = compiled.proven.idle.iter();
    idle.map(|(place, text)| syn::Error::new(*place, text)).collect()
}

impl Part {
    fn of(compiled: &Compiled) -> Self {
        let Parts { begin, kernels, functions, .. } = Parts::of(compiled);
        let value = |kernel: crate::coded::FamilyKernel<'_>| KernelValue {
            name: kernel.name.to_string(),
            facts: kernel.coded.facts,
            near: kernel.near,
            operations: kernel.coded.operations,
        };
        Self {
            begin,
            functions: functions.into_iter().map(|function| function.body).collect(),
            kernels: kernels.into_iter().map(value).collect(),
        }
    }
}
