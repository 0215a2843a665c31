//! Axes and their units.

use least_action_pages::internals::Unit;
use least_action_pages::plot::{Axis, Panel, panels, scattered};

#[test]
fn an_axis_has_the_unit_that_is_known_and_no_words_in_its_place() {
    assert_eq!(Axis::of("time t", "s").to_string(), "time t, s");
    assert_eq!(Axis::number("angle defect").logarithmic().to_string(), "angle defect");
    assert_eq!(Axis::of("energy", "J").change().to_string(), "change of energy, J");
}

#[test]
fn products_have_the_products_of_units() {
    assert_eq!(Unit::stated("nm").squared(), Unit::stated("nm²"));
    assert_eq!(Unit::stated("48.888 fs").squared(), Unit::stated("(48.888 fs)²"));
    assert_eq!(Unit::None.squared(), Unit::None);
    assert_eq!(Unit::stated("kg").times(&Unit::stated("m")).per(&Unit::stated("s")), Unit::stated("kg m/s"));
    assert_eq!(Unit::stated("u").per(&Unit::stated("48.888 fs")), Unit::stated("u/(48.888 fs)"));
    assert_eq!(Unit::stated("J").per(&Unit::stated("s")), Unit::stated("W"));
    assert_eq!(Unit::stated("J").times(&Unit::None), Unit::None);
}

/// The value of an attribute of an element.
fn attribute(element: &str, name: &str) -> f64 {
    let begin = element.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
    element[begin..].split('"').next().unwrap().parse().unwrap()
}

/// A curve whose numbers have fifteen letters.
#[test]
fn headings_stand_above_the_middle_of_their_frames_and_numbers_within_the_picture() {
    let points = (0..9).map(|k| (f64::from(k), 1e6 + 1e-3 * f64::from(k))).collect();
    let panel = Panel {
        heading: "Far from zero".to_owned(),
        along: Axis::of("time t", "s"),
        axis: Axis::number("x"),
        curves: vec![(String::new(), points)],
    };
    let svg = panels("A title", &[panel]).unwrap();
    let frame = svg.split("<svg ").nth(2).unwrap();
    let (left, width) = (attribute(frame, "x"), attribute(frame, "width"));
    let texts: Vec<(&str, &str)> = svg
        .split("<text ")
        .skip(1)
        .map(|text| (text, text[text.find('>').unwrap() + 1..text.find("</text>").unwrap()].trim()))
        .collect();
    let (heading, _) = texts.iter().find(|(_, words)| *words == "Far from zero").unwrap();
    assert!((attribute(heading, "x") - left - 0.5 * width).abs() < 2.0, "{heading}");
    assert!(heading.contains("text-anchor=\"middle\""), "{heading}");
    // Numbers end at the axis; a letter is as wide as 0.55 of its size at least.
    let mut numbers = 0;
    for (text, words) in texts.iter().filter(|(text, _)| text.contains("text-anchor=\"end\"")) {
        let wide = 0.55 * attribute(text, "font-size") * words.chars().count() as f64;
        assert!(words.chars().count() > 12 && attribute(text, "x") - wide > 0.0, "{words}: {text}");
        numbers += 1;
    }
    assert!(numbers >= 3, "{numbers}");
}

#[test]
fn each_sample_has_a_mark_and_no_line_joins_samples() {
    let panel = Panel {
        heading: String::new(),
        along: Axis::of("time t", "s"),
        axis: Axis::number("x"),
        curves: vec![(String::new(), scattered((0..100).map(|k| (f64::from(k), f64::from(k).sin()))))],
    };
    let svg = panels("Samples", &[panel]).unwrap();
    assert_eq!(svg.matches("z\" fill=\"#0072b2\"").count(), 100);
    assert!(!svg.contains("<polyline fill=\"none\" stroke=\"#0072b2\""));
}
