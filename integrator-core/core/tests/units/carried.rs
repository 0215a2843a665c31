use least_action_core::advanced::carried::{Carried, CarryError, Memory, list, put_back, save};

#[derive(Debug, Default, Clone, PartialEq)]
struct Example {
    numbers: Vec<f64>,
    counts: (u32, i64),
    last: Option<f64>,
    queue: Vec<u64>,
    made: Vec<f64>,
}

impl Carried for Example {
    fn carry(&mut self, memory: &mut Memory<'_>) -> Result<(), CarryError> {
        let Self { numbers, counts, last, queue, made: _ } = self;
        numbers.carry(memory)?;
        counts.carry(memory)?;
        last.carry(memory)?;
        list(queue, memory)
    }
}

fn example() -> Example {
    let numbers = vec![-0.0, f64::NAN, f64::MIN_POSITIVE];
    Example { numbers, counts: (7, -3), last: Some(1.5), queue: vec![1, 2, u64::MAX], made: vec![] }
}

#[test]
fn what_was_saved_is_put_back_to_the_bit() {
    let (mut words, mut first) = (vec![99], example());
    save(&mut first, &mut words).unwrap();
    words.push(5);
    let mut second = Example { numbers: vec![0.0; 3], queue: vec![8; 9], ..Example::default() };
    assert_eq!(put_back(&mut second, &words[1..]).unwrap(), [5]);
    assert!(first.numbers.iter().zip(&second.numbers).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert_eq!((first.counts, first.last, &first.queue), (second.counts, second.last, &second.queue));
}

#[test]
fn memory_of_another_run_is_refused() {
    let mut words = Vec::new();
    save(&mut example(), &mut words).unwrap();
    let mut longer = Example { numbers: vec![0.0; 4], ..Example::default() };
    assert!(matches!(put_back(&mut longer, &words), Err(CarryError::Foreign)));
    for end in 0..words.len() {
        let mut cut = Example { numbers: vec![0.0; 3], ..Example::default() };
        assert!(put_back(&mut cut, &words[..end]).is_err(), "{end}");
    }
    // A length that no memory has is refused before room is made for it.
    let place = words.iter().position(|word| *word == 1).unwrap();
    words[place..].fill(u64::MAX);
    let mut huge = Example { numbers: vec![0.0; 3], ..Example::default() };
    assert!(put_back(&mut huge, &words).is_err());
}
