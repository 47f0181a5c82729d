//! String functions. Lengths and positions are characters unless a name ends in B or says LENGTH (bytes).

use super::super::args::{Args, Scalar, integer, text};
use super::super::kind::{Kind, MAX_LVARCHAR};
use super::super::text::{as_text, concat, length_of, padded, result_kind};
use super::super::typed::TypedExpr;
use crate::error::{SqlError, SqlResult};
use crate::sql::ast::TrimSide;
use rusqlite::types::{Value as SqliteValue, ValueRef};

/// The SQL functions of this file.
pub(in super::super) const SCALARS: &[Scalar] = &[
    Scalar::plain("ifx_length", 1, length),
    Scalar::plain("ifx_octet_length", 1, octet_length),
    Scalar::plain("ifx_upper", 1, |a| text(a.text(0).to_uppercase())),
    Scalar::plain("ifx_lower", 1, |a| text(a.text(0).to_lowercase())),
    Scalar::plain("ifx_initcap", 1, |a| text(initcap(&a.text(0)))),
    Scalar::plain("ifx_ltrim", 2, |a| {
        let set = a.text(1);
        text(a.text(0).trim_start_matches(|c| set.contains(c)))
    }),
    Scalar::plain("ifx_rtrim", 2, |a| {
        let set = a.text(1);
        text(a.text(0).trim_end_matches(|c| set.contains(c)))
    }),
    Scalar::plain("ifx_trim", 3, trimmed),
    Scalar::plain("ifx_lpad", 3, |a| pad(a, true)),
    Scalar::plain("ifx_rpad", 3, |a| pad(a, false)),
    Scalar::plain("ifx_substr", -1, substr),
    Scalar::plain("ifx_substrb", -1, substrb),
    Scalar::plain("ifx_substring_index", 3, substring_index),
    Scalar::plain("ifx_instr", -1, instr),
    Scalar::plain("ifx_charindex", -1, charindex),
    Scalar::plain("ifx_reverse", 1, |a| {
        text(a.text(0).chars().rev().collect::<String>())
    }),
    Scalar::plain("ifx_left", 2, |a| {
        let count = usize::try_from(a.integer(1)?).unwrap_or(0);
        text(a.text(0).chars().take(count).collect::<String>())
    }),
    Scalar::plain("ifx_right", 2, |a| {
        let count = usize::try_from(a.integer(1)?).unwrap_or(0);
        let value = a.text(0);
        let skip = value.chars().count().saturating_sub(count);
        text(value.chars().skip(skip).collect::<String>())
    }),
    Scalar::plain("ifx_space", 1, |a| text(" ".repeat(bounded(a.integer(0)?)?))),
    Scalar::plain("ifx_ascii", 1, |a| {
        let value = a.text(0);
        integer(value.chars().next().map_or(0, |c| i64::from(u32::from(c))))
    }),
    Scalar::plain("ifx_chr", 1, |a| {
        let code = a.integer(0)?;
        let c = u8::try_from(code.rem_euclid(256)).unwrap_or(0);
        text(char::from(c).to_string())
    }),
];

