//! The look of a model, which is its author's own code.

use least_action::Model;
use least_action::expr::Oracle;
use least_action::prelude::*;
use least_action_command::Workbench;
use least_action_pages::model::{Subject, bind};
use least_action_pages::view::Scene;

use crate::support::Directory;

/// A bead on a line, whose look may be wrong.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Shy {
    fault: usize,
}

#[lagrangian]
impl Shy {
    fn lagrangian(&self, x: Scalar) -> Scalar {
        0.5 * der(x).powi(2) - 0.5 * x.powi(2)
    }
}

impl Start for Shy {
    fn start(&self) -> State {
        State::at_rest(vec![1.0])
    }

    fn look(&self) -> Look {
        assert!(self.fault != 4, "no look today");
        let table = [0.0; 3];
        let last = [usize::MAX, 0][usize::from(self.fault == 5)];
        let limit = if self.fault == 6 { 0.5 } else { f64::INFINITY };
        let look = Look::new().points("bead", move |q, t| {
            let shift = table[if last == 0 || t > limit { 3 } else { 0 }];
            vec![Vector3::new(q[0] + shift, 0.0, 0.0)]
        });
        match self.fault {
            1 => look.rod(("bead", 0), ("nowhere", 0)),
            2 => look.rod(("bead", 0), ("bead", 1)),
            3 => look.colours("beads", &["red"]),
            7 => look.species("bead", &["O 2"]),
            _ => look,
        }
    }
}

#[test]
fn a_wrong_look_is_told_in_a_line_and_ends_no_run() {
    let directory = Directory::new();
    let run = |fault: usize| {
        let page = directory.path(&format!("{fault}.html"));
        let line = format!("run shy --set fault={fault} --method verlet --step 0.1 --until 1 --view {page}");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code =
            Workbench::new("bench").model::<Shy>("shy").run(line.split_whitespace(), &mut out, &mut err);
        (code, String::from_utf8(err).unwrap(), std::fs::read_to_string(page).ok())
    };
    for (fault, word) in [
        (1, "the look of `shy` cannot be drawn: it names `nowhere`"),
        (2, "`bead[1]`, and `bead` has 1 points"),
        (3, "it names `beads`"),
        (7, "its species \"O 2\" is no word such as \"O\""),
        (4, "no look today"),
        (5, "index out of bounds"),
    ] {
        let (code, err, page) = run(fault);
        assert_eq!((code, err.lines().count(), page.is_some()), (2, 1, false), "{fault}: {err}");
        assert!(err.contains(word), "{fault}: {err}");
    }
    let (code, err, page) = run(0);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(!page.unwrap().contains("are no numbers"));
    // What has no place from some time on is not drawn.
    let (code, err, page) = run(6);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(page.unwrap().contains("5 positions are no numbers, and are not drawn."));
}

/// A pendulum on a cart, without a look.
///
/// Units: SI.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct OnACart {
    /// Length of the rod, m.
    rod: f64,
}

impl Default for OnACart {
    fn default() -> Self {
        Self { rod: 1.5 }
    }
}

#[lagrangian]
impl OnACart {
    fn lagrangian(&self, x: Scalar, theta: Angle) -> Scalar {
        let bob = vec2(x + self.rod * theta.sin(), -self.rod * theta.cos());
        0.5 * der(x).powi(2) + 0.25 * der(bob).norm_squared() - 4.9 * bob.y
    }
}

impl Start for OnACart {
    fn start(&self) -> State {
        State::new(vec![0.0, 2.0], vec![0.2, 0.0])
    }
}

/// Two spherical pendulums, the second on the first, by a helper.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Spherical {}

#[lagrangian]
impl Spherical {
    fn lagrangian(&self, angles: [[Angle; 2]; 2]) -> Scalar {
        let first = self.arm(angles[0]);
        let second = first + self.arm(angles[1]);
        let (one, two) = (der(first), der(second));
        0.5 * one.norm_squared() + 0.5 * (two - one).norm_squared() - 9.81 * (first.z + second.z)
    }

    fn arm(&self, angles: [Angle; 2]) -> Vec3 {
        let ring = vec3(angles[1].cos(), angles[1].sin(), 0.0);
        angles[0].sin() * ring - vec3(0.0, 0.0, angles[0].cos())
    }
}

impl Start for Spherical {
    fn start(&self) -> State {
        State::new(vec![1.0, 0.0, 1.2, 0.5], vec![0.0, 1.0, 0.0, 2.0])
    }
}

/// Pendulums whose lengths change, each under a place of its own that time moves.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct InARow {}

