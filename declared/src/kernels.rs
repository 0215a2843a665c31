//! Kernels as data → kernels that are carried out.

use least_action_compiler::KernelValue;
use least_action_core::emitted::run_time::{NearKernelHandle, Program, ProgramEntries};
use least_action_core::emitted::v1::{Executable, Kernel, KernelHandle, NearKernel, NearOperation};
use least_action_kernel::Operation;
use std::sync::Arc;

/// A kernel, ready to be bound.
#[derive(Debug, Clone)]
pub(crate) enum Handle {
    /// Of a family.
    Family(KernelHandle),
    /// Of a sum over near pairs.
    Near(NearKernelHandle),
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
    let programs = Operation::ALL.map(executable);
    let in_range = near.as_ref().map(|(near, is_in_row)| {
        Operation::ALL.map(|operation| {
            let of = if operation == Operation::Along { Operation::Gradient } else { operation };
            if operation == Operation::Along && !is_in_row {
                return Some(NearOperation::LeftOut);
            }
            match code(of) {
                None => Some(NearOperation::LeftOut),
                Some((_, None)) => Some(NearOperation::Zero),
                Some((_, Some(_))) if !ProgramEntries::has(operation) => Some(NearOperation::LeftOut),
                Some((_, Some(code))) => Some(NearOperation::Program(Arc::new(ProgramEntries::new(
                    operation, code, &facts, near,
                )?))),
            }
        })
    });
    let operations = all(programs)?;
    let single = KernelHandle::Shared(Arc::new(Kernel { facts, operations }));
    Some(match near.zip(in_range) {
        None => Handle::Family(single),
        Some(((facts, _), operations)) => {
            let kernel = NearKernel { kernel: single, facts, operations: all(operations)? };
            Handle::Near(NearKernelHandle::Shared(Arc::new(kernel)))
        }
    })
}

/// All operations, if there are all.
fn all<T: Clone>(operations: [Option<T>; Operation::COUNT]) -> Option<[T; Operation::COUNT]> {
    let all: Vec<T> = operations.into_iter().collect::<Option<_>>()?;
    all.try_into().ok()
}
