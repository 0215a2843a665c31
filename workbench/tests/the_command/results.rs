//! The results that the commands compute and print.

use crate::support::{Directory, run};
use serde_json::{Value, json};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap()).collect()
}

#[test]
fn models_lists_sizes_and_methods() {
    let list = run("models --format json").json();
    let names: Vec<&str> =
        list["models"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["spring-pendulum", "chain", "bead", "polar-pendulum", "springs", "cart", "ions"]);
    let chain = &list["models"][1];
    assert_eq!((chain["dimension"].as_u64(), chain["constraints"].as_u64()), (Some(6), Some(3)));
    assert_eq!(chain["summary"], "Point masses on rigid rods in the plane.");
    let methods = chain["methods"].as_array().unwrap();
    assert!(methods.contains(&json!("rattle")) && methods.contains(&json!("zhang-skeel")));
    let of_any_mass =
        ["variational-euler", "variational-midpoint", "variational-trapezoid", "bdf", "reference"];
    assert_eq!(list["models"][2]["methods"], json!(of_any_mass));
    let text = run("models");
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    // The letters of each model and its summary, not the twenty methods that fit.
    let chain = "\nchain               6     3  EICV·F·SR\n    Point masses on rigid rods in the plane.\n";
    assert!(text.out.contains(chain) && !text.out.contains("verlet"), "{}", text.out);
    assert!(text.out.contains("`describe MODEL`"), "{}", text.out);
}

#[cfg(feature = "expand")]
#[test]
fn expand_prints_the_code_of_a_model_of_ones_own() {
    let code = run("expand spring-pendulum");
    assert_eq!((code.code, code.err.as_str()), (0, ""));
    assert!(code.out.contains("impl ::least_action::Model for SpringPendulum {"), "{}", code.out);
    assert!(code.out.contains("Hangs from the origin."), "{}", code.out);
}

/// All that the commands say of constraints on velocities and of a dissipation.
#[test]
fn wheels_and_oil_are_described_evaluated_checked_and_run() {
    let text = run("describe cart");
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    for line in [
        "force                 depends on velocity through oil",
        "Constraint on velocities wheels: 1 equations",
        "    note: `gear` is the derivative of a position; #[holonomic] would keep that position",
        "Force of the dissipation oil",
    ] {
        assert!(text.out.contains(line), "{line}: {}", text.out);
    }
    let report = run("describe cart --format json").json();
    assert_eq!(report["equations"], 2);
    assert_eq!(report["nonholonomic"][1]["derivatives_of_positions"], json!([0]));
    assert_eq!((&report["conserved"], &report["forces"][0]["coordinate"]), (&json!([]), &Value::Null));
    let fit = |name: &str| {
        let methods = report["methods"].as_array().unwrap();
        methods.iter().find(|entry| entry["method"] == name).unwrap().clone()
    };
    assert_eq!(fit("variational-trapezoid")["fits"], true);
    let why = "it keeps no constraints on velocities, and this model declares `wheels` with #[nonholonomic]";
    for refusing in ["verlet", "rattle"] {
        assert_eq!(
            (&fit(refusing)["fits"], &fit(refusing)["note"]),
            (&json!(false), &json!(why)),
            "{refusing}"
        );
        let refused = run(&format!("run cart --method {refusing} --step 0.01 --until 1"));
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
        assert!(refused.err.contains(why) && refused.err.contains("variational-midpoint"), "{}", refused.err);
    }
    for adaptive in ["bdf", "reference"] {
        // No constraint follows from the others, which the start has shown.
        assert_eq!((&fit(adaptive)["fits"], &fit(adaptive)["note"]), (&json!(true), &Value::Null));
    }
    let latex = run("describe cart --format latex").out;
    assert!(latex.contains(r"\mu^{\mathrm{wheels}}") && latex.contains(r"D^{\mathrm{oil}} &="), "{latex}");

    let evaluated = run("eval cart --format json").json();
    assert_eq!(numbers(&evaluated["nonholonomic"]), [0.0, 0.0]);
    assert_eq!(numbers(&evaluated["force"]), [-0.1, 0.0, 0.0, 0.0]);
    let jacobian = run("eval cart --format json --what nonholonomic-jacobian").json();
    assert!(
        jacobian["nonholonomic-jacobian"].as_array().unwrap().contains(&json!([1, 7, 0.5])),
        "{jacobian}"
    );
    let checked = run("eval cart --check --format json");
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    assert!(checked.out.contains("∂c/∂(q, v)") && checked.out.contains("∂F/∂(q, v)"), "{}", checked.out);

    let ran = run("run cart --method variational-midpoint --step 0.01 --until 2 --format json").json();
    assert_eq!(ran["verdict"]["believed"], true);
    let refused = run("run cart --set oil=-1 --method variational-midpoint --step 0.01 --until 2");
    assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
    assert!(refused.err.contains("is not convex at the start"), "{}", refused.err);
}

