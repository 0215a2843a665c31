//! The frames of a page while a run goes on.

use least_action_pages::internals::FRAMES_OF_A_PAGE as FRAMES;
use least_action_pages::view::Spool;

fn kept(spool: &mut Spool, thin: u64) -> Vec<(u64, f64)> {
    let mut all = Vec::new();
    let mut visit = |number: u64, numbers: &[f64]| {
        all.push((number, numbers[0]));
        Ok(())
    };
    spool.for_each(thin, &mut visit).unwrap();
    all
}

#[test]
fn a_long_run_is_thinned_evenly_and_keeps_its_first_and_last_frame() {
    let mut spool = Spool::new(2, &std::env::temp_dir());
    for number in 0..50_002 {
        spool.push(&[f64::from(number), 0.0]).unwrap();
    }
    let all = kept(&mut spool, 1);
    assert!((FRAMES / 2..=FRAMES + 1).contains(&(all.len() as u64)), "{}", all.len());
    assert!(all.iter().all(|(number, x)| (*number as f64 - *x).abs() < 0.5));
    let last = all.len() - 1;
    assert!(all[..last].windows(2).all(|pair| pair[1].0 - pair[0].0 == spool.stride(1)));
    assert_eq!((all[0].0, all[last].0), (0, 50_001));
    assert_eq!(kept(&mut spool, 4)[1].0, spool.stride(4));
}

#[test]
fn many_numbers_go_through_a_file() {
    let width = 1_000_000;
    let mut spool = Spool::new(width, &std::env::temp_dir());
    for number in 0..12 {
        spool.push(&vec![f64::from(number); width]).unwrap();
    }
    assert!(spool.is_on_disk());
    let all = kept(&mut spool, 1);
    assert_eq!(all.len(), 12);
    assert!(all.iter().all(|(number, x)| (*number as f64 - *x).abs() < 0.5));
    assert_eq!(kept(&mut spool, 1), all, "it can be read again");
}
