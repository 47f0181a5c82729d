//! What listens at an address that does not speak SQLI: found out by asking in the tongues
//! that stand next to an Informix server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Who answers at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    /// TLS, whatever is inside.
    Tls,
    /// DRDA, the protocol of DB2 clients (`drsoctcp` in the server's sqlhosts).
    Drda,
    /// HTTP.
    Http,
    /// A protocol whose server speaks first (SSH, SMTP, MySQL …).
    Other,
    /// It takes connections and says nothing.
    Silent,
    /// It takes connections and closes them at once, whatever is sent.
    Closing,
}

/// A question and what its answer looks like.
struct Question {
    bytes: &'static [u8],
    known: fn(&[u8]) -> Option<Listener>,
}

/// A TLS 1.2 client hello that offers one cipher suite: enough for a hello, an alert or a fatal
/// "protocol version" from any TLS listener (RFC 5246 7.4.1.2).
const CLIENT_HELLO: &[u8] = &[
    0x16, 0x03, 0x01, 0x00, 0x2f, // handshake record, 47 bytes
    0x01, 0x00, 0x00, 0x2b, // client hello, 43 bytes
    0x03, 0x03, // TLS 1.2
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31, 32,   // random
    0x00, // no session id
    0x00, 0x04, 0xc0, 0x2f, 0x00, 0x2f, // two cipher suites
    0x01, 0x00, // no compression
];

/// An EXCSAT request without parameters in a DSS envelope (DRDA, DDM code point 0x1041).
const EXCSAT: &[u8] = &[0x00, 0x0a, 0xd0, 0x01, 0x00, 0x01, 0x00, 0x04, 0x10, 0x41];

const QUESTIONS: &[Question] = &[
    // Nothing: who speaks first is no Informix server.
    Question {
        bytes: b"",
        known: |reply| (!reply.is_empty()).then_some(Listener::Other),
    },
    Question {
        bytes: CLIENT_HELLO,
        known: tls,
    },
    Question {
        bytes: EXCSAT,
        known: |reply| (reply.get(2) == Some(&0xd0)).then_some(Listener::Drda),
    },
    Question {
        bytes: b"HEAD / HTTP/1.0\r\n\r\n",
        known: |reply| reply.starts_with(b"HTTP/").then_some(Listener::Http),
    },
];

fn tls(reply: &[u8]) -> Option<Listener> {
    // A handshake or alert record of any version.
    match reply {
        [0x15 | 0x16, 0x03, ..] => Some(Listener::Tls),
        // HTTP servers complain in HTTP about a hello.
        _ if reply.starts_with(b"HTTP/") => Some(Listener::Http),
        _ => None,
    }
}

/// Asks one question after the other on connections of their own; `patience` bounds each wait.
pub(crate) fn identify(address: SocketAddr, patience: Duration) -> Listener {
    let mut closed = 0;
    for question in QUESTIONS {
        match ask(address, question.bytes, patience) {
            Answer::Bytes(reply) => {
                if let Some(listener) = (question.known)(&reply) {
                    return listener;
                }
            }
            Answer::Closed => closed += 1,
            Answer::Nothing => {}
        }
    }
    if closed == QUESTIONS.len() {
        Listener::Closing
    } else {
        Listener::Silent
    }
}

enum Answer {
    Bytes(Vec<u8>),
    Closed,
    Nothing,
}

fn ask(address: SocketAddr, bytes: &[u8], patience: Duration) -> Answer {
    let Ok(mut stream) = TcpStream::connect_timeout(&address, patience) else {
        return Answer::Closed;
    };
    let limits = stream
        .set_read_timeout(Some(patience))
        .and_then(|()| stream.set_write_timeout(Some(patience)));
    if limits.and_then(|()| stream.write_all(bytes)).is_err() {
        return Answer::Closed;
    }
    let mut reply = vec![0; 64];
    match stream.read(&mut reply) {
        Ok(0) => Answer::Closed,
        Ok(length) => {
            reply.truncate(length);
            Answer::Bytes(reply)
        }
        Err(e)
            if matches!(
                e.kind(),
                std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
            ) =>
        {
            Answer::Nothing
        }
        Err(_) => Answer::Closed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A listener that answers every connection with the same function of what it read.
    fn serving(reply: fn(&[u8]) -> Option<Vec<u8>>, first: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().take(QUESTIONS.len()) {
                let mut stream = stream.unwrap();
                let _ = stream.write_all(first);
                let mut asked = vec![0; 64];
                stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                let length = stream.read(&mut asked).unwrap_or(0);
                if let Some(bytes) = reply(&asked[..length]) {
                    let _ = stream.write_all(&bytes);
                }
            }
        });
        address
    }

    #[test]
    fn each_kind_of_listener_is_known_by_its_answer() {
        type Reply = fn(&[u8]) -> Option<Vec<u8>>;
        let tls: Reply = |asked| (asked.first() == Some(&0x16)).then(|| vec![0x15, 3, 3, 0, 2, 2, 40]);
        let drda: Reply = |asked| (asked.get(2) == Some(&0xd0)).then(|| vec![0, 20, 0xd0, 3, 0, 1]);
        let http: Reply = |asked| {
            asked
                .starts_with(b"HEAD")
                .then(|| b"HTTP/1.1 400 Bad Request\r\n".to_vec())
        };
        let http_that_complains: Reply = |asked| (!asked.is_empty()).then(|| b"HTTP/1.1 400\r\n".to_vec());
        let none: Reply = |_| None;
        for (reply, first, expected) in [
            (tls, &b""[..], Listener::Tls),
            (drda, b"", Listener::Drda),
            (http, b"", Listener::Http),
            (http_that_complains, b"", Listener::Http),
            (none, b"SSH-2.0-x\r\n", Listener::Other),
        ] {
            let address = serving(reply, first);
            assert_eq!(identify(address, Duration::from_millis(300)), expected);
        }
    }

    #[test]
    fn a_listener_that_only_closes_or_waits() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // Never accepted: the system takes the connection and nothing answers.
        assert_eq!(identify(address, Duration::from_millis(50)), Listener::Silent);
        std::thread::spawn(move || listener.incoming().for_each(drop));
        assert_eq!(identify(address, Duration::from_secs(5)), Listener::Closing);
    }

    #[test]
    fn the_client_hello_counts_its_own_bytes() {
        assert_eq!(usize::from(CLIENT_HELLO[4]), CLIENT_HELLO.len() - 5);
        assert_eq!(usize::from(CLIENT_HELLO[8]), CLIENT_HELLO.len() - 9);
    }
}
