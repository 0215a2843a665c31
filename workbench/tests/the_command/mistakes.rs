//! Every mistake is one line on standard error and exit code 2; the lines are part of the interface.

use crate::support::{Directory, run};

/// Runs a line that must be refused, and returns the message without `error: ` and the newline.
fn refused(line: &str) -> String {
    let outcome = run(line);
    assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{line}: {}", outcome.err);
    let said = outcome.err.strip_prefix("error: ").unwrap_or_else(|| panic!("{line}: {}", outcome.err));
    let said = said.strip_suffix('\n').unwrap();
    assert!(!said.contains('\n'), "{line}: more than one line: {said}");
    said.to_owned()
}

#[test]
fn names_that_do_not_exist() {
    assert_eq!(
        refused("describe spring-pendulm"),
        "unknown model `spring-pendulm` (did you mean `spring-pendulum`?); there are: spring-pendulum, chain, bead, polar-pendulum, springs, cart, ions"
    );
    assert_eq!(
        refused("expand chian"),
        "unknown model `chian` (did you mean `chain`?); there are: spring-pendulum, chain, bead, polar-pendulum, springs, cart, ions"
    );
    assert_eq!(
        refused("eval kepler --format json"),
        "unknown model `kepler`; there are: spring-pendulum, chain, bead, polar-pendulum, springs, cart, ions"
    );
    assert_eq!(
        refused("run chain --method ratle --step 0.1 --until 1"),
        "unknown method `ratle` (did you mean `rattle`?); there are: rattle, so3-cayley, verlet, zhang-skeel, \
         zhang-skeel-simplified, zhang-skeel-euler, zhang-skeel-stiff, newmark-linear-a, … (21 more)"
    );
    assert_eq!(
        refused("describe chain --set link=4"),
        "`chain` has no parameter `link` (did you mean `links`?); its parameters are: links, mass, gravity, rod"
    );
    assert_eq!(
        refused("run spring-pendulum --method zhang-skeel --with bta=0.4 --step 0.1 --until 1"),
        "`zhang-skeel` has no option `bta` (did you mean `beta`?); its options are: beta, order, friction, \
         inverse_temperature"
    );
    assert_eq!(
        refused("run spring-pendulum --method verlet --with omega=3 --step 0.1 --until 1"),
        "`verlet` has no option `omega`; its options are: order, friction, inverse_temperature"
    );
    assert_eq!(
        refused("run chain --method rattle --with beta=0.4 --step 0.1 --until 1"),
        "`rattle` has no option `beta`; its options are: tolerance, order, friction, inverse_temperature"
    );
    assert_eq!(
        refused("project chain --with omga=3"),
        "`project` has no option `omga` (did you mean `omega`?); its options are: omega, tolerance, force_tolerance, window, \
         micro_steps, iterations, levels"
    );
    assert_eq!(
        refused("project chain --with window=3"),
        "--with window: it belongs to the projection onto a slow manifold; add --with omega=…"
    );
    assert_eq!(
        refused("eval chain --what energy,hesian --format json"),
        "--what: unknown quantity `hesian` (did you mean `hessian`?); there are: energy, kinetic, potential, gradient, \
         hessian, third, constraints, jacobian, nonholonomic, nonholonomic-jacobian, force, mass"
    );
}

#[test]
fn methods_that_do_not_fit() {
    assert_eq!(
        refused("run bead --method zhang-skeel --step 0.1 --until 1"),
        "`zhang-skeel` does not fit `bead`: it needs a constant mass matrix, and this one depends on x; methods that \
         fit: variational-euler, variational-midpoint, variational-trapezoid, bdf, reference"
    );
    assert_eq!(
        refused("run spring-pendulum --method shake --step 0.1 --until 1"),
        "`shake` does not fit `spring-pendulum`: it needs holonomic constraints, and the model declares none; methods \
         that fit: verlet, blanes-moan, mclachlan, zhang-skeel, zhang-skeel-simplified, zhang-skeel-euler, newmark, \
         newmark-pushforward, newmark-linear-a, newmark-linear-b, implicit-midpoint, variational-euler, \
         variational-midpoint, variational-trapezoid, force-stepping, bdf, reference"
    );
    for method in ["verlet", "zhang-skeel", "zhang-skeel-simplified"] {
        assert_eq!(
            refused(&format!("run chain --method {method} --step 0.1 --until 1")),
            format!(
                "`{method}` knows no constraints, and `chain` has 3: add --with omega=… to replace them by the penalty \
                 ½ omega² |g|², or use a constrained method: shake, rattle"
            )
        );
    }
    assert_eq!(
        refused("eval spring-pendulum --penalty 10 --format json"),
        "--penalty: `spring-pendulum` has no constraints to replace by a penalty"
    );
    assert_eq!(
        refused("eval spring-pendulum --what jacobian --format json"),
        "`spring-pendulum` has no constraints: it declares no #[holonomic] method"
    );
    assert_eq!(
        refused("eval spring-pendulum --what third --format json"),
        "the contraction a·V‴·a needs its direction a: give it by --direction FILE"
    );
    assert_eq!(
        refused("project polar-pendulum"),
        "`polar-pendulum` has no constant mass: the distance to the constraints is measured by it"
    );
    assert_eq!(refused("project bead"), "`bead` has no constraints: there is nothing to project onto");
}

