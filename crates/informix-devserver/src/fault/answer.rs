//! An answer that is tampered with, as steps for whoever sends it.

use std::ops::Range;
use std::time::Duration;

use informix_protocol::message::SqlErr;
use informix_protocol::{Limits, Negotiated, Reader, ReplyContext, ServerMessage};

use super::message::Message;
use super::rule::{ClosePoint, Reaction};

/// The byte of garbage: a message number of it does not exist.
const GARBAGE: u8 = 0xe7;

/// A part of the answer and what happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) part: Range<usize>,
    pub(crate) reaction: Reaction,
}

/// What the sender does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Sends these bytes, this many per second when there is a number.
    Send(Vec<u8>, Option<u32>),
    /// Waits.
    Pause(Duration),
    /// Closes the connection; nothing follows.
    Close,
}

/// Places of the messages in an answer, with their kinds; up to the first one that is not understood.
pub(crate) fn messages(answer: &[u8], n: &Negotiated, recover: bool) -> Vec<(Message, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = answer.get(at..).filter(|rest| !rest.is_empty()) {
        let mut reader = Reader::new(rest, Limits::default());
        let Ok(message) = ServerMessage::decode(&mut reader, n, ReplyContext { recover }) else {
            break;
        };
        let end = at + reader.position();
        let kind = Message::ALL
            .iter()
            .find(|kind| kind.is_reply() && kind.tag() == Some(message.tag()));
        if let Some(kind) = kind {
            found.push((*kind, at..end));
        }
        at = end;
    }
    found
}

/// The whole answer with everything done to it that `hits` say. `token` gives the bytes of an error's token.
pub(crate) fn steps(
    answer: &[u8],
    messages: &[(Message, Range<usize>)],
    hits: &[Hit],
    n: &Negotiated,
    token: impl Fn(&str) -> Vec<u8>,
) -> Vec<Step> {
    let mut edits = Edits::default();
    for Hit { part, reaction } in hits {
        let (start, end) = (part.start, part.end);
        match reaction {
            Reaction::Drop => edits.removed.push(start..answer.len()),
            Reaction::Delay(time) => edits.insert(start, Step::Pause(*time)),
            Reaction::Split { at, pause } => {
                edits.insert(start.saturating_add(*at).min(end), Step::Pause(*pause));
            }
            Reaction::Close(point) => {
                let at = match point {
                    ClosePoint::Before => start,
                    ClosePoint::At(at) => start.saturating_add(*at).min(end),
                    ClosePoint::Middle => start + (end - start) / 2,
                    ClosePoint::After => end,
                };
                edits.insert(at, Step::Close);
            }
            Reaction::Error {
                sqlcode,
                isam,
                token: object,
            } => {
                let error = SqlErr {
                    sqlcode: *sqlcode,
                    isamcode: *isam,
                    offset: 0,
                    token: token(object).into(),
                };
                let mut bytes = Vec::new();
                if ServerMessage::Err(error).encode(&mut bytes, n).is_ok() {
                    edits.insert(start, Step::Send(bytes, None));
                    let replaced = messages
                        .iter()
                        .filter(|(kind, place)| place.start >= start && !outlives_error(*kind));
                    edits.removed.extend(replaced.map(|(_, place)| place.clone()));
                }
            }
            Reaction::Slow(rate) => edits.slowed.push((part.clone(), *rate)),
            Reaction::Garbage(count) => edits.insert(start, Step::Send(vec![GARBAGE; *count], None)),
        }
    }
    edits.apply(answer)
}

/// What follows an error all the same: the end of the answer, and the truth about the transaction.
pub(crate) fn outlives_error(kind: Message) -> bool {
    matches!(kind, Message::EotReply | Message::XactStat)
}

#[derive(Debug, Default)]
struct Edits {
    inserted: Vec<(usize, Step)>,
    removed: Vec<Range<usize>>,
    slowed: Vec<(Range<usize>, u32)>,
}

impl Edits {
    fn insert(&mut self, at: usize, step: Step) {
        self.inserted.push((at, step));
    }

