//! Rules from text; the grammar stands at the module.

use std::str::FromStr;
use std::time::Duration;

use super::message::Message;
use super::rule::{ClosePoint, Condition, Fault, Reaction, Scope, TextPattern};

/// The pause of `split` without a time.
const SPLIT_PAUSE: Duration = Duration::from_millis(100);
/// The bytes of `garbage` without a number.
const GARBAGE: usize = 16;
/// Longest text of garbage; longest delay. What is longer is a slip of the pen.
const MAX_GARBAGE: u64 = 1 << 20;
const MAX_MILLISECONDS: u64 = 24 * 3600 * 1000;

/// What is wrong with the text of a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("fault rule {rule:?}, column {column}: {problem}")]
pub struct FaultSyntaxError {
    rule: String,
    column: usize,
    problem: String,
}

impl FromStr for Fault {
    type Err = FaultSyntaxError;

    fn from_str(text: &str) -> Result<Self, FaultSyntaxError> {
        let mut parser = Parser { text, at: 0 };
        let condition = parser.condition()?;
        let reaction = parser.reaction()?;
        match parser.next()? {
            None => Ok(condition.react(reaction)),
            Some((at, token)) => Err(parser.wrong(at, format!("{} behind a complete rule", token.show()))),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// Letters and underscores.
    Word(String),
    /// A number with its sign.
    Number(i64),
    Quoted(String),
    Hash,
    Dots,
}

impl Token {
    fn show(&self) -> String {
        match self {
            Self::Word(word) => format!("{word:?}"),
            Self::Number(number) => format!("{number}"),
            Self::Quoted(text) => format!("'{text}'"),
            Self::Hash => "'#'".to_owned(),
            Self::Dots => "'..'".to_owned(),
        }
    }

    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own.eq_ignore_ascii_case(word))
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

type Parsed<T> = Result<T, FaultSyntaxError>;

impl Parser<'_> {
    fn wrong(&self, at: usize, problem: impl Into<String>) -> FaultSyntaxError {
        let before = self.text.get(..at).unwrap_or(self.text);
        FaultSyntaxError {
            rule: self.text.to_owned(),
            column: before.chars().count() + 1,
            problem: problem.into(),
        }
    }

    /// The next token and where it begins.
    fn next(&mut self) -> Parsed<Option<(usize, Token)>> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let start = self.text.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            self.at = self.text.len();
            return Ok(None);
        };
        let run = |accept: fn(char) -> bool| rest.find(|c| !accept(c)).unwrap_or(rest.len());
        let (length, token) = match first {
            '#' => (1, Token::Hash),
            '.' if rest.starts_with("..") => (2, Token::Dots),
            '\'' | '"' => self.quoted(start, rest, first)?,
            '-' | '0'..='9' => {
                let digits = rest.get(1..).map_or(0, |rest| {
                    rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())
                });
                let number = rest.get(..=digits).unwrap_or_default();
                let value = number
                    .parse()
                    .map_err(|_| self.wrong(start, format!("{number:?} is no number")))?;
                (digits + 1, Token::Number(value))
            }
            c if c.is_alphabetic() || c == '_' => {
                let length = run(|c| c.is_alphabetic() || c == '_' || c.is_ascii_digit());
                (
                    length,
                    Token::Word(rest.get(..length).unwrap_or_default().to_owned()),
                )
            }
            other => return Err(self.wrong(start, format!("{other:?} is not part of a rule"))),
        };
        self.at = start + length;
        Ok(Some((start, token)))
    }

    fn quoted(&self, start: usize, rest: &str, quote: char) -> Parsed<(usize, Token)> {
        let mut text = String::new();
        let mut chars = rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            if c != quote {
                text.push(c);
            } else if chars.next_if(|(_, next)| *next == quote).is_some() {
                text.push(quote);
            } else {
                return Ok((at + 1, Token::Quoted(text)));
            }
        }
        Err(self.wrong(start, "the quote is not closed"))
    }

    fn peek(&mut self) -> Parsed<Option<Token>> {
        let at = self.at;
        let token = self.next()?.map(|(_, token)| token);
        self.at = at;
        Ok(token)
    }

    /// Takes the next token if it is this word.
    fn word(&mut self, word: &str) -> Parsed<bool> {
        let found = self.peek()?.is_some_and(|token| token.is(word));
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn take(&mut self, expected: &Token) -> Parsed<bool> {
        let found = self.peek()?.as_ref() == Some(expected);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn expect(&mut self, what: &str) -> Parsed<(usize, Token)> {
        match self.next()? {
            Some(found) => Ok(found),
            None => Err(self.wrong(self.text.len(), format!("{what} is missing"))),
        }
    }

    fn optional_text(&mut self) -> Parsed<Option<String>> {
        let Some(Token::Quoted(text)) = self.peek()? else {
            return Ok(None);
        };
        self.next()?;
        Ok(Some(text))
    }

    fn number(&mut self, what: &str, least: i64, most: i64) -> Parsed<i64> {
        match self.expect(what)? {
            (_, Token::Number(number)) if (least..=most).contains(&number) => Ok(number),
            (at, Token::Number(number)) => Err(self.wrong(
                at,
                format!("{what} must be between {least} and {most}, not {number}"),
            )),
            (at, token) => Err(self.wrong(at, format!("{what} is expected, not {}", token.show()))),
        }
    }

    fn unsigned(&mut self, what: &str, least: i64, most: u64) -> Parsed<u64> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Ok(self.number(what, least, most)?.unsigned_abs())
    }

    fn size(&mut self, what: &str, most: u64) -> Parsed<usize> {
        Ok(usize::try_from(self.unsigned(what, 0, most)?).unwrap_or(usize::MAX))
    }

    fn time(&mut self) -> Parsed<Duration> {
        let number = self.unsigned("a time", 0, MAX_MILLISECONDS)?;
        if self.word("s")? {
            return Ok(Duration::from_secs(number));
        }
        self.word("ms")?;
        Ok(Duration::from_millis(number))
    }

    fn optional_number(&mut self) -> Parsed<bool> {
        Ok(matches!(self.peek()?, Some(Token::Number(_))))
    }

    fn condition(&mut self) -> Parsed<Condition> {
        let mut condition = match self.expect("a message name or a statement pattern in quotes")? {
            (at, Token::Quoted(text)) if text.trim().is_empty() => {
                return Err(self.wrong(at, "the pattern is empty"));
            }
            (_, Token::Quoted(text)) => Condition::new(None, Some(TextPattern::new(&text))),
            (at, Token::Word(word)) => Condition::new(Some(self.message(at, &word)?), None),
            (at, token) => {
                let found = token.show();
                return Err(self.wrong(
                    at,
                    format!("a message name or a statement pattern in quotes is expected, not {found}"),
                ));
            }
        };
        if self.take(&Token::Hash)? {
            condition = self.count(condition)?;
        }
        if condition.text.is_none()
            && let Some(text) = self.optional_text()?
        {
            condition = condition.of(&text);
        }
        if self.word("per")? {
            match self.expect("`connection`")? {
                (_, token) if token.is("connection") => condition = condition.scope(Scope::PerConnection),
                (at, token) => {
                    return Err(self.wrong(at, format!("`per connection` is expected, not {}", token.show())));
                }
            }
        } else if self.word("connection")? {
            let number = self.unsigned("the number of a connection", 1, u64::MAX)?;
            condition = condition.scope(Scope::Connection(number));
        }
        Ok(condition)
    }

    fn message(&mut self, at: usize, word: &str) -> Parsed<Message> {
        let (at, name, reply) = if word.eq_ignore_ascii_case("reply") {
            match self.expect("the name of a reply")? {
                (at, Token::Word(name)) => (at, name, true),
                (at, token) => {
                    return Err(self.wrong(
                        at,
                        format!("the name of a reply is expected, not {}", token.show()),
                    ));
                }
            }
        } else {
            (at, word.to_owned(), false)
        };
        Message::from_name(&name, reply).ok_or_else(|| {
            let known = Message::ALL
                .iter()
                .filter(|message| !reply || message.is_reply())
                .filter(|message| reply || !message.is_shared_name())
                .map(|message| message.name());
            let known = known.collect::<Vec<_>>().join(" ");
            self.wrong(at, format!("{name:?} is no message; known are {known}"))
        })
    }

    fn count(&mut self, condition: Condition) -> Parsed<Condition> {
        let first = self.unsigned("a number from 1", 1, u64::MAX)?;
        if !self.take(&Token::Dots)? {
            return Ok(condition.nth(first));
        }
        if !self.optional_number()? {
            return Ok(condition.from(first));
        }
        let least = i64::try_from(first).unwrap_or(i64::MAX);
        let last = self.unsigned("the end of the range", least, u64::MAX)?;
        Ok(condition.from(first).times(last - first + 1))
    }

    fn reaction(&mut self) -> Parsed<Reaction> {
        const KNOWN: &str = "drop, delay, split, close, error, slow or garbage";
        let (at, token) = self.expect(&format!("a reaction ({KNOWN})"))?;
        let Token::Word(word) = &token else {
            return Err(self.wrong(
                at,
                format!("a reaction ({KNOWN}) is expected, not {}", token.show()),
            ));
        };
        Ok(match word.to_ascii_lowercase().as_str() {
            "drop" => Reaction::Drop,
            "delay" => Reaction::Delay(self.time()?),
            "split" => {
                let at = self.size("the byte to split at", u64::MAX)?;
                let pause = if self.optional_number()? {
                    self.time()?
                } else {
                    SPLIT_PAUSE
                };
                Reaction::Split { at, pause }
            }
            "close" => Reaction::Close(self.close_point()?),
            "error" => self.error()?,
            "slow" => {
                let rate = self.unsigned("bytes per second", 1, u64::from(u32::MAX))?;
                Reaction::Slow(u32::try_from(rate).unwrap_or(u32::MAX))
            }
            "garbage" if self.optional_number()? => {
                Reaction::Garbage(self.size("the number of bytes", MAX_GARBAGE)?)
            }
            "garbage" => Reaction::Garbage(GARBAGE),
            _ => return Err(self.wrong(at, format!("{word:?} is no reaction; known are {KNOWN}"))),
        })
    }

    fn close_point(&mut self) -> Parsed<ClosePoint> {
        Ok(if self.word("at")? {
            ClosePoint::At(self.size("the byte to close at", u64::MAX)?)
        } else if self.word("middle")? {
            ClosePoint::Middle
        } else if self.word("after")? {
            ClosePoint::After
        } else {
            self.word("before")?;
            ClosePoint::Before
        })
    }

    fn error(&mut self) -> Parsed<Reaction> {
        let code = |number: i64| i16::try_from(number).unwrap_or(i16::MIN);
        let sqlcode = code(self.number("a negative SQLCODE", i64::from(i16::MIN), -1)?);
        let isam = if self.optional_number()? {
            code(self.number("an ISAM code", i64::from(i16::MIN), 0)?)
        } else {
            0
        };
        let token = self.optional_text()?.unwrap_or_default();
        Ok(Reaction::Error { sqlcode, isam, token })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_rules_are_the_same_thing() {
        let second = Duration::from_secs(1);
        let rules = [
            ("execute#3 close", Fault::on(Message::Execute).nth(3).close()),
            ("SQ_TUPLE drop", Fault::on(Message::Tuple).drop_answer()),
            (
                "reply eot#2.. delay 1s",
                Fault::on(Message::EotReply).from(2).delay(second),
            ),
            (
                "eot#1..2 split 3 1000",
                Fault::on(Message::Eot).times(2).split(3, second),
            ),
            (
                "'insert  into *' per connection error -268 -100 'it''s'",
                Fault::on_statement("insert  into *")
                    .scope(Scope::PerConnection)
                    .error(&crate::SqlError::new(-268).isam(-100).token("it's")),
            ),
            (
                "commit#1 connection 2 close at 0",
                Fault::on(Message::Commit)
                    .once()
                    .scope(Scope::Connection(2))
                    .close_at(ClosePoint::At(0)),
            ),
            (
                "prepare \"o'k\" slow 10",
                Fault::on(Message::Prepare).of("o'k").slow(10),
            ),
            ("login garbage", Fault::on(Message::Login).garbage(16)),
            (
                "nfetch close middle",
                Fault::on(Message::NFetch).close_at(ClosePoint::Middle),
            ),
            (
                "bind close after",
                Fault::on(Message::Bind).close_at(ClosePoint::After),
            ),
        ];
        for (text, rule) in rules {
            let parsed: Fault = text.parse().unwrap();
            assert_eq!(parsed, rule, "{text}");
            assert_eq!(parsed.to_string().parse::<Fault>().unwrap(), rule, "{parsed}");
        }
    }

    #[test]
    fn every_message_has_a_name_of_its_own() {
        for message in Message::ALL {
            let rule = Fault::on(*message).drop_answer();
            assert_eq!(rule.to_string().parse::<Fault>().unwrap(), rule, "{message:?}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let cases = [
            (
                "",
                1,
                "a message name or a statement pattern in quotes is missing",
            ),
            (
                "exekute close",
                1,
                "\"exekute\" is no message; known are LOGIN PROTOCOLS",
            ),
            ("reply execute drop", 7, "\"execute\" is no message"),
            ("execute#0 close", 9, "a number from 1 must be between 1"),
            ("execute#3..2 close", 12, "the end of the range must be between 3"),
            ("execute#x close", 9, "a number from 1 is expected, not \"x\""),
            ("execute", 8, "a reaction (drop, delay"),
            ("execute explode", 9, "\"explode\" is no reaction"),
            ("execute close now", 15, "\"now\" behind a complete rule"),
            ("execute delay", 14, "a time is missing"),
            (
                "execute error 5",
                15,
                "a negative SQLCODE must be between -32768 and -1, not 5",
            ),
            (
                "execute per session drop",
                13,
                "`per connection` is expected, not \"session\"",
            ),
            ("'select drop", 1, "the quote is not closed"),
            ("'' drop", 1, "the pattern is empty"),
            ("execute % drop", 9, "'%' is not part of a rule"),
            ("execute slow 99999999999999999999", 14, "is no number"),
        ];
        for (text, column, problem) in cases {
            let error = text.parse::<Fault>().unwrap_err();
            assert_eq!(error.column, column, "{error}");
            assert!(error.problem.contains(problem), "{error}");
        }
    }
}