#[test]
fn describe_counts_the_nonzeros_of_the_instance() {
    let report = run("describe chain --set links=100 --format json").json();
    assert_eq!(report["parameters"]["links"], 100);
    let text = run("describe chain --set links=100").out;
    assert!(text.contains("Parameters (--set NAME=VALUE)\n    links    100\n"), "{text}");
    assert_eq!(report["dimension"], 200);
    assert_eq!(report["equations"], 100);
    assert_eq!(report["sparsity"]["jacobian"], 398);
    assert_eq!(report["sparsity"]["constraint_hessian"], 398);
    assert_eq!(
        report["coordinates"][0],
        json!({"name": "bobs", "kind": "vec2", "lengths": [100], "offset": 0})
    );
    let fit = |name: &str| {
        let methods = report["methods"].as_array().unwrap();
        methods.iter().find(|entry| entry["method"] == name).unwrap().clone()
    };
    let keeps = ["symplectic", "symmetric", "momenta"];
    assert_eq!(fit("rattle"), json!({"method": "rattle", "order": 2, "keeps": keeps, "fits": true}));
    assert_eq!(fit("verlet")["note"], "with --with omega=…, which replaces the constraints by a penalty");
    let text = run("describe bead").out;
    assert!(text.contains("depends on x"), "{text}");
    assert!(text.contains("Scalar  q[0..1]"), "{text}");
}

#[test]
fn one_step_of_verlet_is_the_formula() {
    let (h, k, g) = (0.125, 40.0, 1.0);
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"t": 2.0, "q": [0.6, 0.8], "v": [0.5, -0.25]}"#);
    let result = run(&format!(
        "run spring-pendulum --method verlet --step {h} --until 2.125 --start {start} --format json"
    ))
    .json();
    let force = |x: f64, y: f64| {
        let factor = -k * (1.0 - 1.0 / x.hypot(y));
        [factor * x, factor * y - g]
    };
    let f0 = force(0.6, 0.8);
    let q = [0.6 + h * 0.5 + 0.5 * h * h * f0[0], 0.8 - h * 0.25 + 0.5 * h * h * f0[1]];
    let f1 = force(q[0], q[1]);
    let v = [0.5 + 0.5 * h * (f0[0] + f1[0]), -0.25 + 0.5 * h * (f0[1] + f1[1])];
    for (found, expected) in
        numbers(&result["q"]).iter().chain(&numbers(&result["v"])).zip(q.iter().chain(&v))
    {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
    assert_eq!((result["t"].as_f64(), result["steps"].as_u64()), (Some(2.125), Some(1)));
    assert!(result["seconds"].as_f64().unwrap() >= 0.0);
    let energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 0.5 * k * (q[0].hypot(q[1]) - 1.0).powi(2) + g * q[1];
    assert!((result["energy"].as_f64().unwrap() - energy).abs() < 1e-14);
    assert!(result.get("multipliers").is_none() && result.get("constraint_residual").is_none());
    assert_eq!(result["evaluations"]["gradients"], 2);
}

