//! The replay server's own speed: a client that sends bytes made beforehand and throws the answers away.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use informix_protocol::login::{LoginReply, LoginRequest, Password};
use informix_protocol::message::{NFetch, Prepare, Protocols, SqlText, StatementId};
use informix_protocol::{
    Capabilities, ClientMessage, DecodeError, Limits, LoginForm, Negotiated, Put, Reader, ReplyContext,
    ServerMessage, tag,
};
use informix_types::{TextCodec, bind};

use crate::replay::rows;

/// Rows of a fetch, and of an insert.
const ROWS: usize = 100_000;
const FETCH_BUFFER: i32 = 1 << 20;
/// Runs of each kind; the median counts.
const RUNS: usize = 9;
const ROUND_TRIPS: usize = 2_000;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// One small group there and back.
    pub round_trip: Duration,
    /// Rows sent per second, and their bytes.
    pub fetch_rows: f64,
    /// Bytes of the answers per second.
    pub fetch_bytes: f64,
    /// BIND and EXECUTE taken and answered per second.
    pub insert_rows: f64,
    /// Bytes of the requests per second.
    pub insert_bytes: f64,
}

impl Speed {
    /// One line of JSON; the round trip in seconds, the rest per second.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        let Self {
            round_trip,
            fetch_rows,
            fetch_bytes,
            insert_rows,
            insert_bytes,
        } = self;
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "{{\"round_trip\": {:.9}, \"fetch_rows\": {fetch_rows:.0}, \"fetch_bytes\": {fetch_bytes:.0}, \
             \"insert_rows\": {insert_rows:.0}, \"insert_bytes\": {insert_bytes:.0}}}",
            round_trip.as_secs_f64()
        );
        text
    }
}

/// Measures the replay server at `address`.
///
/// # Errors
/// The connection fails, or the answers are not those of the replay server.
pub fn run(address: SocketAddr) -> Result<Speed> {
    let mut client = Client::connect(address)?;
    let table = format!("probe_{}", std::process::id());
    let insert = client.prepare(&format!("INSERT INTO {table} VALUES (?, ?, ?, ?, ?)"), 5)?;
    let empty = client.prepare(&format!("DELETE FROM {table}"), 0)?;
    let query = client.prepare(
        &format!("SELECT id, name, ratio, amount, since FROM bench_{ROWS}"),
        0,
    )?;

    let ping = client.groups(&[&[ClientMessage::Version]])?;
    let answer = client.learn(&ping)?;
    let round_trip = median(ROUND_TRIPS, || client.exchange(&ping, answer))?;

    let fetch = ClientMessage::NFetch(NFetch {
        buffer: FETCH_BUFFER,
        array: 0,
    });
    let select = ClientMessage::Id(StatementId(query));
    let mut groups: Vec<Vec<ClientMessage>> = vec![vec![select, ClientMessage::Open]];
    // 45 bytes of each row count.
    let buffers = ROWS * 45 / FETCH_BUFFER as usize + 1;
    groups.extend((0..buffers).map(|_| vec![fetch.clone()]));
    groups.push(vec![ClientMessage::Close]);
    let request = client.groups(&groups)?;
    let fetch_answer = client.learn(&request)?;
    let fetch_time = median(RUNS, || client.exchange(&request, fetch_answer))?;

    let reset = client.groups(&[&[ClientMessage::Id(StatementId(empty)), ClientMessage::Execute]])?;
    let rows = client.inserts(insert)?;
    let answer = client.learn(&rows)?;
    let reset_answer = client.learn(&reset)?;
    let insert_time = median(RUNS, || {
        let time = client.exchange(&rows, answer)?;
        client.exchange(&reset, reset_answer)?;
        Ok(time)
    })?;

    let per_second = |count: usize, time: Duration| count as f64 / time.as_secs_f64();
    Ok(Speed {
        round_trip,
        fetch_rows: per_second(ROWS, fetch_time),
        fetch_bytes: per_second(fetch_answer, fetch_time),
        insert_rows: per_second(ROWS, insert_time),
        insert_bytes: per_second(rows.len(), insert_time),
    })
}

fn median(runs: usize, mut run: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut times = (0..runs).map(|_| run()).collect::<Result<Vec<_>>>()?;
    times.sort_unstable();
    times.get(runs / 2).copied().context("no runs")
}

struct Client {
    stream: TcpStream,
    negotiated: Negotiated,
    /// For bytes that nobody looks at.
    buffer: Vec<u8>,
    /// Received and not decoded yet.
    pending: Vec<u8>,
}

