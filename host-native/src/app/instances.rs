//! Instances of a component: created on demand, used for one request after the other, and dropped when they
//! fail. An instance never answers two requests at once.

use std::fmt;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_channel::oneshot;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc, watch};
use wasmtime::component::Accessor;
use wasmtime::{AsContextMut as _, Engine, Store};
use wasmtime_wasi_http::handler::{Prepared, Proxy, ProxyPre};
use wasmtime_wasi_http::{Error, WasiBody};

use super::cpu_time;
use super::limits::HostLimits;
use super::memory::{InstanceMemory, TotalMemory};
use super::sandbox::{Grants, Sandbox};

/// The time that an instance waits for its next request.
const IDLE: Duration = Duration::from_secs(10);

/// An instance of this size in bytes or larger is not kept: linear memory never shrinks.
const KEEP_BELOW: usize = 64 << 20;

/// The bytes a second that a client must take of an answer so that it is not slow.
const PACE: u64 = 64 << 10;

/// The time that a client may be behind [`PACE`]. A slower one loses its answer when memory is wanted.
const SLACK: Duration = Duration::from_secs(2);

/// Bodies larger than this many bytes may take long to compute on: for smaller ones, the engine takes a few
/// milliseconds.
const LARGE_BODY: u64 = 16 << 10;

/// The state shared by the instances of all components.
#[derive(Clone)]
pub(crate) struct SharedLimits {
    pub(crate) limits: HostLimits,
    pub(crate) memory: Arc<TotalMemory>,
}

/// A component, ready to be instantiated, and its idle instances.
pub(crate) struct Instances {
    name: String,
    engine: Engine,
    pre: ProxyPre<Sandbox>,
    grants: Arc<Grants>,
    limits: HostLimits,
    memory: Arc<TotalMemory>,
    /// The channels to instances that wait for a request; the last one has waited for the shortest time.
    idle: Mutex<Vec<mpsc::Sender<Job>>>,
}

/// Why a request got no answer from its component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The component trapped, could not be instantiated, or returned an error instead of an answer.
    Broken(String),
    /// It used more processor time than [`HostLimits::cpu_time`].
    CpuTime,
    /// It did not answer within [`HostLimits::request_timeout`].
    Timeout,
    /// No memory for an instance became available within [`HostLimits::slot_timeout`].
    NoMemory,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(reason) => formatter.write_str(reason),
            Self::CpuTime => formatter.write_str("a request used too much processor time"),
            Self::Timeout => formatter.write_str("a request took too long"),
            Self::NoMemory => formatter.write_str("the memory of all instances is in use"),
        }
    }
}

/// The permits of a request in flight: one of its client, if clients have a limit, and one of all.
pub(crate) type RequestPermit = (Option<OwnedSemaphorePermit>, OwnedSemaphorePermit);

/// A request on its way to an instance.
struct Job {
    request: Request<WasiBody>,
    reply: oneshot::Sender<wasmtime::Result<Response<WasiBody>>>,
    exchange: Arc<Exchange>,
    /// Ends with the body of the answer, complete or not.
    whole: oneshot::Receiver<()>,
    /// Held while the request uses an instance.
    permit: RequestPermit,
}

impl Instances {
    pub(crate) fn new(
        name: String,
        engine: Engine,
        pre: ProxyPre<Sandbox>,
        grants: Grants,
        shared: SharedLimits,
    ) -> Arc<Self> {
        let SharedLimits { limits, memory } = shared;
        Arc::new(Self { name, engine, pre, grants: Arc::new(grants), limits, memory, idle: Mutex::default() })
    }

