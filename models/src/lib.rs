//! Ready models.
