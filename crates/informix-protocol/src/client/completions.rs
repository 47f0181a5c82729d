//! Runs of completions: the reply to a group that executes a statement many times, read in one go.

use super::machine::ClientMachine;
use crate::Reader;
use crate::message::Completion;

/// Fewer come one message at a time, as in the reply to a single statement.
const LEAST: usize = 2;

/// Bytes of the shortest completion: DONE alone.
const SHORTEST: usize = 16;

impl ClientMachine {
    /// The completions at the beginning of the input, consumed; `None` when there are fewer than two. What is incomplete, or no
    /// completion, is left for the decoder of single messages.
    pub(super) fn next_completions(&mut self) -> Option<Vec<Completion>> {
        let unread = self.input.unread();
        if unread.len() < LEAST * SHORTEST {
            return None;
        }
        let mut reader = Reader::new(unread, self.input.limits());
        let mut completions = Vec::new();
        let mut end = 0;
        while let Some(completion) = Completion::decode(&mut reader, &self.negotiated) {
            if completions.len() == 1 {
                let size = reader.position() - end;
                completions.reserve(unread.len() / size);
            }
            completions.push(completion);
            end = reader.position();
        }
        if completions.len() < LEAST {
            return None;
        }
        self.input.consume(end);
        Some(completions)
    }
}
