//! A method that does not keep constraints refuses a system with some, and does not let it fall apart.

use least_action::advanced::wrap::Penalized;
use least_action::drive::integrate;
use least_action::error::StartError;
use least_action::method::{Reference, Verlet, ZhangSkeel, ZhangSkeelSimplified};
use least_action::prelude::*;
use least_action_models::DoublePendulum;
use least_action_tests::command::{Directory, json, run};

fn refused<T>(outcome: Result<T, StartError>, method: &str) {
    let message = outcome.err().map(|error| error.to_string()).unwrap_or_default();
    let expected = format!(
        "{method} does not keep the constraints of `DoublePendulum`: use a constrained method such as RATTLE or \
         `VariationalMidpoint`, or replace them by a penalty with `Penalized`"
    );
    assert_eq!(message, expected);
}

#[test]
fn unconstrained_methods_refuse_and_the_reference_keeps_them() -> Result<(), Box<dyn std::error::Error>> {
    let model = DoublePendulum::default();
    let (system, start) = (model.bind()?, model.start());
    refused(integrate(&system, &Verlet, start.clone(), 0.01), "verlet");
    refused(integrate(&system, &ZhangSkeel::default(), start.clone(), 0.01), "zhang-skeel");
    refused(
        integrate(&system, &ZhangSkeelSimplified::default(), start.clone(), 0.01),
        "zhang-skeel-simplified",
    );

    let run = integrate(&system, &Reference::default(), start.clone(), 0.1)?.until(1.0).record()?;
    let mut residuals = [0.0; 2];
    for q in run.positions() {
        system.constraint_values(q, 0.0, &mut residuals);
        assert!(residuals.iter().all(|residual| residual.abs() < 1e-12), "{residuals:?}");
    }
    let penalized = Penalized::new(&system, 20.0)?;
    integrate(&penalized, &Verlet, start, 0.005)?.until(0.1).run()?;
    Ok(())
}

/// Constraints on velocities have their own residual and finding, in text, in JSON and in files.
#[test]
fn a_blade_has_a_residual_of_its_own() {
    let directory = Directory::new("blade");
    let file = directory.file("sleigh.csv", "");
    let line = "run chaplygin-sleigh --method variational-midpoint --step 0.05 --until 2";
    let result = json(&format!("{line} --out {file} --format json"));
    assert!(result["nonholonomic_residual"].as_f64().unwrap() < 1e-14, "{result}");
    assert!(result.get("constraint_residual").is_none());
    assert!(result["verdict"]["nonholonomic"]["error"].as_f64().unwrap() < 1e-14, "{result}");
    let text = run(line).out;
    assert!(text.contains("nonholonomic residual"), "{text}");
    let table = std::fs::read_to_string(file).unwrap();
    let header = table.lines().next().unwrap();
    assert!(header.contains(",energy,nonholonomic_residual,mu."), "{header}");
}
