//! Kernels as data → kernels that are carried out.

use least_action_compiler::KernelValue;
use least_action_core::emitted::run_time::Program;
use least_action_core::emitted::v1::{Executable, Kernel, KernelHandle, NearKernel};
use least_action_kernel::Operation;
use std::sync::Arc;

/// A kernel, ready to be bound.
#[derive(Debug, Clone)]
pub(crate) enum Handle {
    /// Of a family.
    Family(KernelHandle),
    /// Of a sum over near pairs.
    Near(Arc<NearKernel>),
}

/// The programs of a kernel; `None` if one of them cannot be carried out: it calls a function that only
/// Rust knows.
pub(crate) fn kernel(value: KernelValue) -> Option<Handle> {
    let KernelValue { facts, near, operations, .. } = value;
    let code = |operation: Operation| operations.iter().find(|(known, _)| *known == operation);
    let executable = |operation| match code(operation) {
        None => Some(Executable::LeftOut),
        Some((_, None)) => Some(Executable::Zero),
        Some((_, Some(code))) => Some(Executable::Program(Arc::new(Program::new(operation, code, &facts)?))),
    };
    let operations = all(Operation::ALL.map(executable))?;
    let kernel = KernelHandle::Shared(Arc::new(Kernel { facts, operations }));
    Some(match near {
        None => Handle::Family(kernel),
        Some(facts) => Handle::Near(Arc::new(NearKernel { kernel, facts })),
    })
}

/// All operations, if there are all.
fn all<T: Clone>(operations: [Option<T>; Operation::COUNT]) -> Option<[T; Operation::COUNT]> {
    let all: Vec<T> = operations.into_iter().collect::<Option<_>>()?;
    all.try_into().ok()
}