#[test]
fn numbers_that_make_no_sense() {
    let verlet = "run spring-pendulum --method verlet";
    assert_eq!(
        refused(&format!("{verlet} --step 0 --until 1")),
        "--step 0: the step must be positive and finite"
    );
    assert_eq!(
        refused(&format!("{verlet} --step -0.1 --until 1")),
        "--step -0.1: the step must be positive and finite"
    );
    assert_eq!(
        refused(&format!("{verlet} --step NaN --until 1")),
        "--step NaN: the step must be positive and finite"
    );
    assert_eq!(refused(&format!("{verlet} --step 0.1 --until inf")), "--until inf: the time must be finite");
    assert_eq!(
        refused(&format!("{verlet} --step 0.1 --until -1")),
        "the run should go until t = -1, which is not later than its start at t = 0"
    );
    assert_eq!(
        refused(&format!("{verlet} --step 0.1 --until 1 --every 0")),
        "--every 0: the number of steps between records must be at least 1"
    );
    assert_eq!(
        refused(&format!("{verlet} --step fast --until 1")),
        "invalid value 'fast' for '--step <H>': expected a number"
    );
    assert_eq!(
        refused("run spring-pendulum --method zhang-skeel --with beta=big --step 0.1 --until 1"),
        "--with beta: `big` is not a finite number"
    );
    assert_eq!(
        refused("run spring-pendulum --method zhang-skeel --with beta=-1 --step 0.1 --until 1"),
        "zhang-skeel: beta = -1 is outside [0, ∞)"
    );
    assert_eq!(
        refused("run chain --method verlet --with omega=0 --step 0.1 --until 1"),
        "penalty: omega = 0 is outside (0, ∞)"
    );
    assert_eq!(
        refused("eval chain --penalty -2 --format json"),
        "--penalty -2: the penalty must be positive and finite"
    );
    assert_eq!(
        refused("run springs --method projected-rk4 --step 0.1 --until 1"),
        "`projected-rk4` needs the frequency of the stiff part of `springs`: add --with omega=…"
    );
    assert_eq!(refused("project chain --with omega=-3"), "penalty: omega = -3 is outside (0, ∞)");
    assert_eq!(
        refused("project chain --with omega=300 --with micro_steps=6.5"),
        "slow manifold: micro_steps = 6.5 is outside the whole numbers"
    );
    assert_eq!(
        refused("project chain --with omega=300 --with window=0.5"),
        "slow manifold: window = 0.5 is outside [1, 1000000] periods"
    );
    assert_eq!(
        refused("project spring-pendulum --with omega=300 --with levels=2"),
        "`spring-pendulum` has no constraints: only their multipliers are extrapolated, by `levels`"
    );
    assert_eq!(
        refused("project chain --with tolerance=0"),
        "--with tolerance 0: the tolerance must be positive"
    );
    assert_eq!(
        refused("describe chain --set links=2.5"),
        "parameter `links` of `chain`: 2.5 is refused: expected a whole number from 0 on"
    );
    assert_eq!(
        refused("describe chain --set gravity=down"),
        "parameter `gravity` of `chain`: \"down\" is refused: expected a number"
    );
    assert_eq!(
        refused("describe spring-pendulum --set mass=-1"),
        "the mass of `bob.x` is -1, but it must be positive: check the parameters of `SpringPendulum`"
    );
}