    fn apply(self, answer: &[u8]) -> Vec<Step> {
        let ranges = self
            .removed
            .iter()
            .chain(self.slowed.iter().map(|(range, _)| range));
        let mut places: Vec<usize> = ranges
            .flat_map(|range| [range.start, range.end])
            .chain(self.inserted.iter().map(|(at, _)| *at))
            .chain([0, answer.len()])
            .collect();
        places.sort_unstable();
        places.dedup();
        let mut steps = Vec::new();
        for (index, at) in places.iter().enumerate() {
            for (_, step) in self.inserted.iter().filter(|(place, _)| place == at) {
                steps.push(step.clone());
                if *step == Step::Close {
                    return steps;
                }
            }
            let end = places.get(index + 1).copied().unwrap_or(*at);
            let within = |range: &Range<usize>| range.start <= *at && end <= range.end;
            let bytes = answer.get(*at..end).unwrap_or_default();
            if bytes.is_empty() || self.removed.iter().any(within) {
                continue;
            }
            let rates = self.slowed.iter().filter(|(range, _)| within(range));
            steps.push(Step::Send(bytes.to_vec(), rates.map(|(_, rate)| *rate).min()));
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use informix_protocol::LoginForm;
    use informix_protocol::message::{Cost, Done, XactStat};

    use super::*;

    fn none() -> Negotiated {
        Negotiated::none(LoginForm::Binary)
    }

    fn answer() -> Vec<u8> {
        let mut bytes = Vec::new();
        for message in [
            ServerMessage::Done(Done::default()),
            ServerMessage::Cost(Cost { rows: 1, cost: 1 }),
            ServerMessage::XactStat(XactStat {
                event: 2,
                new_level: 0,
                old_level: 1,
            }),
            ServerMessage::Eot,
        ] {
            message.encode(&mut bytes, &none()).unwrap();
        }
        bytes
    }

    fn done_to(part: Range<usize>, reaction: Reaction) -> Vec<Step> {
        let answer = answer();
        let messages = messages(&answer, &none(), false);
        steps(&answer, &messages, &[Hit { part, reaction }], &none(), |t| {
            t.as_bytes().to_vec()
        })
    }

    fn send(bytes: &[u8]) -> Step {
        Step::Send(bytes.to_vec(), None)
    }

    #[test]
    fn messages_are_found_where_they_are() {
        let answer = answer();
        let found = messages(&answer, &none(), false);
        let kinds: Vec<Message> = found.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(
            kinds,
            [Message::Done, Message::Cost, Message::XactStat, Message::EotReply]
        );
        assert_eq!(found.last().unwrap().1, answer.len() - 2..answer.len());
    }

    #[test]
    fn each_reaction_does_its_own_thing() {
        let a = answer();
        let (all, len) = (0..a.len(), a.len());
        let second = Duration::from_secs(1);
        assert_eq!(done_to(all.clone(), Reaction::Drop), []);
        assert_eq!(done_to(4..6, Reaction::Drop), [send(&a[..4])]);
        assert_eq!(
            done_to(4..6, Reaction::Delay(second)),
            [send(&a[..4]), Step::Pause(second), send(&a[4..])]
        );
        let split = Reaction::Split { at: 3, pause: second };
        assert_eq!(
            done_to(all.clone(), split),
            [send(&a[..3]), Step::Pause(second), send(&a[3..])]
        );
        let close = |point| done_to(all.clone(), Reaction::Close(point));
        assert_eq!(close(ClosePoint::Before), [Step::Close]);
        assert_eq!(close(ClosePoint::At(5)), [send(&a[..5]), Step::Close]);
        assert_eq!(close(ClosePoint::At(usize::MAX)), [send(&a), Step::Close]);
        assert_eq!(close(ClosePoint::Middle), [send(&a[..len / 2]), Step::Close]);
        assert_eq!(close(ClosePoint::After), [send(&a), Step::Close]);
        assert_eq!(
            done_to(all.clone(), Reaction::Slow(9)),
            [Step::Send(a.clone(), Some(9))]
        );
        assert_eq!(
            done_to(all, Reaction::Garbage(2)),
            [send(&[GARBAGE; 2]), send(&a)]
        );
    }

    #[test]
    fn an_error_keeps_what_is_true() {
        let a = answer();
        let messages = messages(&a, &none(), false);
        let xact = messages[2].1.clone();
        let reaction = Reaction::Error {
            sqlcode: -271,
            isam: -100,
            token: "t".to_owned(),
        };
        let steps = done_to(messages[0].1.clone(), reaction);
        let Some(Step::Send(error, None)) = steps.first() else {
            panic!("{steps:?}")
        };
        assert_eq!(error[..6], [0, 13, 0xfe, 0xf1, 0xff, 0x9c]);
        assert_eq!(steps[1..], [send(&a[xact.start..])]);
    }
}
