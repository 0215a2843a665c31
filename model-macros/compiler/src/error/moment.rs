//! The messages of `#[event]`, `#[reset]` and `#[unilateral]`.

messages! {
    moment_output(attribute: &str): "an #[{attribute}] method must return a number, or an array of numbers",
        help: "write `-> Scalar`, or `-> [Scalar; self.grains]`";
    event_attribute(): "#[event] takes the direction in which the number passes zero, or nothing",
        help: "write `#[event]`, `#[event(rising)]` or `#[event(falling)]`";
    reset_attribute(): "#[reset] takes the event, and the coordinate whose velocity it gives where that is open",
        help: "write `#[reset(landing)]` or `#[reset(landing, ball)]`";
    unilateral_attribute(): "#[unilateral] takes the coefficients of the contact, or nothing",
        help: "write `#[unilateral]` or `#[unilateral(restitution = 0.8, friction = self.friction)]`";
    unknown_event(name: &str, near: Option<&str>): "there is no event `{name}`",
        meant(near): "an event is a method marked #[event]";
    doubled_reset(event: &str): "another method resets the velocity of this coordinate at `{event}`",
        help: "give one method both cases, or name another coordinate: `#[reset({event}, bob)]`";
    fixed_moment(name: &str): "`{name}` depends on no coordinate and not on the time, so that it never passes zero",
        help: "write it with coordinates, their velocities, `der(x)`, or an argument `t: Time`";
}
