//! The models, their parameters, and the methods with their options, as the command itself tells them.

use crate::process::{Directory, Ended};
use serde_json::Value;
use std::sync::OnceLock;

pub(crate) struct Inventory {
    pub(crate) models: Vec<Model>,
}

pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) parameters: Vec<String>,
    /// The methods that fit, each with its options.
    pub(crate) methods: Vec<(String, Vec<String>)>,
    pub(crate) dimension: usize,
    pub(crate) constrained: bool,
    /// True if the motion conserves the energy.
    pub(crate) conservative: bool,
    pub(crate) start: Vec<f64>,
}

impl Inventory {
    /// Read once for all tests, which would wait for each other.
    pub(crate) fn read() -> &'static Self {
        static INVENTORY: OnceLock<Inventory> = OnceLock::new();
        INVENTORY.get_or_init(Self::asked)
    }

    fn asked() -> Self {
        let directory = Directory::new();
        let run = |line: &str| {
            let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            directory.run(&arguments)
        };
        let json = |line: &str| -> Value { serde_json::from_str(&run(line).out).unwrap() };
        // A name that nothing has is answered by the names that there are.
        let listed = |line: &str| -> Vec<String> {
            let err = run(line).err;
            let names = err.trim().rsplit_once("s are: ").map_or("", |(_, names)| names).to_owned();
            names.split(", ").filter(|name| !name.is_empty() && *name != "none").map(str::to_owned).collect()
        };
        let models = json("models --format json");
        let models = models["models"].as_array().unwrap().iter().map(|model| {
            let name = model["name"].as_str().unwrap().to_owned();
            let described = json(&format!("describe {name} --format json"));
            let conserved = described["conserved"].as_array().unwrap();
            let methods = model["methods"].as_array().unwrap().iter().map(|method| {
                let method = method.as_str().unwrap().to_owned();
                let line = format!("run {name} --method {method} --with ?=1 --step 1 --until 1");
                let options = listed(&line);
                (method, options)
            });
            let methods: Vec<(String, Vec<String>)> = methods.collect();
            // The method that takes every model.
            let line =
                format!("run {name} --method variational-midpoint --step 1e-9 --until 1e-9 --out start.json");
            let begun = run(&line);
            assert!(matches!(begun.ended, Ended::Well | Ended::Warned), "{line}: {}", begun.err);
            let record: Value = serde_json::from_str(&directory.read("start.json").unwrap()).unwrap();
            let start = record[0]["q"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
            Model {
                parameters: listed(&format!("describe {name} --set ?=1")),
                methods,
                dimension: usize::try_from(described["dimension"].as_u64().unwrap()).unwrap(),
                constrained: described["equations"] != 0,
                conservative: conserved.iter().any(|quantity| quantity["name"] == "energy"),
                start,
                name,
            }
        });
        let models: Vec<Model> = models.collect();
        assert!(models.iter().all(|model| !model.parameters.is_empty() && !model.methods.is_empty()));
        Self { models }
    }
}
