//! LIKE and MATCHES patterns.
//!
//! LIKE: `%` any run, `_` one character. MATCHES: `*`, `?`, `[a-z]`, `[^a-z]`. The escape character (default `\`)
//! takes the next character literally. Case matters. (`informix-sql.md` 5)

use crate::sql::ast::MatchKind;

/// One element of a compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Element {
    /// This character.
    Literal(char),
    /// Any one character.
    One,
    /// Any run of characters.
    Run,
    /// One character inside (or, negated, outside) the ranges.
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A pattern ready to be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    elements: Vec<Element>,
}

impl Pattern {
    /// Compiles a pattern text. Never fails: an escape character at the end stands for itself and an unclosed
    /// bracket is a literal (unconfirmed; a real server may say -1278).
    pub(crate) fn compile(kind: MatchKind, text: &str, escape: Option<char>) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let mut elements = Vec::with_capacity(chars.len());
        let mut at = 0;
        while let Some(&c) = chars.get(at) {
            at += 1;
            if Some(c) == escape
                && let Some(&next) = chars.get(at)
            {
                elements.push(Element::Literal(next));
                at += 1;
                continue;
            }
            let element = match (kind, c) {
                (MatchKind::Like, '%') | (MatchKind::Matches, '*') => Element::Run,
                (MatchKind::Like, '_') | (MatchKind::Matches, '?') => Element::One,
                (MatchKind::Matches, '[') => match Self::class(&chars, at) {
                    Some((class, after)) => {
                        at = after;
                        class
                    }
                    None => Element::Literal(c),
                },
                _ => Element::Literal(c),
            };
            if element != Element::Run || elements.last() != Some(&Element::Run) {
                elements.push(element);
            }
        }
        Self { elements }
    }

    /// The range that every matching text lies in, by the pattern's literal beginning: (from, below). Trailing blanks of the beginning are
    /// left out, since texts compare without theirs. None when the pattern begins with a wildcard.
    pub(crate) fn bounds(&self) -> Option<(String, String)> {
        let literal = self.elements.iter().map_while(|element| match element {
            Element::Literal(c) => Some(*c),
            _ => None,
        });
        let from = literal.collect::<String>().trim_end_matches(' ').to_owned();
        let mut below = from.clone();
        let last = below.pop()?;
        below.push(char::from_u32(u32::from(last) + 1)?);
        Some((from, below))
    }

    /// The bracket expression that starts behind `[`, and the position after its `]`.
    fn class(chars: &[char], mut at: usize) -> Option<(Element, usize)> {
        let negated = chars.get(at) == Some(&'^');
        if negated {
            at += 1;
        }
        let mut ranges = Vec::new();
        let first = at;
        loop {
            let low = *chars.get(at)?;
            if low == ']' && at > first {
                return Some((Element::Class { negated, ranges }, at + 1));
            }
            match (chars.get(at + 1), chars.get(at + 2)) {
                (Some('-'), Some(&high)) if high != ']' => {
                    ranges.push((low, high));
                    at += 3;
                }
                _ => {
                    ranges.push((low, low));
                    at += 1;
                }
            }
        }
    }

    /// Whether the whole text fits. Linear apart from restarting at the last run.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let mut element = 0;
        let mut rest = text;
        let mut restart: Option<(usize, &str)> = None;
        loop {
            match self.elements.get(element) {
                Some(Element::Run) => {
                    element += 1;
                    restart = Some((element, rest));
                    continue;
                }
                Some(one) => {
                    let mut chars = rest.chars();
                    if let Some(c) = chars.next() {
                        let fits = match one {
                            Element::Literal(l) => *l == c,
                            Element::Class { negated, ranges } => {
                                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
                            }
                            Element::One | Element::Run => true,
                        };
                        if fits {
                            element += 1;
                            rest = chars.as_str();
                            continue;
                        }
                    }
                }
                None if rest.is_empty() => return true,
                None => {}
            }
            // Mismatch: let the last run swallow one more character.
            let Some((after_run, from)) = restart else {
                return false;
            };
            let mut chars = from.chars();
            if chars.next().is_none() {
                return false;
            }
            rest = chars.as_str();
            element = after_run;
            restart = Some((after_run, rest));
        }
    }

    /// As [`Self::matches`], where trailing blanks of a fixed-length value do not count.
    pub(crate) fn matches_padded(&self, text: &str) -> bool {
        let stripped = text.trim_end_matches(' ');
        self.matches(stripped) || (stripped.len() != text.len() && self.matches(text)) || {
            let blanks = self
                .elements
                .iter()
                .rev()
                .take_while(|e| **e == Element::Literal(' '))
                .count();
            blanks > 0
                && Self {
                    elements: self.elements[..self.elements.len() - blanks].to_vec(),
                }
                .matches(stripped)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_and_matches() {
        use MatchKind::{Like, Matches};
        let cases = [
            (Like, "abc", "abc", true),
            (Like, "a%", "abc", true),
            (Like, "%c", "abc", true),
            (Like, "%b%", "abc", true),
            (Like, "_b_", "abc", true),
            (Like, "_", "ab", false),
            (Like, "%", "", true),
            (Like, "A%", "abc", false),
            (Like, "10\\%", "10%", true),
            (Like, "10\\%", "10x", false),
            (Like, "%a%b%c", "xxaxxbxxc", true),
            (Like, "%aab", "aaaaaab", true),
            (Like, "ä_", "äö", true),
            (Matches, "a*", "abc", true),
            (Matches, "a?c", "abc", true),
            (Matches, "[a-c]x", "bx", true),
            (Matches, "[^a-c]x", "bx", false),
            (Matches, "[^a-c]x", "dx", true),
            (Matches, "\\*", "*", true),
            (Matches, "\\*", "x", false),
            (Matches, "[]]", "]", true),
            (Matches, "[ab", "[ab", true),
            (Matches, "100%", "100%", true),
        ];
        for (kind, pattern, text, expected) in cases {
            assert_eq!(
                Pattern::compile(kind, pattern, Some('\\')).matches(text),
                expected,
                "{pattern} on {text}"
            );
        }
        let bounds = |kind, text| Pattern::compile(kind, text, Some('\\')).bounds();
        let pair = |from: &str, below: &str| Some((from.to_owned(), below.to_owned()));
        assert_eq!(bounds(Like, "abc%d"), pair("abc", "abd"));
        assert_eq!(bounds(Matches, "ä[0-9]"), pair("ä", "å"));
        assert_eq!(bounds(Like, "a\\_  _"), pair("a_", "a`"));
        assert_eq!(bounds(Like, "%a"), None);
        assert_eq!(bounds(Like, "  %"), None);
        assert!(Pattern::compile(Like, "a!_b", Some('!')).matches("a_b"));
        assert!(Pattern::compile(Like, "ab  ", None).matches_padded("ab"));
        assert!(Pattern::compile(Like, "ab", None).matches_padded("ab   "));
        assert!(!Pattern::compile(Like, "ab_", None).matches_padded("ab"));
    }
}
