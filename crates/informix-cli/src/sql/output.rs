//! Result sets as an aligned table, CSV or JSON.

use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};

/// One value, ready to be shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// SQL NULL.
    Null,
    /// A number that JSON can carry exactly: integers and floats.
    Number(String),
    /// TRUE or FALSE.
    Bool(bool),
    /// Everything else as the text Informix users know, DECIMAL too (exact in every format).
    Text(String),
    /// BYTE and BLOB contents.
    Bytes(Vec<u8>),
}

/// A column of a result set.
#[derive(Debug, Clone)]
pub(crate) struct Heading {
    /// Its name as the server describes it.
    pub(crate) name: String,
    /// Numbers stand at the right side of a table column.
    pub(crate) right: bool,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns.
    Table,
    /// RFC 4180: NULL is an empty field, an empty string is `""`.
    Csv,
    /// An array of objects, one row a line; DECIMAL, MONEY, dates and intervals are strings.
    Json,
}

/// Rows of a table that are aligned together: bounds memory for long results.
const TABLE_ROWS: usize = 2000;

/// Columns between bars, one rule below the header.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction('|'))
    .header_separator(LineStyle::none().fill('-').junction('+'))
    .content_lines(ContentLineStyle::none().junction('|'));

/// Writes one result set.
pub(crate) struct ResultWriter<'a> {
    out: &'a mut dyn Write,
    format: Format,
    columns: Vec<Heading>,
    null: &'a str,
    header: bool,
    pending: Vec<Vec<Cell>>,
    rows: u64,
}

impl<'a> ResultWriter<'a> {
    /// Starts a result set; `null` is shown for NULL in tables and CSV.
    pub(crate) fn start(
        out: &'a mut dyn Write,
        format: Format,
        columns: Vec<Heading>,
        null: &'a str,
        header: bool,
    ) -> io::Result<Self> {
        let writer = Self {
            out,
            format,
            columns,
            null,
            header,
            pending: Vec::new(),
            rows: 0,
        };
        match format {
            Format::Csv if header => {
                let names: Vec<String> = writer.columns.iter().map(|c| csv_field(&c.name)).collect();
                writeln!(writer.out, "{}", names.join(","))?;
            }
            Format::Json => write!(writer.out, "[")?,
            _ => {}
        }
        Ok(writer)
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) -> io::Result<()> {
        match self.format {
            Format::Table => {
                self.pending.push(cells);
                if self.pending.len() == TABLE_ROWS {
                    self.flush_table()?;
                }
            }
            Format::Csv => {
                let fields: Vec<String> = cells
                    .iter()
                    .map(|cell| match cell {
                        Cell::Null => self.null.to_owned(),
                        other => csv_field(&text(other)),
                    })
                    .collect();
                writeln!(self.out, "{}", fields.join(","))?;
            }
            Format::Json => {
                let comma = if self.rows == 0 { "" } else { "," };
                write!(self.out, "{comma}\n{{")?;
                for (at, (column, cell)) in self.columns.iter().zip(&cells).enumerate() {
                    let comma = if at == 0 { "" } else { "," };
                    write!(self.out, "{comma}{}:{}", json_string(&column.name), json(cell))?;
                }
                write!(self.out, "}}")?;
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// Ends the result set and tells how many rows it had.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        match self.format {
            Format::Table => {
                if !self.pending.is_empty() || (self.rows == 0 && self.header) {
                    self.flush_table()?;
                }
            }
            Format::Csv => {}
            Format::Json => writeln!(self.out, "{}]", if self.rows == 0 { "" } else { "\n" })?,
        }
        Ok(self.rows)
    }

    fn flush_table(&mut self) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(STYLE);
        table.set_content_arrangement(ContentArrangement::Disabled);
        if self.header {
            table.set_header(self.columns.iter().map(|c| comfy_table::Cell::new(&c.name)));
        }
        for row in self.pending.drain(..) {
            table.add_row(row.iter().zip(&self.columns).map(|(cell, column)| {
                let shown = match cell {
                    Cell::Null => self.null.to_owned(),
                    other => text(other),
                };
                let side = if column.right {
                    CellAlignment::Right
                } else {
                    CellAlignment::Left
                };
                comfy_table::Cell::new(shown).set_alignment(side)
            }));
        }
        writeln!(self.out, "{}", table.trim_fmt())
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Number(text) | Cell::Text(text) => text.clone(),
        Cell::Bool(true) => "t".to_owned(),
        Cell::Bool(false) => "f".to_owned(),
        Cell::Bytes(bytes) => bytes.iter().map(|b| format!("{b:02x}")).collect(),
    }
}

/// A field of a CSV line. Empty text is quoted to differ from NULL.
fn csv_field(text: &str) -> String {
    if text.is_empty() || text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn json(cell: &Cell) -> String {
    match cell {
        Cell::Null => "null".to_owned(),
        // Infinity and NaN are no JSON numbers.
        Cell::Number(text) if text.parse::<f64>().is_ok_and(f64::is_finite) => text.clone(),
        Cell::Bool(value) => value.to_string(),
        other => json_string(&text(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: Format, header: bool, rows: &[Vec<Cell>]) -> String {
        let columns = [("id", true), ("name", false), ("(constant)", false)].map(|(name, right)| Heading {
            name: name.to_owned(),
            right,
        });
        let mut out = Vec::new();
        let null = if format == Format::Table { "NULL" } else { "" };
        let mut writer = ResultWriter::start(&mut out, format, columns.to_vec(), null, header).unwrap();
        for row in rows {
            writer.row(row.clone()).unwrap();
        }
        assert_eq!(writer.finish().unwrap(), rows.len() as u64);
        String::from_utf8(out).unwrap()
    }

    fn rows() -> Vec<Vec<Cell>> {
        vec![
            vec![
                Cell::Number("1".into()),
                Cell::Text("ann".into()),
                Cell::Bool(true),
            ],
            vec![Cell::Null, Cell::Null, Cell::Null],
            vec![
                Cell::Number("-1000".into()),
                Cell::Text(String::new()),
                Cell::Bytes(vec![0, 255]),
            ],
            vec![
                Cell::Number("NaN".into()),
                Cell::Text("a \"b\",\nc".into()),
                Cell::Text("1.50".into()),
            ],
        ]
    }

    #[test]
    fn tables() {
        insta::assert_snapshot!(written(Format::Table, true, &rows()));
        insta::assert_snapshot!(written(Format::Table, true, &[]));
        assert_eq!(written(Format::Table, false, &[]), "");
    }

    #[test]
    fn csv() {
        insta::assert_snapshot!(written(Format::Csv, true, &rows()));
        assert_eq!(written(Format::Csv, false, &[]), "");
    }

    #[test]
    fn json() {
        let text = written(Format::Json, true, &rows());
        insta::assert_snapshot!(text);
        let parsed: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed[1]["id"], serde_json::Value::Null);
        assert_eq!(written(Format::Json, true, &[]), "[]\n");
    }

    #[test]
    fn a_long_table_is_written_in_parts() {
        let many: Vec<Vec<Cell>> = (0..TABLE_ROWS + 1)
            .map(|i| vec![Cell::Number(i.to_string()), Cell::Null, Cell::Null])
            .collect();
        assert_eq!(
            written(Format::Table, true, &many).matches("(constant)").count(),
            2
        );
    }
}
