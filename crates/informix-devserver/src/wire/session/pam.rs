//! PAM: the questions between SQ_PROTOCOLS and everything else (`sqli-protocol.md` 12.3).
//!
//! SQ_ACK asks for the first question (SQ_CHALLENGE); each right answer (SQ_RESPONSE) brings the next one, the last one
//! SQ_ACCEPT. Evidence: `captures/jdbc-connect-pam` (J) for messages and order, the vendor's documentation (D) for
//! several questions and for the password that is not looked at. A wrong answer is met with SQ_EXIT: the Java client
//! reports -79885 ("PAM authorization has failed") then, and -408 for SQ_ERR or a bare SQ_EOT. It leaves when it is asked
//! in the styles 3 and 4 (messages without an answer), so those are not used. What a real server says to a client that
//! does not answer is unconfirmed: here it is -1809, and the connection ends.

use std::collections::VecDeque;

use informix_protocol::login::LoginRequest;
use informix_protocol::message::{Challenge, Response};
use informix_protocol::{ClientMessage, ServerMessage, WireText};

use super::{Handled, Session, text};
use crate::engine::{EngineConfig, same_bytes};
use crate::error::SqlError;
use crate::wire::channel::Broken;
use crate::wire::login;

/// What a client has still to answer before it is let in.
#[derive(Debug)]
pub(in crate::wire) struct Gate {
    questions: VecDeque<(Challenge, WireText)>,
    /// The first question was asked for.
    asked: bool,
}

impl Gate {
    /// `None` when this server asks nothing.
    pub(in crate::wire) fn new(config: &EngineConfig, request: &LoginRequest) -> Option<Self> {
        let codec = login::client_codec(request);
        let questions: VecDeque<_> = config
            .challenges
            .iter()
            .map(|challenge| {
                let question = Challenge {
                    style: if challenge.echo {
                        Challenge::ECHO_ON
                    } else {
                        Challenge::ECHO_OFF
                    },
                    prompt: text::encode(&challenge.prompt, &codec),
                };
                (question, text::encode(&challenge.answer, &codec))
            })
            .collect();
        (!questions.is_empty()).then_some(Self {
            questions,
            asked: false,
        })
    }

    /// Whether an answer is that of the open question, which is then done with.
    fn answered(&mut self, answer: &Response) -> bool {
        let right = self.asked
            && self
                .questions
                .front()
                .is_some_and(|(_, expected)| same_bytes(expected.as_bytes(), answer.0.as_bytes()));
        if right {
            self.questions.pop_front();
        }
        right
    }
}

impl Session {
    /// A message of a client that is not let in yet.
    pub(super) fn at_the_gate(&mut self, message: ClientMessage) -> Handled {
        match message {
            ClientMessage::Protocols(offer) => self.protocols(&offer),
            ClientMessage::Ack if self.channel.lock().negotiated().pam() => self.ask(),
            ClientMessage::Response(answer) => {
                let Some(gate) = self.gate.as_mut() else {
                    return Ok(());
                };
                if gate.answered(&answer) {
                    return self.ask();
                }
                tracing::info!("login refused: a wrong answer");
                self.expelled = true;
                self.send(&ServerMessage::Exit)
            }
            _ => {
                tracing::info!("login refused: the questions were not answered");
                self.expelled = true;
                Err(SqlError::new(-1809).into())
            }
        }
    }

    /// The next question, or the way in.
    fn ask(&mut self) -> Handled {
        let question = self.gate.as_mut().and_then(|gate| {
            gate.asked = true;
            gate.questions.front().map(|(question, _)| question.clone())
        });
        match question {
            Some(question) => self.send(&ServerMessage::Challenge(question)),
            None => {
                self.gate = None;
                // The time for a login is over; an idle session may last for ever.
                self.channel.lock().set_read_timeout(None).map_err(Broken::from)?;
                self.send(&ServerMessage::Accept)
            }
        }
    }
}
