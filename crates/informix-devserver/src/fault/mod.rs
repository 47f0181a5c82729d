//! Faults on purpose: the server misbehaves where its user says, so that the user can test what the program does then.
//!
//! A [`Fault`] is a condition and a reaction. Rules are given before the start ([`crate::Builder::fault`], `ifx serve --fault`)
//! or while the server runs ([`Faults`], from [`crate::DevServer::faults`]). As text:
//!
//! ```text
//! rule      = condition [ scope ] reaction
//! condition = MESSAGE [ '#' count ] [ 'pattern' ]     a message of this kind (of a statement with such a text)
//!           | 'pattern' [ '#' count ]                 EXECUTE or OPEN of a statement with such a text
//! count     = N | N..M | N..                          the N-th, from the N-th to the M-th, from the N-th on; all when missing
//! scope     = per connection | connection N           counts for each connection of its own; only the N-th connection
//! reaction  = drop                                    no answer
//!           | delay TIME                              later
//!           | split K [ TIME ]                        the answer in two pieces, cut at byte K, with a pause (100ms)
//!           | close [ before | at K | middle | after ]    closes the connection
//!           | error SQLCODE [ ISAM ] [ 'token' ]      SQ_ERR instead
//!           | slow RATE                               that many bytes per second
//!           | garbage [ N ]                           N (16) bytes that are no message, in front of the answer
//! TIME      = N ms | N s | N
//! ```
//!
//! MESSAGE is a name of [`Message`], with or without `SQ_`, in any case: `execute`, `CMMTWORK`, `login`. Names that both sides use
//! mean the client's message; `reply INFO` is the server's.
//!
//! With a **request**, "the answer" is everything that the server says to the group in which the message stood. The message is carried
//! out and then its answer is tampered with; but `close` (`close before`), `delay` and `error` come first: an `error` is not
//! carried out, `close` not either, and a `delay` can be cancelled like any slow statement (-213). So `commit close` loses a
//! transaction, and `commit close at 0` loses only the news that it was committed. With a **reply**, all reactions act on that one
//! message; `drop` and `error` take away the rest of the group's answer, too, but an `error` leaves what is said about the
//! transaction state, which stays true.
//!
//! A pattern fits when it is found anywhere in the statement, or when it is, as one of MATCHES, the whole statement; case and the
//! amount of white space do not matter. Requests that follow an error in their group are not carried out and not counted.
//!
//! | file | what |
//! |---|---|
//! | `rule` | what a rule is |
//! | `message` | kinds of messages |
//! | `parse` | rules from text |
//! | `rules` | the rules of a server, their counters |
//! | `answer` | an answer and its tampering as steps |

mod answer;
mod message;
mod parse;
mod rule;
mod rules;

pub(crate) use answer::{Hit, Step, messages, outlives_error, steps};
pub use message::Message;
pub use parse::FaultSyntaxError;
pub use rule::{ClosePoint, Condition, Fault, Reaction, Scope};
pub(crate) use rules::ConnectionFaults;
pub use rules::{FaultId, Faults};
