//! Messages and answers of a server that has fault rules.

use informix_protocol::ClientMessage;

use super::{Next, Session, text};
use crate::fault::Message;
use crate::wire::channel::Broken;

impl Session {
    /// As `step`, with everything that the rules say about the message and, at the end of the group, about its answer.
    pub(super) fn step_with_faults(&mut self, message: ClientMessage) -> Result<Next, Broken> {
        let kind = Message::of_request(message.tag());
        let ends = matches!(message, ClientMessage::Eot | ClientMessage::Exit);
        self.tamper.lock().hold(&mut self.channel.lock());
        if let Some(kind) = kind
            && (ends || !self.failed)
        {
            let sql = self.text_for(&message);
            let refused = self.tamper.lock().request(kind, sql)?;
            if let Some(error) = refused {
                self.fail(&error);
            }
        }
        let next = self.step(message)?;
        if ends {
            let codec = self.codec();
            let token = |token: &str| text::encode(token, &codec).as_bytes().to_vec();
            self.tamper.lock().finish(&mut self.channel.lock(), token)?;
        }
        Ok(next)
    }

    /// The text of the statement that a message brings or acts on.
    fn text_for(&mut self, message: &ClientMessage) -> Option<String> {
        let codec = self.codec();
        match message {
            ClientMessage::Prepare(prepare) => text::statement(&prepare.0.sql, &codec).ok(),
            ClientMessage::Command(command) => text::statement(&command.0.sql, &codec).ok(),
            ClientMessage::Begin | ClientMessage::CommitWork | ClientMessage::RollbackWork(_) => None,
            _ => self
                .statement()
                .ok()
                .map(|statement| statement.prepared.text().to_owned()),
        }
    }
}
