//! The regression guard: how many instructions the hot paths take, counted by valgrind and compared with `guard.tsv`.
//!
//! Each case is run twice in a process of its own, once with three times the work: the difference is free of everything that
//! happens once. Counts depend on the compiler, not on the machine or its load: with another version of rustc than that of
//! the figures the guard only warns. `check` (`make guard`) compares, `bless` (`make guard-bless`) writes the figures anew.

mod cases;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};
use cases::Case;
use informix_bench::replay::Replay;

/// A case may take so many percent more.
const TOLERANCE: f64 = 5.0;

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = env::args().skip(1).filter(|a| a != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        [] | ["check"] => check(),
        ["bless"] => bless(),
        ["serve"] => serve().map(|()| true),
        ["case", name, count, address] => run(name, count, address).map(|()| true),
        _ => Err(anyhow::anyhow!("arguments: check | bless")),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("guard: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The replay server, in a process of its own: its instructions do not count.
fn serve() -> Result<()> {
    let replay = Replay::start(TcpListener::bind("127.0.0.1:0")?)?;
    println!("{}", replay.address());
    // It ends with the process that started it.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// What is counted.
fn run(name: &str, count: &str, address: &str) -> Result<()> {
    let case = cases::all()
        .find(|case| case.name == name)
        .with_context(|| format!("there is no case {name:?}"))?;
    let mut work = (case.prepare)(address.parse()?)?;
    work(count.parse()?)
}

/// Committed figures.
struct Baseline {
    compiler: String,
    counts: BTreeMap<String, f64>,
}

fn path() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "benches", "guard.tsv"]
        .iter()
        .collect()
}

impl Baseline {
    fn read() -> Result<Self> {
        let path = path();
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let mut compiler = String::new();
        let mut counts = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, figure) = line
                .split_once('\t')
                .with_context(|| format!("no tab in {line:?}"))?;
            if name == "rustc" {
                figure.clone_into(&mut compiler);
            } else {
                counts.insert(
                    name.to_owned(),
                    figure.parse().with_context(|| format!("no number in {line:?}"))?,
                );
            }
        }
        Ok(Self { compiler, counts })
    }
}

/// Version and target of the compiler, as in the figures.
fn compiler() -> Result<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().context("running rustc")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let field = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or("?")
            .trim()
    };
    Ok(format!("{} {}", field("release:"), field("host:")))
}

/// Compares; `false` when something takes more.
fn check() -> Result<bool> {
    let baseline = Baseline::read()?;
    let compiler = compiler()?;
    let comparable = compiler == baseline.compiler;
    let counts = count_all()?;
    let mut slower = Vec::new();
    let mut faster = Vec::new();
    println!(
        "{:<24} {:>12} {:>12} {:>8}  instructions per …",
        "", "baseline", "now", "change"
    );
    for case in cases::all() {
        let now = counts.get(case.name).copied().context("a case was not counted")?;
        let Some(&before) = baseline.counts.get(case.name) else {
            println!(
                "{:<24} {:>12} {now:>12.1} {:>8}  {}",
                case.name, "-", "new", case.unit
            );
            slower.push(format!("{} has no baseline", case.name));
            continue;
        };
        let change = (now / before - 1.0) * 100.0;
        println!(
            "{:<24} {before:>12.1} {now:>12.1} {change:>+7.1}%  {}",
            case.name, case.unit
        );
        if change > TOLERANCE {
            slower.push(format!(
                "{} takes {now:.0} instructions per {}, {change:.1} % more than {before:.0}",
                case.name, case.unit
            ));
        } else if change < -TOLERANCE {
            faster.push(case.name);
        }
    }
    for name in baseline
        .counts
        .keys()
        .filter(|name| !counts.contains_key(name.as_str()))
    {
        slower.push(format!("{name} is in the figures and is no case any more"));
    }
    if !faster.is_empty() {
        println!(
            "faster by more than {TOLERANCE} %: {}. `make guard-bless` keeps that.",
            faster.join(", ")
        );
    }
    for line in &slower {
        println!("SLOWER: {line}");
    }
    if slower.is_empty() {
        return Ok(true);
    }
    if !comparable {
        println!(
            "WARNING: the figures are of rustc {}, this is {compiler}: differences are no failure here",
            baseline.compiler
        );
        return Ok(true);
    }
    println!(
        "guard: {} of the hot paths take over {TOLERANCE} % more instructions. If that is meant: `make guard-bless`.",
        slower.len()
    );
    Ok(false)
}

fn bless() -> Result<bool> {
    let mut text = String::from(
        "# Instructions per unit of the hot paths (benches/guard.rs). Written by `make guard-bless`, compared by `make guard`.\n",
    );
    writeln!(text, "rustc\t{}", compiler()?)?;
    for (name, count) in count_all()? {
        writeln!(text, "{name}\t{count:.1}")?;
    }
    fs::write(path(), text)?;
    println!("guard: wrote {}", path().display());
    Ok(true)
}

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Instructions per unit of every case; as many at a time as there are processors.
fn count_all() -> Result<BTreeMap<&'static str, f64>> {
    let mut server = Server(
        Command::new(env::current_exe()?)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?,
    );
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().context("no output")?).read_line(&mut line)?;
    let address: SocketAddr = line.trim().parse().context("the server's address")?;
    let all: Vec<&Case> = cases::all().collect();
    let next = AtomicUsize::new(0);
    let counts = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let work = || -> Result<()> {
            while let Some(case) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                let few = count(case, case.count, address)?;
                let many = count(case, case.count * 3, address)?;
                ensure!(many > few, "{}: more work took fewer instructions", case.name);
                let per_unit = (many - few) as f64 / (case.count * 2) as f64;
                if let Ok(mut counts) = counts.lock() {
                    counts.insert(case.name, per_unit);
                }
            }
            Ok(())
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            match worker.join() {
                Ok(done) => done?,
                Err(_) => bail!("a worker panicked"),
            }
        }
        Ok(())
    })?;
    counts.into_inner().context("a worker panicked")
}

/// Instructions of a whole process.
fn count(case: &Case, count: usize, address: SocketAddr) -> Result<u64> {
    let output = Command::new("valgrind")
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(env::current_exe()?)
        .args(["case", case.name, &count.to_string(), &address.to_string()])
        .output()
        .context("running valgrind: it must be installed")?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{} failed under valgrind:\n{text}",
        case.name
    );
    // `==123== I   refs:      1,234,567`
    let refs = text
        .lines()
        .find_map(|line| line.split_once("refs:"))
        .with_context(|| format!("valgrind has not counted:\n{text}"))?;
    Ok(refs.1.replace(',', "").trim().parse()?)
}
