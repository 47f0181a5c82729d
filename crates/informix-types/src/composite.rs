//! Text bodies of ROW, SET, MULTISET and LIST: `ROW('Alice',30         )`, `LIST{10,20,30}`, `SET{'red','green'}`.
//!
//! This is how a plain fetch returns them (P). Numbers stand bare and blank padded, texts in quotes. Not measured: a quote inside a
//! text (read as doubled, as in SQL) and a NULL inside a ROW (read as the bare word).

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::type_code::TypeCode;

/// Nesting that is still read: deeper text is refused rather than exhausting the stack.
const MAX_DEPTH: usize = 32;

/// A ROW or collection read from its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composite {
    /// [`TypeCode::Row`], [`TypeCode::Set`], [`TypeCode::MultiSet`] or [`TypeCode::List`].
    pub code: TypeCode,
    /// Fields in order; the order of SET and MULTISET means nothing.
    pub elements: Vec<Element>,
}

/// One field of a [`Composite`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// NULL
    Null,
    /// Bare text without its padding blanks: a number, a date, `t`
    Bare(String),
    /// Text that stood in quotes
    Quoted(String),
    /// A nested ROW or collection
    Nested(Composite),
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    fn eat(&mut self, character: char) -> bool {
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes text up to the first of `stops`, which stays.
    fn until(&mut self, stops: &[char]) -> Option<&'a str> {
        let (taken, rest) = self.rest.split_at_checked(self.rest.find(stops)?)?;
        self.rest = rest;
        Some(taken)
    }

    fn composite(&mut self, depth: usize) -> Option<Composite> {
        let word = self.until(&['(', '{'])?.trim_matches(' ');
        let (code, close) = match (word.to_ascii_uppercase().as_str(), self.rest.starts_with('(')) {
            ("ROW", true) => (TypeCode::Row, ')'),
            ("SET", false) => (TypeCode::Set, '}'),
            ("MULTISET", false) => (TypeCode::MultiSet, '}'),
            ("LIST", false) => (TypeCode::List, '}'),
            _ => return None,
        };
        self.rest = self.rest.get(1..)?;
        let mut elements = Vec::new();
        self.blanks();
        while !self.eat(close) {
            if !elements.is_empty() && !self.eat(',') {
                return None;
            }
            elements.push(self.element(depth)?);
            self.blanks();
        }
        Some(Composite { code, elements })
    }

    fn element(&mut self, depth: usize) -> Option<Element> {
        self.blanks();
        for quote in ['\'', '"'] {
            if self.eat(quote) {
                let mut text = String::new();
                loop {
                    text.push_str(self.until(&[quote])?);
                    self.eat(quote);
                    if !self.eat(quote) {
                        return Some(Element::Quoted(text));
                    }
                    text.push(quote);
                }
            }
        }
        let end = self.rest.find([',', ')', '}', '(', '{'])?;
        if self.rest.get(end..)?.starts_with(['(', '{']) {
            let depth = depth.checked_sub(1)?;
            return self.composite(depth).map(Element::Nested);
        }
        let bare = self.until(&[',', ')', '}'])?.trim_end_matches(' ');
        match bare {
            "" => None,
            word if word.eq_ignore_ascii_case("null") => Some(Element::Null),
            word => Some(Element::Bare(word.to_owned())),
        }
    }
}

impl FromStr for Composite {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parser = Parser { rest: text };
        let composite = parser.composite(MAX_DEPTH);
        parser.blanks();
        composite
            .filter(|_| parser.rest.is_empty())
            .ok_or_else(|| Error::syntax("ROW or collection", text))
    }
}

/// The text form, without padding.
impl fmt::Display for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = if self.code == TypeCode::Row {
            ('(', ')')
        } else {
            ('{', '}')
        };
        write!(f, "{}{open}", self.code.name().to_ascii_uppercase())?;
        for (index, element) in self.elements.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            match element {
                Element::Null => f.write_str("NULL")?,
                Element::Bare(text) => f.write_str(text)?,
                Element::Quoted(text) => write!(f, "'{}'", text.replace('\'', "''"))?,
                Element::Nested(composite) => composite.fmt(f)?,
            }
        }
        write!(f, "{close}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> Element {
        Element::Quoted(text.to_owned())
    }

    fn bare(text: &str) -> Element {
        Element::Bare(text.to_owned())
    }

    #[test]
    fn bodies_that_a_server_sent() {
        let row = Composite::from_str("ROW('Alice',30         )").expect("a row");
        assert_eq!(
            row,
            Composite {
                code: TypeCode::Row,
                elements: vec![quoted("Alice"), bare("30")]
            }
        );
        let list = Composite::from_str("LIST{10,20,30}").expect("a list");
        assert_eq!((list.code, list.elements.len()), (TypeCode::List, 3));
        let set = Composite::from_str("SET{'red','green','blue'}").expect("a set");
        assert_eq!(set.elements[1], quoted("green"));
        assert_eq!(
            Composite::from_str("MULTISET{1,2,2,3}").map(|set| set.elements.len()),
            Ok(4)
        );
    }

    #[test]
    fn empty_nested_and_quoted() {
        assert_eq!(
            Composite::from_str("SET{}").map(|set| set.elements),
            Ok(Vec::new())
        );
        let nested = "ROW(1,SET{'a,b','it''s {'},NULL,ROW(-1.5))";
        assert_eq!(
            Composite::from_str(nested).map(|row| row.to_string()).as_deref(),
            Ok(nested)
        );
        let spaced = Composite::from_str(" row( \"x\" , 2024-05-06 07:08:09 ) ").expect("a row");
        assert_eq!(spaced.elements, [quoted("x"), bare("2024-05-06 07:08:09")]);
    }

    #[test]
    fn broken_texts() {
        for text in [
            "",
            "ROW",
            "ROW(",
            "ROW(1",
            "ROW{1}",
            "SET(1)",
            "SET{1,}",
            "SET{,1}",
            "SET{1}x",
            "SET{'a}",
            "X{1}",
            "SET{1 {2}}",
        ] {
            assert!(Composite::from_str(text).is_err(), "{text}");
        }
        let deep = "SET{".repeat(10_000) + &"}".repeat(10_000);
        assert!(Composite::from_str(&deep).is_err());
    }
}
