//! The outside of a run: pages in a browser, and files of points in the readers of other programs.
//!
//! The browser is Chromium without a window, spoken to over its own pipe: `apt-get install chromium` has
//! it. The readers are ASE, meshio and trimesh in the Python that `PYTHON` names, or `python3`. A
//! missing program is left out, and a line says so.

#![expect(clippy::float_cmp, reason = "counts, which pages give as numbers like all others")]

mod browser;
mod controls;
mod files;
mod layout;
mod live;
mod models;
mod recordings;
mod reports;
mod workshop;

use browser::Browser;
use workshop::Workshop;

/// One browser opens all pages: it takes a second to start.
#[test]
fn pages_show_the_motion_and_obey_their_controls() {
    let workshop = Workshop::new("pages");
    let Some(mut browser) = Browser::start(&workshop.path("profile")) else {
        println!(
            "no Chromium was found: the pages of `--view` are not opened; `apt-get install chromium` has one"
        );
        return;
    };
    models::bodies_are_drawn_where_they_are(&mut browser, &workshop);
    models::bodies_in_a_cell_are_drawn_in_it(&mut browser, &workshop);
    models::an_angle_is_drawn_where_its_bob_is(&mut browser, &workshop);
    controls::buttons_keys_pointers_and_sizes(&mut browser, &workshop);
    layout::nothing_is_cut_or_stretched(&mut browser, &workshop);
    layout::pages_fit_a_window_of_800_pixels(&mut browser, &workshop);
    layout::between_frames_the_motion_is_where_it_was(&mut browser, &workshop);
    layout::colours_say_how_fast_and_what_bodies_are(&mut browser, &workshop);
    layout::what_is_saved_is_a_picture_or_a_film(&mut browser, &workshop);
    layout::two_runs_have_one_clock(&mut browser, &workshop);
    controls::an_address_chooses_the_picture_and_the_time(&mut browser, &workshop);
    controls::a_run_that_failed_says_so(&mut browser, &workshop);
    recordings::recordings_are_played_as_far_as_they_go(&mut browser, &workshop);
    recordings::what_cannot_be_drawn_says_so(&mut browser, &workshop);
    reports::reports_have_the_motion_and_figures_with_units(&mut browser, &workshop);
    reports::reports_say_what_went_wrong(&mut browser, &workshop);
}

/// A module is built for it, once: a test of its own, beside the others.
#[test]
fn pages_compute_in_the_numbers_of_the_command() {
    let workshop = Workshop::new("live");
    if let Some(mut browser) = Browser::start(&workshop.path("profile")) {
        live::pages_compute(&mut browser, &workshop);
    }
}
