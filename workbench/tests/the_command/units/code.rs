//! The numbers of a page, in as few bytes as they need.

use std::io::Read;

use flate2::read::DeflateDecoder;
use least_action_pages::internals::{Coder, GROUP, MISSING};

/// Reads the bytes of a [`Coder`] by the description of its format.
fn decoded(bytes: &[u8], width: usize, frames: usize) -> Vec<Vec<i16>> {
    let mut planes = Vec::new();
    DeflateDecoder::new(bytes).read_to_end(&mut planes).unwrap();
    assert_eq!(planes.len(), 2 * width * frames);
    let mut all: Vec<Vec<i16>> = Vec::new();
    while all.len() < frames {
        let count = (GROUP / width).max(1).min(frames - all.len());
        let (group, rest) = planes.split_at(2 * width * count);
        for frame in 0..count {
            let number = |k: usize| {
                let u =
                    i32::from(group[k * count + frame]) + 256 * i32::from(group[(width + k) * count + frame]);
                let difference = if u % 2 == 0 { u / 2 } else { -(u / 2) - 1 };
                let of = |back: usize| all.len().checked_sub(back).map_or(0, |at| i32::from(all[at][k]));
                (difference + 2 * of(1) - of(2)) as i16
            };
            let numbers = (0..width).map(number).collect();
            all.push(numbers);
        }
        planes = rest.to_vec();
    }
    all
}

#[test]
fn frames_come_back_as_they_were() {
    for (width, count) in [(700, 9), (2, 40_000), (GROUP + 3, 3)] {
        let smooth = |frame: i32, k: i32| {
            (1000.0 * f64::from(frame.wrapping_mul(k)).sin().mul_add(2.0, f64::from(k).cos())) as i16
        };
        let number = |frame: i32, k: i32| match k % 50 {
            0 => [MISSING, i16::MAX][(frame % 2) as usize],
            1 => k as i16,
            _ => smooth(frame, k),
        };
        let frames: Vec<Vec<i16>> =
            (0..count).map(|frame| (0..width as i32).map(|k| number(frame, k)).collect()).collect();
        let mut coder = Coder::new(width);
        frames.iter().for_each(|frame| coder.frame(frame).unwrap());
        let bytes = coder.finish().unwrap();
        assert!(decoded(&bytes, width, frames.len()) == frames, "{width} numbers in {count} frames");
    }
}

#[test]
fn uniform_motion_takes_a_hundredth_of_a_byte_a_number() {
    let width = 3000;
    let mut coder = Coder::new(width);
    for frame in 0..1000 {
        let numbers: Vec<i16> = (0..width as i32)
            .map(|k| (k * 7 - 9000 + frame * (k % 9 - 4)).clamp(-16_000, 16_000) as i16)
            .collect();
        coder.frame(&numbers).unwrap();
    }
    let bytes = coder.finish().unwrap().len();
    assert!(bytes < 1000 * width / 100, "{bytes}");
}
