//! A TCP proxy that spoils what the server says.

#![allow(dead_code, unreachable_pub)]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What happens to the byte at some place of the server's side.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    None,
    /// The connection ends in front of it.
    Cut(usize),
    /// It is inverted; the connection ends behind the piece that it is in.
    Invert(usize),
}

pub struct Proxy {
    pub port: u16,
    /// Bytes that came from the server.
    pub bytes: Arc<AtomicUsize>,
}

impl Proxy {
    /// Serves one connection.
    pub fn start(target: u16, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let bytes = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&bytes);
        std::thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let server = TcpStream::connect(("127.0.0.1", target)).unwrap();
            client.set_nodelay(true).unwrap();
            server.set_nodelay(true).unwrap();
            let (mut up_in, mut up_out) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut up_in, &mut up_out);
                let _ = up_out.shutdown(Shutdown::Both);
            });
            let _ = forward(server, &client, fault, &count);
            let _ = client.shutdown(Shutdown::Both);
        });
        Self { port, bytes }
    }
}

fn forward(
    mut from: TcpStream,
    mut to: &TcpStream,
    fault: Fault,
    count: &AtomicUsize,
) -> std::io::Result<()> {
    let mut at = 0;
    let mut buffer = [0; 4096];
    loop {
        let n = from.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        let piece = &mut buffer[..n];
        match fault {
            Fault::Cut(place) if place < at + n => return to.write_all(&piece[..place - at]),
            Fault::Invert(place) if place < at + n => {
                piece[place - at] ^= 0xff;
                return to.write_all(piece);
            }
            _ => to.write_all(piece)?,
        }
        at += n;
        count.store(at, Ordering::SeqCst);
    }
}
