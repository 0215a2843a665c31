//! The plan that `docs/ensembles.md` shows is one that the command takes.

use least_action_tests::command::{Directory, json};

#[test]
fn the_plan_of_the_chapter_has_the_members_that_it_says() {
    let chapter = include_str!("../../../docs/ensembles.md");
    let plan = chapter.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a plan");
    let directory = Directory::new("plan-of-the-documents");
    let (plan, out) = (directory.file("plan.toml", plan), directory.path("out"));
    let forecast = json(&format!("ensemble {plan} --out {} --dry-run --format json", out.display()));
    assert_eq!((forecast["members"].as_u64(), forecast["parts"].as_u64()), (Some(3 * 21 * 100), Some(64)));
}
