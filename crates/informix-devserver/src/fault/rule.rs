//! A rule: when it applies and what happens then.

use std::fmt;
use std::time::Duration;

use super::message::Message;
use crate::error::SqlError;
use crate::expr::Pattern;
use crate::sql::ast::MatchKind;

/// When to close a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosePoint {
    /// A request is not carried out; a reply and what follows it is not sent.
    Before,
    /// After this many bytes of the answer; after all of it when it is shorter.
    At(usize),
    /// After half of the answer.
    Middle,
    /// After the whole answer.
    After,
}

/// What the server does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reaction {
    /// Says nothing.
    Drop,
    /// Waits.
    Delay(Duration),
    /// Sends the answer in two pieces.
    Split {
        /// Bytes of the first piece.
        at: usize,
        /// Time between them.
        pause: Duration,
    },
    /// Closes the connection.
    Close(ClosePoint),
    /// Reports an error.
    Error {
        /// SQLCODE.
        sqlcode: i16,
        /// ISAM code.
        isam: i16,
        /// The object that it is about.
        token: String,
    },
    /// Sends so many bytes per second.
    Slow(u32),
    /// Sends so many bytes that are no message before the answer.
    Garbage(usize),
}

/// What is counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// The messages of all connections.
    #[default]
    Server,
    /// Those of each connection on its own.
    PerConnection,
    /// Those of one connection: the N-th that the server has accepted, from 1.
    Connection(u64),
}

/// A rule: a condition and a reaction. Begin with [`Fault::on`] or [`Fault::on_statement`], end with the reaction.
///
/// ```
/// use informix_devserver::fault::{Fault, Message};
///
/// let third = Fault::on(Message::Execute).nth(3).close();
/// assert_eq!(third, "execute#3 close".parse().unwrap());
/// assert_eq!(third.to_string(), "EXECUTE#3 close before");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub(super) condition: Condition,
    pub(super) reaction: Reaction,
}

/// The condition of a [`Fault`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Condition {
    pub(super) message: Option<Message>,
    pub(super) text: Option<TextPattern>,
    /// The first occurrence that counts, from 1.
    pub(super) first: u64,
    /// How many of them.
    pub(super) times: Option<u64>,
    pub(super) scope: Scope,
}

impl Fault {
    /// For every message of a kind.
    pub fn on(message: Message) -> Condition {
        Condition::new(Some(message), None)
    }

    /// For every EXECUTE or OPEN of a statement with such a text (see the module).
    pub fn on_statement(pattern: &str) -> Condition {
        Condition::new(None, Some(TextPattern::new(pattern)))
    }

    /// What happens.
    #[must_use]
    pub fn reaction(&self) -> &Reaction {
        &self.reaction
    }
}

impl Condition {
    pub(super) fn new(message: Option<Message>, text: Option<TextPattern>) -> Self {
        Self {
            message,
            text,
            first: 1,
            times: None,
            scope: Scope::Server,
        }
    }

    /// Only when the statement has such a text.
    pub fn of(mut self, pattern: &str) -> Self {
        self.text = Some(TextPattern::new(pattern));
        self
    }

    /// Only the `n`-th time, from 1.
    pub fn nth(self, n: u64) -> Self {
        self.from(n).times(1)
    }

    /// From the `n`-th time on.
    pub fn from(mut self, n: u64) -> Self {
        self.first = n.max(1);
        self.times = None;
        self
    }

    /// So many times.
    pub fn times(mut self, times: u64) -> Self {
        self.times = Some(times);
        self
    }

    /// Only once.
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// What is counted together; without it the messages of all connections.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// The rule with this reaction.
    #[must_use]
    pub fn react(self, reaction: Reaction) -> Fault {
        Fault {
            condition: self,
            reaction,
        }
    }

    /// No answer; what was asked for is done.
    #[must_use]
    pub fn drop_answer(self) -> Fault {
        self.react(Reaction::Drop)
    }

    /// Later.
    #[must_use]
    pub fn delay(self, time: Duration) -> Fault {
        self.react(Reaction::Delay(time))
    }

    /// The answer in two pieces with a pause between them.
    #[must_use]
    pub fn split(self, at: usize, pause: Duration) -> Fault {
        self.react(Reaction::Split { at, pause })
    }

    /// Closes the connection, and does nothing of what was asked for.
    #[must_use]
    pub fn close(self) -> Fault {
        self.close_at(ClosePoint::Before)
    }

