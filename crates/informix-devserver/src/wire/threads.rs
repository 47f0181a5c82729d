//! Threads for connections. One that has served waits for the next connection, since starting a thread, with a stack for deeply
//! nested statements, takes longer than a login.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Stack of a connection's thread: deeply nested statements are parsed and analysed on it.
const STACK: usize = 8 * 1024 * 1024;
/// How many threads wait at most; the memory that each has touched stays with it.
const MOST_IDLE: usize = 8;

/// What a thread does.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// The threads of a listener.
#[derive(Default)]
pub(super) struct Threads {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Jobs for threads that wait: never more than those.
    jobs: VecDeque<Job>,
    waiting: usize,
    ended: bool,
}

impl std::fmt::Debug for Threads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let waiting = self.lock().waiting;
        f.debug_struct("Threads")
            .field("waiting", &waiting)
            .finish_non_exhaustive()
    }
}

impl Threads {
    /// Runs a job on a thread that waits, or on a new one.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn run(self: &Arc<Self>, job: Job) -> io::Result<()> {
        let mut state = self.lock();
        if state.waiting > state.jobs.len() {
            state.jobs.push_back(job);
            drop(state);
            self.changed.notify_one();
            return Ok(());
        }
        drop(state);
        let threads = Arc::clone(self);
        thread::Builder::new()
            .name("ifx-connection".into())
            .stack_size(STACK)
            .spawn(move || {
                job();
                while let Some(job) = threads.next() {
                    job();
                }
            })
            .map(drop)
    }

    /// Threads that wait end.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Waits for a job; `None` when the thread is not needed any more.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        if state.waiting >= MOST_IDLE {
            return None;
        }
        state.waiting += 1;
        let mut state = self
            .changed
            .wait_while(state, |state| state.jobs.is_empty() && !state.ended)
            .unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state.jobs.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn wait_for(threads: &Threads, waiting: usize) {
        while threads.lock().waiting != waiting {
            thread::yield_now();
        }
    }

    fn run(threads: &Arc<Threads>) -> thread::ThreadId {
        let (tell, told) = channel();
        threads
            .run(Box::new(move || tell.send(thread::current().id()).unwrap()))
            .unwrap();
        told.recv().unwrap()
    }

    #[test]
    fn a_thread_that_waits_is_used_again() {
        let threads = Arc::<Threads>::default();
        let first = run(&threads);
        wait_for(&threads, 1);
        assert_eq!(run(&threads), first);
        wait_for(&threads, 1);
        threads.end();
        wait_for(&threads, 0);
    }

    #[test]
    fn every_job_has_a_thread_and_few_threads_wait() {
        let threads = Arc::<Threads>::default();
        let (tell, told) = channel();
        let jobs: Vec<_> = (0..MOST_IDLE + 3)
            .map(|_| {
                let (end, ended) = channel::<()>();
                let tell = tell.clone();
                threads
                    .run(Box::new(move || {
                        tell.send(thread::current().id()).unwrap();
                        let _ = ended.recv();
                    }))
                    .unwrap();
                end
            })
            .collect();
        // All run at the same time.
        let mut used: Vec<_> = jobs.iter().map(|_| told.recv().unwrap()).collect();
        used.sort_by_key(|id| format!("{id:?}"));
        used.dedup();
        assert_eq!(used.len(), jobs.len());
        drop(jobs);
        wait_for(&threads, MOST_IDLE);
        threads.end();
        wait_for(&threads, 0);
    }

    #[test]
    fn a_job_that_panics_takes_its_thread_with_it_and_nothing_else() {
        let threads = Arc::<Threads>::default();
        let (tell, told) = channel::<()>();
        threads
            .run(Box::new(move || {
                let _tell = tell;
                panic!("on purpose");
            }))
            .unwrap();
        assert!(told.recv().is_err());
        run(&threads);
        wait_for(&threads, 1);
    }
}
