//! Points of a declaration: those that it tells, and near pairs of them.

use super::error::{Error, Result};
use super::number::Numeric;
use super::value::{Caller, Matrix, Value};
use least_action_core::expr::{self, Point, Told};
use nalgebra::Vector3;
use std::ops::Sub;

/// A point of the plane, whose last number is zero, or of space.
#[derive(Clone, Copy)]
struct At<N>([N; 3]);

impl<N: Numeric> At<N> {
    fn of(value: &Value<N>) -> Option<Self> {
        let Value::Matrix(Matrix { columns: 1, entries, .. }) = value else { return None };
        match **entries {
            [x, y] => Some(Self([x, y, N::of(0.0)])),
            [x, y, z] => Some(Self([x, y, z])),
            _ => None,
        }
    }

    fn all(list: &Value<N>) -> Option<Vec<Self>> {
        list.as_list()?.iter().map(Self::of).collect()
    }

    fn told(self, rows: usize) -> Value<N> {
        Value::vector(self.0.into_iter().take(rows))
    }
}

impl<N: Numeric> Sub for At<N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}

impl<N: Numeric> Point for At<N> {
    fn numbers(self) -> [f64; 3] {
        self.0.map(|number| number.real())
    }

    fn less(self, shift: [f64; 3]) -> Self {
        self - Self(shift.map(N::of))
    }
}

impl<N: Numeric> Told for Value<N> {
    fn place(&self) -> Option<[Vector3<f64>; 2]> {
        let At(numbers) = At::of(self)?;
        let rates = numbers.map(|number| number.real_rate());
        let is_known = rates.iter().all(|rate| !rate.is_nan());
        is_known.then(|| [numbers.map(|number| number.real()).into(), rates.into()])
    }
}

/// A difference to the nearest image in a periodic cell; `None` if they are none.
pub(crate) fn periodic<N: Numeric>(cell: &Value<N>, difference: &Value<N>) -> Option<Value<N>> {
    let rows = if let Value::Matrix(vector) = difference { vector.rows } else { 0 };
    Some(expr::periodic(cell.as_cell()?, At::of(difference)?).told(rows.into()))
}

/// The items of near pairs: (i, j, xᵢ − xⱼ), or (j, xᵢ − xⱼ) of one point i.
pub(crate) fn items<N: Numeric>(
    near: &Value<N>,
    of: Option<usize>,
    caller: &mut dyn Caller<N>,
) -> Result<Vec<Value<N>>> {
    let unfit = || Error::new("near pairs are of points, with pairs of numbers as exceptions");
    let field = |k: usize| near.field(k).ok_or_else(unfit);
    let radius = field(0)?.as_number().ok_or_else(unfit)?.real();
    let points = At::all(field(1)?).ok_or_else(unfit)?;
    let rows = if let Some(Value::Matrix(first)) = field(1)?.as_list().and_then(<[_]>::first) {
        first.rows
    } else {
        3
    };
    let others = field(2)?.inside().map(|others| At::all(others).ok_or_else(unfit)).transpose()?;
    let pair = |pair: &Value<N>| {
        if let Some([i, j]) = pair.as_list() { i.as_count().zip(j.as_count()) } else { None }
    };
    let exceptions = field(4)?.as_list().and_then(|all| all.iter().map(pair).collect::<Option<Vec<_>>>());
    let seconds = others.as_ref().map_or(points.len(), Vec::len);
    caller.spend(seconds.saturating_mul(if of.is_some() { 1 } else { points.len() }), 0)?;
    let all = match &others {
        Some(others) => expr::between(radius, &points, others),
        None => expr::within(radius, &points),
    };
    let all = all.periodic(field(3)?.as_cell().ok_or_else(unfit)?).except(exceptions.ok_or_else(unfit)?);
    let told = |numbers: &[usize], point: At<N>| {
        let numbers = numbers.iter().map(|number| Value::count(*number));
        Value::tuple(numbers.chain([point.told(rows.into())]).collect())
    };
    let items: Vec<Value<N>> = match of {
        Some(i) => all.of(i).map(|(j, point)| told(&[j], point)).collect(),
        None => (&all).into_iter().map(|(i, j, point)| told(&[i, j], point)).collect(),
    };
    caller.spend(0, 4 * items.len())?;
    Ok(items)
}