#[test]
fn a_hanging_chain_bears_its_weight() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"q": [0, -2, 0, -4, 0, -6], "v": [0, 0, 0, 0, 0, 0]}"#);
    for method in ["shake", "rattle"] {
        let result = run(&format!(
            "run chain --set rod=2 --set mass=0.5 --method {method} --step 0.1 --until 1 --start {start} --format json"
        ))
        .json();
        // M q̈ = −∇V + Gᵀ λ at rest: 4 λ_i = −(weight below rod i).
        for (multiplier, weight) in numbers(&result["multipliers"]).iter().zip([1.5, 1.0, 0.5]) {
            assert!((multiplier - -weight / 4.0).abs() < 1e-12, "{method}: {multiplier}");
        }
        assert!(result["constraint_residual"].as_f64().unwrap() < 1e-12);
    }
}

/// λ = (tension) of the rod: −(g cos θ + θ̇²) for a unit mass and length, with the energy that is
/// conserved.
#[test]
fn constraints_with_a_mass_that_depends_on_position_are_kept_by_the_reference() {
    let line = "run polar-pendulum --method reference --step 0.1 --until 3";
    let result = run(&format!("{line} --format json")).json();
    let (q, v) = (numbers(&result["q"]), numbers(&result["v"]));
    let tension = 9.81 * q[1].cos() + v[1] * v[1];
    assert!((numbers(&result["multipliers"])[0] + tension).abs() < 1e-9, "{result}");
    assert!(result["constraint_residual"].as_f64().unwrap() < 1e-12);
    assert!((result["energy"].as_f64().unwrap() - (2.0 - 9.81)).abs() < 1e-10);
    assert!(v[0].abs() < 1e-10 && q[1].abs() > 1e-3);
    assert_eq!(run("describe polar-pendulum --format json").json()["sparsity"]["jacobian"], 1);
    assert_eq!(
        run("eval polar-pendulum --what constraints --format json").json(),
        json!({"constraints": [0.0]})
    );
}

#[test]
fn a_penalized_chain_has_the_energy_of_the_penalty() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"q": [0, -1.5], "v": [2, 0]}"#);
    let line = format!("chain --set links=1 --set rod=1 --start {start}");
    let plain = run(&format!("eval {line} --format json")).json();
    assert_eq!(plain["energy"], 0.5);
    assert_eq!(plain["constraints"], json!([1.25]));
    assert_eq!(plain["jacobian"], json!([[0, 0, 0.0], [0, 1, -3.0]]));
    let penalized = run(&format!("eval {line} --penalty 2 --format json")).json();
    assert_eq!(penalized["energy"], 0.5 + 0.5 * 4.0 * 1.25 * 1.25);
    assert_eq!(penalized["gradient"], json!([0.0, 1.0 + 4.0 * 1.25 * -3.0]));
    assert_eq!(penalized["hessian"], json!([[0, 0, 10.0], [1, 0, 0.0], [1, 1, 46.0]]));
    let run_energy = run(&format!(
        "run {line} --method zhang-skeel --with omega=2 --step 1e-9 --until 1e-9 --format json"
    ))
    .json();
    assert!((run_energy["energy"].as_f64().unwrap() - penalized["energy"].as_f64().unwrap()).abs() < 1e-6);
    assert!((run_energy["constraint_residual"].as_f64().unwrap() - 1.25).abs() < 1e-6);
}

