//! Time of the hot paths: `cargo bench -p informix-bench --bench times [NAME]`. Each sample does a case's short
//! run; the lines below the times are units per second.

mod cases;

use std::net::{SocketAddr, TcpListener};
use std::sync::OnceLock;

use cases::Case;
use divan::Bencher;
use divan::counter::ItemsCount;
use informix_bench::replay::Replay;

fn main() {
    divan::main();
}

/// One server for all; it is started with the first case.
fn server() -> SocketAddr {
    static SERVER: OnceLock<Replay> = OnceLock::new();
    SERVER
        .get_or_init(|| {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
            Replay::start(listener).expect("the replay server starts")
        })
        .address()
}

#[divan::bench(args = cases::all(), sample_count = 50, sample_size = 1)]
fn hot_path(bencher: Bencher<'_, '_>, case: &Case) {
    let mut work = (case.prepare)(server()).expect("the case can be prepared");
    bencher
        .counter(ItemsCount::new(case.count))
        .bench_local(|| work(case.count).expect("the case runs"));
}
