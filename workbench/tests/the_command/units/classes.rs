//! Names of classes and models.

use least_action_command::python::{class_name, model_name};

#[test]
fn classes_and_models_have_the_names_of_their_languages() {
    for (class, model) in [("Bead", "bead"), ("DoublePendulumAngles", "double-pendulum-angles")] {
        assert_eq!(model_name(class), model);
        assert_eq!(class_name(model), class);
    }
    assert_eq!(model_name("crate::models::Hoop"), "hoop");
}