/// The call, when the name is one of this file's; else the arguments back.
pub(super) fn build(name: &str, arguments: Vec<TypedExpr>) -> Result<SqlResult<TypedExpr>, Vec<TypedExpr>> {
    let count = arguments.len();
    let built: fn(&str, Vec<TypedExpr>) -> SqlResult<TypedExpr> = match (name, count) {
        ("length" | "len" | "char_length" | "character_length" | "octet_length" | "ascii", 1) => measured,
        ("upper" | "lower" | "initcap" | "reverse", 1) => same_length,
        ("ucase" | "lcase", 1) => {
            |name, arguments| same_length(if name == "ucase" { "upper" } else { "lower" }, arguments)
        }
        ("trim", 1) => |_, arguments| trim(TrimSide::Both, None, one(arguments)?),
        ("ltrim" | "rtrim", 1 | 2) => strip,
        ("lpad" | "rpad", 2 | 3) => padding,
        ("substr" | "substrb", 2 | 3) => |name, arguments| {
            let mut rest = arguments.into_iter();
            let (Some(source), Some(start)) = (rest.next(), rest.next()) else {
                return Err(super::unknown(name));
            };
            part(&format!("ifx_{name}"), source, start, rest.next())
        },
        ("substring", 2 | 3) => |name, arguments| {
            let mut rest = arguments.into_iter();
            let (Some(source), Some(start)) = (rest.next(), rest.next()) else {
                return Err(super::unknown(name));
            };
            substring(source, start, rest.next())
        },
        ("substring_index", 3) => index_part,
        ("instr", 2..=4) | ("charindex", 2 | 3) => position,
        ("replace", 2 | 3) => replace,
        ("concat", 2) => |name, arguments| {
            let mut rest = arguments.into_iter();
            match (rest.next(), rest.next()) {
                (Some(left), Some(right)) => concat(left, right),
                _ => Err(super::unknown(name)),
            }
        },
        ("left" | "right", 2) => end_part,
        ("space", 1) => |_, arguments| {
            let count = one(arguments)?.converted(Kind::Integer)?;
            Ok(TypedExpr::computed(
                format!("ifx_space({})", count.sql),
                Kind::VarChar(255),
                vec![count],
            ))
        },
        ("chr", 1) => |_, arguments| {
            let code = one(arguments)?.converted(Kind::Integer)?;
            Ok(TypedExpr::computed(
                format!("ifx_chr({})", code.sql),
                Kind::VarChar(1),
                vec![code],
            ))
        },
        _ => return Err(arguments),
    };
    Ok(built(name, arguments))
}

fn one(arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    arguments.into_iter().next().ok_or_else(|| SqlError::new(-674))
}

/// A length from a value; -881 above what a string may have.
fn bounded(value: i64) -> SqlResult<usize> {
    match usize::try_from(value.max(0)) {
        Ok(n) if n <= MAX_LVARCHAR as usize => Ok(n),
        _ => Err(SqlError::new(-881).because("string too long")),
    }
}

/// Functions that give a number from one text. LENGTH does not count trailing blanks, OCTET_LENGTH counts a CHAR's padding;
/// of TEXT and BYTE both count the bytes (`informix-sql.md` 9).
fn measured(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let value = one(arguments)?;
    if matches!(value.kind(), Kind::Byte | Kind::Text) && name != "ascii" {
        let sql = format!("length({})", value.sql);
        return Ok(TypedExpr::computed(sql, Kind::Integer, vec![value]));
    }
    let value = if name == "octet_length" {
        padded(value)?
    } else {
        as_text(value)?
    };
    let function = match name {
        "octet_length" => "ifx_octet_length",
        "ascii" => "ifx_ascii",
        "char_length" | "character_length" => "length",
        _ => "ifx_length",
    };
    let sql = format!("{function}({})", value.sql);
    Ok(TypedExpr::computed(sql, Kind::Integer, vec![value]))
}

/// Functions whose result is as long as their argument and of its type.
fn same_length(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let value = one(arguments)?;
    let value = if name == "reverse" {
        padded(value)?
    } else {
        as_text(value)?
    };
    let kind = value.kind();
    Ok(TypedExpr::computed(
        format!("ifx_{name}({})", value.sql),
        kind,
        vec![value],
    ))
}

/// LTRIM and RTRIM with an optional set of characters.
fn strip(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let value = as_text(rest.next().ok_or_else(|| super::unknown(name))?)?;
    let kind = variable(&value);
    let set = rest.next().map(as_text).transpose()?;
    let set_sql = set.as_ref().map_or("' '", |s| s.sql.as_str());
    let sql = format!("ifx_{name}({},{set_sql})", value.sql);
    let mut operands = vec![value];
    operands.extend(set);
    Ok(TypedExpr::computed(sql, kind, operands))
}

