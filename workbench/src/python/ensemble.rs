//! Ensembles, here or on whatever runs functions elsewhere.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde_json::{Map, Value};

use super::work::work;
use super::{convert, home};
use crate::arguments::{Ensemble, Format, Shard};
use crate::ensemble;

/// Runs the members of a plan that are missing in the folder `out`, and returns the work as a
/// dictionary.
///
/// With an `executor` that has the interface of `concurrent.futures`, such as a `ProcessPoolExecutor`,
/// `Client.get_executor()` of Dask or an `MPIPoolExecutor`, the plan is cut into `shards`, which run
/// wherever the executor runs them; all of them see the folder `out`. Nothing but the name of the plan
/// goes through the executor, and `model`, the class where a text declares the model of the plan.
#[pyfunction]
#[pyo3(name = "ensemble", signature = (plan, out, executor=None, *, shards=None, threads=None, model=None), pass_module)]
fn whole<'py>(
    module: &Bound<'py, PyModule>,
    plan: PathBuf,
    out: PathBuf,
    executor: Option<&Bound<'py, PyAny>>,
    shards: Option<u64>,
    threads: Option<std::num::NonZeroUsize>,
    model: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = module.py();
    let Some(executor) = executor else {
        return shard(module, plan, out, None, threads, model);
    };
    let forecast = run(model.unwrap_or(module), &plan, &out, None, threads, true)?;
    let parts: u64 = forecast.get_item("parts")?.extract()?;
    let count = shards.unwrap_or(parts).clamp(1, parts.max(1));
    // Workers live elsewhere, with another folder of their own.
    let whole = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let (plan, out) = (whole(plan), whole(out));
    let function = module.getattr("ensemble_shard")?;
    let futures: Vec<Bound<'py, PyAny>> = (1..=count)
        .map(|number| {
            let arguments = (
                &function,
                &plan,
                &out,
                (number, count),
                threads.map_or(1, std::num::NonZeroUsize::get),
                model,
            );
            executor.call_method1("submit", arguments)
        })
        .collect::<PyResult<_>>()?;
    let mut sums: Map<String, Value> = Map::new();
    for future in futures {
        let done = convert::value(&future.call_method0("result")?)?;
        for (name, value) in done.as_object().into_iter().flatten() {
            match (name.as_str(), value.as_u64(), sums.get(name).and_then(Value::as_u64)) {
                ("members_done" | "parts_done" | "failed" | "parts_elsewhere", Some(more), Some(before)) => {
                    sums.insert(name.clone(), Value::from(before + more));
                }
                ("seconds", ..) => {}
                _ => {
                    sums.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
        }
    }
    convert::object(py, &Value::Object(sums).to_string())
}

/// Runs one of equal shares of a plan: `shard=(3, 64)` is the third of 64.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
#[pyo3(name = "ensemble_shard", signature = (plan, out, shard=None, threads=None, model=None), pass_module)]
fn shard<'py>(
    module: &Bound<'py, PyModule>,
    plan: PathBuf,
    out: PathBuf,
    shard: Option<(u64, u64)>,
    threads: Option<std::num::NonZeroUsize>,
    model: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    run(model.unwrap_or(module), &plan, &out, shard, threads, false)
}

fn run<'py>(
    models: &Bound<'py, PyAny>,
    plan: &std::path::Path,
    out: &std::path::Path,
    shard: Option<(u64, u64)>,
    threads: Option<std::num::NonZeroUsize>,
    dry_run: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, registry) = (models.py(), &home(models)?.registry);
    let shard = shard.map(|(number, of)| match Shard::new(number, of) {
        Some(shard) => Ok(shard),
        None => Err(pyo3::exceptions::PyValueError::new_err(format!(
            "shard=({number}, {of}): the first of {of} shares is (1, {of})"
        ))),
    });
    let arguments = Ensemble {
        plan: plan.to_owned(),
        out: out.to_owned(),
        shard: shard.transpose()?,
        threads,
        dry_run,
        memory: None,
        format: Format::Json,
    };
    let text = work(py, |streams| {
        if let Some(failed) = ensemble::ensemble(registry, &arguments, streams)? {
            streams.warn(failed);
        }
        Ok(())
    })?
    .text(py)?;
    convert::object(py, &text)
}

pub(super) fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(whole, module)?)?;
    module.add_function(wrap_pyfunction!(shard, module)?)
}
