//! What a thread has cost so far, as Linux counts it.

use std::ops::Sub;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

/// Of one thread, or of several together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// In user and kernel mode.
    pub(crate) cpu: Duration,
    /// Times that it went to sleep.
    pub(crate) sleeps: u64,
    /// Times that it was made to wait for its turn.
    pub(crate) preemptions: u64,
}

impl Cost {
    /// Of all threads of this process whose names begin so.
    pub(crate) fn of_threads(name: &str) -> Result<Self> {
        let mut total = Self::default();
        for task in std::fs::read_dir("/proc/self/task")? {
            let task = task?.path();
            if std::fs::read_to_string(task.join("comm"))?.starts_with(name) {
                total.add(&task)?;
            }
        }
        Ok(total)
    }

    /// Of the calling thread.
    pub(crate) fn own() -> Result<Self> {
        let mut own = Self::default();
        own.add(Path::new("/proc/thread-self"))?;
        Ok(own)
    }

    fn add(&mut self, task: &Path) -> Result<()> {
        let times = std::fs::read_to_string(task.join("schedstat"))?;
        let ran = times.split_whitespace().next().context("no times")?.parse()?;
        self.cpu += Duration::from_nanos(ran);
        let status = std::fs::read_to_string(task.join("status"))?;
        let count = |name: &str| -> Result<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            Ok(line.with_context(|| format!("no {name}"))?.trim().parse()?)
        };
        self.sleeps += count("voluntary_ctxt_switches:")?;
        self.preemptions += count("nonvoluntary_ctxt_switches:")?;
        Ok(())
    }
}

impl Sub for Cost {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(before.cpu),
            sleeps: self.sleeps.saturating_sub(before.sleeps),
            preemptions: self.preemptions.saturating_sub(before.preemptions),
        }
    }
}
