//! The pages of `run --view` and `view`, opened in a real browser without a window.
//!
//! The browser is Chromium, spoken to over its own pipe: `apt-get install chromium` has it. Without one this part is left out, and says so.

#![expect(clippy::unwrap_used, reason = "a test may end at what is not there")]
#![expect(clippy::float_cmp, reason = "counts, which pages give as numbers like all others")]

mod browser;
mod controls;
mod models;
mod recordings;
mod workshop;

use browser::Browser;
use workshop::Workshop;

/// One browser opens all pages: it takes a second to start.
#[test]
fn pages_show_the_motion_and_obey_their_controls() {
    let workshop = Workshop::new();
    let Some(mut browser) = Browser::start(&workshop.path("profile")) else {
        println!(
            "no Chromium was found: the pages of `--view` are not opened; `apt-get install chromium` has one"
        );
        return;
    };
    models::bodies_are_drawn_where_they_are(&mut browser, &workshop);
    models::an_angle_is_drawn_where_its_bob_is(&mut browser, &workshop);
    controls::buttons_keys_pointers_and_sizes(&mut browser, &workshop);
    controls::a_run_that_failed_says_so(&mut browser, &workshop);
    recordings::recordings_are_played_as_far_as_they_go(&mut browser, &workshop);
    recordings::what_cannot_be_drawn_says_so(&mut browser, &workshop);
}
