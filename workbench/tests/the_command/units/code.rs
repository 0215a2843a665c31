//! The numbers of a page, in as few bits as they need.

use std::io::Write;

use least_action_pages::internals::{BLOCK, Coder, Counted, LONGEST, MISSING, WHOLE};
use least_action_pages::view::Base64;

/// Reads what [`Coder`] writes, from its description alone.
fn decoded(bytes: &[u8], width: usize, frames: usize) -> Vec<Vec<i32>> {
    let mut place = 0;
    let mut bits = |count: u32| {
        let read = (0..count)
            .map(|k| u32::from(bytes[(place + k as usize) / 8] >> ((place + k as usize) % 8) & 1) << k);
        let value: u32 = read.sum();
        place += count as usize;
        value
    };
    let mut all: Vec<Vec<i32>> = Vec::new();
    for frame in 0..frames {
        let of = |back: usize| if frame >= back { all[frame - back].clone() } else { vec![0; width] };
        let (before, earlier) = (of(1), of(2));
        let mut numbers = Vec::new();
        while numbers.len() < width {
            let (line, k) = (bits(1), bits(5));
            for place in numbers.len()..width.min(numbers.len() + BLOCK) {
                let mut ones = 0;
                while ones < LONGEST && bits(1) == 1 {
                    ones += 1;
                }
                let u = if ones == LONGEST { bits(WHOLE) } else { ones << k | bits(k) };
                let difference = if u % 2 == 0 { (u / 2) as i32 } else { -((u / 2) as i32) - 1 };
                let straight = (2 * before[place] - earlier[place]).clamp(MISSING, -MISSING);
                numbers.push(difference + if line == 1 { straight } else { before[place] });
            }
        }
        all.push(numbers);
    }
    all
}

#[test]
fn frames_come_back_as_they_were() {
    let width = 700;
    let smooth =
        |frame: i32, k: i32| (1000.0 * f64::from(frame * k).sin().mul_add(2.0, f64::from(k).cos())) as i32;
    let frames: Vec<Vec<i32>> = (0..9)
        .map(|frame| {
            (0..width)
                .map(|k| match k % 50 {
                    0 => [MISSING, 32_767][(frame % 2) as usize],
                    1 => k,
                    _ => smooth(frame, k),
                })
                .collect()
        })
        .collect();
    let mut coder = Coder::new(Vec::new(), width as usize);
    frames.iter().for_each(|frame| coder.frame(frame).unwrap());
    let bytes = coder.finish().unwrap();
    assert_eq!(decoded(&bytes, width as usize, frames.len()), frames);
}

#[test]
fn uniform_motion_takes_little_more_than_a_bit_a_number() {
    let width = 3000;
    let mut coder = Coder::new(Counted::default(), width);
    for frame in 0..1000 {
        let numbers: Vec<i32> =
            (0..width as i32).map(|k| (k * 7 - 9000 + frame * (k % 9 - 4)).clamp(-16_000, 16_000)).collect();
        coder.frame(&numbers).unwrap();
    }
    let bytes = coder.finish().unwrap().0;
    assert!(bytes * 8 < 1000 * width as u64 * 3 / 2, "{bytes}");
}

#[test]
fn bytes_are_text_as_in_the_standard() {
    for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
        let mut base64 = Base64::new(Vec::new());
        base64.write_all(bytes.as_bytes()).unwrap();
        assert_eq!(base64.finish().unwrap(), text.as_bytes());
    }
}
