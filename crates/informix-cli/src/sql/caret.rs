//! Shows where in a statement an error is.

/// The line of the statement that holds the offset, with a caret below it.
///
/// `offset` is 1-based and counts bytes of the text as it was sent: in a one-byte code set every
/// character is one byte, in UTF-8 it is as long as here.
pub(crate) fn point_at(sql: &str, offset: u32, utf8: bool) -> Option<String> {
    let offset = usize::try_from(offset).ok()?.checked_sub(1)?;
    let byte = if utf8 {
        (0..=offset.min(sql.len()))
            .rev()
            .find(|at| sql.is_char_boundary(*at))?
    } else {
        sql.char_indices().nth(offset).map_or(sql.len(), |(at, _)| at)
    };
    let (before, after) = sql.split_at_checked(byte)?;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = byte + after.find('\n').unwrap_or(after.len());
    let line = sql.get(start..end)?.trim_end();
    let number = before.matches('\n').count() + 1;
    let label = if sql.contains('\n') {
        format!("line {number}: ")
    } else {
        String::new()
    };
    // Tabs stay tabs, so that the caret stands below its character.
    let gap: String = sql
        .get(start..byte)?
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    Some(format!("  {label}{line}\n  {}{gap}^", " ".repeat(label.len())))
}

#[cfg(test)]
mod tests {
    use super::point_at;

    #[test]
    fn the_caret_stands_below_the_byte() {
        let cases = [
            ("select frm t", 8, "  select frm t\n         ^"),
            ("x", 1, "  x\n  ^"),
            ("abc", 99, "  abc\n     ^"),
            ("select\n  frm t", 10, "  line 2:   frm t\n            ^"),
            ("\tselect", 2, "  \tselect\n  \t^"),
        ];
        for (sql, offset, expected) in cases {
            assert_eq!(
                point_at(sql, offset, true).as_deref(),
                Some(expected),
                "{sql:?} at {offset}"
            );
        }
        assert_eq!(point_at("abc", 0, true), None);
    }

    #[test]
    fn offsets_count_bytes_of_the_code_set() {
        let sql = "select 'ä' frm";
        assert_eq!(point_at(sql, 13, true), point_at(sql, 12, false));
        // In the middle of a character: the character.
        assert_eq!(point_at("ä x", 2, true).as_deref(), Some("  ä x\n  ^"));
    }
}