#[test]
fn parameters_on_which_the_model_itself_panics() {
    let said = refused("run springs --set beads=3 --method verlet --step 0.1 --until 1");
    let (said, place) = said.split_once(" (").unwrap();
    assert_eq!(
        said,
        "the parameters of `springs` make no system: index out of bounds: the len is 2 but the index is 2"
    );
    assert!(place.contains("models.rs:"), "{place}");
    // The process has not lost its own panics.
    assert!(std::panic::catch_unwind(|| panic!("of another thread")).is_err());
    assert_eq!(run("describe springs --set beads=3 --set stiffness=[1,2,3]").code, 0);
}

#[test]
fn lines_that_do_not_parse() {
    assert_eq!(refused(""), "a command is missing; `bench --help` lists them");
    assert_eq!(refused("run"), "the following required arguments were not provided: <MODEL>");
    // Beside choices, mistakes are mistakes, in one line.
    for (step, shown) in [("-1", "-1"), ("0", "0"), ("nan", "NaN"), ("inf", "inf")] {
        let said = refused(&format!("run chain --step {step}"));
        assert_eq!(said, format!("--step {shown}: the step must be positive and finite"));
    }
    assert_eq!(refused("run chain --until nan"), "--until NaN: the time must be finite");
    assert!(refused("run chain --method ratle").starts_with("unknown method `ratle`"));
    assert_eq!(
        refused("modls"),
        "unknown command `modls` (did you mean `models`?); `bench --help` lists them"
    );
    assert_eq!(
        refused("describe chain --format yaml"),
        "invalid value 'yaml' for '--format <FORMAT>' [possible values: text, json, latex]"
    );
    assert_eq!(refused("describe chain --set links"), "--set `links`: write name=value");
    assert_eq!(
        refused("run chain --method rattle --with =3 --step 0.1 --until 1"),
        "--with `=3`: write name=value"
    );
}

#[test]
fn files_that_cannot_be_used() {
    let directory = Directory::new();
    let missing = directory.path("missing.json");
    assert_eq!(
        refused(&format!("eval chain --start {missing} --format json")),
        format!("cannot read {missing}: No such file or directory (os error 2)")
    );
    assert_eq!(
        refused(&format!("describe chain --params {missing}")),
        format!("cannot read {missing}: No such file or directory (os error 2)")
    );
    let run = "run spring-pendulum --method verlet --step 0.1 --until 1";
    assert_eq!(
        refused(&format!("{run} --out table.xlsx")),
        "--out table.xlsx: the name must end in .csv, .parquet, .json, .npz, .xyz, .pvd or .glb"
    );
    assert_eq!(refused(&format!("{run} --plot run.png")), "--plot run.png: the name must end in .svg");
    for (flag, name) in [
        ("--out", "x.csv"),
        #[cfg(feature = "tables")]
        ("--out", "x.parquet"),
        ("--out", "x.json"),
        ("--plot", "x.svg"),
    ] {
        let path = directory.path(&format!("nowhere/{name}"));
        assert_eq!(
            refused(&format!("{run} {flag} {path}")),
            format!("cannot create {path}: No such file or directory (os error 2)")
        );
    }
}

#[test]
fn parameter_files_with_mistakes() {
    let directory = Directory::new();
    let file = |text: &str| directory.file("p.json", text);
    let said = |path: &str| refused(&format!("describe chain --params {path}"));
    let path = file("{\"model\": {\"links\": 3,}}");
    assert_eq!(said(&path), format!("{path}: trailing comma at line 1 column 23"));
    let path = file("[1, 2]");
    assert_eq!(
        said(&path),
        format!("{path}: expected {{\"model\": {{…}}, \"method\": {{…}}, \"run\": {{…}}}}")
    );
    let path = file("{\"modle\": {}}");
    assert_eq!(
        said(&path),
        format!("{path}: unknown section `modle` (did you mean `model`?); there are: model, method, run")
    );
    let path = file("{\"model\": 3}");
    assert_eq!(said(&path), format!("{path}: `model` must hold name and value pairs"));
    let path = file("{\"model\": {\"rods\": 3}}");
    assert_eq!(
        said(&path),
        "`chain` has no parameter `rods` (did you mean `rod`?); its parameters are: links, mass, gravity, rod"
    );
    let path = directory.file("p.toml", "[model]\nlinks = \n");
    assert_eq!(
        said(&path),
        format!("{path}: string values must be quoted, expected literal string at line 2")
    );
    let path = directory.file("p.toml", "[method]\nbeta = \"big\"\n");
    assert_eq!(
        refused(&format!("run spring-pendulum --method zhang-skeel --step 0.1 --until 1 --params {path}")),
        "--with beta: `big` is not a finite number"
    );
}