#[test]
fn eval_answers_what_is_asked() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"q": [0, 2], "v": [3, 4]}"#);
    let direction = directory.file("a.json", "[1, 0]");
    let line = format!(
        "eval spring-pendulum --set stiffness=8 --start {start} --direction {direction} --format json"
    );
    let all = run(&line).json();
    let keys: Vec<&String> = all.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["energy", "kinetic", "potential", "gradient", "hessian", "third", "mass"]);
    assert_eq!(all["energy"], 12.5 + 6.0);
    assert_eq!(all["kinetic"], 12.5);
    assert_eq!(all["potential"], 6.0);
    assert_eq!(all["gradient"], json!([0.0, 9.0]));
    assert_eq!(all["hessian"], json!([[0, 0, 4.0], [1, 0, 0.0], [1, 1, 8.0]]));
    // ∂/∂y of 8 (1 − 1/r) at r = 2.
    assert_eq!(all["third"], json!([0.0, 2.0]));
    assert_eq!(all["mass"], json!([[0, 0, 1.0], [1, 1, 1.0]]));
    let some = run(&format!("{line} --what third,energy")).json();
    assert_eq!(some, json!({"energy": 18.5, "third": [0.0, 2.0]}));
}

#[test]
fn eval_of_a_mass_that_depends_on_position() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"q": [2], "v": [3]}"#);
    let all = run(&format!("eval bead --set gravity=10 --start {start} --format json")).json();
    assert_eq!(
        all,
        json!({"energy": 42.5, "kinetic": 22.5, "potential": 20.0, "gradient": [20.0], "hessian": [[0, 0, 10.0]],
               "mass": [[0, 0, 5.0]]})
    );
}

