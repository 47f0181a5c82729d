//! The network side: listener, login, and the session loop that turns SQLI messages into calls of the engine.
//!
//! ```text
//! listener   accepts; a thread per connection
//!  └ serve   login, then
//!     ├ channel    bytes <-> messages (informix-protocol), over
//!     │  └ transport  plain TCP or TLS
//!     ├ session    messages -> engine calls -> replies
//!     ├ tamper     answers and fault rules
//!     ├ files      client files, asked for in the middle of a reply
//!     └ cancel     the urgent byte, asked for while the engine works
//! ```

mod cancel;
mod channel;
mod files;
#[cfg(unix)]
mod idle;
pub(crate) mod listener;
mod login;
mod session;
mod tamper;
mod threads;
#[cfg(feature = "tls")]
pub(crate) mod tls;
mod transport;

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use informix_protocol::server::Request;
use informix_protocol::{ClientMessage, ServerMessage};

use self::cancel::CancelWatch;
use self::channel::{Broken, Channel, SharedChannel};
use self::files::ChannelFiles;
use self::session::{Gate, Session};
use self::tamper::{SharedTamper, Tamper};
use self::transport::{Stream, Transport};
use crate::engine::Engine;
use crate::fault::Faults;

/// A client that has connected has to log in within this time.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a refused client may take to say SQ_EXIT (nmap does).
const REFUSED_TIMEOUT: Duration = Duration::from_secs(5);

/// What all connections of a listener share.
pub(crate) struct Service {
    pub(crate) engine: Arc<Engine>,
    pub(crate) faults: Faults,
    pub(crate) stopping: Arc<AtomicBool>,
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<tls::TlsIdentity>,
}

impl Service {
    /// The whole life of one connection.
    pub(crate) fn serve(&self, stream: TcpStream, peer: SocketAddr, id: u64) {
        let span = tracing::debug_span!("connection", id, %peer);
        let _entered = span.enter();
        let transport = match self.wrap(stream).and_then(Transport::new) {
            Ok(transport) => transport,
            Err(error) => {
                tracing::info!(%error, "connection lost at once");
                return;
            }
        };
        let watch = Arc::new(CancelWatch::new(
            transport.urgent_handle(),
            Arc::clone(&self.stopping),
        ));
        let channel = SharedChannel::new(Channel::new(transport));
        match self.converse(&channel, &watch, peer, id) {
            Ok(()) => tracing::debug!("disconnected"),
            Err(Broken::Fault) => {
                tracing::info!("closed by a fault rule");
                channel.lock().transport().hang_up();
                return;
            }
            Err(Broken::Io(error)) => tracing::info!(%error, "connection lost"),
            Err(Broken::Protocol(error)) => {
                tracing::warn!(%error, "not understood");
                // What a real server does with a message that it doesn't know (T).
                let _ = channel.lock().send(&ServerMessage::Exit);
            }
        }
        channel.lock().close();
    }

    fn wrap(&self, stream: TcpStream) -> std::io::Result<Stream> {
        #[cfg(feature = "tls")]
        if let Some(identity) = &self.tls {
            return identity
                .accept(stream, LOGIN_TIMEOUT)
                .map(|stream| Stream::Tls(Box::new(stream)));
        }
        Ok(Stream::Plain(stream))
    }

    fn converse(
        &self,
        shared: &SharedChannel,
        watch: &Arc<CancelWatch>,
        peer: SocketAddr,
        id: u64,
    ) -> Result<(), Broken> {
        let mut channel = shared.lock();
        channel.set_read_timeout(Some(LOGIN_TIMEOUT))?;
        let login = match channel.next()? {
            Some(Request::Login(login)) => login,
            Some(Request::Message(ClientMessage::Exit)) => {
                channel.send(&ServerMessage::Exit)?;
                channel.send(&ServerMessage::Eot)?;
                return Ok(());
            }
            Some(Request::Message(_)) | None => return Ok(()),
        };
        let mut tamper = Tamper::new(self.faults.connection(id), Arc::clone(watch));
        let (admitted, reply) = match tamper.login()? {
            None => login::admit(&self.engine, &login, peer),
            Some(error) => (None, login::reject(&self.engine, &login, &error)),
        };
        tamper.hold(&mut channel);
        channel.send_login(&reply);
        tamper.finish_login(&mut channel)?;
        channel.transport().flush()?;
        let Some(engine) = admitted else {
            channel.set_read_timeout(Some(REFUSED_TIMEOUT))?;
            if let Ok(Some(Request::Message(ClientMessage::Exit))) = channel.next() {
                channel.send(&ServerMessage::Exit)?;
                channel.send(&ServerMessage::Eot)?;
            }
            return Ok(());
        };
        let gate = Gate::new(self.engine.config(), &login);
        if gate.is_none() {
            // An idle session may last for ever; a vanished peer is noticed by keep-alive probes.
            channel.set_read_timeout(None)?;
        }
        drop(channel);
        let tamper = SharedTamper::new(tamper);
        let asked = Arc::clone(watch);
        engine
            .interrupt()
            .set_poll(Some(Box::new(move || asked.interrupted())));
        engine
            .lobs()
            .set_client_files(Box::new(ChannelFiles::new(shared.clone(), tamper.clone())));
        let explicit = login.database.as_ref().is_some_and(|name| !name.is_empty());
        Session::new(shared.clone(), engine, Arc::clone(watch), tamper, explicit, gate).run()
    }
}
