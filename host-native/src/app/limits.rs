//! The limits of one request.

use std::time::Duration;

/// Limits of the host. The defaults suit a service on one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// Headers of a request; with more it is refused with 431. Beyond [`HostLimits::READABLE_HEADERS`], or
    /// 400 kB of them, they are not even read: the refusal has no body then, and the connection ends.
    pub request_headers: usize,
    /// Bytes of a request's address and headers; a longer head is refused with 431.
    pub request_head: usize,
    /// Bytes of a request's body; a larger one is refused with 413. The default lets through a full batch
    /// of the service: 50 texts of 50,000 characters, each escaped as JSON in 12 bytes.
    pub request_body: u64,
    /// Time that a request waits while all instances are busy; then 503.
    pub slot_timeout: Duration,
    /// Time until an answer must have begun, from when an instance has the request; then 504. The default is a minute
    /// more than the gateway gives a provider, so that it is the gateway that ends the wait, or asks another provider.
    pub request_timeout: Duration,
    /// Timeout of a whole answer, after which it is cut off. The default has the same extra minute.
    pub response_timeout: Duration,
    /// Processor time until the answer begins, then 500, and from each part of it to the next, then it is
    /// cut off: a long answer in parts may take more than a short one. A component that is not compiled for
    /// interruption is stopped when it next waits for something.
    pub cpu_time: Duration,
    /// Time that a component may compute without waiting for anything; then the program ends with status 3. To the
    /// second.
    pub stuck: Duration,
    /// Bytes of memory of one instance. A component that asks for more traps.
    pub memory: usize,
    /// Bytes of memory of all instances together. A component that asks for more traps; a request for which
    /// there is no memory for an instance waits for [`HostLimits::slot_timeout`], then 503.
    pub total_memory: usize,
    /// Requests in flight; more wait.
    pub concurrent_requests: usize,
    /// Open connections; more wait to be accepted.
    pub connections: usize,
    /// Open connections of one client address, or of one IPv6 network of 64 bits; one more is answered with 503
    /// and closed, before a request is read. 0: no limit, for a reverse proxy, which has one address for all of
    /// its clients.
    pub connections_per_client: usize,
    /// Time that a connection may have no request in flight: that a client has for the head of a request, and that a
    /// connection may be idle. Then it is closed.
    pub head_timeout: Duration,
    /// Timeout of the next part of a body that a component waits for; then 408.
    pub receive_timeout: Duration,
    /// Timeout of a client's reading of the next part of an answer; then the answer is cut off.
    pub send_timeout: Duration,
    /// Time that requests in flight have to finish when the host shuts down.
    pub shutdown: Duration,
}

impl HostLimits {
    /// The most headers that a request can be refused for with an answer of ours.
    pub const READABLE_HEADERS: usize = 512;
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
            stuck: Duration::from_secs(120),
            memory: 512 << 20,
            total_memory: 2 << 30,
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
