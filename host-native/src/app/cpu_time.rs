//! The processor time of a thread.

use std::time::Duration;

/// Returns the processor time that this thread has used.
///
/// A busy machine does not count: a thread that waits for a processor uses none.
#[cfg(unix)]
pub(crate) fn of_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// Returns the time since the first call: there is no portable clock of a thread.
#[cfg(not(unix))]
pub(crate) fn of_thread() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_computes_uses_time() {
        let start = of_thread();
        while of_thread() <= start {
            std::hint::black_box(start);
        }
    }
}
