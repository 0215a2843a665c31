//! Ensembles: one table, whoever writes it in whatever order; plans that make none are refused.

use crate::support::{Directory, Outcome, run};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

/// Every file of a folder by its name, without files under way.
fn files(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![Path::new(folder).to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The rows of all files in a folder of a dataset.
fn rows(folder: &str) -> Vec<Map<String, Value>> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let of = |path| -> Vec<Map<String, Value>> {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let all = reader.get_row_iter(None).unwrap();
        all.map(|row| row.unwrap().to_json_value().as_object().unwrap().clone()).collect()
    };
    names.iter().flat_map(of).collect()
}

/// Springs of several stiffnesses, with and without a push: every hundredth has a mass that makes no
/// system.
const SPRINGS: &str = r#"
model = "spring-pendulum"
method = "verlet"
step = 0.01
until = 0.5
every = 5
seed = 3
path = true
part = 7

[set]
gravity = 0.5

[grid]
"set.stiffness" = { from = 20, to = 40, count = 3 }
"start.der.bob.y" = [0.0, 0.25]

[random]
count = 10

[random.draw]
"set.length" = { uniform = [0.9, 1.1] }
"start.bob.x" = { normal = [1.0, 0.01] }
"#;

fn ensemble(directory: &Directory, out: &str, more: &str) -> Outcome {
    run(&format!("ensemble {} --out {} {more}", directory.path("plan.toml"), directory.path(out)))
}

#[test]
fn a_dataset_is_the_same_whoever_writes_it_in_whatever_order() {
    let directory = Directory::new();
    directory.file("plan.toml", SPRINGS);
    let whole = ensemble(&directory, "whole", "--threads 3 --format json").json();
    assert_eq!(whole["members"], 60);
    assert_eq!(
        (&whole["members_done"], &whole["parts_done"], &whole["failed"]),
        (&json!(60), &json!(9), &json!(0))
    );
    for shard in ["3/4", "1/4", "4/4", "2/4"] {
        assert_eq!(ensemble(&directory, "shards", &format!("--threads 1 --shard {shard}")).code, 0);
    }
    let (whole, shards) = (files(&directory.path("whole")), files(&directory.path("shards")));
    assert_eq!(whole.len(), 1 + 2 * 9);
    assert!(whole == shards);

    // Finished members are not run again, and missing ones are.
    let before =
        fs::metadata(directory.path("shards/members/part-00000.parquet")).unwrap().modified().unwrap();
    fs::remove_file(directory.path("shards/members/part-00004.parquet")).unwrap();
    let again = ensemble(&directory, "shards", "--format json").json();
    assert_eq!((&again["members_done"], &again["parts_done"]), (&json!(7), &json!(1)));
    assert!(files(&directory.path("shards")) == whole);
    let after =
        fs::metadata(directory.path("shards/members/part-00000.parquet")).unwrap().modified().unwrap();
    assert_eq!(before, after);
}

#[test]
fn a_member_is_the_run_with_its_settings() {
    let directory = Directory::new();
    directory.file("plan.toml", SPRINGS);
    assert_eq!(ensemble(&directory, "out", "").code, 0);
    let (members, path) = (rows(&directory.path("out/members")), rows(&directory.path("out/_path")));
    assert_eq!(members.len(), 60);
    for number in [0, 17, 59] {
        let member = &members[number];
        assert_eq!(member["member"], number);
        // The last axis of the last way to make members runs fastest.
        assert_eq!(member["set.stiffness"], json!([20.0, 30.0, 40.0][number / 20]));
        assert_eq!(member["start.der.bob.y"], json!([0.0, 0.25][number / 10 % 2]));
        let start = json!({"q": [member["start.bob.x"], 0.0], "v": [0.0, member["start.der.bob.y"]]});
        let start = directory.file("start.json", &start.to_string());
        let (stiffness, length) = (&member["set.stiffness"], &member["set.length"]);
        let alone = run(&format!(
            "run spring-pendulum --method verlet --step 0.01 --until 0.5 --every 5 --start {start} --set gravity=0.5 \
             --set stiffness={stiffness} --set length={length} --format json"
        ))
        .json();
        assert_eq!(alone["q"], json!([member["bob.x"], member["bob.y"]]));
        assert_eq!(alone["v"], json!([member["der.bob.x"], member["der.bob.y"]]));
        assert_eq!(alone["energy"], member["energy"]);
        let own: Vec<_> = path.iter().filter(|row| row["member"] == number).collect();
        assert_eq!(own.len(), 11);
        let energies: Vec<f64> = own.iter().map(|row| row["energy"].as_f64().unwrap()).collect();
        let least = energies.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = energies.iter().sum::<f64>() / 11.0;
        assert_eq!((&member["energy.min"], &member["energy.max"]), (&json!(least), &json!(largest)));
        assert_eq!(member["energy.first"], json!(energies[0]));
        assert!((member["energy.mean"].as_f64().unwrap() - mean).abs() < 1e-13);
        assert_eq!(own[10]["bob.x"], member["bob.x"]);
        assert_eq!(
            (&member["steps"], &member["believed"], &member["error"]),
            (&json!(50), &json!(true), &Value::Null)
        );
    }
}

#[test]
fn a_member_that_fails_is_a_row_with_its_error() {
    let directory = Directory::new();
    let masses: Vec<String> =
        (0..50).map(|k| if k % 10 == 7 { "0".to_owned() } else { "1.5".to_owned() }).collect();
    let plan = "model = \"spring-pendulum\"\nmethod = \"verlet\"\nstep = 0.01\nuntil = 0.1\n[grid]\n";
    directory.file("plan.toml", &format!("{plan}\"set.mass\" = [{}]\n", masses.join(", ")));
    let done = ensemble(&directory, "out", "");
    assert_eq!(done.code, 3, "{}", done.err);
    assert!(done.err.starts_with("error: 5 of 50 members failed"), "{}", done.err);
    // The members that failed are done: nothing is left to do, and nothing fails.
    assert_eq!(ensemble(&directory, "out", "").code, 0);
    assert!(done.err.contains("the first, member 7: "), "{}", done.err);
    for (number, member) in rows(&directory.path("out/members")).iter().enumerate() {
        let failed = number % 10 == 7;
        assert_eq!((member["error"].is_string(), member["energy"].is_null()), (failed, failed), "{number}");
    }

    // A run that fails in the middle keeps its last state.
    let plan = "model = \"spring-pendulum\"\nmethod = \"verlet\"\nstep = 0.05\nuntil = 60\n[grid]\n";
    directory.file("plan.toml", &format!("{plan}\"set.stiffness\" = [40, 4e3]\n"));
    assert_eq!(ensemble(&directory, "unstable", "").code, 3);
    let members = rows(&directory.path("unstable/members"));
    assert!(members[0]["error"].is_null() && members[0]["t"] == json!(60.0), "{members:?}");
    assert!(
        members[1]["error"].as_str().unwrap().contains("blown up")
            && members[1]["t"].as_f64().unwrap() < 60.0
    );
    // The energy of the state that is kept: ½ v² + ½ k (|q| − 1)² + y.
    for (member, stiffness) in members.iter().zip([40.0, 4e3]) {
        let [x, y, v, w] =
            ["bob.x", "bob.y", "der.bob.x", "der.bob.y"].map(|name| member[name].as_f64().unwrap());
        let energy = 0.5 * (v * v + w * w) + 0.5 * stiffness * (x.hypot(y) - 1.0).powi(2) + y;
        let told = member["energy"].as_f64().unwrap();
        assert!((told / energy - 1.0).abs() < 1e-9, "{told} {energy}");
    }
}

/// Springs that swing along themselves return after their periods 2π/√k, whatever their names.
#[test]
fn members_end_at_times_of_their_own_and_keep_their_names() {
    let directory = Directory::new();
    let [short, middle, long] = [16.0, 4.0, 1.0].map(|part| part * std::f64::consts::PI.powi(2));
    let table = format!("name,k,T\n007,{short:?},0.5\nb,{middle:?},1\n\"c, long\",{long:?},2\n");
    directory.file("table.csv", &table);
    let head = "model = \"spring-pendulum\"\nmethod = \"reference\"\nstep = 0.01\n";
    let own = "[set]\ngravity = 0\n[table]\nfile = \"table.csv\"\nlabel = \"name\"\n\
               columns = { \"set.stiffness\" = \"k\", \"until\" = \"T\" }\n[[list]]\n\"start.bob.x\" = 1.2\n";
    directory.file("plan.toml", &format!("{head}{own}"));
    let done = ensemble(&directory, "out", "");
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let members = rows(&directory.path("out/members"));
    let of = |name: &str| members.iter().map(|member| member[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["007", "b", "c, long"].map(Value::from));
    assert_eq!(of("until"), [0.5, 1.0, 2.0].map(Value::from));
    assert_eq!(of("steps"), [50, 100, 200].map(Value::from));
    for member in &members {
        let [x, v] = ["bob.x", "der.bob.x"].map(|name| member[name].as_f64().unwrap());
        assert!((x - 1.2).abs() < 1e-7 && v.abs() < 1e-5, "{member:?}");
    }
    // Steps of their own number, with an end of all beside them or not.
    for until in ["", "until = 7\n"] {
        directory.file("plan.toml", &format!("{head}{until}[grid]\nsteps = [3, 5]\n"));
        assert_eq!(ensemble(&directory, &format!("steps{}", until.len()), "").code, 0);
        let members = rows(&directory.path(&format!("steps{}/members", until.len())));
        assert_eq!((&members[0]["steps"], &members[1]["t"]), (&json!(3), &json!(0.05)));
    }
    for (more, words) in [
        ("[grid]\nuntil = [1, 2]\nsteps = [3]\n", "`until` and `steps` both end a member"),
        ("[grid]\nuntil = [\"soon\"]\n", "the time must be a finite number"),
        ("[grid]\nsteps = [0.5]\n", "a whole number from 1 on"),
        (
            "[table]\nfile = \"table.csv\"\nlabel = \"nam\"\ncolumns = { until = \"T\" }\n",
            "there is no column `nam`; there are: name, k, T",
        ),
        (
            "[table]\nfile = \"energies.csv\"\nlabel = \"energy\"\n",
            "a dataset has another column of this name",
        ),
    ] {
        directory.file("energies.csv", "energy,until\na,1\n");
        directory.file("plan.toml", &format!("{head}{more}"));
        let refused = ensemble(&directory, "refused", "");
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{more}: {}", refused.err);
        assert!(refused.err.contains(words), "{more}: {}", refused.err);
    }
}

#[test]
fn seeds_are_whole_numbers_below_two_to_the_64th() {
    let directory = Directory::new();
    directory.file("seeds.csv", "seed\n18446744073709551615\n9223372036854775808\n7\n");
    let plan = "model = \"spring-pendulum\"\nmethod = \"verlet\"\nstep = 0.01\nuntil = 0.1\n[table]\nfile = \"seeds.csv\"\n";
    directory.file("plan.toml", plan);
    assert_eq!(ensemble(&directory, "out", "").code, 0);
    let seeds: Vec<Value> =
        rows(&directory.path("out/members")).iter().map(|row| row["seed"].clone()).collect();
    assert_eq!(seeds, [json!(u64::MAX), json!(1_u64 << 63), json!(7)]);
}

/// 126 members are a file, whoever writes them, and a reader takes the whole folder as one table.
#[test]
fn small_members_are_gathered_in_a_file_when_all_are_done() {
    let directory = Directory::new();
    let plan = SPRINGS.replace("part = 7\n", "").replace("count = 10", "count = 21");
    directory.file("plan.toml", &plan);
    assert_eq!(ensemble(&directory, "whole", "").code, 0);
    let whole = files(&directory.path("whole"));
    let names: Vec<&str> = whole.keys().map(String::as_str).collect();
    assert_eq!(names, ["_path/part-00000.parquet", "manifest.parquet", "members/part-00000.parquet"]);
    assert!(
        rows(&directory.path("whole/members"))
            .iter()
            .map(|row| &row["member"])
            .eq(&(0..126).map(Value::from).collect::<Vec<_>>())
    );
    let manifest =
        SerializedFileReader::new(File::open(directory.path("whole/manifest.parquet")).unwrap()).unwrap();
    assert_eq!(manifest.get_row_iter(None).unwrap().count(), 0);

    // Parts of shards stay until the last one is done, and lost ones are done again.
    for shard in ["3/3", "1/3"] {
        assert_eq!(ensemble(&directory, "shards", &format!("--shard {shard}")).code, 0);
    }
    assert!(
        files(&directory.path("shards")).keys().all(|name| !name.contains("part-") || name.contains(".done"))
    );
    fs::write(directory.path("shards/members/.part-00003.done"), "cut").unwrap();
    let done = ensemble(&directory, "shards", "--format json");
    assert!(done.err.starts_with("warning: part 3 is damaged"), "{}", done.err);
    assert!(files(&directory.path("shards")) == whole);

    // Killed between the last file and the first part that goes: the next call takes the rest away.
    let page = directory.path("page.html");
    assert_eq!(run(&format!("view {} --member 99 --out {page}", directory.path("shards"))).code, 0);
    fs::write(directory.path("shards/_path/.part-00000.done"), "left").unwrap();
    let done = ensemble(&directory, "shards", "--format json").json();
    assert_eq!(done["members_done"], 0);
    assert!(files(&directory.path("shards")) == whole);

    // A damaged file: its members are done again.
    fs::write(directory.path("shards/members/part-00000.parquet"), "cut").unwrap();
    assert!(ensemble(&directory, "shards", "").err.contains("is damaged"));
    assert!(files(&directory.path("shards")) == whole);
}

/// Two axes of a grid: a map by colours for each result, which has all its cells; one axis or draws: points.
#[test]
fn an_ensemble_has_a_report_with_pictures_over_its_axes() {
    let directory = Directory::new();
    let head = "model = \"spring-pendulum\"\nmethod = \"verlet\"\nstep = 0.01\nuntil = 0.5\n";
    let report = |plan: &str, out: &str| {
        directory.file("plan.toml", plan);
        assert_eq!(ensemble(&directory, out, "").code, 0);
        let page = directory.path("page.html");
        let done = run(&format!("report {} --out {page}", directory.path(out)));
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        fs::read_to_string(page).unwrap()
    };
    let stiffness = "\"set.stiffness\" = { from = 20, to = 40, count = 5 }\n";
    let map = report(&format!("{head}[grid]\n{stiffness}\"start.bob.x\" = [1.0, 1.1, 1.3]\n"), "map");
    for text in ["bob.x at the end", "energy at the end", "set.stiffness", "start.bob.x", "15 of 15"] {
        assert!(map.contains(text), "{text}");
    }
    // The least and the largest value of each of three results have the ends of the colours.
    for colour in ["#440154", "#FDE725"] {
        assert!(map.matches(&format!("fill=\"{colour}\"")).count() >= 3, "{colour}");
    }
    let line = report(&format!("{head}path = true\nevery = 10\n[grid]\n{stiffness}"), "line");
    assert!(!line.contains("#440154") && line.contains("bob.y of 5 members"));
    let cloud = report(
        &format!("{head}[random]\ncount = 40\n[random.draw]\n\"set.stiffness\" = {{ uniform = [20, 40] }}\n"),
        "cloud",
    );
    // A mark for each member in each of three pictures.
    assert_eq!(cloud.matches("z\" fill=\"#0072b2\"").count(), 120);
    let member =
        run(&format!("report {} --member 3 --out {}", directory.path("line"), directory.path("m.html")));
    assert_eq!(member.code, 0, "{}", member.err);
}

/// An axis of a thousand million values takes no memory, and more threads than members are none.
#[test]
fn a_plan_may_be_far_larger_than_the_machine() {
    let directory = Directory::new();
    let head = "model = \"spring-pendulum\"\nmethod = \"verlet\"\nstep = 0.01\nuntil = 0.1\n";
    let many = "[grid]\nseed = { from = 1, to = 1000000000, count = 1000000000 }\n";
    directory.file("plan.toml", &format!("{head}part = 1\n{many}"));
    let forecast = ensemble(&directory, "out", "--dry-run --threads 2 --format json").json();
    assert_eq!(
        (&forecast["members"], &forecast["parts_to_do"]),
        (&json!(1_000_000_000), &json!(1_000_000_000))
    );
    directory.file("plan.toml", &format!("{head}[grid]\nseed = [1, 2, 3]\n"));
    let forecast = ensemble(&directory, "out", "--dry-run --threads 60000 --format json").json();
    assert_eq!(forecast["threads"], 1);
    assert_eq!(ensemble(&directory, "out", "--threads 60000").code, 0);
    // A name of megabytes is compared with none that could be meant.
    let name = "m".repeat(20_000_000);
    directory.file("plan.toml", &format!("{head}[set]\n{name} = 1\n"));
    let refused = ensemble(&directory, "long", "");
    assert!(refused.code == 2 && refused.err.len() < 1000, "{}", refused.err.len());
}

/// Members of weeks are measured by a few of their steps.
#[test]
fn a_dry_run_takes_no_longer_where_members_are_long() {
    let directory = Directory::new();
    let plan = "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.001\nuntil = 1e6\n[random]\ncount = 20\n";
    directory.file("plan.toml", plan);
    let clock = std::time::Instant::now();
    let forecast = ensemble(&directory, "out", "--dry-run --threads 1 --format json").json();
    // It is within two seconds on a machine that has nothing else to do.
    assert!(clock.elapsed().as_secs() < 10, "{:?}", clock.elapsed());
    let of = |steps: &str| {
        directory.file("plan.toml", &plan.replace("1e6", steps));
        let clock = std::time::Instant::now();
        assert_eq!(ensemble(&directory, steps, "--threads 1").code, 0);
        clock.elapsed().as_secs_f64()
    };
    // The time of 8000 steps of 20 members.
    let expected = (of("10") - of("2")) * 1e6 / 8.0 / 20.0;
    let told = forecast["seconds_per_member"].as_f64().unwrap();
    assert!((0.2..5.0).contains(&(told / expected)), "{told} {expected}");
}

/// Chains by RATTLE, which step side by side, some of which cannot start, or end on the way.
#[test]
fn members_side_by_side_are_the_runs_that_they_are_alone() {
    let directory = Directory::new();
    let head = "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.02\nuntil = 3\nevery = 7\nproject = true\npath = true\n";
    let random = "[random]\ncount = 21\n[random.draw]\n\"start.der.bobs[2].x\" = { normal = [0, 4] }\n\"set.mass\" = { uniform = [-0.1, 2] }\n";
    let grid = "[grid]\nstep = [0.02, 0.9]\n";
    directory.file("plan.toml", &format!("{head}{grid}{random}"));
    assert_eq!(ensemble(&directory, "out", "").code, 3);
    let members = rows(&directory.path("out/members"));
    let [mut well, mut failed] = [0; 2];
    for member in &members {
        let start = json!({
            "q": [1.0, -2.0, 2.0, -4.0, 3.0, -6.0],
            "v": [0.0, 0.0, 0.0, 0.0, member["start.der.bobs[2].x"], 0.0],
        });
        let path = directory.file("guess.json", &start.to_string());
        let mass = &member["set.mass"];
        let projected = run(&format!("project chain --set mass={mass} --start {path}"));
        let Ok(start) = serde_json::from_str::<Value>(&projected.out) else {
            assert!(member["error"].is_string() && member["t"].is_null(), "{member:?}");
            failed += 1;
            continue;
        };
        let path = directory.file("start.json", &start.to_string());
        let alone = run(&format!(
            "run chain --method rattle --step {} --until 3 --every 7 --set mass={mass} --start {path} --format json",
            member["step"]
        ));
        let error = alone.err.lines().last().and_then(|line| line.strip_prefix("error: "));
        assert_eq!(member["error"].as_str(), error, "{member:?}");
        failed += usize::from(error.is_some());
        let Ok(told) = serde_json::from_str::<Value>(&alone.out) else { continue };
        well += usize::from(error.is_none());
        for (name, place) in [("q", "bobs[1].x"), ("v", "der.bobs[1].x")] {
            assert_eq!(told[name][2], member[place], "{member:?}");
        }
        assert_eq!((&told["energy"], &told["steps"]), (&member["energy"], &member["steps"]), "{member:?}");
        let verdict = &told["verdict"];
        assert_eq!(verdict.get("doubt").unwrap_or(&Value::Null), &member["doubt"], "{member:?}");
    }
    assert!(well > 15 && failed > 2, "{well} {failed}");
}

#[test]
fn seeds_belong_to_the_plan_and_the_member() {
    let directory = Directory::new();
    let plan = "model = \"spring-pendulum\"\nmethod = \"verlet\"\nstep = 0.01\nuntil = 0.1\nseed = 5\n\
                [with]\nfriction = 1.0\ninverse_temperature = 10\n[random]\ncount = 3\n";
    directory.file("plan.toml", plan);
    assert_eq!(ensemble(&directory, "out", "").code, 0);
    let members = rows(&directory.path("out/members"));
    assert!(members[0]["energy"] != members[1]["energy"] && members[0]["seed"] != members[1]["seed"]);
    let seed = &members[2]["seed"];
    let thermostat = "--with friction=1 --with inverse_temperature=10";
    let alone = run(&format!(
        "run spring-pendulum --method verlet --step 0.01 --until 0.1 {thermostat} --seed {seed} --format json"
    ));
    assert_eq!(alone.json()["energy"], members[2]["energy"]);

    directory.file("plan.toml", &plan.replace("[random]\ncount = 3", "[grid]\nseed = [4, 4, 9]"));
    assert_eq!(ensemble(&directory, "given", "").code, 0);
    let members = rows(&directory.path("given/members"));
    assert!(members[0]["energy"] == members[1]["energy"] && members[0]["energy"] != members[2]["energy"]);
    assert_eq!(members[2]["seed"], 9);
}

#[test]
fn members_come_from_tables_and_lists() {
    let directory = Directory::new();
    let head = "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.01\nuntil = 0.05\n";
    directory.file("members.csv", "m , who\n1.5,a\n2.5,b\n");
    let table = "[table]\nfile = \"members.csv\"\ncolumns = { \"set.mass\" = \"m\" }\n";
    directory.file("plan.toml", &format!("{head}{table}[[list]]\n\"set.rod\" = 2\nstep = 0.025\n[[list]]\n"));
    assert_eq!(ensemble(&directory, "out", "").code, 0);
    let members = rows(&directory.path("out/members"));
    let of = |name: &str| members.iter().map(|member| member[name].clone()).collect::<Vec<_>>();
    // Lists come before tables, and a member leaves every other parameter as it is.
    assert_eq!(of("set.mass"), [1.5, 2.5, 1.5, 2.5].map(Value::from));
    assert_eq!(of("set.rod"), [json!(2.0), json!(2.0), Value::Null, Value::Null]);
    assert_eq!(of("steps"), [2, 2, 5, 5].map(Value::from));

    // A dataset is itself a table of members.
    let again =
        "[table]\nfile = \"out/members/part-00000.parquet\"\ncolumns = { \"set.mass\" = \"set.mass\" }\n";
    directory.file("plan.toml", &format!("{head}{again}"));
    assert_eq!(ensemble(&directory, "again", "").code, 0);
    assert_eq!(rows(&directory.path("again/members"))[0]["set.mass"], 1.5);
}

#[test]
fn starts_can_be_projected_onto_the_constraints() {
    let directory = Directory::new();
    let head = "model = \"chain\"\nmethod = \"rattle\"\nstep = 0.01\nuntil = 0.05\n";
    let grid = "[grid]\n\"start.bobs[2].x\" = [3.0, 3.2]\n";
    directory.file("plan.toml", &format!("{head}{grid}"));
    let refused = ensemble(&directory, "refused", "");
    assert!(refused.err.contains("1 of 2 members failed"), "{}", refused.err);
    directory.file("plan.toml", &format!("{head}project = true\n{grid}"));
    let well = ensemble(&directory, "well", "");
    assert_eq!((well.code, well.err.as_str()), (0, ""));
    for member in rows(&directory.path("well/members")) {
        assert!(member["constraint_residual.max"].as_f64().unwrap() < 1e-12);
    }
}

#[test]
fn a_dry_run_says_how_much_and_writes_nothing() {
    let directory = Directory::new();
    directory.file("plan.toml", SPRINGS);
    let forecast = ensemble(&directory, "out", "--dry-run --threads 2 --format json").json();
    assert_eq!(
        (&forecast["members"], &forecast["parts"], &forecast["parts_to_do"]),
        (&json!(60), &json!(9), &json!(9))
    );
    assert!(forecast["seconds"].as_f64().unwrap() > 0.0 && forecast["bytes"].as_u64().unwrap() > 1000);
    assert_eq!(directory.names(), ["plan.toml"]);
}

#[test]
fn plans_that_make_no_ensemble_are_refused_in_one_line_and_nothing_is_touched() {
    let directory = Directory::new();
    let head = "model = \"spring-pendulum\"\nmethod = \"verlet\"\nstep = 0.01\nuntil = 1\n";
    let cases = [
        ("[grid]\n\"set.masss\" = [1]\n", "has no parameter `masss` (did you mean `mass`?)"),
        ("[grid]\n\"mass\" = [1]\n", "write \"set.PARAMETER\""),
        ("[grid]\n\"start.bob.z\" = [1]\n", "`start.bob.z` is no number of the start"),
        ("[grid]\n\"with.beta\" = [1]\n", "`verlet` has no option `beta`"),
        ("[grid]\n", "the grid is empty"),
        ("[grid]\n\"set.mass\" = []\n", "the axis has no values"),
        ("[random]\ncount = 0\n", "the plan has no members"),
        ("[random]\ncount = 1000000000000\n", "1000000000000 members, and 1000000000 is the most"),
        ("[grid]\n\"set.mass\" = { from = 0, to = 1, count = 100000000000 }\n", "the count at most"),
        (
            "[random]\ncount = 5\n[random.draw]\n\"set.mass\" = { normal = [1, -1] }\n",
            "deviation is not negative",
        ),
        (
            "[random]\ncount = 5\n[random.draw]\n\"set.mass\" = { uniform = [2, 1] }\n",
            "the width is negative",
        ),
        ("[random]\ncount = 5\n[random.draw]\n\"set.mass\" = { gauss = [2, 1] }\n", "is no distribution"),
        ("[grid]\n\"set.mass\" = [1]\n[[list]]\n\"set.mass\" = 2\n", "`set.mass` is set in two ways"),
        ("[table]\nfile = \"missing.csv\"\n", "missing.csv"),
        ("[table]\nfile = \"plan.toml\"\n", ".csv or .parquet"),
        ("[set]\nmass = \"heavy\"\n", "heavy"),
        ("colour = 3\n", "colour"),
        ("every = 0\n", "`every` is 0"),
        ("observe = [\"momentum\"]\n", "has no `momentum` to observe"),
        ("[set]\nmass = 0\n[random]\ncount = 5\n", "mass"),
        ("[table\n", "at line 5"),
    ];
    for (more, reason) in cases {
        directory.file("plan.toml", &format!("{head}{more}"));
        let refused = ensemble(&directory, "out", "");
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{more}: {}", refused.err);
        assert_eq!(refused.err.lines().count(), 1, "{more}: {}", refused.err);
        assert!(refused.err.contains(reason), "{more}: {}", refused.err);
        assert_eq!(directory.names(), ["plan.toml"], "{more}");
    }
    for (from, to) in
        [("0.01", "0"), ("0.01", "-1"), ("0.01", "nan"), ("until = 1", "until = -1"), ("verlet", "verlett")]
    {
        directory.file("plan.toml", &head.replace(from, to));
        let refused = ensemble(&directory, "out", "");
        assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{to}: {}", refused.err);
        assert_eq!(directory.names(), ["plan.toml"], "{to}");
    }
    for shard in ["0/4", "5/4", "1", "a/b", "1/0"] {
        assert_eq!(ensemble(&directory, "out", &format!("--shard {shard}")).code, 2, "{shard}");
    }
}

#[test]
fn a_folder_of_something_else_is_refused_and_stays_as_it_is() {
    let directory = Directory::new();
    directory.file("plan.toml", SPRINGS);
    assert_eq!(ensemble(&directory, "out", "").code, 0);
    let before = files(&directory.path("out"));
    for (from, to, what) in [
        ("seed = 3", "seed = 4", "another plan"),
        ("count = 10", "count = 11", "another plan"),
        ("part = 7", "part = 8", "another plan"),
    ] {
        directory.file("plan.toml", &SPRINGS.replace(from, to));
        for more in ["", "--dry-run"] {
            let refused = ensemble(&directory, "out", more);
            assert_eq!((refused.code, refused.err.lines().count()), (2, 1), "{}", refused.err);
            assert!(refused.err.contains(what), "{}", refused.err);
        }
    }
    assert!(files(&directory.path("out")) == before);

    fs::create_dir(directory.path("full")).unwrap();
    directory.file("full/notes.txt", "mine");
    let refused = ensemble(&directory, "full", "");
    assert!(refused.code == 2 && refused.err.contains("choose a new folder"), "{}", refused.err);
    directory.file("file", "mine");
    assert_eq!(ensemble(&directory, "file", "").code, 2);
}
