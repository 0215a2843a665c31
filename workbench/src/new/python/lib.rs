
// The module of Python has the same models.
#[cfg(feature = "python")]
least_action_command::python_module!({module}, [Bead]);