#[test]
fn a_singular_point_is_a_failure_not_a_null() {
    let directory = Directory::new();
    let start = directory.file("s.json", r#"{"q": [0, 0], "v": [0, 0]}"#);
    let outcome = run(&format!("eval spring-pendulum --start {start} --format json"));
    assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
    assert_eq!(outcome.err, "error: the gradient of `spring-pendulum` is not finite at this state\n");
}

#[test]
fn a_projected_guess_is_a_start() {
    let directory = Directory::new();
    let guess =
        directory.file("g.json", r#"{"t": 0.5, "q": [1.1, -2.1, 2, -4, 3.1, -6], "v": [1, 0, 0, 0, 0, 2]}"#);
    let projected = run(&format!("project chain --start {guess}"));
    assert_eq!(projected.json()["t"], 0.5);
    let start = directory.file("s.json", &projected.out);
    let result =
        run(&format!("run chain --method rattle --step 0.01 --until 0.6 --start {start} --format json"))
            .json();
    assert_eq!(result["steps"], 10);
    let residual = run(&format!("eval chain --start {start} --what constraints --format json")).json();
    assert!(numbers(&residual["constraints"]).iter().all(|g| g.abs() < 1e-12));
}

#[test]
fn a_slow_point_is_a_start_with_its_multipliers() {
    let directory = Directory::new();
    let guess = directory.file("g.json", r#"{"q": [1.01, -2, 2, -4.02, 3, -6], "v": [1, 0.5, 0, 0, 0, 0]}"#);
    let line = format!("project chain --start {guess} --with omega=1000");
    let slow = run(&line).json();
    assert!(slow["iterations"].as_u64().unwrap() > 1 && slow["contraction"].as_f64().unwrap() < 0.1);
    assert!(slow["evaluations"]["gradients"].as_u64().unwrap() > 100);
    let multipliers = numbers(&slow["multipliers"]);
    for (g, multiplier) in numbers(&slow["g"]).iter().zip(&multipliers) {
        assert!((multiplier + 1e6 * g).abs() < 1e-12 * multiplier.abs().max(1.0));
    }
    assert!(numbers(&slow["gdot"]).iter().all(|rate| rate.abs() < 1e-3));
    // The limit of ω → ∞, and the multipliers of RATTLE there.
    let limit = run(&format!("{line} --with levels=3"));
    assert!(numbers(&limit.json()["g"]).iter().all(|g| g.abs() < 1e-10), "{}", limit.out);
    let start = directory.file("s.json", &limit.out);
    let rattle =
        run(&format!("run chain --method rattle --step 1e-8 --until 1e-8 --start {start} --format json"));
    for (found, exact) in
        numbers(&limit.json()["multipliers"]).iter().zip(numbers(&rattle.json()["multipliers"]))
    {
        assert!((found - exact).abs() < 1e-5, "{found} {exact}");
    }
    let text = run(&format!("{line} --format text")).out;
    assert!(text.contains("iterations") && text.contains("equation  g"), "{text}");
}

#[test]
fn a_slow_point_that_is_not_found_leaves_the_last_iterate() {
    let directory = Directory::new();
    let guess = directory.file("g.json", r#"{"q": [1.01, -2, 2, -4.02, 3, -6], "v": [1, 0.5, 0, 0, 0, 0]}"#);
    let outcome = run(&format!("project chain --start {guess} --with omega=1000 --with iterations=1"));
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.starts_with("error: the projection onto the slow manifold did not converge"),
        "{}",
        outcome.err
    );
    let last: Value = serde_json::from_str(&outcome.out).unwrap();
    assert!(last["failure"].as_str().unwrap().contains("allow more iterations"));
    assert_eq!(numbers(&last["q"]).len(), 6);
}

#[test]
fn the_explicit_solver_of_constrained_systems_runs_from_the_line() {
    let line = "run chain --until 1 --format json";
    let exact = run(&format!("{line} --method reference --step 1")).json();
    let found = run(&format!("{line} --method projected-rk4 --with omega=10000 --step 0.02")).json();
    for name in ["q", "v", "multipliers"] {
        for (found, exact) in numbers(&found[name]).iter().zip(numbers(&exact[name])) {
            assert!((found - exact).abs() < 1e-4, "{name}: {found} {exact}");
        }
    }
    assert!(found["constraint_residual"].as_f64().unwrap() < 1e-4);
}

#[test]
fn a_projection_that_cannot_be_as_exact_as_asked_fails() {
    let directory = Directory::new();
    let guess = directory.file("g.json", r#"{"q": [1.1, -2.1, 2, -4, 3.1, -6], "v": [1, 0, 0, 0, 0, 2]}"#);
    let outcome = run(&format!("project chain --start {guess} --with tolerance=1e-30"));
    assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
    assert!(outcome.err.starts_with("error: the projection did not converge: "), "{}", outcome.err);
    assert!(outcome.err.contains("(tolerance "), "{}", outcome.err);
}

#[test]
fn parameters_come_from_defaults_then_the_file_then_the_line() {
    let directory = Directory::new();
    let json = directory.file("p.json", r#"{"model": {"links": 4, "mass": 2}, "method": {"beta": 0.3}}"#);
    let toml = directory.file("p.toml", "[model]\nlinks = 4\nmass = 2\n\n[method]\nbeta = 0.3\n");
    let energy = |arguments: &str| {
        let line = "chain --method zhang-skeel --with omega=20 --step 0.05 --until 1 --format json";
        run(&format!("run {line} {arguments}")).json()["energy"].clone()
    };
    let expected = energy("--set links=4 --set mass=2 --with beta=0.3");
    assert_eq!(energy(&format!("--params {json}")), expected);
    assert_eq!(energy(&format!("--params {toml}")), expected);
    assert_ne!(energy("--set links=4 --set mass=2"), expected);
    let overruled = energy(&format!("--params {toml} --set mass=3 --with beta=0.4"));
    assert_eq!(overruled, energy("--set links=4 --set mass=3 --with beta=0.4"));
    assert_ne!(overruled, expected);
}

#[test]
fn a_result_is_a_start_and_its_numbers_are_the_same_bits() {
    let directory = Directory::new();
    let whole = run("run chain --method rattle --step 0.0625 --until 2 --format json").json();
    let half = run("run chain --method rattle --step 0.0625 --until 1 --format json");
    assert_eq!(half.json()["t"], 1.0);
    let start = directory.file("half.json", &half.out);
    let energy = run(&format!("eval chain --start {start} --what energy --format json")).json();
    assert_eq!(energy["energy"], half.json()["energy"]);
    let rest =
        run(&format!("run chain --method rattle --step 0.0625 --until 2 --start {start} --format json"))
            .json();
    for (one, other) in numbers(&whole["q"]).iter().zip(&numbers(&rest["q"])) {
        assert!((one - other).abs() < 1e-12);
    }
}

#[test]
fn the_seed_is_taken_and_changes_nothing_where_nothing_is_random() {
    let line = "run spring-pendulum --method verlet --step 0.1 --until 1 --format json";
    let strip = |mut value: Value| {
        let fields = value.as_object_mut().unwrap();
        let before = fields.len();
        fields.retain(|name, _| !name.ends_with("seconds"));
        assert_eq!(fields.len(), before - 3);
        value
    };
    assert_eq!(strip(run(&format!("{line} --seed 7")).json()), strip(run(line).json()));
}

#[test]
fn help_is_not_a_mistake() {
    let help = run("--help");
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for command in ["models", "describe", "run", "eval", "project"] {
        assert!(help.out.contains(&format!("\n  {command} ")), "{}", help.out);
        let help = run(&format!("{command} --help"));
        assert_eq!((help.code, help.err.as_str()), (0, ""));
        assert!(help.out.contains("--format"), "{}", help.out);
    }
}

#[test]
fn describe_says_what_is_conserved_and_writes_latex() {
    let report = run("describe spring-pendulum --format json").json();
    let names: Vec<&str> =
        report["conserved"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["energy"]);
    assert_eq!(report["conserved"][0]["certainty"], "proven");
    let text = run("describe spring-pendulum").out;
    assert!(text.contains("Conserved, for all parameters\n    energy  v · ∂L/∂v − L"), "{text}");
    assert!(text.contains("Families of L = kinetic − potential"), "{text}");
    let latex = run("describe chain --format latex").out;
    assert!(latex.starts_with("\\begin{align*}\nL &= ") && latex.ends_with("\\end{align*}\n"), "{latex}");
    assert!(latex.contains(r"\ddot{\mathrm{bobs}}_{k, x}") && latex.contains(r"\lambda"), "{latex}");
}

#[test]
fn describe_draws_the_sparsity() {
    let directory = Directory::new();
    for model in ["chain", "bead"] {
        let picture = directory.path(&format!("{model}.svg"));
        let outcome = run(&format!("describe {model} --plot {picture}"));
        assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
        let svg = std::fs::read_to_string(&picture).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!(svg.contains("Jacobian of the constraints"), model == "chain");
    }
    assert_eq!(run("describe chain --plot chain.png").code, 2);
}

#[test]
fn conserved_quantities_are_recorded_by_name() {
    let directory = Directory::new();
    let table = directory.path("run.csv");
    let line = "run chain --method rattle --step 0.01 --until 0.1";
    let result = run(&format!("{line} --observe all --out {table} --format json")).json();
    assert!(result.get("observed").is_none(), "the energy is recorded without being asked for: {result}");
    let refused = run(&format!("{line} --observe momentum_z"));
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("`chain` has no `momentum_z` to observe; it has energy, power, energy_balance"),
        "{}",
        refused.err
    );
    let kept = run(&format!("{line} --observe power,energy_balance,power --format json")).json();
    let names: Vec<&Value> = kept["observed"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["power", "energy_balance"]);
    assert_eq!(kept["observed"][0]["largest_change"], 0.0);
}

/// Momenta that rows and oil change, and the energy that oil takes: listed, and recorded beside the
/// work.
#[test]
fn balances_are_described_and_recorded() {
    let described = run("describe cart").out;
    for line in [
        "Conserved, for all parameters\n    nothing was found\n",
        "Balanced, for all parameters: dJ/dt = F·ξ + μ·A ξ, with ξ = v for the energy\n    energy ",
        "\n    momentum_x ",
        "translation of place along x",
    ] {
        assert!(described.contains(line), "{line}: {described}");
    }
    assert!(!run("describe chain").out.contains("Balanced"));
    let report = run("describe cart --format json").json();
    let balanced: Vec<&str> =
        report["balanced"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    let momenta = ["momentum_x", "momentum_y", "angular_momentum_z", "momentum_heading", "momentum_axle"];
    assert_eq!(balanced, [&["energy"], &momenta[..]].concat());

    let directory = Directory::new();
    let table = directory.path("run.csv");
    let line = "run cart --method variational-midpoint --step 0.01 --until 2";
    let result = run(&format!("{line} --observe all --out {table} --format json")).json();
    let mut wanted: Vec<String> =
        momenta.iter().flat_map(|name| [(*name).to_owned(), format!("{name}_balance")]).collect();
    wanted.extend(["power", "energy_balance"].map(str::to_owned));
    let observed = result["observed"].as_array().unwrap();
    let names: Vec<&str> = observed.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, wanted);
    for one in observed.iter().filter(|one| one["name"].as_str().unwrap().ends_with("_balance")) {
        let left = one["largest_change"].as_f64().unwrap();
        assert!(left < 1e-4, "{one}");
    }
    let header = std::fs::read_to_string(&table).unwrap().lines().next().unwrap().to_owned();
    assert!(
        header.contains(&format!("energy,nonholonomic_residual,{},mu.wheels", wanted.join(","))),
        "{header}"
    );

    let refused = run(&format!("{line} --observe momentum_x_balanc"));
    assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
    let hint =
        "`cart` has no `momentum_x_balanc` to observe (did you mean `momentum_x_balance`?); it has energy, ";
    assert!(refused.err.contains(hint), "{}", refused.err);
}

/// The note of rustc about a method that does not fit, and the list of the command for such a model,
/// name the same methods.
#[test]
fn the_notes_of_the_compiler_name_the_methods_that_the_command_lists() {
    let notes = include_str!("../../../integrator-core/core/src/structure.rs");
    let named = |beginning: &str| -> Vec<String> {
        let note = notes.lines().find(|line| line.contains(beginning)).unwrap();
        note.split('`').skip(1).step_by(2).map(kebab).collect()
    };
    let list = run("models --format json").json();
    let fitting = |model: &str| {
        let models = list["models"].as_array().unwrap();
        let found = models.iter().find(|entry| entry["name"] == model).unwrap();
        let mut methods: Vec<String> = found["methods"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect();
        methods.sort();
        methods
    };
    // A mass that depends on the position, without constraints and with them, and forces beside those of
    // L.
    let mut of_any_mass = named("use a method for general Lagrangians");
    let with_forces = named("use a method that includes such forces");
    of_any_mass.sort();
    assert_eq!(of_any_mass, fitting("bead"));
    assert_eq!(of_any_mass, fitting("polar-pendulum"));
    let of_constant_mass = ["verlet", "rattle", "shake"].map(str::to_owned);
    assert!(
        of_any_mass.iter().chain(&of_constant_mass).all(|name| with_forces.contains(name)),
        "{with_forces:?}"
    );
    assert_eq!(with_forces.len(), of_any_mass.len() + of_constant_mass.len(), "{with_forces:?}");
    for name in named("or use a method for unconstrained systems") {
        assert!(fitting("spring-pendulum").contains(&name), "{name}");
    }
}

/// `VariationalMidpoint` is `variational-midpoint` on the command line, and `PushForwardNewmark`
/// `newmark-pushforward`.
fn kebab(name: &str) -> String {
    if name == "PushForwardNewmark" {
        return "newmark-pushforward".to_owned();
    }
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(letter.to_lowercase());
    }
    kebab
}
