//! What makes an object of one cell: a function per column, chosen when the statement is described.
//!
//! They follow the C API's convention: nothing means that an exception is set.

use informix::Column;
use informix::driver::Batch;
use informix_types::row::{Cell, CellType, trim_blanks, typed};
use informix_types::{Date, DateTime, Decimal, Field, Interval, LobKind, TextCodec, TypeCode};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDate, PyDateTime, PyDelta, PyString, PyTime};

use super::decimal;
use super::memo::{self, Memo};
use crate::{errors, values};

/// An owned object; nothing with an exception set.
pub(super) type Built<'py> = Option<Bound<'py, PyAny>>;

/// Makes an object of a cell.
pub(super) type Fill = for<'py> fn(&mut ColumnPlan, Python<'py>, &Place<'_>) -> Built<'py>;

/// Days of 45 years: most dates of a table lie within.
const DAYS: usize = 16 * 1024;
/// Different numbers or texts of a column that repeats them.
const VALUES: usize = 1024;

/// A cell and where it stands.
pub(super) struct Place<'a> {
    pub(super) cell: &'a [u8],
    pub(super) batch: &'a Batch,
    pub(super) row: usize,
    pub(super) index: usize,
}

/// How the cells of one column become objects.
pub(super) struct ColumnPlan {
    kind: CellType,
    column: Column,
    codec: TextCodec,
    own: Fill,
    converter: Option<Py<PyAny>>,
    /// Objects of DATE cells by their days, of DECIMAL cells and short texts by their bytes.
    days: Memo<i32>,
    values: Memo<u128>,
    /// The function to call: that of the type, or the one that goes through the converter.
    pub(super) fill: Fill,
}

fn bad_cell(py: Python<'_>, column: &Column, why: &str) -> PyErr {
    errors::raise(
        py,
        "DataError",
        &format!(
            "column {:?} ({}): {why}",
            column.name(),
            column.column_type().sql_name()
        ),
    )
}

impl ColumnPlan {
    pub(super) fn new(
        py: Python<'_>,
        column: &Column,
        codec: TextCodec,
        converter: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let kind = CellType::new(column.column_type()).map_err(|e| bad_cell(py, column, &e.to_string()))?;
        let own: Fill = match kind {
            CellType::SmallInt => small_int,
            CellType::Integer => integer,
            CellType::BigInt => big_int,
            CellType::Float => double,
            CellType::Date => date,
            CellType::Decimal(_) => number,
            CellType::Char => padded,
            CellType::VarChar => short_text,
            _ => any,
        };
        Ok(Self {
            kind,
            column: column.clone(),
            codec,
            own,
            fill: if converter.is_some() { converted } else { own },
            converter,
            days: Memo::new(DAYS),
            values: Memo::new(VALUES),
        })
    }

    /// Whether no object of it can be part of a cycle.
    pub(super) fn is_atomic(&self) -> bool {
        self.converter.is_none() && self.kind != CellType::Composite
    }

    /// Sets an exception that names the column.
    pub(super) fn fail<'py>(&self, py: Python<'py>, why: &str) -> Built<'py> {
        bad_cell(py, &self.column, why).restore(py);
        None
    }

    fn text<'py>(&self, py: Python<'py>, bytes: &[u8]) -> Built<'py> {
        if bytes.is_ascii() {
            return ascii(py, bytes);
        }
        match self.codec.decode(bytes) {
            Ok(text) => Some(PyString::new(py, &text).into_any()),
            Err(e) => self.fail(py, &e.to_string()),
        }
    }

    /// The object that the bytes of a cell stand for, made where it is not remembered.
    #[inline]
    fn remembered<'py>(
        &mut self,
        py: Python<'py>,
        bytes: &[u8],
        make: impl FnOnce(&Self) -> Built<'py>,
    ) -> Built<'py> {
        if !self.values.is_used() {
            return make(self);
        }
        match memo::key(bytes) {
            Some((key, hash)) => match self.values.find(py, key, hash) {
                Some(object) => Some(object),
                None => {
                    let object = make(self)?;
                    self.values.keep(key, hash, &object);
                    Some(object)
                }
            },
            None => make(self),
        }
    }

    fn composite<'py>(&self, py: Python<'py>, raw: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let ty = self.column.column_type();
        let raw = PyBytes::new(py, raw);
        let kind = match ty.code {
            TypeCode::Row => return values::row_value(py)?.call1((raw, &ty.extended_name)),
            TypeCode::Set => "set",
            TypeCode::MultiSet => "multiset",
            TypeCode::List => "list",
            _ => "collection",
        };
        values::collection_value(py)?.call1((raw, kind, &ty.extended_name))
    }
}

