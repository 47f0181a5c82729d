//! `decimal.Decimal` objects.
//!
//! The portable way goes through text and `Context(prec=MAX_PREC).create_decimal`. Where the layout of `_decimal`'s objects
//! is the known one, an object is allocated and filled in place, several times faster; a self-test at import decides.

use std::ptr::addr_of_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use informix_types::Decimal;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

use super::cells::Built;
use crate::values;

/// Digits of one word of a coefficient.
const WORD: u128 = 10_000_000_000_000_000_000;
/// Words inside the object.
const STATIC_WORDS: isize = 4;
/// `MPD_NEG`.
const NEGATIVE: u8 = 1;
/// `MPD_STATIC | MPD_STATIC_DATA`: the number and its words belong to the object.
const STATIC: u8 = 0x10 | 0x20;
/// `MPD_SPECIAL`: infinity, NaN, sNaN.
const SPECIAL: u8 = 2 | 4 | 8;

/// An object of `_decimal` on 64-bit builds of CPython 3.10 to 3.14 (`Modules/_decimal/_decimal.c`, `mpdecimal.h`).
#[repr(C)]
struct Layout {
    head: ffi::PyObject,
    hash: isize,
    flags: u8,
    exponent: isize,
    digits: isize,
    len: isize,
    alloc: isize,
    data: *mut u64,
    words: [u64; STATIC_WORDS as usize],
}

static IN_PLACE: AtomicBool = AtomicBool::new(false);
static CREATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Values of the self-test: sign, coefficient, exponent, text.
const SAMPLES: &[(&str, u128, i32)] = &[
    ("0", 0, 0),
    ("-0.00", 0, -2),
    ("1", 1, 0),
    ("-1.5", 15, -1),
    ("12345678901234567.89", 1_234_567_890_123_456_789, -2),
    ("9999999999999999999", 9_999_999_999_999_999_999, 0),
    ("10000000000000000000", 10_000_000_000_000_000_000, 0),
    (
        "-99999999999999999999999999999999",
        99_999_999_999_999_999_999_999_999_999_999,
        0,
    ),
    ("1E+125", 1, 125),
    (
        "1.2345678901234567890123456789012E-99",
        12_345_678_901_234_567_890_123_456_789_012,
        -130,
    ),
];

fn create(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    let function = CREATE.get_or_try_init(py, || {
        let module = py.import("decimal")?;
        let options = PyDict::new(py);
        options.set_item("prec", module.getattr("MAX_PREC")?)?;
        options.set_item("Emax", module.getattr("MAX_EMAX")?)?;
        options.set_item("Emin", module.getattr("MIN_EMIN")?)?;
        options.set_item("traps", pyo3::types::PyList::empty(py))?;
        let context = module.getattr("Context")?.call((), Some(&options))?;
        context.getattr("create_decimal").map(Bound::unbind)
    })?;
    Ok(function.bind(py))
}

/// Runs the self-test.
pub(super) fn prepare(py: Python<'_>) -> PyResult<()> {
    create(py)?;
    let works = self_test(py).unwrap_or(false);
    IN_PLACE.store(works, Ordering::Relaxed);
    Ok(())
}

/// Whether DECIMAL values are built in place. `allowed` = False turns to the portable way, for tests of it; True turns back
/// where the self-test has passed.
#[pyfunction]
#[pyo3(signature = (allowed = None))]
pub(crate) fn decimals_in_place(py: Python<'_>, allowed: Option<bool>) -> PyResult<bool> {
    match allowed {
        Some(true) => prepare(py)?,
        Some(false) => IN_PLACE.store(false, Ordering::Relaxed),
        None => {}
    }
    Ok(IN_PLACE.load(Ordering::Relaxed))
}

