//! The states that a picture keeps of a run.

use least_action::system::{Kind, Layout, State};
use least_action_pages::internals::{FRAMES_OF_A_PICTURE as FRAMES, SAMPLES, followed};
use least_action_pages::plot::{Film, spread};

#[test]
fn a_long_run_is_thinned_evenly_and_keeps_its_first_and_last_state() {
    let mut layout = Layout::new();
    layout.push("p", Kind::Vec2, vec![3]);
    let mut state = State::at_rest(vec![0.0; 6]);
    let mut film = Film::new(&layout, None, &state);
    for step in 0..50_000 {
        state.t = f64::from(step);
        state.q.fill(-f64::from(step));
        film.push(&state, &[]);
    }
    assert!(film.times.len() < SAMPLES);
    assert!(film.times.len() > SAMPLES / 4);
    assert!(film.times.windows(2).all(|pair| (pair[1] - pair[0] - 8.0).abs() < 1e-12));
    assert!(film.curve(5).all(|(t, q)| (t + q).abs() < 1e-12));
    assert!(
        film.path(2, 1.0)
            .into_iter()
            .zip(&film.times)
            .all(|((x, y), t)| (x + t).abs() < 1e-12 && (y - x).abs() < 1e-12)
    );
    assert!((film.last.t - 49_999.0).abs() < 1e-12);
    let times: Vec<f64> = film.frames.iter().map(|frame| frame.0).collect();
    assert!((FRAMES / 2..FRAMES).contains(&times.len()));
    assert!(times.windows(2).all(|pair| (pair[1] - pair[0] - times[1]).abs() < 1e-12), "{times:?}");
}

#[test]
fn curves_are_spread_over_all_coordinates() {
    assert_eq!(spread(3, 8).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(spread(1, 8).collect::<Vec<_>>(), [0]);
    assert_eq!(spread(0, 8).count(), 0);
    let mut layout = Layout::new();
    layout.push("p", Kind::Vec2, vec![100]).push("angle", Kind::Angle, vec![]);
    assert_eq!(followed(&layout), [0, 1, 66, 67, 132, 133, 200]);
}

/// A circle at ten places: between them the path is on the circle as it is at them, and on chords where
/// no velocities are known.
#[test]
fn a_path_follows_the_velocities_between_samples() {
    let mut layout = Layout::new();
    layout.push("p", Kind::Vec2, vec![]);
    let path = |samples: i32, between: f64, with: bool| {
        let mut film = Film::new(&layout, None, &State::at_rest(vec![1.0, 0.0]));
        for k in 0..=samples {
            let t = f64::from(k) * between;
            let mut state = State::new(vec![t.cos(), t.sin()], vec![-t.sin(), t.cos()]);
            state.t = t;
            if !with {
                state.v.clear();
            }
            film.push(&state, &[]);
        }
        film.path(0, 1e-3)
    };
    let far = |with: bool| {
        let path = path(10, std::f64::consts::TAU / 10.0, with);
        let chords = path.windows(2).map(|ends| {
            let middle = [0.5 * (ends[0].0 + ends[1].0), 0.5 * (ends[0].1 + ends[1].1)];
            (middle[0].hypot(middle[1]) - 1.0).abs()
        });
        (path.len(), chords.fold(0.0, f64::max))
    };
    let (points, error) = far(true);
    assert!(points > 50 && error < 2e-3, "{points} {error}");
    let (points, error) = far(false);
    assert!(points == 11 && error > 0.04, "{points} {error}");
    // Samples that are farther apart than half a circle know no way between them.
    for between in [4.0, 6.2, 6.5, 20.0] {
        let path = path(20, between, true);
        assert!(
            path.len() == 21 && path.iter().all(|(x, y)| x.hypot(*y) < 1.0 + 1e-9),
            "{between}: {path:?}"
        );
    }
}
