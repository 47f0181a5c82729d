//! What a pool decides, without waiting, clocks or sockets of its own: which connection to hand out, when to open one,
//! which ones have become too old.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Limits of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolConfig {
    /// Most connections open at once.
    pub max_size: usize,
    /// Connections opened at the start and kept when idle.
    pub min_size: usize,
    /// Longest wait for a connection, opening one included.
    pub acquire_timeout: Duration,
    /// Idle connections above `min_size` are closed after this time; `None` = never.
    pub idle_timeout: Option<Duration>,
    /// Connections are not handed out again after this age; `None` = any age.
    pub max_lifetime: Option<Duration>,
    /// A connection idle for longer than this is asked for a sign of life (one round trip) before it is handed out;
    /// `None` = never. The socket is always looked at, which costs nothing.
    pub probe_after: Option<Duration>,
}

impl Default for PoolConfig {
    fn default() -> Self {
        Self {
            max_size: 10,
            min_size: 0,
            acquire_timeout: Duration::from_secs(30),
            idle_timeout: Some(Duration::from_secs(600)),
            max_lifetime: Some(Duration::from_secs(1800)),
            probe_after: Some(Duration::from_secs(120)),
        }
    }
}

/// Counters of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolStatistics {
    /// Connections open now, in use or idle.
    pub open: usize,
    /// Connections idle now.
    pub idle: usize,
    /// Callers waiting now.
    pub waiting: usize,
    /// Connections opened so far.
    pub opened: u64,
    /// Times that a connection was handed out.
    pub acquired: u64,
    /// Times that a caller had to wait for somebody else's connection.
    pub waited: u64,
    /// Times that a caller gave up waiting.
    pub timed_out: u64,
    /// Connections closed because they were too old, idle for too long, dead or not to be reset.
    pub discarded: u64,
}

/// When a connection was opened, and when it last came back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) born: Instant,
    pub(crate) idle_since: Instant,
}

/// What to do for a caller.
#[derive(Debug)]
pub(crate) enum Step<C> {
    /// Hand this one out, after a probe when `probe`.
    Use {
        connection: C,
        times: Times,
        probe: bool,
    },
    /// Open a new one; its place is reserved.
    Open,
    /// All are in use: wait for a return.
    Wait,
}

/// Time limit of a probe: what is left after it is for opening another connection.
pub(crate) fn half_way(deadline: Instant) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now) / 2
}

/// The state of a pool.
#[derive(Debug)]
pub(crate) struct Policy<C> {
    config: PoolConfig,
    /// Most recently used at the back: the front ones grow old and are closed.
    idle: VecDeque<(C, Times)>,
    open: usize,
    waiting: usize,
    closed: bool,
    statistics: PoolStatistics,
}

impl<C> Policy<C> {
    pub(crate) fn new(config: PoolConfig) -> Self {
        Self {
            config,
            idle: VecDeque::new(),
            open: 0,
            waiting: 0,
            closed: false,
            statistics: PoolStatistics::default(),
        }
    }

