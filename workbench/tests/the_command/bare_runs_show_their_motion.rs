//! Every ready model alone, `run MODEL`: the recording goes far enough to show the motion, and no further than
//! a picture can.

use crate::support::{Directory, ready};

/// The models whose steps take long without optimization.
const LARGE: [&str; 8] = [
    "copper",
    "liquid",
    "water-box",
    "polymer",
    "polymer-constrained",
    "smoothed-drop",
    "cube",
    "spring-net",
];

/// The pictures of a film of a page.
const PICTURES: usize = 400;

/// How often a column goes back by a third of its range.
fn turns(column: &[f64], range: f64) -> usize {
    let ([mut least, mut most], mut up, mut turns) = ([column[0]; 2], None, 0);
    for &value in column {
        (least, most) = (least.min(value), most.max(value));
        let goes_up = value - least > range / 3.0;
        if up != Some(true) && goes_up || up != Some(false) && most - value > range / 3.0 {
            turns += usize::from(up.is_some());
            (up, least, most) = (Some(up != Some(true) && goes_up), value, value);
        }
    }
    turns
}

#[test]
fn every_ready_model_alone_shows_its_motion() {
    let directory = Directory::new();
    let listed = ready("models --format json").json();
    let names: Vec<&str> =
        listed["models"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.len() >= 40);
    for name in names.into_iter().filter(|name| !cfg!(debug_assertions) || !LARGE.contains(name)) {
        let out = directory.path(&format!("{name}.csv"));
        let outcome = ready(&format!("run {name} --format json --out {out}"));
        assert_eq!(outcome.code, 0, "{name}: {}", outcome.err);
        assert!(outcome.out.contains("\"believed\":true"), "{name}: {}", outcome.err);
        let text = std::fs::read_to_string(&out).unwrap();
        let mut lines = text.lines();
        let count = lines.next().unwrap().matches("der.").count();
        let rows: Vec<Vec<f64>> = lines
            .map(|line| line.split(',').skip(1).take(count).map(|number| number.parse().unwrap()).collect())
            .collect();
        assert!((300..=20_002).contains(&rows.len()), "{name}: {} rows", rows.len());
        let seen: Vec<&Vec<f64>> =
            (0..PICTURES).map(|picture| &rows[picture * (rows.len() - 1) / (PICTURES - 1)]).collect();
        let columns = (0..count).map(|place| seen.iter().map(|row| row[place]).collect::<Vec<f64>>());
        let ranges: Vec<(Vec<f64>, f64)> = columns
            .map(|column| {
                let [least, most] = [f64::min, f64::max].map(|of| column.iter().copied().fold(f64::NAN, of));
                (column, most - least)
            })
            .collect();
        let largest = ranges.iter().fold(0.0_f64, |most, (_, range)| most.max(*range));
        assert!(largest > 0.0, "{name} stands still");
        let visible = ranges.iter().filter(|(_, range)| *range > 0.1 * largest);
        let all: Vec<usize> = visible.map(|(column, range)| turns(column, *range)).collect();
        let most = all.iter().max().unwrap();
        // It goes and comes back, or goes on and on, in strokes that pictures can follow.
        let goes_on = ranges.iter().any(|(column, range)| {
            *range > 0.99 * largest && (column[PICTURES - 1] - column[0]).abs() > 0.9 * range
        });
        assert!(*most >= 2 || goes_on, "{name}: {all:?}");
        assert!(*all.iter().min().unwrap() < PICTURES / 8, "{name}: {all:?}");
    }
}