impl Client {
    fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut client = Self {
            stream,
            negotiated: Negotiated::none(LoginForm::Binary),
            buffer: vec![0; 1 << 20],
            pending: Vec::new(),
        };
        let login = LoginRequest {
            user: Some("informix".into()),
            password: Some(Password::new("in4mix")),
            server: Some("informix".into()),
            ..LoginRequest::default()
        };
        let mut request = Vec::new();
        login.encode(&mut request)?;
        client.stream.write_all(&request)?;
        let reply = client.read_one(LoginReply::decode)?;
        ensure!(reply.accepted(), "the login was refused");
        let offer = Capabilities::JDBC;
        let request = client.groups(&[&[ClientMessage::Protocols(Protocols(offer))]])?;
        let answer = Capabilities::SERVER_15.answer_to(&offer);
        client.learn(&request)?;
        client.negotiated = Negotiated::new(&offer, &answer, LoginForm::Binary);
        Ok(client)
    }

    /// Prepares a text; its id is the number of statements before it.
    fn prepare(&mut self, sql: &str, parameters: u16) -> Result<i16> {
        let prepare = ClientMessage::Prepare(Prepare(SqlText::new(sql, parameters)));
        let request = self.groups(&[&[prepare, ClientMessage::NDescribe]])?;
        self.stream.write_all(&request)?;
        let n = self.negotiated;
        let described = self.read_one(|r| {
            let message = ServerMessage::decode(r, &n, ReplyContext::default())?;
            // The end of the group belongs to the answer.
            r.take(2).map(|_| message)
        })?;
        match described {
            ServerMessage::Describe(described) => Ok(described.statement_id),
            other => anyhow::bail!("{other:?} in answer to {sql}"),
        }
    }

    /// The bytes of some groups.
    fn groups<G: AsRef<[ClientMessage]>>(&self, groups: &[G]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for group in groups {
            for message in group.as_ref() {
                message.encode(&mut out, &self.negotiated)?;
            }
            out.put_u16(tag::EOT);
        }
        Ok(out)
    }

    /// A group with one INSERT for each row.
    fn inserts(&self, statement: i16) -> Result<Vec<u8>> {
        let codec = TextCodec::default();
        let mut out = Vec::new();
        for index in 0..ROWS {
            ClientMessage::Id(StatementId(statement)).encode(&mut out, &self.negotiated)?;
            let values = rows::values(index)?;
            out.put_u16(tag::BIND);
            out.put_i16(values.len() as i16);
            for value in &values {
                bind::encode(value, None, &codec, &mut out)?;
            }
            out.put_u16(tag::EXECUTE);
            out.put_u16(tag::EOT);
        }
        Ok(out)
    }

    /// Sends groups and reads the answers as messages; returns how many bytes they have.
    fn learn(&mut self, request: &[u8]) -> Result<usize> {
        let groups = self.count_groups(request)?;
        let n = self.negotiated;
        let mut total = 0;
        let sending = self.send(request);
        for _ in 0..groups {
            total += self.read_one(|r| {
                while ServerMessage::decode(r, &n, ReplyContext::default())? != ServerMessage::Eot {}
                Ok(r.position())
            })?;
        }
        sending
            .join()
            .map_err(|_| anyhow::anyhow!("the sender failed"))??;
        Ok(total)
    }

    fn count_groups(&self, request: &[u8]) -> Result<usize> {
        let mut reader = Reader::new(request, Limits::default());
        let mut groups = 0;
        while reader.remaining() > 0 {
            let message = ClientMessage::decode(&mut reader, &self.negotiated);
            match message {
                Ok(ClientMessage::Eot) => groups += 1,
                Ok(_) => {}
                Err(error) => anyhow::bail!("a request of the probe itself is wrong: {error:?}"),
            }
        }
        Ok(groups)
    }

    /// Reads until something can be decoded.
    fn read_one<T>(&mut self, decode: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>) -> Result<T> {
        loop {
            let mut reader = Reader::new(&self.pending, Limits::default());
            match decode(&mut reader) {
                Ok(found) => {
                    self.pending.drain(..reader.position());
                    return Ok(found);
                }
                Err(DecodeError::NeedMore(_)) => {}
                Err(error) => anyhow::bail!("an answer of the server: {error:?}"),
            }
            let read = self.stream.read(&mut self.buffer)?;
            ensure!(read > 0, "the server has closed the connection");
            self.pending
                .extend_from_slice(self.buffer.get(..read).unwrap_or_default());
        }
    }

    /// Sends `request` and reads `answer` bytes.
    fn exchange(&mut self, request: &[u8], answer: usize) -> Result<Duration> {
        let begin = Instant::now();
        // More than a socket's buffer holds is sent beside the reading, as a client must.
        let sending = if request.len() > 64 << 10 {
            Some(self.send(request))
        } else {
            self.stream.write_all(request)?;
            None
        };
        let mut missing = answer;
        while missing > 0 {
            let read = self.stream.read(&mut self.buffer)?;
            ensure!(read > 0, "the server has closed the connection");
            missing = missing
                .checked_sub(read)
                .context("more bytes than the first time")?;
        }
        let time = begin.elapsed();
        if let Some(sending) = sending {
            sending
                .join()
                .map_err(|_| anyhow::anyhow!("the sender failed"))??;
        }
        Ok(time)
    }

    fn send(&self, request: &[u8]) -> thread::JoinHandle<std::io::Result<()>> {
        let stream = self.stream.try_clone();
        let request = request.to_vec();
        thread::spawn(move || stream?.write_all(&request))
    }
}
