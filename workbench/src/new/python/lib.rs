
// The module of Python has the same models.
#[cfg(feature = "python")]
workbench::python_module!({module}, [Bead]);