fn self_test(py: Python<'_>) -> PyResult<bool> {
    let class = values::decimal(py)?;
    let size: usize = class.getattr("__basicsize__")?.extract()?;
    let item_size: usize = class.getattr("__itemsize__")?.extract()?;
    let flags: std::ffi::c_ulong = class.getattr("__flags__")?.extract()?;
    if size != size_of::<Layout>() || item_size != 0 || size_of::<usize>() != 8 {
        return Ok(false);
    }
    // Objects with a head for the garbage collector are allocated otherwise.
    if flags & ffi::Py_TPFLAGS_HAVE_GC != 0 || !class.is_exact_instance_of::<PyType>() {
        return Ok(false);
    }
    for &(text, coefficient, exponent) in SAMPLES {
        let known = class.call1((text,))?;
        let negative = text.starts_with('-');
        let digits = coefficient.checked_ilog10().map_or(1, |n| n as isize + 1);
        // SAFETY: the object is a Decimal, whose size is that of Layout, so that every field lies inside it. Should the fields mean
        // something else, the numbers differ and nothing is dereferenced: `data` is only compared.
        let same = unsafe {
            let object = known.as_ptr().cast::<Layout>();
            let inside = addr_of_mut!((*object).words).cast::<u64>();
            let words = (*object).words;
            (*object).flags == STATIC | u8::from(negative)
                && (*object).exponent == exponent as isize
                && (*object).digits == digits
                && (*object).len == if coefficient >= WORD { 2 } else { 1 }
                && (*object).alloc == STATIC_WORDS
                && (*object).data == inside
                && words[0] == (coefficient % WORD) as u64
                && (coefficient < WORD || words[1] == (coefficient / WORD) as u64)
        };
        if !same {
            return Ok(false);
        }
        if fields(&known) != Some((negative, coefficient, exponent)) {
            return Ok(false);
        }
        let Some(made) = fill(py, negative, coefficient, exponent) else {
            return Err(PyErr::fetch(py));
        };
        let equal = made.eq(&known)?
            && made.str()?.as_any().eq(known.str()?)?
            && made.hash()? == known.hash()?
            && made
                .call_method0("as_tuple")?
                .eq(known.call_method0("as_tuple")?)?
            && made.add(1)?.eq(known.add(1)?)?;
        if !equal {
            return Ok(false);
        }
    }
    for text in ["NaN", "-sNaN7", "Infinity", &"9".repeat(100)] {
        if fields(&class.call1((text,))?).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A new object with a value put in, only where the self-test allows; nothing with an exception set.
fn fill(py: Python<'_>, negative: bool, coefficient: u128, exponent: i32) -> Built<'_> {
    let class = match values::decimal(py) {
        Ok(class) => class,
        Err(e) => {
            e.restore(py);
            return None;
        }
    };
    // Most numbers fit one word, whose arithmetic is several times faster.
    let (low, high, digits) = match u64::try_from(coefficient) {
        Ok(word) if word < WORD as u64 => (word, 0, word.checked_ilog10()),
        _ => (
            (coefficient % WORD) as u64,
            (coefficient / WORD) as u64,
            coefficient.checked_ilog10(),
        ),
    };
    // SAFETY: the type is `_decimal.Decimal`, whose objects have the size of Layout and no head in front of them
    // (self-test), so that PyObject_New allocates one as the type itself does, with the head set. Every other field is
    // written before anybody sees the object; the words are inside it, and `data` points to them.
    unsafe {
        let object = Bound::from_owned_ptr_or_opt(py, ffi::PyObject_New(class.as_ptr().cast()))?;
        let fields = object.as_ptr().cast::<Layout>();
        let inside = addr_of_mut!((*fields).words).cast::<u64>();
        addr_of_mut!((*fields).hash).write(-1);
        addr_of_mut!((*fields).flags).write(STATIC | if negative { NEGATIVE } else { 0 });
        addr_of_mut!((*fields).exponent).write(exponent as isize);
        addr_of_mut!((*fields).digits).write(digits.map_or(1, |n| n as isize + 1));
        addr_of_mut!((*fields).len).write(if high == 0 { 1 } else { 2 });
        addr_of_mut!((*fields).alloc).write(STATIC_WORDS);
        addr_of_mut!((*fields).data).write(inside);
        inside.write(low);
        inside.add(1).write(high);
        Some(object)
    }
}

/// Sign, coefficient and exponent of a `Decimal` of exactly that class; `None` when it has no finite value of at most 38 digits,
/// or the layout is not known.
pub(crate) fn read(value: &Bound<'_, PyAny>) -> Option<(bool, u128, i32)> {
    if IN_PLACE.load(Ordering::Relaxed) {
        fields(value)
    } else {
        None
    }
}

fn fields(value: &Bound<'_, PyAny>) -> Option<(bool, u128, i32)> {
    // SAFETY: the self-test has shown the layout of objects of this class (or runs now, after the size was compared). The words
    // that are read are inside the object: `data` points to them, and no more than the first two, as many as `len` says, are
    // looked at.
    let (flags, exponent, digits, coefficient) = unsafe {
        let fields = value.as_ptr().cast::<Layout>();
        let inside = addr_of_mut!((*fields).words).cast::<u64>();
        if (*fields).data != inside {
            return None;
        }
        let coefficient = match (*fields).len {
            1 => u128::from(*inside),
            2 => u128::from(*inside) + u128::from(*inside.add(1)) * WORD,
            _ => return None,
        };
        ((*fields).flags, (*fields).exponent, (*fields).digits, coefficient)
    };
    if flags & SPECIAL != 0 || digits > 38 {
        return None;
    }
    Some((flags & NEGATIVE != 0, coefficient, i32::try_from(exponent).ok()?))
}

/// A `Decimal` object; nothing with an exception set.
pub(super) fn build<'py>(py: Python<'py>, value: &Decimal) -> Built<'py> {
    let (mut coefficient, mut exponent) = (value.coefficient(), value.exponent());
    if exponent > 0 {
        // The wire has no trailing zeros: a count of 100 is 100, not 1E+2.
        while exponent > 0 && coefficient < 10_u128.pow(31) && coefficient != 0 && exponent <= 31 {
            coefficient *= 10;
            exponent -= 1;
        }
        if coefficient == 0 {
            exponent = 0;
        }
    }
    if IN_PLACE.load(Ordering::Relaxed) {
        return fill(py, value.is_negative(), coefficient, exponent);
    }
    match by_text(py, value.is_negative(), coefficient, exponent) {
        Ok(object) => Some(object),
        Err(e) => {
            e.restore(py);
            None
        }
    }
}

fn by_text(py: Python<'_>, negative: bool, coefficient: u128, exponent: i32) -> PyResult<Bound<'_, PyAny>> {
    use std::io::Write;
    // Sign, 32 digits, exponent.
    let mut text = [0u8; 64];
    let mut rest = &mut text[..];
    let sign = if negative { "-" } else { "" };
    let length = match write!(rest, "{sign}{coefficient}E{exponent}") {
        Ok(()) => 64 - rest.len(),
        Err(_) => 0,
    };
    let text = std::str::from_utf8(text.get(..length).unwrap_or_default()).unwrap_or_default();
    create(py)?.call1((text,))
}