/// The variable-length type that holds a text's parts: VARCHAR or NVARCHAR up to 255 bytes, else LVARCHAR or NCHAR.
fn variable(value: &TypedExpr) -> Kind {
    sized(value, length_of(value))
}

/// [`variable`] with another length.
fn sized(value: &TypedExpr, length: u32) -> Kind {
    let kind = match value.kind() {
        Kind::Char(n) => Kind::VarChar(n.min(255)),
        Kind::NChar(n) => Kind::NVarChar(n.min(255)),
        Kind::Null => Kind::LVarChar(MAX_LVARCHAR as u16),
        other => other,
    };
    result_kind(&[kind], length)
}

/// `TRIM([side] [chars] FROM source)`: VARCHAR, as long as the source at most. One character to trim.
///
/// # Errors
/// -615 for large objects.
pub fn trim(side: TrimSide, chars: Option<TypedExpr>, source: TypedExpr) -> SqlResult<TypedExpr> {
    let source = as_text(source)?;
    let kind = variable(&source);
    let chars = chars.map(as_text).transpose()?;
    let chars_sql = chars.as_ref().map_or("' '", |c| c.sql.as_str());
    let side = match side {
        TrimSide::Both => 0,
        TrimSide::Leading => 1,
        TrimSide::Trailing => 2,
    };
    let sql = format!("ifx_trim({},{chars_sql},{side})", source.sql);
    let mut operands = vec![source];
    operands.extend(chars);
    Ok(TypedExpr::computed(sql, kind, operands))
}

fn trimmed(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let (value, set) = (a.text(0), a.text(1));
    let Some(c) = set.chars().next() else {
        return text(value);
    };
    text(match a.integer(2)? {
        1 => value.trim_start_matches(c),
        2 => value.trim_end_matches(c),
        _ => value.trim_matches(c),
    })
}

/// `SUBSTRING(source FROM start [FOR length])`: a start before 1 counts the missing characters, as standard SQL says.
///
/// # Errors
/// -615 for large objects.
pub fn substring(source: TypedExpr, start: TypedExpr, length: Option<TypedExpr>) -> SqlResult<TypedExpr> {
    part("ifx_substring", source, start, length)
}

fn part(
    function: &str,
    source: TypedExpr,
    start: TypedExpr,
    length: Option<TypedExpr>,
) -> SqlResult<TypedExpr> {
    use super::super::datum::Datum;
    let source = padded(source)?;
    let start = start.converted(Kind::Integer)?;
    let length = length.map(|l| l.converted(Kind::Integer)).transpose()?;
    let all = length_of(&source);
    let bytes = match length.as_ref().and_then(|l| l.constant.as_ref()) {
        Some(Datum::Int(n)) => u32::try_from(*n).unwrap_or(0).clamp(1, all.max(1)),
        _ => all,
    };
    let kind = sized(&source, bytes);
    let (name, mode) = if function == "ifx_substring" {
        ("ifx_substr", ",1")
    } else {
        (function, "")
    };
    let length_sql = length.as_ref().map_or("2147483647", |l| l.sql.as_str());
    let sql = format!("{name}({},{},{length_sql}{mode})", source.sql, start.sql);
    let mut operands = vec![source, start];
    operands.extend(length);
    Ok(TypedExpr::computed(sql, kind, operands))
}

/// First position (from 0) and number of characters of a part. SUBSTR: a negative start counts from the end, 0 is 1.
/// SUBSTRING: positions before 1 use up the length.
fn range(total: usize, start: i64, length: i64, standard: bool) -> (usize, usize) {
    let (mut start, mut length) = (start, length);
    if standard && start < 1 {
        length = length.saturating_add(start - 1);
        start = 1;
    } else if start < 0 {
        start = total as i64 + start + 1;
        if start < 1 {
            return (0, 0);
        }
    } else if start == 0 {
        start = 1;
    }
    (
        usize::try_from(start - 1).unwrap_or(0),
        usize::try_from(length).unwrap_or(0),
    )
}