    /// Closes the connection at a point of the answer.
    #[must_use]
    pub fn close_at(self, point: ClosePoint) -> Fault {
        self.react(Reaction::Close(point))
    }

    /// Reports this error.
    #[must_use]
    pub fn error(self, error: &SqlError) -> Fault {
        let small = |code: i32| i16::try_from(code).unwrap_or(i16::MIN);
        self.react(Reaction::Error {
            sqlcode: small(error.sqlcode),
            isam: small(error.isam),
            token: error.token.clone(),
        })
    }

    /// The answer at this many bytes per second.
    #[must_use]
    pub fn slow(self, bytes_per_second: u32) -> Fault {
        self.react(Reaction::Slow(bytes_per_second.max(1)))
    }

    /// So many bytes that are no message before the answer.
    #[must_use]
    pub fn garbage(self, bytes: usize) -> Fault {
        self.react(Reaction::Garbage(bytes))
    }

    /// Whether a message of this kind, of a statement with this text, is one to be counted.
    pub(super) fn covers(&self, connection: u64, message: Message, text: Option<&str>) -> bool {
        let kind = match self.message {
            Some(kind) => kind == message,
            None => matches!(message, Message::Execute | Message::Open),
        };
        let here = match self.scope {
            Scope::Connection(only) => only == connection,
            Scope::Server | Scope::PerConnection => true,
        };
        kind && here
            && self
                .text
                .as_ref()
                .is_none_or(|pattern| text.is_some_and(|text| pattern.matches(text)))
    }

    /// Whether the occurrence of this number, from 1, is one of those meant.
    pub(super) fn includes(&self, number: u64) -> bool {
        number >= self.first && self.times.is_none_or(|times| number - self.first < times)
    }
}

/// A pattern for statement texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPattern {
    given: String,
    part: String,
    whole: Pattern,
}

impl TextPattern {
    pub(super) fn new(pattern: &str) -> Self {
        let part = fold(pattern);
        Self {
            given: pattern.to_owned(),
            whole: Pattern::compile(MatchKind::Matches, &part, Some('\\')),
            part,
        }
    }

    fn matches(&self, text: &str) -> bool {
        let text = fold(text);
        text.contains(&self.part) || self.whole.matches(&text)
    }
}

/// Lower case, runs of white space as one blank.
fn fold(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The text that gives the same rule when it is parsed.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.condition, self.reaction)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text.as_ref().map(|pattern| Quoted(&pattern.given));
        match (self.message, &text) {
            (Some(message), _) if message.is_shared_name() => write!(f, "reply {}", message.name())?,
            (Some(message), _) => f.write_str(message.name())?,
            (None, Some(text)) => text.fmt(f)?,
            (None, None) => f.write_str("''")?,
        }
        match (self.first, self.times) {
            (1, None) => {}
            (first, None) => write!(f, "#{first}..")?,
            (first, Some(1)) => write!(f, "#{first}")?,
            (first, Some(times)) => write!(f, "#{first}..{}", first.saturating_add(times).saturating_sub(1))?,
        }
        if let (Some(_), Some(text)) = (self.message, &text) {
            write!(f, " {text}")?;
        }
        match self.scope {
            Scope::Server => Ok(()),
            Scope::PerConnection => f.write_str(" per connection"),
            Scope::Connection(number) => write!(f, " connection {number}"),
        }
    }
}

impl fmt::Display for Reaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drop => f.write_str("drop"),
            Self::Delay(time) => write!(f, "delay {}ms", time.as_millis()),
            Self::Split { at, pause } => write!(f, "split {at} {}ms", pause.as_millis()),
            Self::Close(ClosePoint::Before) => f.write_str("close before"),
            Self::Close(ClosePoint::At(at)) => write!(f, "close at {at}"),
            Self::Close(ClosePoint::Middle) => f.write_str("close middle"),
            Self::Close(ClosePoint::After) => f.write_str("close after"),
            Self::Error { sqlcode, isam, token } => {
                write!(f, "error {sqlcode}")?;
                if *isam != 0 {
                    write!(f, " {isam}")?;
                }
                if !token.is_empty() {
                    write!(f, " {}", Quoted(token))?;
                }
                Ok(())
            }
            Self::Slow(rate) => write!(f, "slow {rate}"),
            Self::Garbage(bytes) => write!(f, "garbage {bytes}"),
        }
    }
}

/// A text in quotes, quotes in it doubled.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}
