//! Names of classes and models.

use least_action_command::internals::type_name;
use least_action_command::python::model_name;

#[test]
fn classes_and_models_have_the_names_of_their_languages() {
    for (class, model) in [("Bead", "bead"), ("DoublePendulumAngles", "double-pendulum-angles")] {
        assert_eq!(model_name(class), model);
        assert_eq!(type_name(model), class);
    }
    assert_eq!(model_name("crate::models::Hoop"), "hoop");
}