/// (text, start, length [, standard]).
fn substr(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let value = a.text(0);
    let total = value.chars().count();
    let (skip, take) = range(total, a.integer(1)?, a.integer(2)?, a.len() > 3);
    text(value.chars().skip(skip).take(take).collect::<String>())
}

/// The same in bytes; cut inwards to whole characters.
fn substrb(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let value = a.text(0);
    let width = a.facts.char_width();
    let (skip, take) = range(width.length(&value), a.integer(1)?, a.integer(2)?, false);
    let mut at = 0;
    let mut out = String::new();
    for c in value.chars() {
        if at >= skip && at + width.of(c) <= skip.saturating_add(take) {
            out.push(c);
        }
        at += width.of(c);
    }
    text(out)
}

/// `SUBSTRING_INDEX(text, delimiter, n)`: before the n-th delimiter, or after the n-th from the end when n is negative.
fn index_part(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let (Some(value), Some(delimiter), Some(count)) = (rest.next(), rest.next(), rest.next()) else {
        return Err(super::unknown(name));
    };
    let (value, delimiter) = (as_text(value)?, as_text(delimiter)?);
    let count = count.converted(Kind::Integer)?;
    let kind = variable(&value);
    let sql = format!(
        "ifx_substring_index({},{},{})",
        value.sql, delimiter.sql, count.sql
    );
    Ok(TypedExpr::computed(sql, kind, vec![value, delimiter, count]))
}

fn substring_index(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let (value, delimiter, count) = (a.text(0), a.text(1), a.integer(2)?);
    if delimiter.is_empty() || count == 0 {
        return text("");
    }
    let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX) - 1;
    let whole: &str = &value;
    let delimiter: &str = &delimiter;
    text(if count > 0 {
        whole
            .match_indices(delimiter)
            .nth(wanted)
            .map_or(whole, |(at, _)| whole.get(..at).unwrap_or_default())
    } else {
        whole
            .rmatch_indices(delimiter)
            .nth(wanted)
            .map_or(whole, |(at, _)| {
                whole.get(at + delimiter.len()..).unwrap_or_default()
            })
    })
}

/// INSTR(text, search [, start [, occurrence]]) and CHARINDEX(search, text [, start]).
fn position(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut operands = Vec::with_capacity(arguments.len());
    for (index, argument) in arguments.into_iter().enumerate() {
        operands.push(if index < 2 {
            as_text(argument)?
        } else {
            argument.converted(Kind::Integer)?
        });
    }
    let texts: Vec<&str> = operands.iter().map(|o| o.sql.as_str()).collect();
    let sql = format!("ifx_{name}({})", texts.join(","));
    Ok(TypedExpr::computed(sql, Kind::Integer, operands))
}

fn instr(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let start = if a.len() > 2 { a.integer(2)? } else { 1 };
    let occurrence = if a.len() > 3 { a.integer(3)? } else { 1 };
    integer(find(&a.text(0), &a.text(1), start, occurrence))
}

fn charindex(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    let start = if a.len() > 2 { a.integer(2)?.max(1) } else { 1 };
    integer(find(&a.text(1), &a.text(0), start, 1))
}

/// Character position (from 1) of the n-th `search` at or behind `start` (negative: backwards from the end); 0 when there is none.
fn find(value: &str, search: &str, start: i64, occurrence: i64) -> i64 {
    let (value, search): (Vec<char>, Vec<char>) = (value.chars().collect(), search.chars().collect());
    if search.is_empty() || start == 0 || occurrence < 1 || search.len() > value.len() {
        return 0;
    }
    let last = value.len() - search.len();
    let hit = |at: &usize| value.get(*at..at + search.len()) == Some(search.as_slice());
    let nth = usize::try_from(occurrence - 1).unwrap_or(usize::MAX);
    let found = if start > 0 {
        (usize::try_from(start - 1).unwrap_or(usize::MAX)..=last)
            .filter(hit)
            .nth(nth)
    } else {
        let from_end = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
        match value.len().checked_sub(from_end) {
            Some(first) => (0..=first.min(last)).rev().filter(hit).nth(nth),
            None => None,
        }
    };
    found.map_or(0, |at| at as i64 + 1)
}