/// Leaves the exception set.
fn set<'py, T>(py: Python<'py>, made: PyResult<Bound<'py, T>>) -> Built<'py> {
    match made {
        Ok(object) => Some(object.into_any()),
        Err(e) => {
            e.restore(py);
            None
        }
    }
}

fn none(py: Python<'_>) -> Built<'_> {
    Some(py.None().into_bound(py))
}

fn converted<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    let value = (plan.own)(plan, py, place)?;
    match &plan.converter {
        Some(converter) if !value.is_none() => set(py, converter.bind(py).call1((value,))),
        _ => Some(value),
    }
}

/// The object of a cell that was read.
fn read<'py, T>(
    plan: &ColumnPlan,
    py: Python<'py>,
    cell: informix_types::Result<Option<T>>,
    make: impl FnOnce(T) -> Built<'py>,
) -> Built<'py> {
    match cell {
        Ok(Some(value)) => make(value),
        Ok(None) => none(py),
        Err(e) => plan.fail(py, &e.to_string()),
    }
}

fn small_int<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    read(plan, py, typed::small_int(place.cell), |v| long(py, i64::from(v)))
}

fn integer<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    read(plan, py, typed::integer(place.cell), |v| long(py, i64::from(v)))
}

fn big_int<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    read(plan, py, typed::big_int(place.cell), |v| long(py, v))
}

fn double<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    read(plan, py, typed::float(place.cell), |v| float(py, v))
}

fn date<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    match typed::date(place.cell) {
        Ok(Some(date)) if plan.days.is_used() => {
            let (key, hash) = (date.days(), date.days() as usize);
            match plan.days.find(py, key, hash) {
                Some(object) => Some(object),
                None => {
                    let object = date_object(py, date)?;
                    plan.days.keep(key, hash, &object);
                    Some(object)
                }
            }
        }
        cell => read(plan, py, cell, |v| date_object(py, v)),
    }
}

fn number<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    let CellType::Decimal(scale) = plan.kind else {
        return any(plan, py, place);
    };
    plan.remembered(py, place.cell, |plan| {
        read(plan, py, Decimal::from_packed_bytes(place.cell, scale), |v| {
            decimal::build(py, &v)
        })
    })
}

fn padded<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    match typed::char_trimmed(place.cell) {
        Some(bytes) => plan.remembered(py, bytes, |plan| plan.text(py, bytes)),
        None => none(py),
    }
}

fn short_text<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    match typed::varchar(place.cell) {
        Ok(Some(bytes)) => plan.remembered(py, bytes, |plan| plan.text(py, bytes)),
        cell => read(plan, py, cell, |v| plan.text(py, v)),
    }
}

