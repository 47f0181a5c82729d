//! TLS by the caller's `ssl.SSLContext`: Python's ssl module does the cryptography between two memory buffers, the bytes
//! travel over our own transport. So the context's rules hold as they are, in both faces. (Without a context, rustls does it.)

use std::io;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::{Duration, Instant};

use informix::config::{Config, Target};
use informix::driver::{Boxed, Layer, error};
use informix::error::Kind;
use informix::transport::{Interrupter, Transport};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// An SSLContext.
pub(crate) struct Context(Py<PyAny>);

/// Bytes handed to TLS in one go.
const PIECE: usize = 64 * 1024;

/// The argument as an SSLContext, if it is one.
pub(crate) fn context(value: &Bound<'_, PyAny>) -> PyResult<Option<Context>> {
    let class = value.py().import("ssl")?.getattr("SSLContext")?;
    Ok(value
        .is_instance(&class)?
        .then(|| Context(value.clone().unbind())))
}

struct SslLayer {
    context: Py<PyAny>,
    name: Option<String>,
}

/// What wraps a socket in TLS.
pub(crate) fn layer(py: Python<'_>, context: &Context, config: &Config) -> Arc<dyn Layer> {
    Arc::new(SslLayer {
        context: context.0.clone_ref(py),
        name: config.tls.as_ref().and_then(|tls| tls.server_name.clone()),
    })
}

impl Layer for SslLayer {
    fn wrap(
        &self,
        target: &Target,
        mut inner: Box<dyn Transport>,
        deadline: Instant,
    ) -> Boxed<'static, informix::Result<Box<dyn Transport>>> {
        let host = target.host.clone();
        let name = self.name.clone().unwrap_or_else(|| host.clone());
        let objects = Python::attach(|py| Objects::new(self.context.bind(py), &name));
        inner.set_limits(Some(deadline), None);
        Box::pin(async move {
            let objects = objects.map_err(|e| refused(&host, &e.to_string()))?;
            let mut stream = SslStream {
                inner,
                objects,
                out: Vec::new(),
                sent: 0,
            };
            std::future::poll_fn(|cx| stream.poll_handshake(cx))
                .await
                .map_err(|e| {
                    if e.kind() == io::ErrorKind::TimedOut {
                        refused(
                            &host,
                            "no answer within the time limit; is the port one without TLS?",
                        )
                    } else {
                        refused(&host, &e.to_string())
                    }
                })?;
            let stream: Box<dyn Transport> = Box::new(stream);
            Ok(stream)
        })
    }
}

fn refused(host: &str, why: &str) -> informix::Error {
    error(
        Kind::Tls,
        -28014,
        format!("TLS handshake with {host} failed: {why}"),
    )
}

/// The ssl module's side.
struct Objects {
    ssl: Py<PyAny>,
    incoming: Py<PyAny>,
    outgoing: Py<PyAny>,
}

/// What the ssl module wants.
enum Step<T> {
    Done(T),
    /// More from the peer first.
    Read,
    /// The peer has ended the stream.
    Ended,
}

impl Objects {
    fn new(context: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let py = context.py();
        let module = py.import("ssl")?;
        let incoming = module.call_method0("MemoryBIO")?;
        let outgoing = module.call_method0("MemoryBIO")?;
        let options = pyo3::types::PyDict::new(py);
        options.set_item("server_hostname", name)?;
        let ssl = context.call_method("wrap_bio", (&incoming, &outgoing), Some(&options))?;
        Ok(Self {
            ssl: ssl.unbind(),
            incoming: incoming.unbind(),
            outgoing: outgoing.unbind(),
        })
    }

    /// Runs a step of the ssl module.
    fn step<T>(
        &self,
        work: impl for<'py> FnOnce(Python<'py>, &Bound<'py, PyAny>) -> PyResult<T>,
    ) -> io::Result<Step<T>> {
        Python::attach(|py| match work(py, self.ssl.bind(py)) {
            Ok(value) => Ok(Step::Done(value)),
            Err(e) => {
                let module = py.import("ssl").map_err(io::Error::other)?;
                let is = |name: &str| module.getattr(name).is_ok_and(|class| e.is_instance(py, &class));
                if is("SSLWantReadError") || is("SSLWantWriteError") {
                    Ok(Step::Read)
                } else if is("SSLZeroReturnError") || is("SSLEOFError") {
                    Ok(Step::Ended)
                } else {
                    Err(io::Error::new(io::ErrorKind::InvalidData, e.to_string()))
                }
            }
        })
    }