#[lagrangian]
impl InARow {
    fn lagrangian(&self, theta: [Angle; 3], reach: [Scalar; 3], t: Time) -> Scalar {
        sum(0..3, |k| {
            let pivot = vec2(2.0 * k as f64, (3.0 * t).sin());
            let bob = pivot + reach[k] * vec2(theta[k].sin(), -theta[k].cos());
            0.5 * der(bob).norm_squared() - 9.81 * bob.y - 50.0 * (reach[k] - 1.0).powi(2)
        })
    }
}

impl Start for InARow {
    fn start(&self) -> State {
        State::at_rest(vec![1.0, 0.5, 0.2, 1.0, 1.1, 0.9])
    }
}

/// The points of a model at (q, t), each group by its name and its number of points, and its rods.
fn shown<M>(model: M, q: &[f64], t: f64) -> (Vec<(String, usize)>, Vec<Vec<f64>>, Vec<[usize; 2]>, Vec<usize>)
where
    M: Model + Oracle + Start,
{
    let (system, start) = bind(M::NAME, model, u64::MAX).unwrap();
    let scene = Scene::of(Subject { name: M::NAME, system: &system, start: &start }).unwrap();
    let mut places = Vec::new();
    scene.place(q, t, &mut places);
    let groups = scene.drawn.groups.iter().map(|group| (group.name.clone(), group.count)).collect();
    let places = places.chunks(scene.drawn.dimension).map(<[f64]>::to_vec).collect();
    (groups, places, scene.drawn.rods.clone(), scene.drawn.sliding.clone())
}

fn assert_near(found: &[Vec<f64>], right: &[&[f64]]) {
    let far = |(found, right): (&Vec<f64>, &&[f64])| {
        found.len() != right.len() || found.iter().zip(*right).any(|(a, b)| (a - b).abs() > 1e-14)
    };
    assert!(found.len() == right.len() && !found.iter().zip(right).any(far), "{found:?} {right:?}");
}

#[test]
fn a_declaration_in_angles_shows_its_places_and_the_rods_on_which_they_turn() {
    let (x, theta) = (0.7, 0.4_f64);
    let (groups, places, rods, sliding) = shown(OnACart::default(), &[x, theta], 0.0);
    assert_eq!(groups, [("bob".to_owned(), 1), (String::new(), 1)]);
    assert_near(&places, &[&[x + 1.5 * theta.sin(), -1.5 * theta.cos()], &[x, 0.0]]);
    assert_eq!((rods, sliding), (vec![[1, 0]], vec![1]));

    let arm = |a: f64, b: f64| [a.sin() * b.cos(), a.sin() * b.sin(), -a.cos()];
    let (one, two) = (arm(0.3, 0.4), arm(0.5, 0.6));
    let (groups, places, rods, sliding) = shown(Spherical {}, &[0.3, 0.4, 0.5, 0.6], 0.0);
    assert_eq!(groups, [("first".to_owned(), 1), ("second".to_owned(), 1), (String::new(), 1)]);
    let sum = [0, 1, 2].map(|k| one[k] + two[k]);
    assert_near(&places, &[&one, &sum, &[0.0, 0.0, 0.0]]);
    assert_eq!((rods, sliding), (vec![[0, 1], [2, 0]], vec![]));

    // No length is constant, and no place is told twice.
    let (groups, places, rods, _) = shown(InARow {}, &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0], 0.0);
    assert_eq!(groups, [("bob".to_owned(), 3)]);
    assert_near(&places, &[&[0.0, -1.0], &[2.0, -2.0], &[4.0, -3.0]]);
    assert!(rods.is_empty());
}

#[test]
fn comments_above_the_struct_and_on_its_fields_are_documentation() {
    let directory = Directory::new();
    let page = directory.path("page.html");
    let bench = || Workbench::new("bench").model::<OnACart>("on-a-cart");
    let run = |line: &str| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(bench().run(line.split_whitespace(), &mut out, &mut err), 0, "{err:?}");
        String::from_utf8(out).unwrap()
    };
    let described = run("describe on-a-cart");
    assert!(described.contains("A pendulum on a cart, without a look."), "{described}");
    assert!(described.contains("rod  1.5  Length of the rod, m."), "{described}");
    // A cart, a rod and a bob, and nothing more is said.
    run(&format!("run on-a-cart --until 0.1 --view {page}"));
    let page = std::fs::read_to_string(page).unwrap();
    for word in ["\"rods\":[[1,0]]", "\"sliding\":[1]", "E(t) − E(0), J"] {
        assert!(page.contains(word), "{word}");
    }
}
