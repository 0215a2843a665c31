//! A declaration with all findings of the compiler.

use crate::ast::Declaration;
use crate::classify::Classified;
use crate::kernels::{Kernel, Kernels, Operation};
use crate::latex::Formulas;
use crate::lower::Lowered;
use crate::prove::Proven;

/// The findings of every stage before the last; only Rust has to be written.
#[derive(Debug)]
pub struct Compiled {
    /// The declaration as written.
    pub(crate) declaration: Declaration,
    /// Its expressions.
    pub(crate) lowered: Lowered,
    /// Its term families and the facts about it.
    pub(crate) classified: Classified,
    /// The proofs.
    pub(crate) proven: Proven,
    /// The derivatives of its elements.
    pub(crate) kernels: Kernels,
    /// The declaration and its equations of motion in LaTeX.
    pub(crate) formulas: Formulas,
    /// The derivatives with the sensitive parameters as coordinates, if the attribute asks for them.
    pub(crate) parametric: Option<Box<Compiled>>,
}

impl Compiled {
    /// For each family of the potential, the weighted operations of its gradient, gradient and Hessian,
    /// Hess · a, and a·f‴·a.
    pub fn operations_of_the_potential(&self) -> Vec<[u32; 4]> {
        let wanted = [Operation::Gradient, Operation::Second, Operation::Product, Operation::Third];
        let kernels = self.kernels.potential.iter();
        let cost =
            |kernel: &Kernel, wanted| kernel.function(wanted).map_or(0, |function| function.program.cost);
        kernels.map(|kernel| wanted.map(|wanted| cost(kernel, wanted))).collect()
    }
}