#[test]
fn starts_with_mistakes() {
    let directory = Directory::new();
    let said = |text: &str| {
        let path = directory.file("s.json", text);
        let said =
            refused(&format!("run spring-pendulum --method verlet --step 0.1 --until 1 --start {path}"));
        said.strip_prefix(&format!("{path}: ")).unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    assert_eq!(
        said("{\"q\": [1.0, NaN], \"v\": [0, 0]}"),
        "the initial position of `bob.y` is NaN: every entry must be a finite number"
    );
    assert_eq!(
        said("{\"q\": [1.0, 0], \"v\": [-Infinity, 0]}"),
        "the initial velocity of `bob.x` is -inf: every entry must be a finite number"
    );
    assert_eq!(
        said("{\"q\": [1.0, null], \"v\": [0, 0]}"),
        "the initial position of `bob.y` is null: every entry must be a finite number"
    );
    assert_eq!(
        said("{\"q\": [1.0, \"0\"], \"v\": [0, 0]}"),
        "the initial position of `bob.y` is \"0\": every entry must be a finite number"
    );
    assert_eq!(said("{\"q\": [1.0], \"v\": [0, 0]}"), "`q` has length 1, but the model needs 2 (2 of `bob`)");
    assert_eq!(
        said("{\"q\": [1.0, 0], \"v\": [0, 0, 0]}"),
        "`v` has length 3, but the model needs 2 (2 of `bob`)"
    );
    assert_eq!(said("{\"q\": [1.0, 0]}"), "`v` is missing: give a velocity for each coordinate");
    assert_eq!(said("{\"q\": 1.0, \"v\": [0, 0]}"), "`q` must be an array of numbers");
    assert_eq!(
        said("{\"q\": [1.0, 0], \"v\": [0, 0], \"p\": [0, 0]}"),
        "unknown field `p` (did you mean `q`?); a state is t, q, v"
    );
    assert_eq!(
        said("{\"t\": null, \"q\": [1.0, 0], \"v\": [0, 0]}"),
        "the initial time is null, but it must be finite"
    );
    let recording = directory.file("rows.csv", "t,bob.x\n0,1\n");
    assert_eq!(
        refused(&format!("run spring-pendulum --method verlet --step 0.1 --until 1 --start {recording}")),
        format!("{recording}: a recording is no state: `run --format json` prints one at its end")
    );
    assert_eq!(said("[1, 2]"), "expected {\"t\": 0.0, \"q\": […], \"v\": […]}");
    assert_eq!(said("{\"q\": [1.0, 0"), "EOF while parsing a list at line 1 column 13");
}

#[test]
fn a_start_off_the_constraints_is_refused_with_the_amount() {
    let directory = Directory::new();
    let path = directory.file("s.json", "{\"q\": [1.0, -2.0], \"v\": [0, 0]}");
    let run = "run chain --set links=1 --method rattle --step 0.1 --until 1 --set rod=2";
    assert_eq!(
        refused(&format!("{run} --start {path}")),
        "the start violates the constraint `rods` by 1.000e0 (tolerance 1.0e-8): project it onto the constraints \
         first, or correct it"
    );
    let path = directory.file("s.json", "{\"q\": [0.0, -2.0], \"v\": [0, 1]}");
    assert_eq!(
        refused(&format!("{run} --start {path}")),
        "the initial velocity changes the constraint `rods` at the rate -4.000e0 (tolerance 4.0e-9): project it \
         onto the constraints first, or correct it"
    );
}

/// The memory is estimated before it is taken; the limit is the machine's, or the one that is given.
#[test]
fn systems_that_are_too_large() {
    assert_eq!(
        refused("describe chain --set links=1000000 --memory 100M"),
        "the 2000000 degrees of freedom of `bobs` would take 240 MB, and 100 MB may be taken: choose smaller parameters, or allow more \
         memory"
    );
    assert_eq!(
        refused(
            "run chain --set links=20000 --memory 12M --method newmark --with omega=9 --step 1e-3 --until 1e-3"
        ),
        "the second derivatives of `Chain` would take 6 MB, and 3 MB may be taken: choose a method that needs the gradient alone or \
         smaller parameters, or allow more memory"
    );
    let run = run("run chain --set links=20000 --memory 12M --method rattle --step 1e-3 --until 1e-3");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        refused("describe chain --memory much"),
        "invalid value 'much' for '--memory <SIZE>': give a positive number of bytes, or one with K, M, G or T behind it, such as 4G"
    );
}
