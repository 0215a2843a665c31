//! Sizes of memory.

use least_action_command::internals::{available, size};

#[test]
fn sizes_have_units() {
    assert_eq!(size("1000"), Ok(1000));
    assert_eq!(size("1.5g"), Ok(1_500_000_000));
    assert_eq!(size("20 M"), Ok(20_000_000));
    for wrong in ["", "G", "-1G", "0", "4GB", "4Ω", "nan", "inf"] {
        assert!(size(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn some_memory_is_free() {
    assert!(available() > 1_000_000);
}
