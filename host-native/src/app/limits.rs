//! The limits of one request.

use std::time::Duration;

use super::container;

/// Most memory of all instances by default, in bytes.
const MOST_MEMORY: usize = 2 << 30;

/// Least memory of all instances by default, in bytes: a few instances for one request each.
const LEAST_MEMORY: usize = 64 << 20;

/// Limits of the host. The defaults suit a service on one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// Headers of a request; with more it is rejected with 431. Beyond [`HostLimits::READABLE_HEADERS`], or
    /// 400 kB of them, they are not even read: the rejection has no body then, and the connection ends.
    pub request_headers: usize,
    /// Bytes of a request's address and headers. A longer head is rejected with 431.
    pub request_head: usize,
    /// Bytes of a request's body; a larger one is rejected with 413. The default lets through a full batch
    /// of the service: 50 texts of 50,000 characters, each escaped as JSON in 12 bytes.
    pub request_body: u64,
    /// Time that a request waits while all instances are busy. Then the status is 503.
    pub slot_timeout: Duration,
    /// Time until an answer must have begun. It counts from when an instance has the request; then the status
    /// is 504. The default is a minute more than the gateway gives a provider, so that the gateway ends the
    /// wait, or asks another provider.
    pub request_timeout: Duration,
    /// Timeout of a whole answer, after which it is cut off. The default has the same extra minute.
    pub response_timeout: Duration,
    /// Processor time until the answer begins, and between its parts. Beyond it, the status is 500, or the
    /// answer is cut off. A long answer in parts may take more than a short one. The instance ends, and no other
    /// request is affected.
    pub cpu_time: Duration,
    /// Bytes of memory of one instance. A component that asks for more traps.
    pub memory: usize,
    /// Bytes of memory of all instances together. The default is half of the memory of the container or of the
    /// machine, and 2 GiB at most: compiled code, connections and stores need memory, too. A component that asks for more traps; a request for which
    /// there is no memory for an instance waits for [`HostLimits::slot_timeout`], then 503.
    pub total_memory: usize,
    /// Requests in flight; more wait.
    pub concurrent_requests: usize,
    /// Open connections; more wait to be accepted.
    pub connections: usize,
    /// Open connections of one client address. An IPv6 network of 64 bits counts as one address. One more
    /// connection is answered with 503 and closed, before a request is read. 0: no limit, for a reverse
    /// proxy, which has one address for all of its clients.
    pub connections_per_client: usize,
    /// Time that a connection may have no request in flight. A client has this long for the head of a request, and
    /// a connection may be idle for this long. Then it is closed.
    pub head_timeout: Duration,
    /// Timeout of the next part of a body that a component awaits. Then the status is 408.
    pub receive_timeout: Duration,
    /// Time for a client to read the next part of an answer. Then the answer is cut off.
    pub send_timeout: Duration,
    /// Time that requests in flight have to finish at shutdown.
    pub shutdown: Duration,
}

impl HostLimits {
    /// The most headers that a request may have to be read.
    ///
    /// A request with more is rejected without a body.
    pub const READABLE_HEADERS: usize = 512;

    /// Returns the most requests in flight of one client address.
    ///
    /// It is half of all; more wait. Without [`HostLimits::connections_per_client`], clients have no limit of
    /// their own here either.
    pub(crate) fn requests_per_client(&self) -> usize {
        self.concurrent_requests.div_ceil(2).max(1)
    }
}

impl Default for HostLimits {
    fn default() -> Self {
        Self {
            request_headers: 100,
            request_head: 64 << 10,
            request_body: 32 << 20,
            slot_timeout: Duration::from_secs(60),
            request_timeout: Duration::from_secs(660),
            response_timeout: Duration::from_secs(660),
            cpu_time: Duration::from_secs(10),
            memory: 512 << 20,
            total_memory: share(container::memory()),
            concurrent_requests: 256,
            connections: 4096,
            connections_per_client: 256,
            head_timeout: Duration::from_secs(60),
            receive_timeout: Duration::from_secs(30),
            send_timeout: Duration::from_secs(30),
            shutdown: Duration::from_secs(30),
        }
    }
}

/// Returns the default memory of all instances, for a container with this memory.
fn share(container: Option<usize>) -> usize {
    container.map_or(MOST_MEMORY, |bytes| (bytes / 2).clamp(LEAST_MEMORY, MOST_MEMORY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_have_half_of_the_container() {
        for (container, want) in [
            (None, 2 << 30),
            (Some(64 << 30), 2 << 30),
            (Some(1 << 30), 512 << 20),
            (Some(16 << 20), 64 << 20),
        ] {
            assert_eq!(share(container), want, "{container:?}");
        }
    }
}