/// `REPLACE(text, search [, replacement])`.
fn replace(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let (Some(value), Some(search)) = (rest.next(), rest.next()) else {
        return Err(super::unknown(name));
    };
    let (value, search) = (padded(value)?, as_text(search)?);
    let replacement = rest.next().map(as_text).transpose()?;
    let all = length_of(&value);
    let growth = replacement.as_ref().map_or(0, length_of);
    // Every character may grow to a replacement.
    let longest = if growth <= 1 {
        all
    } else {
        all.saturating_mul(growth).min(MAX_LVARCHAR)
    };
    let kind = sized(&value, longest);
    let to = replacement.as_ref().map_or("''", |r| r.sql.as_str());
    let sql = format!("replace({},{},{to})", value.sql, search.sql);
    let mut operands = vec![value, search];
    operands.extend(replacement);
    Ok(TypedExpr::computed(sql, kind, operands))
}

/// LPAD and RPAD to a number of characters, with blanks or a text.
fn padding(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    use super::super::datum::Datum;
    let mut rest = arguments.into_iter();
    let (Some(value), Some(width)) = (rest.next(), rest.next()) else {
        return Err(super::unknown(name));
    };
    let value = padded(value)?;
    let width = width.converted(Kind::Integer)?;
    let fill = rest.next().map(as_text).transpose()?;
    let length = match width.constant {
        Some(Datum::Int(n)) => u32::try_from(n).unwrap_or(0),
        _ => MAX_LVARCHAR,
    };
    let kind = sized(&value, length.clamp(1, MAX_LVARCHAR));
    let fill_sql = fill.as_ref().map_or("' '", |f| f.sql.as_str());
    let sql = format!("ifx_{name}({},{},{fill_sql})", value.sql, width.sql);
    let mut operands = vec![value, width];
    operands.extend(fill);
    Ok(TypedExpr::computed(sql, kind, operands))
}

fn pad(a: &Args<'_, '_>, left: bool) -> SqlResult<SqliteValue> {
    let (value, fill) = (a.text(0), a.text(2));
    let width = bounded(a.integer(1)?)?;
    let have = value.chars().count();
    if have >= width || fill.is_empty() {
        return text(value.chars().take(width).collect::<String>());
    }
    let filling: String = fill.chars().cycle().take(width - have).collect();
    text(if left {
        format!("{filling}{value}")
    } else {
        format!("{value}{filling}")
    })
}

/// LEFT and RIGHT.
fn end_part(name: &str, arguments: Vec<TypedExpr>) -> SqlResult<TypedExpr> {
    let mut rest = arguments.into_iter();
    let (Some(value), Some(count)) = (rest.next(), rest.next()) else {
        return Err(super::unknown(name));
    };
    let value = padded(value)?;
    let count = count.converted(Kind::Integer)?;
    let kind = variable(&value);
    let sql = format!("ifx_{name}({},{})", value.sql, count.sql);
    Ok(TypedExpr::computed(sql, kind, vec![value, count]))
}

fn initcap(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut inside = false;
    for c in value.chars() {
        if inside {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
        inside = c.is_alphanumeric();
    }
    out
}

fn length(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    match a.raw(0) {
        ValueRef::Blob(bytes) => integer(bytes.len() as i64),
        _ => integer(a.facts.char_width().length(a.text(0).trim_end_matches(' ')) as i64),
    }
}

fn octet_length(a: &Args<'_, '_>) -> SqlResult<SqliteValue> {
    match a.raw(0) {
        ValueRef::Blob(bytes) => integer(bytes.len() as i64),
        _ => integer(a.facts.char_width().length(&a.text(0)) as i64),
    }
}
