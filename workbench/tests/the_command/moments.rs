//! Events and impacts on the command line.

use crate::support::{Directory, ready};
use serde_json::Value;
use std::fs;

const BALL: &str = "use least_action::prelude::*;

/// A ball over a floor.
pub struct Ball {
    /// Restitution.
    pub bounce: f64,
}

impl Default for Ball {
    fn default() -> Self {
        Self { bounce: 0.8 }
    }
}

#[lagrangian]
impl Ball {
    fn lagrangian(&self, ball: Vec2) -> Scalar {
        0.5 * der(ball).norm_squared() - 9.81 * ball.y
    }

    #[unilateral(restitution = self.bounce)]
    fn floor(&self, ball: Vec2) -> Scalar {
        ball.y
    }

    #[event(falling)]
    fn top(&self, ball: Vec2) -> Scalar {
        der(ball).y
    }
}

impl Start for Ball {
    fn start(&self) -> State {
        State::new(vec![0.0, 1.0], vec![0.5, 0.0])
    }
}
";

/// The times of the first impacts.
const IMPACTS: [f64; 3] = [0.451_523_640_985_730_9, 1.173_961_466_562_900_3, 1.751_911_727_024_636];

#[test]
fn a_run_ends_at_an_event() {
    let directory = Directory::new();
    let ball = directory.file("ball.rs", BALL);
    for (until, t) in [
        ("floor", IMPACTS[0]),
        ("floor:3", IMPACTS[2]),
        ("top:1", 0.5 * (IMPACTS[0] + IMPACTS[1])),
        ("ball.x>0.4", 0.8),
        ("sqrt(4*ball.x)>1", 0.5),
        ("ball.x-0.1=0", 0.2),
    ] {
        let found =
            ready(&format!("run {ball} --method verlet --step 0.01 --until {until} --until 5 --format json"));
        assert_eq!(found.code, 0, "{until}: {}", found.err);
        let found = found.json();
        let end = found["t"].as_f64().unwrap();
        assert!((end - t).abs() < 1e-12, "{until}: {end}");
        assert_eq!(found["verdict"]["believed"], true, "{until}: {found}");
    }
}

#[test]
fn an_event_that_cannot_be_is_refused_in_a_line() {
    let directory = Directory::new();
    let ball = directory.file("ball.rs", BALL);
    let line = format!("run {ball} --method verlet --step 0.01 --until 2");
    for (more, code, said) in [
        ("--section flor", 2, "there is no event `flor`"),
        ("--section ball.z<1", 2, "did you mean `ball.x`?"),
        ("--section sine(ball.x)", 2, "there is no function `sine`"),
        ("--until top:0", 2, "a whole number from 1 on"),
        ("--until ball.x>100", 1, "no event has ended the run before t = 2.0: `ball.x>100`"),
        ("--section 2*", 2, "is no number of the motion"),
        ("--set bounce=1.5", 2, "the restitution of `floor` is 1.5, outside of [0, 1]"),
        ("--from ball.y=-1", 2, "the gap `floor` of `Ball` is -1.000000e0 at the start"),
        ("--events moments.xyz", 2, "must end in .csv, .parquet, .json or .npz"),
    ] {
        let refused = ready(&format!("{line} {more}"));
        assert_eq!(refused.code, code, "{more}: {}", refused.err);
        let last = refused.err.lines().last().unwrap();
        assert!(last.starts_with("error: ") && last.contains(said), "{more}: {}", refused.err);
    }
    let uncut = ready(&format!("run {ball} --method bdf --step 0.01 --until 2"));
    assert!(uncut.code == 2 && uncut.err.contains("its steps cannot be cut"), "{}", uncut.err);
    let accumulated = ready(&format!("run {ball} --method verlet --step 0.01 --until 8"));
    assert_eq!(accumulated.code, 1);
    assert!(accumulated.err.contains("impacts of `floor` accumulate in step 407"), "{}", accumulated.err);
}

#[test]
fn moments_are_a_table() {
    let directory = Directory::new();
    let (ball, csv) = (directory.file("ball.rs", BALL), directory.path("moments.csv"));
    let found = ready(&format!(
        "run {ball} --method verlet --step 0.01 --until 2 --section ball.x=0.5 --events {csv} --format json"
    ));
    let told = &found.json()["events"];
    let of = |name: &str| told.as_array().unwrap().iter().find(|event| event["name"] == name).unwrap();
    assert_eq!([of("floor")["count"].as_u64(), of("ball.x=0.5")["count"].as_u64()], [Some(3), Some(1)]);
    let text = fs::read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    let header = "t,ball.x,ball.y,der.ball.x,der.ball.y,energy,event,count,direction,impulse,energy_change";
    assert_eq!(lines.next(), Some(header));
    let events: Vec<&str> = lines.clone().map(|line| line.split(',').nth(6).unwrap()).collect();
    assert_eq!(events, ["floor", "top", "ball.x=0.5", "floor", "top", "floor", "top"]);
    let times: Vec<f64> = lines.map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    assert!((times[3] - IMPACTS[1]).abs() < 1e-12 && times.is_sorted(), "{times:?}");
    let json = directory.path("moments.json");
    ready(&format!("run {ball} --method verlet --step 0.01 --until 1 --events {json}"));
    let rows: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!([&rows[0]["event"], &rows[1]["event"]], ["floor", "top"]);
}

#[test]
fn a_run_goes_on_between_two_impacts_to_the_byte() {
    let directory = Directory::new();
    let ball = directory.file("ball.rs", BALL);
    let files =
        |name: &str| ["csv", "moments.csv", "saved"].map(|end| directory.path(&format!("{name}.{end}")));
    let [rows, moments, saved] = files("whole");
    let line = |[rows, moments, saved]: &[String; 3], until: f64| {
        format!(
            "run {ball} --method verlet --step 0.01 --until {until} --out {rows} --events {moments} --checkpoint {saved}"
        )
    };
    assert_eq!(ready(&line(&[rows.clone(), moments.clone(), saved], 3.0)).code, 0);
    let parts = files("parts");
    assert_eq!(ready(&line(&parts, 1.5)).code, 0);
    let resumed = ready(&format!("resume {} --until 3", parts[2]));
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    for (whole, part) in [(rows, &parts[0]), (moments, &parts[1])] {
        assert_eq!(fs::read_to_string(whole).unwrap(), fs::read_to_string(part).unwrap());
    }
}

#[test]
fn moments_are_described() {
    let directory = Directory::new();
    let ball = directory.file("ball.rs", BALL);
    let described = ready(&format!("describe {ball}")).out;
    for part in ["Event top: 1 number", "Gap floor: 1 number", "verlet: order 2\n", "bdf: it needs motions"] {
        assert!(described.contains(part), "{part}: {described}");
    }
}
