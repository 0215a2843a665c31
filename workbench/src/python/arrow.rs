//! Columns as a stream of Arrow, which Polars, pandas, DuckDB and pyarrow read.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Columns of one length as the capsule that `__arrow_c_stream__` returns.
pub(super) fn stream(py: Python<'_>, columns: Vec<(String, Vec<f64>)>) -> PyResult<Bound<'_, PyCapsule>> {
    let reader = || {
        let fields = columns.iter().map(|(name, _)| Field::new(name, DataType::Float64, false));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let columns =
            columns.into_iter().map(|(_, numbers)| Arc::new(Float64Array::from(numbers)) as ArrayRef);
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns.collect())?;
        Ok(RecordBatchIterator::new([Ok(batch)], schema))
    };
    let reader = reader().map_err(|error: ArrowError| PyValueError::new_err(error.to_string()))?;
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
