//! Collects the points of near pairs of an instance, and has their lists.

use super::list::{List, Lists};
use super::points::Points;
use crate::error::BindError;
use crate::lanes::Registers;
use crate::scratch::Scratch;
use crate::system::Text;
use crate::system::cell::Cell;
use crate::system::image::{Image, dot};
use std::sync::Arc;

/// Up to this many pairs, all are in the list, which is never rebuilt.
const FEW_PAIRS: usize = 500;
/// The skin as a part of the cutoff.
const SKIN: f64 = 0.15;

/// Points and their cutoff, while `within` and `between` collect them.
#[derive(Debug)]
pub struct NearPoints {
    points: Points,
    cell: Cell,
    exceptions: Vec<(usize, usize)>,
    reach: Reach,
}

/// The reach of lists.
#[derive(Debug)]
enum Reach {
    /// Chosen for the instance.
    Chosen,
    /// This far beyond the cutoff.
    Skin(f64),
    /// All pairs.
    All,
}

/// The points of near pairs, with a list that is built on demand.
#[derive(Debug, Clone)]
pub struct Near(Arc<Range>);

/// Points, and lists of their pairs.
#[derive(Debug)]
struct Range {
    pub(crate) points: Points,
    pub(crate) lists: Scratch<Lists>,
}

impl NearPoints {
    /// An empty set of points with `dimension` components, in the words of the declaration.
    ///
    /// # Errors
    /// None, because the cell is open.
    pub fn new(place: impl Into<Text>, cutoff: f64, dimension: usize) -> Result<Self, BindError> {
        let place = place.into();
        let image = Image::new(&Cell::OPEN, dimension, &place)?;
        let points = Points {
            place,
            starts: Vec::new(),
            in_order: false,
            dimension,
            first_array: None,
            cutoff,
            image,
            exceptions_begin: Vec::new(),
            exceptions: Vec::new(),
            skin: None,
        };
        Ok(Self { points, cell: Cell::OPEN, exceptions: Vec::new(), reach: Reach::Chosen })
    }

    /// Appends a point; `start` is its first index in the vector that families read.
    pub fn point(&mut self, start: u32) {
        self.points.starts.push(start);
    }

    /// Ends the first of two arrays: only pairs between them count.
    pub fn then_second_array(&mut self) {
        self.points.first_array = Some(self.points.starts.len());
    }

    /// Repeats the points in a cell.
    pub fn periodic(&mut self, cell: Cell) {
        self.cell = cell;
    }

    /// Excludes a pair: two points, or one of the first and one of the second array.
    pub fn except(&mut self, first: usize, second: usize) {
        self.exceptions.push((first, second));
    }

    /// Sets how far beyond the cutoff a list reaches; no result depends on it.
    pub fn skin(&mut self, skin: Option<f64>) {
        self.reach = skin.map_or(Reach::All, Reach::Skin);
    }

    /// The points with their cutoff.
    ///
    /// # Errors
    /// The cutoff is not positive and finite, the cell cannot repeat or
    /// is too small for the cutoff, or an exception has an unknown point.
    pub fn finish(self) -> Result<Near, BindError> {
        let Self { mut points, cell, exceptions, reach } = self;
        let (place, cutoff, dimension) = (&*points.place, points.cutoff, points.dimension);
        if !(cutoff > 0.0 && cutoff.is_finite()) {
            return Err(BindError::CutoffNotPositive { place: place.to_owned(), cutoff });
        }
        points.image = Image::new(&cell, dimension, place)?;
        let width = points.image.narrowest();
        if cutoff > 0.5 * width {
            return Err(BindError::CutoffTooLarge { place: points.place.into_owned(), cutoff, width });
        }
        points.except(&exceptions)?;
        points.starts.shrink_to_fit();
        let end = |start: u32| start as usize + dimension;
        points.in_order = points.starts.windows(2).all(|pair| end(pair[0]) <= pair[1] as usize);
        points.skin = match reach {
            Reach::Chosen if points.pairs() <= FEW_PAIRS || points.fill_the_cell() => None,
            Reach::Chosen => Some(SKIN * cutoff),
            Reach::Skin(skin) => Some(skin),
            Reach::All => None,
        };
        Ok(Near(Arc::new(Range { points, lists: Scratch::new(Lists::default) })))
    }
}

impl Near {
    /// Shares known equal points, so that one list serves several sums.
    pub(crate) fn share(&mut self, known: &mut Vec<Self>) {
        match known.iter().find(|known| known.points() == self.points()) {
            Some(known) => self.clone_from(known),
            None => known.push(self.clone()),
        }
    }

    /// The points.
    pub fn points(&self) -> &Points {
        &self.0.points
    }

    /// Runs `inside` with a list of all near pairs, for registers with this many lanes.
    pub(crate) fn with_list<R>(
        &self,
        z: &[f64],
        registers: Option<Registers>,
        lanes: usize,
        inside: impl FnOnce(&List) -> R,
    ) -> R {
        self.0.lists.with(|lists| inside(lists.at(self.points(), z, registers, lanes)))
    }

    /// Shows the square of the distance of each near pair, without registers.
    pub(crate) fn each_pair(&self, z: &[f64], show: &mut dyn FnMut(f64)) {
        let points = self.points();
        self.with_list(z, None, 1, |list| {
            for first in 0..points.len() {
                for neighbour in list.group(list.place_of[first] as usize) {
                    // The place after all points stands for none.
                    let Some(second) = list.number_of.get(*neighbour as usize) else { continue };
                    if (*second as usize) < first {
                        continue;
                    }
                    if let Some(d) = points.separation(z, first, *second as usize) {
                        show(dot(d, d));
                    }
                }
            }
        });
    }
}