/// A cell of any type.
fn any<'py>(plan: &mut ColumnPlan, py: Python<'py>, place: &Place<'_>) -> Built<'py> {
    let cell = match plan.kind.decode(place.cell) {
        Ok(cell) => cell,
        Err(e) => return plan.fail(py, &e.to_string()),
    };
    match cell {
        Cell::Null => none(py),
        Cell::Integer(v) => long(py, i64::from(v)),
        Cell::SmallInt(v) => long(py, i64::from(v)),
        Cell::BigInt(v) | Cell::Int8(v) => long(py, v),
        Cell::Float(v) => float(py, v),
        Cell::SmallFloat(v) => float(py, f64::from(v)),
        Cell::Char(bytes) => plan.text(py, trim_blanks(bytes)),
        Cell::Text(bytes) if plan.kind == CellType::Composite => set(py, plan.composite(py, bytes)),
        Cell::Text(bytes) => plan.text(py, bytes),
        Cell::Decimal(v) => decimal::build(py, &v),
        Cell::Date(v) => date_object(py, v),
        Cell::DateTime(v) => datetime(py, &v),
        Cell::Interval(v) => interval(py, &v),
        Cell::Boolean(v) => Some(pyo3::types::PyBool::new(py, v).to_owned().into_any()),
        Cell::Bytes(bytes) => Some(PyBytes::new(py, bytes).into_any()),
        Cell::SimpleLob(descriptor) => match place.batch.contents(place.row, place.index) {
            Some(contents) if plan.column.column_type().code == TypeCode::Text => plan.text(py, contents),
            Some(contents) => Some(PyBytes::new(py, contents).into_any()),
            None if descriptor.is_null() => none(py),
            None => plan.fail(py, "the contents were not read with the row"),
        },
        Cell::LobLocator(locator) => {
            let class = match locator.kind() {
                LobKind::Blob => values::blob_locator(py),
                LobKind::Clob => values::clob_locator(py),
            };
            set(
                py,
                class.and_then(|class| class.call1((PyBytes::new(py, locator.as_bytes()),))),
            )
        }
    }
}

fn long(py: Python<'_>, value: i64) -> Built<'_> {
    // SAFETY: gives an owned object, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyLong_FromLongLong(value)) }
}

fn float(py: Python<'_>, value: f64) -> Built<'_> {
    // SAFETY: gives an owned object, or NULL with an exception set.
    unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyFloat_FromDouble(value)) }
}

/// A string of ASCII bytes: checked by the caller, copied without a second look.
fn ascii<'py>(py: Python<'py>, bytes: &[u8]) -> Built<'py> {
    debug_assert!(bytes.is_ascii());
    // SAFETY: gives an owned string, or NULL with an exception set.
    let text =
        unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyUnicode_New(bytes.len() as ffi::Py_ssize_t, 127))? };
    if !bytes.is_empty() {
        // SAFETY: a string made for a largest character of 127 has room for one byte per character, is not shared yet, and
        // the bytes are ASCII. (The empty string is shared, and nothing is written to it.)
        unsafe {
            let data = ffi::PyUnicode_DATA(text.as_ptr()).cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
        }
    }
    Some(text)
}

fn date_object(py: Python<'_>, value: Date) -> Built<'_> {
    let (year, month, day) = value.ymd();
    set(py, PyDate::new(py, year, month, day))
}

/// `date`, `time` or `datetime`, by the qualifier; fields that it does not have are 1 (year, month, day) or 0.
fn datetime<'py>(py: Python<'py>, value: &DateTime) -> Built<'py> {
    let qualifier = value.qualifier();
    let parts = value.parts();
    let micros = parts.fraction * 10;
    let or_one = |field: Field, v: u16| if qualifier.contains(field) { v } else { 1 };
    if !(qualifier.contains(Field::Year)
        || qualifier.contains(Field::Month)
        || qualifier.contains(Field::Day))
    {
        return set(
            py,
            PyTime::new(py, parts.hour, parts.minute, parts.second, micros, None),
        );
    }
    let year = i32::from(or_one(Field::Year, parts.year));
    let month = or_one(Field::Month, u16::from(parts.month)) as u8;
    let day = or_one(Field::Day, u16::from(parts.day)) as u8;
    if !qualifier.contains(Field::Hour) {
        return set(py, PyDate::new(py, year, month, day));
    }
    let (hour, minute, second) = (parts.hour, parts.minute, parts.second);
    set(
        py,
        PyDateTime::new(py, year, month, day, hour, minute, second, micros, None),
    )
}

fn interval<'py>(py: Python<'py>, value: &Interval) -> Built<'py> {
    if let Some(months) = value.months() {
        return set(
            py,
            values::interval_ym(py).and_then(|class| class.call1((months,))),
        );
    }
    let micros = i128::from(value.units().unwrap_or(0)) * 10;
    let day = 86_400_000_000;
    let (days, rest) = (micros.div_euclid(day), micros.rem_euclid(day));
    let days = i32::try_from(days).unwrap_or(i32::MAX);
    let (seconds, micros) = ((rest / 1_000_000) as i32, (rest % 1_000_000) as i32);
    set(py, PyDelta::new(py, days, seconds, micros, false))
}
