use least_action_core::error::LayoutError;
use least_action_core::system::{Kind, Layout};
use nalgebra::{Matrix3, Rotation3, Vector2, Vector3};

fn layout() -> Layout {
    let mut layout = Layout::new();
    layout.push("hinge", Kind::Angle, vec![]).push("knots", Kind::Vec3, vec![2, 2]);
    layout
}

#[test]
fn what_is_not_set_is_named() {
    let layout = layout();
    let partial = layout.configuration().set("hinge", [1.0]).unwrap();
    let partial = partial.set_entry("knots", [0, 0], [0.0; 3]).unwrap();
    assert_eq!(partial.finish(), Err(LayoutError::NotSet { coordinate: "knots[0][1].x".to_owned() }));
}

#[test]
fn mistakes_are_named() {
    let layout = layout();
    let unknown = layout.configuration().set("hinges", [1.0]).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no coordinate `hinges`: the coordinates are `hinge`, `knots`");
    let outside = layout.configuration().set_entry("knots", [1, 2], [0.0; 3]).unwrap_err();
    assert_eq!(outside.to_string(), "index 2 is outside `knots`, whose length in dimension 1 is 2");
    let short = layout.configuration().set("hinge", [0.0; 0]).unwrap_err();
    assert_eq!(short.to_string(), "`hinge` takes 1 values, but 0 were given");
    let flat = layout.configuration().set_entry("knots", [1], [0.0; 3]).unwrap_err();
    assert_eq!(flat.to_string(), "`knots` takes 2 indices, but 1 were given");
    let plane = layout.configuration().set("knots", [Vector2::new(0.0, 0.0); 6]).unwrap_err();
    assert_eq!(plane.to_string(), "`knots` is made of Vec3, not of Vec2");
}

#[test]
fn vectors_and_matrices_are_set_and_read_by_name() {
    let mut layout = layout();
    layout.push("turned", Kind::Mat3, vec![2]);
    let rotation = *Rotation3::from_euler_angles(0.3, -0.2, 0.7).matrix();
    let points: Vec<_> = (0..4).map(|k| Vector3::new(f64::from(k), 0.5, -1.0)).collect();
    let configuration = layout.configuration().set("hinge", 0.25).unwrap().set("knots", &points).unwrap();
    let q = configuration.set("turned", [rotation, Matrix3::identity()]).unwrap().finish().unwrap();
    // The layout has matrices row by row.
    assert_eq!((q[0], q[10], q[14], q[16]), (0.25, 3.0, rotation[(0, 1)], rotation[(1, 0)]));
    assert_eq!(layout.name_of(14), "turned[0][(0, 1)]");
    assert_eq!(layout.vector3(&q, "knots", [1, 0]).unwrap(), points[2]);
    assert_eq!(layout.matrix3(&q, "turned", 0).unwrap(), rotation);
    assert_eq!(layout.entries::<f64>(&q, "hinge").unwrap(), [0.25]);
    assert_eq!(layout.entry(&q, "hinge", []), Ok(0.25));
    assert_eq!(layout.entries::<Vector3<f64>>(&q, "knots").unwrap(), points);

    let message = |error: LayoutError| error.to_string();
    let number = layout.entry::<f64>(&q, "knots", [0, 0]).map_err(message);
    assert_eq!(number, Err("`knots` is made of Vec3, not of Scalar".to_owned()));
    let short = layout.vector3(&q[1..], "knots", [0, 0]).map_err(message);
    assert_eq!(short, Err("`q` takes 31 values, but 30 were given".to_owned()));
    let outside = layout.vector3(&q, "knots", [2, 0]).map_err(message);
    assert_eq!(outside, Err("index 2 is outside `knots`, whose length in dimension 0 is 2".to_owned()));
}
