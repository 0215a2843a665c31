//! The messages of inputs and tables.

messages! {
    der_of_input(name: &str): "the input `{name}` has no rate: a force is told its averages over a step, and no more",
        help: "read it as a function of time, whose slope `der` knows: `table(t, &self.{name})` with `t: Time`";
    array_of_inputs(): "an input is one signal, the field of its name, and no array",
        help: "take an argument for each signal, such as `left: Input, right: Input`";
    table_of_other_than_time(): "a table is read at the time, and this is something else",
        help: "take an argument `t: Time` and write `table(t, &self.u)`; a table that begins at another time has other times";
    table_without_reference(): "`table` takes its signal by reference",
        help: "write `table(t, &self.u)`, where `u` is a field of type `Signal`";
    table_of_a_variable(): "the signal of a table is one for the whole model, and this one depends on a variable",
        help: "name a field: `table(t, &self.u)`";
}