    /// What is to be sent to the peer.
    fn take_outgoing(&self) -> io::Result<Vec<u8>> {
        Python::attach(|py| {
            self.outgoing
                .bind(py)
                .call_method0("read")
                .and_then(|bytes| bytes.extract())
                .map_err(io::Error::other)
        })
    }

    /// What the peer has sent; nothing = the end.
    fn put_incoming(&self, bytes: &[u8]) -> io::Result<()> {
        Python::attach(|py| {
            let incoming = self.incoming.bind(py);
            if bytes.is_empty() {
                incoming.call_method0("write_eof")
            } else {
                incoming.call_method1("write", (PyBytes::new(py, bytes),))
            }
            .map(drop)
            .map_err(io::Error::other)
        })
    }
}

struct SslStream {
    inner: Box<dyn Transport>,
    objects: Objects,
    /// Encrypted bytes on their way, of which `sent` are gone.
    out: Vec<u8>,
    sent: usize,
}

impl SslStream {
    /// Sends what TLS has made.
    fn poll_push(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.sent == self.out.len() {
                self.out = self.objects.take_outgoing()?;
                self.sent = 0;
                if self.out.is_empty() {
                    return self.inner.poll_flush(cx);
                }
            }
            let rest = self.out.get(self.sent..).unwrap_or_default();
            match ready!(self.inner.poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                n => self.sent += n,
            }
        }
    }

    /// Takes in what has arrived.
    fn poll_pull(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        let mut piece = vec![0; PIECE];
        let n = ready!(self.inner.poll_read(cx, &mut piece))?;
        Poll::Ready(self.objects.put_incoming(piece.get(..n).unwrap_or_default()))
    }

    fn poll_handshake(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        loop {
            let step = self
                .objects
                .step(|_, ssl| ssl.call_method0("do_handshake").map(drop));
            if step.is_err() {
                // The alert that says why goes out if it can.
                let _ = self.poll_push(cx);
            }
            match step? {
                Step::Done(()) => return self.poll_push(cx),
                Step::Ended => return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
                Step::Read => {
                    // Reading waits for what is written first.
                    ready!(self.poll_push(cx))?;
                    ready!(self.poll_pull(cx))?;
                }
            }
        }
    }
}

impl Transport for SslStream {
    fn poll_read(&mut self, cx: &mut TaskContext<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        loop {
            let length = buf.len();
            let step = self.objects.step(|_, ssl| {
                let bytes = ssl.call_method1("read", (length,))?;
                let bytes = bytes.cast::<PyBytes>()?.as_bytes();
                if let Some(place) = buf.get_mut(..bytes.len()) {
                    place.copy_from_slice(bytes);
                }
                Ok(bytes.len())
            })?;
            match step {
                Step::Done(n) => return Poll::Ready(Ok(n)),
                Step::Ended => return Poll::Ready(Ok(0)),
                Step::Read => {
                    if let Poll::Ready(Err(e)) = self.poll_push(cx) {
                        return Poll::Ready(Err(e));
                    }
                    ready!(self.poll_pull(cx))?;
                }
            }
        }
    }

    fn poll_write(&mut self, cx: &mut TaskContext<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_push(cx))?;
        let piece = buf.get(..buf.len().min(PIECE)).unwrap_or_default();
        loop {
            let step = self.objects.step(|py, ssl| {
                ssl.call_method1("write", (PyBytes::new(py, piece),))?
                    .extract::<usize>()
            })?;
            match step {
                Step::Done(n) => {
                    // What does not go out now goes with the next call.
                    if let Poll::Ready(Err(e)) = self.poll_push(cx) {
                        return Poll::Ready(Err(e));
                    }
                    return Poll::Ready(Ok(n));
                }
                Step::Ended => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
                Step::Read => {
                    ready!(self.poll_push(cx))?;
                    ready!(self.poll_pull(cx))?;
                }
            }
        }
    }

    fn poll_flush(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        self.poll_push(cx)
    }

    fn set_limits(&mut self, deadline: Option<Instant>, idle: Option<Duration>) {
        self.inner.set_limits(deadline, idle);
    }

    fn is_alive(&mut self) -> bool {
        self.inner.is_alive()
    }

    fn interrupter(&self) -> Option<Interrupter> {
        self.inner.interrupter().map(Interrupter::closing)
    }
}
