//! Where statements end: at `;` outside of strings, identifiers, comments and routine bodies.

/// A statement cut out of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The text without the `;`, trimmed.
    pub(crate) text: String,
    /// 1-based line of its first character in the script.
    pub(crate) line: usize,
}

/// Cuts a script into its complete statements and what is left behind the last `;`.
///
/// Comments before a statement stay with it. The rest is empty when nothing but blanks and
/// comments follows.
pub(crate) fn split(script: &str) -> (Vec<Piece>, Option<Piece>) {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut routine = Routine::default();
    let tokens = Tokens { text: script, at: 0 };
    let mut has_content = false;
    for token in tokens {
        match token {
            Token::Semicolon(at) if !routine.open() => {
                if has_content {
                    pieces.extend(piece(script, start, at));
                }
                start = at + 1;
                routine = Routine::default();
                has_content = false;
            }
            Token::Semicolon(_) | Token::Other => has_content = true,
            Token::Word(word) => {
                routine.see(word);
                has_content = true;
            }
            // An unfinished string or comment belongs to the rest.
            Token::Unfinished => has_content = true,
        }
    }
    let rest = if has_content {
        piece(script, start, script.len())
    } else {
        None
    };
    (pieces, rest)
}

/// Whether interactive input may be run: every statement is ended, or there is none.
pub(crate) fn is_complete(input: &str) -> bool {
    split(input).1.is_none()
}

/// The first word of a statement, behind blanks and comments.
pub(crate) fn first_word(sql: &str) -> Option<&str> {
    match (Tokens { text: sql, at: 0 }).next()? {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

fn piece(script: &str, start: usize, end: usize) -> Option<Piece> {
    let text = script.get(start..end)?;
    let trimmed = text.trim_start();
    let line = script
        .get(..start + (text.len() - trimmed.len()))?
        .matches('\n')
        .count()
        + 1;
    Some(Piece {
        text: trimmed.trim_end().to_owned(),
        line,
    })
}

/// Follows `create procedure … end procedure`, whose body holds semicolons.
#[derive(Default)]
struct Routine {
    words: usize,
    creating: bool,
    /// What the body must be ended with.
    kind: Option<&'static str>,
    after_end: bool,
    ended: bool,
}

impl Routine {
    fn see(&mut self, word: &str) {
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        self.words += 1;
        if self.words == 1 {
            self.creating = is("create");
        } else if self.creating && self.kind.is_none() {
            if is("procedure") {
                self.kind = Some("procedure");
            } else if is("function") {
                self.kind = Some("function");
            } else {
                self.creating = ["or", "replace", "dba", "if", "not", "exists"]
                    .iter()
                    .any(|w| is(w));
            }
        } else if let Some(kind) = self.kind {
            if self.after_end && is(kind) {
                self.ended = true;
            }
            self.after_end = is("end");
        }
    }

    fn open(&self) -> bool {
        self.kind.is_some() && !self.ended
    }
}

enum Token<'a> {
    Word(&'a str),
    Semicolon(usize),
    Other,
    /// A string or comment that runs to the end of the text.
    Unfinished,
}

struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.text.get(self.at..)?;
            let first = rest.chars().next()?;
            if first.is_whitespace() {
                self.at += first.len_utf8();
                continue;
            }
            // Comments: `--` to the end of the line, `{ }`, `/* */`; none of them nests.
            if rest.starts_with("--") {
                self.at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            for (open, close) in [("{", "}"), ("/*", "*/")] {
                if let Some(body) = rest.strip_prefix(open) {
                    let Some(end) = body.find(close) else {
                        self.at = self.text.len();
                        return Some(Token::Unfinished);
                    };
                    self.at += open.len() + end + close.len();
                    return self.next();
                }
            }
            if first == '\'' || first == '"' {
                // A doubled quote is the end of one string and the start of the next: the same to us.
                let Some(end) = rest.get(1..).and_then(|body| body.find(first)) else {
                    self.at = self.text.len();
                    return Some(Token::Unfinished);
                };
                self.at += end + 2;
                return Some(Token::Other);
            }
            if first.is_alphabetic() || first == '_' {
                let end = rest
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(rest.len());
                self.at += end;
                return rest.get(..end).map(Token::Word);
            }
            let start = self.at;
            self.at += first.len_utf8();
            return Some(if first == ';' {
                Token::Semicolon(start)
            } else {
                Token::Other
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(script: &str) -> (Vec<String>, Option<String>) {
        let (pieces, rest) = split(script);
        (pieces.into_iter().map(|p| p.text).collect(), rest.map(|p| p.text))
    }

    #[test]
    fn statements_end_at_semicolons_outside_of_everything() {
        let cases: &[(&str, &[&str], Option<&str>)] = &[
            ("", &[], None),
            (" ;; ", &[], None),
            ("select 1", &[], Some("select 1")),
            ("select 1;", &["select 1"], None),
            ("a; b ;c", &["a", "b"], Some("c")),
            ("select ';' from t; x", &["select ';' from t"], Some("x")),
            ("select 'it''s;' ; x", &["select 'it''s;'"], Some("x")),
            ("select \";\"; x", &["select \";\""], Some("x")),
            ("select 1 -- no; end\n; x", &["select 1 -- no; end"], Some("x")),
            ("{ ; } select 1;", &["{ ; } select 1"], None),
            ("/* ; */ select 1; -- the end", &["/* ; */ select 1"], None),
            ("select 'open; ", &[], Some("select 'open;")),
            ("select 1; { open", &["select 1"], Some("{ open")),
            ("é; ü", &["é"], Some("ü")),
        ];
        for (script, pieces, rest) in cases {
            let (found, left) = texts(script);
            assert_eq!(found, *pieces, "{script}");
            assert_eq!(left.as_deref(), *rest, "{script}");
        }
    }

    #[test]
    fn a_routine_is_one_statement() {
        let body = "create procedure p(n int) returning int;\n if n > 1 then let n = ';'; end if;\n return n;\nend procedure";
        let (found, left) = texts(&format!("{body};\nselect 1;"));
        assert_eq!(found, [body, "select 1"]);
        assert_eq!(left, None);
        assert!(!is_complete("create dba function f() returning int; return 1;"));
        assert!(is_complete(
            "create function f() returning int; return 1; end function;"
        ));
        assert!(is_complete("create table procedure_log (a int);"));
    }

    #[test]
    fn lines_are_counted_from_one() {
        let (pieces, rest) = split("\n\nselect 1;\n-- two\nselect 2;\n\nselect 3");
        assert_eq!(pieces.iter().map(|p| p.line).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(rest.map(|p| p.line), Some(7));
    }
}