    /// Has the component answer `request`.
    pub(crate) async fn handle(
        self: &Arc<Self>,
        request: Request<WasiBody>,
        permit: RequestPermit,
    ) -> Result<Response<WasiBody>, Failure> {
        let (reply, answer) = oneshot::channel();
        let (finished, whole) = oneshot::channel();
        let exchange = Arc::new(Exchange::new(&request, finished));
        // from here on, so that a client that leaves before the answer frees the instance, too
        let body = GuestBody(exchange.clone());
        let mut job = Job { request, reply, exchange: exchange.clone(), whole, permit };
        let patience = Instant::now().checked_add(self.limits.slot_timeout);
        loop {
            let mut available = pin!(self.memory.available());
            // from here on, so that an instance that becomes available during the search is not missed
            available.as_mut().enable();
            let idle = self.idle().pop();
            if let Some(instance) = idle {
                match instance.try_send(job) {
                    Ok(()) => break,
                    // it stopped waiting at this moment
                    Err(returned) => job = returned.into_inner(),
                }
            } else if let Some(memory) = InstanceMemory::reserve(&self.memory, self.limits.memory) {
                tokio::spawn(self.clone().run(job, memory));
                break;
            } else {
                let patience = patience.ok_or(Failure::NoMemory)?;
                let waited = tokio::time::timeout_at(patience.into(), available).await;
                waited.map_err(|_| Failure::NoMemory)?;
            }
        }
        let Ok(Ok(answer)) = answer.await else { return Err(exchange.failure()) };
        Ok(answer.map(|guests| {
            exchange.begin_answer(guests, self.limits.response_timeout);
            body.boxed_unsync()
        }))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<mpsc::Sender<Job>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one instance, from its first request on.
    async fn run(self: Arc<Self>, first: Job, memory: InstanceMemory) {
        let (mut store, proxy) = match self.instantiate(memory).await {
            Ok(instance) => instance,
            Err(error) => {
                eprintln!("textveil: component `{}` cannot be instantiated: {error:#}", self.name);
                return;
            }
        };
        let (sender, mut current) = watch::channel(None);
        {
            let life =
                store.run_concurrent(async |accessor| self.serve(accessor, &proxy, &sender, first).await);
            let mut life = pin!(life);
            let latest = current.clone();
            // a guest that exhausts the budget of its task must not hold up the limits
            let mut overdue = pin!(tokio::task::unconstrained(self.overdue(&mut current)));
            // Limits are enforced here: while the guest computes, or waits in a call of WASI 0.2, nothing inside is
            // polled. Every tick of the epoch interrupts it.
            let outcome = std::future::poll_fn(|context| {
                let mut compute = || {
                    let started = cpu_time::of_thread();
                    let polled = life.as_mut().poll(context);
                    (polled, cpu_time::of_thread().saturating_sub(started))
                };
                let may_take_long =
                    latest.borrow().as_ref().is_some_and(|exchange| exchange.may_compute_long());
                let (polled, spent) = if may_take_long && can_block() {
                    // other tasks of this thread run in another one
                    tokio::task::block_in_place(compute)
                } else {
                    compute()
                };
                let spent = latest.borrow().as_ref().map_or(Duration::ZERO, |exchange| exchange.spend(spent));
                match polled {
                    Poll::Ready(outcome) => {
                        Poll::Ready(outcome.flatten().map_err(|error| Failure::Broken(format!("{error:#}"))))
                    }
                    Poll::Pending if spent > self.limits.cpu_time => Poll::Ready(Err(Failure::CpuTime)),
                    Poll::Pending => overdue.as_mut().poll(context).map(Err),
                }
            })
            .await;
            if let Err(failure) = outcome {
                eprintln!("textveil: an instance of component `{}` was stopped: {failure}", self.name);
                // before the guest is dropped, so that the rest of an answer does not seem complete
                if let Some(exchange) = &*latest.borrow() {
                    exchange.fail(failure);
                }
            }
        }
        drop(store);
        self.idle().retain(|instance| !instance.is_closed());
    }

    async fn instantiate(&self, memory: InstanceMemory) -> wasmtime::Result<(Store<Sandbox>, Proxy)> {
        let mut store = Store::new(&self.engine, Sandbox::new(&self.grants, memory)?);
        store.limiter(|sandbox| &mut sandbox.memory);
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        let proxy = self.pre.instantiate_async(&mut store).await?;
        Ok((store, proxy))
    }

    /// Resolves when the request of an instance takes too long.
    async fn overdue(&self, current: &mut watch::Receiver<Option<Arc<Exchange>>>) -> Failure {
        loop {
            let exchange = current.borrow_and_update().clone();
            let overdue = async {
                match exchange {
                    Some(exchange) => exchange.overdue(self.limits.send_timeout, &self.memory).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                _ = current.changed() => (),
                () = overdue => return Failure::Timeout,
            }
        }
    }

    /// Serves requests until the instance is no longer wanted.
    ///
    /// The instance is free for the next request once an answer is sent. Remaining work of the guest for the
    /// earlier one runs concurrently.
    async fn serve(
        &self,
        accessor: &Accessor<Sandbox>,
        proxy: &Proxy,
        current: &watch::Sender<Option<Arc<Exchange>>>,
        first: Job,
    ) -> wasmtime::Result<()> {
        let (address, mut jobs) = mpsc::channel(1);
        let at_rest = || std::future::poll_fn(|context| accessor.poll_no_interesting_tasks(context));
        let mut next = Some(first);
        let mut is_last = false;
        while let Some(Job { request, reply, exchange, whole, permit }) = next {
            exchange.extend(self.limits.request_timeout);
            current.send_replace(Some(exchange.clone()));
            if exchange.is_large {
                // the poll that received the request does not know yet that it may take long
                tokio::task::yield_now().await;
            }
            let prepared = accessor.with(|mut access| {
                Prepared::new(access.as_context_mut(), proxy, request, Sandbox::incoming, reply)
            })?;
            prepared.run(accessor, std::future::pending()).await?;
            let _ = whole.await;
            exchange.extend(self.limits.response_timeout);
            if is_last || accessor.with(|mut access| access.data_mut().memory.used) > KEEP_BELOW {
                at_rest().await;
                break;
            }
            self.idle().push(address.clone());
            self.memory.announce();
            let mut permit = Some(permit);
            let mut idle = pin!(tokio::time::sleep(IDLE));
            let waited = loop {
                tokio::select! {
                    biased;
                    job = jobs.recv() => break job,
                    () = at_rest(), if permit.is_some() => {
                        permit = None;
                        current.send_replace(None);
                    }
                    () = self.memory.wanted() => break None,
                    () = &mut idle => break None,
                }
            };
            next = match waited {
                Some(job) => Some(job),
                None => {
                    // a request sent at this moment is not lost
                    is_last = true;
                    jobs.close();
                    jobs.recv().await
                }
            };
            if next.is_none() && permit.is_some() {
                at_rest().await;
            }
        }
        Ok(())
    }
}

/// Whether this thread's tasks can run in another one: not in a runtime of one thread.
fn can_block() -> bool {
    tokio::runtime::Handle::current().runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread
}

/// A request and its answer, shared by the instance and the task that serves the client.
struct Exchange {
    /// The request's body is large, or of unknown length.
    is_large: bool,
    state: Mutex<ExchangeState>,
    /// Notified when the deadline moves.
    moved: Notify,
}

#[derive(Default)]
struct ExchangeState {
    deadline: Option<Instant>,
    /// Processor time spent since the request came, or since a part of its answer left.
    spent: Duration,
    is_answered: bool,
    /// The guest's body of the answer; `None` before it begins, and once it is cut off.
    body: Option<WasiBody>,
    /// Dropped with the body, so that the instance continues.
    finished: Option<oneshot::Sender<()>>,
    flow: Flow,
    /// The answer was aborted.
    is_cut_off: bool,
    failure: Option<Failure>,
}

/// The bytes of an answer that a client took, and its delays.
#[derive(Default)]
struct Flow {
    /// When the last part was sent, if the next part has not been requested since.
    untaken_since: Option<Instant>,
    /// The time before that in which parts waited for the client.
    waited: Duration,
    /// The bytes that the client took.
    taken: u64,
}

impl Flow {
    /// Returns how long the last part has been waiting for the client.
    ///
    /// The server requests a part when the connection has room for it. So a part that is ready and not requested
    /// waits for the client, and a client that waits for the guest is not slow.
    fn untaken(&self) -> Duration {
        self.untaken_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Returns how far the client is behind [`PACE`].
    fn delay(&self) -> Duration {
        let waited = self.waited.saturating_add(self.untaken());
        waited.saturating_sub(Duration::from_millis(self.taken.saturating_mul(1_000) / PACE))
    }
}

impl Exchange {
    fn new(request: &Request<WasiBody>, finished: oneshot::Sender<()>) -> Self {
        let is_large = request.body().size_hint().upper().is_none_or(|length| length > LARGE_BODY);
        let state = ExchangeState { finished: Some(finished), ..ExchangeState::default() };
        Self { is_large, state: Mutex::new(state), moved: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, ExchangeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a large request has not been answered yet.
    fn may_compute_long(&self) -> bool {
        self.is_large && !self.state().is_answered
    }

    /// Counts processor time, and returns its sum.
    fn spend(&self, time: Duration) -> Duration {
        let mut state = self.state();
        state.spent = state.spent.saturating_add(time);
        state.spent
    }

    /// Gives what is next `time` from now.
    fn extend(&self, time: Duration) {
        self.state().deadline = Instant::now().checked_add(time);
        self.moved.notify_one();
    }

    /// Begins the answer, which has `time` to complete.
    fn begin_answer(&self, body: WasiBody, time: Duration) {
        let mut state = self.state();
        state.is_answered = true;
        state.body = Some(body);
        state.flow.untaken_since = Some(Instant::now());
        drop(state);
        self.extend(time);
    }

    /// Resolves at the deadline; until then, cuts off an answer whose client is too slow.
    async fn overdue(&self, patience: Duration, memory: &TotalMemory) {
        loop {
            let deadline = self.state().deadline;
            let deadline = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.moved.notified() => (),
                () = deadline => return,
                // for the guest this looks like a client disconnect
                () = self.until(patience, Flow::untaken) => self.cut_off(),
                // instances that wait for slow clients must not use up the memory of all others
                () = async { self.until(SLACK, Flow::delay).await; memory.wanted().await } => self.cut_off(),
            }
        }
    }

    /// Resolves when a time of the client reaches `limit`.
    async fn until(&self, limit: Duration, time: impl Fn(&Flow) -> Duration) {
        loop {
            let time = time(&self.state().flow);
            match limit.checked_sub(time) {
                Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
                _ => return,
            }
        }
    }

    /// Aborts the body; the client gets an error instead of the rest.
    fn cut_off(&self) {
        self.state().is_cut_off = true;
        self.drop_body();
    }

    /// Drops the guest's body, outside of the lock.
    fn drop_body(&self) {
        let mut state = self.state();
        state.flow = Flow::default();
        let dropped = (state.body.take(), state.finished.take());
        drop(state);
        drop(dropped);
    }

    fn fail(&self, failure: Failure) {
        let mut state = self.state();
        state.is_cut_off = true;
        state.failure = Some(failure);
    }

    /// Returns why there is no answer.
    fn failure(&self) -> Failure {
        let failure = self.state().failure.take();
        failure.unwrap_or_else(|| Failure::Broken("the component gave no answer".into()))
    }
}

/// The body of a guest's answer. It ends with an error if the guest did not complete it; its drop lets the instance
/// continue.
struct GuestBody(Arc<Exchange>);

impl Drop for GuestBody {
    fn drop(&mut self) {
        // the body only, as the instance has the exchange too
        self.0.drop_body();
    }
}

impl Body for GuestBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let mut state = self.0.state();
        let polled = match &mut state.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        };
        let flow = &mut state.flow;
        flow.waited = flow.waited.saturating_add(flow.untaken());
        flow.untaken_since = matches!(polled, Poll::Ready(Some(_))).then(Instant::now);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let length = frame.data_ref().map_or(0, Bytes::len);
            flow.taken = flow.taken.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        }
        match polled {
            Poll::Ready(None) if state.is_cut_off => Poll::Ready(Some(Err(Error::HttpResponseIncomplete))),
            polled => {
                if polled.is_ready() {
                    state.spent = Duration::ZERO;
                }
                polled
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        let state = self.0.state();
        state.body.as_ref().is_none_or(Body::is_end_stream) && !state.is_cut_off
    }

    fn size_hint(&self) -> SizeHint {
        self.0.state().body.as_ref().map_or_else(SizeHint::default, Body::size_hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_slow_by_what_it_takes_while_parts_wait_for_it() {
        let seconds = Duration::from_secs;
        for (waited, taken, want) in [
            (0, 0, 0),
            // all that waited is not taken
            (5, 0, 5),
            // at the pace, and faster
            (5, 5 * PACE, 0),
            (5, 50 * PACE, 0),
            // at half of the pace
            (60, 30 * PACE, 30),
        ] {
            let flow = Flow { waited: seconds(waited), taken, ..Flow::default() };
            assert_eq!(flow.delay(), seconds(want), "{waited} {taken}");
        }
    }
}
