use least_action_core::advanced::method::StepLengths;

#[test]
fn every_length_is_in_the_bin_that_says_so() {
    let lengths = [3e-9, 0.24, 0.25, 0.26, 0.3, 0.49, 0.5, 1e7];
    let mut seen = StepLengths::default();
    lengths.into_iter().chain([0.0, f64::NAN]).for_each(|length| seen.see(length));
    assert_eq!(seen.count(), 8);
    let bins: Vec<_> = seen.histogram().collect();
    assert!(bins.windows(2).all(|pair| pair[0].0.end.to_bits() == pair[1].0.start.to_bits()));
    for (bin, count) in &bins {
        let inside = lengths.iter().filter(|length| bin.contains(*length)).count();
        assert_eq!(*count, inside as u64, "{bin:?}");
        assert!(bin.end / bin.start <= 1.25);
    }
    assert_eq!((seen.shortest(), seen.longest()), (3e-9, 1e7));
    assert!((seen.mean() - lengths.iter().sum::<f64>() / 8.0).abs() < 1e-9);
    assert_eq!(StepLengths::default().histogram().count(), 0);
}
