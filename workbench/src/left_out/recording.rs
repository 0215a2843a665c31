//! Parquet recordings in a program without tables: none is read.

use std::path::Path;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::view::recording::{Column, Ending, ShowRow};

fn refused<T>() -> Result<T> {
    Err(Error::left_out("the format .parquet", "tables"))
}

pub(super) fn columns(_: &Path) -> Result<Vec<Column>> {
    refused()
}

pub(super) fn metadata(_: &Path, _: &str) -> Result<Option<String>> {
    refused()
}

pub(super) fn for_each(_: &Path, _: &[usize], _: Option<u64>, _: &mut ShowRow<'_>) -> Result<Ending> {
    refused()
}

pub(super) struct Member {
    pub(super) own: Vec<(String, Value)>,
    pub(super) error: Option<String>,
    pub(super) has_run: bool,
}

pub(super) fn member(_: &Path, _: u64) -> Result<Member> {
    refused()
}