    pub(crate) fn config(&self) -> &PoolConfig {
        &self.config
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    fn is_old(&self, times: Times, now: Instant) -> bool {
        self.config
            .max_lifetime
            .is_some_and(|limit| now.duration_since(times.born) >= limit)
    }

    /// Takes out the connections that are too old or idle for too long, for the caller to close.
    pub(crate) fn expired(&mut self, now: Instant) -> Vec<C> {
        let mut gone = Vec::new();
        let mut kept = VecDeque::with_capacity(self.idle.len());
        for (connection, times) in std::mem::take(&mut self.idle) {
            let spare = self.open > self.config.min_size;
            let idle = self
                .config
                .idle_timeout
                .is_some_and(|limit| now.duration_since(times.idle_since) >= limit);
            if self.is_old(times, now) || (idle && spare) {
                self.open = self.open.saturating_sub(1);
                self.statistics.discarded += 1;
                gone.push(connection);
            } else {
                kept.push_back((connection, times));
            }
        }
        self.idle = kept;
        gone
    }

    /// Decides for one caller.
    pub(crate) fn take(&mut self, now: Instant) -> Step<C> {
        if let Some((connection, times)) = self.idle.pop_back() {
            let idle = now.duration_since(times.idle_since);
            let probe = self.config.probe_after.is_some_and(|limit| idle >= limit);
            return Step::Use {
                connection,
                times,
                probe,
            };
        }
        if self.open < self.config.max_size.max(1) {
            self.open += 1;
            return Step::Open;
        }
        Step::Wait
    }

    /// A reserved place was filled.
    pub(crate) fn opened(&mut self) {
        self.statistics.opened += 1;
    }

    /// A connection was handed out.
    pub(crate) fn acquired(&mut self) {
        self.statistics.acquired += 1;
    }

    /// A connection is gone, or could not be opened.
    pub(crate) fn lost(&mut self, discarded: bool) {
        self.open = self.open.saturating_sub(1);
        self.statistics.discarded += u64::from(discarded);
    }

    /// Takes a connection back. Returns it when it is to be closed.
    pub(crate) fn give_back(&mut self, connection: C, born: Instant, now: Instant) -> Option<C> {
        let times = Times {
            born,
            idle_since: now,
        };
        if self.closed || self.is_old(times, now) {
            self.lost(true);
            return Some(connection);
        }
        self.idle.push_back((connection, times));
        None
    }

    pub(crate) fn waiting(&mut self, begins: bool) {
        if begins {
            self.waiting += 1;
            self.statistics.waited += 1;
        } else {
            self.waiting = self.waiting.saturating_sub(1);
        }
    }

    pub(crate) fn timed_out(&mut self) {
        self.statistics.timed_out += 1;
    }

    /// Refuses everybody from now on; the idle connections are for the caller to close.
    pub(crate) fn close(&mut self) -> Vec<C> {
        self.closed = true;
        self.open = self.open.saturating_sub(self.idle.len());
        self.idle.drain(..).map(|(connection, _)| connection).collect()
    }

    pub(crate) fn statistics(&self) -> PoolStatistics {
        PoolStatistics {
            open: self.open,
            idle: self.idle.len(),
            waiting: self.waiting,
            ..self.statistics
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(max: usize, min: usize) -> Policy<u32> {
        Policy::new(PoolConfig {
            max_size: max,
            min_size: min,
            ..PoolConfig::default()
        })
    }

    fn used(step: Step<u32>) -> (u32, Instant, bool) {
        match step {
            Step::Use {
                connection,
                times,
                probe,
            } => (connection, times.born, probe),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn opens_up_to_the_limit_then_waits_and_reuses_the_warmest() {
        let mut p = pool(2, 0);
        let t = Instant::now();
        assert!(matches!(p.take(t), Step::Open));
        assert!(matches!(p.take(t), Step::Open));
        assert!(matches!(p.take(t), Step::Wait));
        assert_eq!(p.give_back(1, t, t), None);
        assert_eq!(p.give_back(2, t, t), None);
        assert_eq!(used(p.take(t)).0, 2);
        p.lost(true);
        assert_eq!(
            p.statistics(),
            PoolStatistics {
                open: 1,
                idle: 1,
                discarded: 1,
                ..Default::default()
            }
        );
        assert_eq!(used(p.take(t)).0, 1);
        assert!(matches!(p.take(t), Step::Open));
    }

    #[test]
    fn age_and_idleness() {
        let mut p = pool(4, 1);
        let t = Instant::now();
        for c in 1..=3 {
            assert!(matches!(p.take(t), Step::Open));
            p.opened();
            let _ = c;
        }
        p.give_back(1, t, t);
        p.give_back(2, t, t + Duration::from_secs(60));
        p.give_back(3, t + Duration::from_secs(50), t + Duration::from_secs(60));
        assert!(p.expired(t + Duration::from_secs(500)).is_empty());
        assert_eq!(
            p.expired(t + Duration::from_secs(620)),
            [1],
            "idle for ten minutes"
        );
        assert_eq!(
            p.expired(t + Duration::from_secs(700)),
            [2],
            "the minimum of one stays"
        );
        let (c, born, probe) = used(p.take(t + Duration::from_secs(700)));
        assert_eq!((c, probe), (3, true));
        assert_eq!(
            p.give_back(3, born, t + Duration::from_secs(1850)),
            Some(3),
            "too old"
        );
        assert_eq!(p.statistics().open, 0);
    }

    #[test]
    fn a_closed_pool_keeps_nothing() {
        let mut p = pool(2, 0);
        let t = Instant::now();
        let _ = (p.take(t), p.take(t));
        p.give_back(1, t, t);
        assert_eq!(p.close(), [1]);
        assert_eq!(p.give_back(2, t, t), Some(2));
        assert_eq!(p.statistics().open, 0);
    }
}
