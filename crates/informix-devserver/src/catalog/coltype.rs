//! Column types as `syscolumns` and `sysattrtypes` keep them: type word, length, extended id (informix-sql.md 3).

use informix_types::{ColumnType, TypeCode};

/// A type as three numbers of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredType {
    pub(crate) coltype: i16,
    pub(crate) collength: i16,
    pub(crate) extended_id: i32,
}

/// The catalog's numbers of a type. LVARCHAR is 43 there, as public tools read it, though DESCRIBE says 40.
pub(crate) fn store(ty: &ColumnType) -> StoredType {
    let word = if ty.is_lvarchar() {
        ty.flags & 0xff00 | TypeCode::LVarChar.wire()
    } else {
        ty.wire_type()
    };
    StoredType {
        coltype: word as i16,
        collength: ty.length_word() as i16,
        extended_id: ty.extended_id,
    }
}

/// The type of the catalog's numbers; `extended` gives owner and name (or the type's text) of an extended id.
pub(crate) fn load(
    stored: StoredType,
    extended: impl FnOnce(i32) -> Option<(String, String)>,
) -> Option<ColumnType> {
    let word = stored.coltype as u16;
    let code = TypeCode::from_wire(word).ok()?;
    let length = i32::from(stored.collength as u16);
    let distinct = word & informix_types::type_code::DISTINCT != 0;
    let mut ty = match (code, stored.extended_id) {
        (_, id) if distinct => {
            let (owner, name) = extended(id)?;
            let base = match code {
                TypeCode::LVarChar => ColumnType::lvarchar(length),
                TypeCode::UdtFixed => ColumnType::boolean(),
                _ => ColumnType::new(code, length),
            };
            super::types::distinct(&base, id, owner.trim_end(), &name)
        }
        (TypeCode::LVarChar, _) => ColumnType::lvarchar(length),
        (TypeCode::UdtFixed, 5) => ColumnType::boolean(),
        (TypeCode::UdtFixed, 10) => ColumnType::blob(),
        (TypeCode::UdtFixed, 11) => ColumnType::clob(),
        (_, 0) => ColumnType::new(code, length),
        (_, id) => {
            let (owner, name) = extended(id)?;
            ColumnType {
                extended_id: id,
                owner,
                extended_name: name,
                ..ColumnType::new(code, length)
            }
        }
    };
    ty.flags = word & 0xff00;
    Some(ty)
}

/// SQLite's affinity for the stored form.
pub(crate) fn affinity(ty: &ColumnType) -> &'static str {
    match ty.code {
        TypeCode::SmallInt
        | TypeCode::Integer
        | TypeCode::Serial
        | TypeCode::Int8
        | TypeCode::Serial8
        | TypeCode::BigInt
        | TypeCode::BigSerial
        | TypeCode::Date => "INTEGER",
        TypeCode::Float | TypeCode::SmallFloat => "REAL",
        _ if ty.is_boolean() => "INTEGER",
        _ if ty.is_character() => "TEXT COLLATE RTRIM",
        TypeCode::Set | TypeCode::MultiSet | TypeCode::List | TypeCode::Row => "TEXT",
        _ => "BLOB",
    }
}

/// Bytes of a column in the server's fixed row, for `systables.rowsize`.
pub(crate) fn row_width(ty: &ColumnType) -> i32 {
    match ty.cell_width() {
        Ok(informix_types::column::CellWidth::Fixed(n)) => i32::try_from(n).unwrap_or(0),
        Ok(informix_types::column::CellWidth::ShortString { max }) => i32::try_from(max + 1).unwrap_or(0),
        _ if ty.is_lvarchar() => ty.encoded_length.saturating_add(3),
        _ if ty.is_boolean() => 2,
        _ => ty.encoded_length.max(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use informix_types::Qualifier;

    #[test]
    fn every_type_comes_back() -> Result<(), Box<dyn std::error::Error>> {
        let year_to_second = Qualifier::from_code(0x0e0a)?;
        let types = [
            ColumnType::smallint(),
            ColumnType::integer().not_null(),
            ColumnType::serial(),
            ColumnType::int8(),
            ColumnType::serial8(),
            ColumnType::bigint(),
            ColumnType::bigserial(),
            ColumnType::float(),
            ColumnType::smallfloat(),
            ColumnType::decimal(16, None),
            ColumnType::decimal(32, Some(10)),
            ColumnType::money(16, 2),
            ColumnType::date(),
            ColumnType::datetime(year_to_second),
            ColumnType::char(32767),
            ColumnType::nchar(5),
            ColumnType::varchar(255, 200),
            ColumnType::nvarchar(255, 0),
            ColumnType::lvarchar(32739).not_null(),
            ColumnType::boolean(),
            ColumnType::blob(),
            ColumnType::clob(),
            ColumnType::byte(),
            ColumnType::text(),
        ];
        for ty in types {
            assert_eq!(load(store(&ty), |_| None).as_ref(), Some(&ty), "{ty}");
        }
        assert_eq!(
            i32::from(store(&ColumnType::varchar(255, 200)).collength),
            200 * 256 + 255 - 65_536
        );
        assert_eq!(store(&ColumnType::lvarchar(9)).coltype, 43);
        let named = StoredType {
            coltype: 22 + 0x1000,
            collength: 0,
            extended_id: 2048,
        };
        let row = load(named, |id| Some(("joe".to_owned(), format!("t{id}")))).ok_or("row")?;
        assert_eq!((row.extended_name.as_str(), row.flags), ("t2048", 0x1000));
        Ok(())
    }
}
