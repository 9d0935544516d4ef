//! Ends the program when a component computes without a pause for too long.
//!
//! A component that is not compiled for interruption cannot be stopped while it computes. The request bounds
//! its computation: bodies have a limit, and the engine takes time in proportion to its input. The watchdog
//! handles a defect of the component that exceeds those bounds: a supervisor then restarts the program.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;

/// The interval of the watchdog. Ticks are counted rather than time: while the whole program is stopped, as
/// by a debugger, no component computes.
const TICK: Duration = Duration::from_secs(1);

/// Ticks of one computation after which it is reported.
const REPORT: u64 = 10;

/// Status with which the program ends.
const STATUS: i32 = 3;

/// Watches the computations of all instances.
pub(crate) struct Watchdog(Mutex<Vec<Watched>>);

struct Watched {
    component: String,
    /// Odd while the instance computes; each computation has another value.
    computation: Arc<AtomicU64>,
    last: u64,
    ticks: u64,
}

/// Tells the watchdog when an instance computes.
pub(crate) struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// Does some of the instance's work.
    pub(crate) fn compute<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.fetch_add(1, Ordering::Relaxed);
        let outcome = work();
        self.0.fetch_add(1, Ordering::Relaxed);
        outcome
    }
}

/// A computation that has lasted for some ticks.
#[derive(Debug, PartialEq, Eq)]
struct Overdue {
    component: String,
    ticks: u64,
}

impl Watchdog {
    /// Starts a watchdog that ends the program after a computation of `limit`.
    pub(crate) fn start(limit: Duration) -> Result<Arc<Self>> {
        let watchdog = Arc::new(Self(Mutex::default()));
        let weak = Arc::downgrade(&watchdog);
        std::thread::Builder::new().name("watchdog".into()).spawn(move || {
            while let Some(watchdog) = weak.upgrade() {
                for Overdue { component, ticks } in watchdog.tick() {
                    if ticks == REPORT {
                        eprintln!("textveil: component `{component}` has computed for {REPORT} seconds without a pause");
                    }
                    if ticks >= limit.as_secs() {
                        eprintln!(
                            "textveil: component `{component}` has computed for {ticks} seconds without a pause; the \
                             program ends, since it cannot stop the component (see --stuck-timeout and --interrupt)"
                        );
                        std::process::exit(STATUS);
                    }
                }
                drop(watchdog);
                std::thread::sleep(TICK);
            }
        })?;
        Ok(watchdog)
    }

    /// Watches an instance of the component until its pulse is dropped.
    pub(crate) fn watch(&self, component: &str) -> Pulse {
        let computation = Arc::new(AtomicU64::new(0));
        let component = component.to_owned();
        self.watched().push(Watched { component, computation: computation.clone(), last: 0, ticks: 0 });
        Pulse(computation)
    }

    fn watched(&self) -> MutexGuard<'_, Vec<Watched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the computations that continue since the last tick, with their duration in ticks.
    fn tick(&self) -> Vec<Overdue> {
        let mut watched = self.watched();
        watched.retain(|watched| Arc::strong_count(&watched.computation) > 1);
        let mut overdue = Vec::new();
        for watched in watched.iter_mut() {
            let now = watched.computation.load(Ordering::Relaxed);
            let is_computing = now % 2 == 1;
            watched.ticks = if is_computing && now == watched.last { watched.ticks + 1 } else { 0 };
            watched.last = now;
            if watched.ticks > 0 {
                overdue.push(Overdue { component: watched.component.clone(), ticks: watched.ticks });
            }
        }
        overdue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_computation_without_a_pause_is_counted() {
        let watchdog = Watchdog(Mutex::default());
        let (busy, other) = (watchdog.watch("busy"), watchdog.watch("other"));
        let counted = || {
            watchdog.tick().into_iter().map(|overdue| (overdue.component, overdue.ticks)).collect::<Vec<_>>()
        };
        assert_eq!(counted(), []);
        busy.compute(|| {
            assert_eq!(counted(), []);
            for ticks in 1..4 {
                other.compute(|| assert_eq!(counted(), [("busy".to_owned(), ticks)]));
            }
        });
        assert_eq!(counted(), []);
        busy.compute(|| assert_eq!(counted(), []));
        drop(busy);
        watchdog.tick();
        assert_eq!(watchdog.watched().len(), 1);
    }
}
