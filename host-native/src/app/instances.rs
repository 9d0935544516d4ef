//! Instances of a component: created on demand, used for one request after the other, and dropped when they
//! fail. An instance never answers two requests at once.

use std::fmt;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use wasmtime::component::Accessor;
use wasmtime::{Engine, Store};
use wasmtime_wasi_http::p3;
use wasmtime_wasi_http::p3::bindings::http::types::ErrorCode;
use wasmtime_wasi_http::p3::bindings::{Service, ServicePre};
use wasmtime_wasi_http::{Error, WasiBody, WasiHttpHooks, WasiHttpView};

use super::cpu_time;
use super::likeness::SpinHooks;
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
    /// [`Options::like_spin`](super::Options::like_spin)
    pub(crate) like_spin: bool,
}

/// A component, ready to be instantiated, and its idle instances.
pub(crate) struct Instances {
    name: String,
    engine: Engine,
    pre: ServicePre<Sandbox>,
    grants: Arc<Grants>,
    limits: HostLimits,
    memory: Arc<TotalMemory>,
    like_spin: bool,
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

type Reply = oneshot::Sender<Result<Response<WasiBody>, Failure>>;

/// The permits of a request in flight: one of its client, if clients have a limit, and one of all.
pub(crate) type RequestPermit = (Option<OwnedSemaphorePermit>, OwnedSemaphorePermit);

/// A request on its way to an instance.
struct Job {
    request: Request<WasiBody>,
    reply: Reply,
    /// Held while the request uses an instance.
    permit: RequestPermit,
}

impl Instances {
    pub(crate) fn new(
        name: String,
        pre: ServicePre<Sandbox>,
        grants: Grants,
        shared: SharedLimits,
    ) -> Arc<Self> {
        let (engine, grants) = (pre.engine().clone(), Arc::new(grants));
        let SharedLimits { limits, memory, like_spin } = shared;
        let idle = Mutex::default();
        Arc::new(Self { name, engine, pre, grants, limits, memory, like_spin, idle })
    }

    /// Has the component answer `request`.
    pub(crate) async fn handle(
        self: &Arc<Self>,
        request: Request<WasiBody>,
        permit: RequestPermit,
    ) -> Result<Response<WasiBody>, Failure> {
        let (reply, answer) = oneshot::channel();
        let mut job = Job { request, reply, permit };
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
        answer.await.unwrap_or_else(|_| Err(Failure::Broken("the instance is gone".into())))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<mpsc::Sender<Job>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one instance, from its first request on.
    async fn run(self: Arc<Self>, first: Job, memory: InstanceMemory) {
        let (mut store, service) = match self.instantiate(memory).await {
            Ok(instance) => instance,
            Err(error) => {
                let message = format!("{error:#}");
                eprintln!("textveil: component `{}` cannot be instantiated: {message}", self.name);
                let _ = first.reply.send(Err(Failure::Broken(message)));
                return;
            }
        };
        let watch = Watch::default();
        let outcome = {
            let life =
                store.run_concurrent(async |accessor| self.serve(accessor, &service, &watch, first).await);
            let mut life = pin!(life);
            // Limits are enforced here: while the guest computes, nothing inside is polled. Every tick of the epoch
            // interrupts it.
            std::future::poll_fn(|context| {
                let mut compute = || {
                    let started = cpu_time::of_thread();
                    let polled = life.as_mut().poll(context);
                    watch.spend(cpu_time::of_thread().saturating_sub(started));
                    polled
                };
                let polled = if watch.may_compute_long() && can_block() {
                    // other tasks of this thread run in another one
                    tokio::task::block_in_place(compute)
                } else {
                    compute()
                };
                match polled {
                    Poll::Ready(outcome) => Poll::Ready(outcome.flatten().map_err(|error| {
                        watch.exceeded(&self.limits).unwrap_or_else(|| Failure::Broken(format!("{error:#}")))
                    })),
                    Poll::Pending => match watch.exceeded(&self.limits) {
                        Some(failure) => Poll::Ready(Err(failure)),
                        None => Poll::Pending,
                    },
                }
            })
            .await
        };
        if let Err(failure) = outcome {
            eprintln!("textveil: an instance of component `{}` was stopped: {failure}", self.name);
            watch.fail(failure);
        }
        // only now, so that the rest of an answer does not seem complete
        drop(store);
        self.idle().retain(|instance| !instance.is_closed());
    }

    async fn instantiate(&self, memory: InstanceMemory) -> wasmtime::Result<(Store<Sandbox>, Service)> {
        let mut store = Store::new(&self.engine, Sandbox::new(&self.grants, memory)?);
        store.limiter(|sandbox| &mut sandbox.memory);
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        let service = self.pre.instantiate_async(&mut store).await?;
        Ok((store, service))
    }

    /// Serves requests until the instance is no longer wanted.
    ///
    /// The instance is free for the next request once an answer is sent. Remaining work of the guest for the
    /// earlier one runs concurrently.
    async fn serve(
        &self,
        accessor: &Accessor<Sandbox>,
        service: &Service,
        watch: &Watch,
        first: Job,
    ) -> wasmtime::Result<()> {
        let (address, mut jobs) = mpsc::channel(1);
        let at_rest = || std::future::poll_fn(|context| accessor.poll_no_interesting_tasks(context));
        let mut next = Some(first);
        let mut is_last = false;
        while let Some(Job { request, reply, permit }) = next {
            let is_large = request.body().size_hint().upper().is_none_or(|length| length > LARGE_BODY);
            watch.begin(reply, self.limits.request_timeout, is_large);
            if is_large {
                // the poll that received the request does not know yet that it may take long
                tokio::task::yield_now().await;
            }
            self.exchange(accessor, service, watch, request).await?;
            watch.extend(self.limits.response_timeout);
            if is_last || accessor.with(|mut access| access.data_mut().memory.used) > KEEP_BELOW {
                watch.until_deadline(at_rest()).await?;
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
                    rested = watch.until_deadline(at_rest()), if permit.is_some() => {
                        rested?;
                        permit = None;
                        watch.end();
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
                watch.until_deadline(at_rest()).await?;
            }
        }
        Ok(())
    }

    /// Handles one request, until its answer is sent.
    async fn exchange(
        &self,
        accessor: &Accessor<Sandbox>,
        service: &Service,
        watch: &Watch,
        request: Request<WasiBody>,
    ) -> wasmtime::Result<()> {
        let (request, received) = accessor.with(|mut access| {
            let mut spin = SpinHooks;
            let hooks: &mut dyn WasiHttpHooks =
                if self.like_spin { &mut spin } else { access.data_mut().http().hooks };
            let (request, received) = p3::Request::from_http(hooks, request);
            let received: Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(received);
            (request, received)
        });
        let answer = match watch.until_deadline(service.handle(accessor, request)).await?? {
            Ok(answer) => answer,
            Err(code) => {
                watch.reply(Err(Failure::Broken(describe(&code))));
                return Ok(());
            }
        };
        let answer = accessor.with(|access| answer.into_http(access, received))?;
        let (finished, whole) = oneshot::channel();
        let progress = watch.extend(self.limits.response_timeout);
        let answer = answer.map(|body| GuestBody::new(body, progress.clone(), finished).boxed_unsync());
        watch.reply(Ok(answer));
        watch
            .until_deadline(async {
                tokio::select! {
                    biased;
                    // an error: the body was dropped, complete or not
                    _ = whole => (),
                    // for the guest this looks like a client disconnect
                    () = progress.until_stalled(self.limits.send_timeout) => progress.cut_off(),
                    // instances that wait for slow clients must not use up the memory of all others
                    () = async { progress.until_slow().await; self.memory.wanted().await } => progress.cut_off(),
                }
            })
            .await
    }
}

/// Whether this thread's tasks can run in another one: not in a runtime of one thread.
fn can_block() -> bool {
    tokio::runtime::Handle::current().runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread
}

/// Returns an error code of the guest without data of the request.
fn describe(code: &ErrorCode) -> String {
    match code {
        ErrorCode::InternalError(_) => "the component answered with an internal error".into(),
        code => format!("the component answered with the error {code:?}"),
    }
}

/// The state of an instance, read from inside and outside of it.
#[derive(Default)]
struct Watch(Mutex<Task>);

#[derive(Default)]
struct Task {
    reply: Option<Reply>,
    /// The deadline of the current request; `None` between requests.
    deadline: Option<Instant>,
    /// Processor time spent since the request came, or since a part of its answer left.
    spent: Duration,
    /// The request's body is large, or of unknown length.
    is_large: bool,
    progress: Arc<AnswerProgress>,
}

/// The progress of an answer's body, shared by the body and its instance.
#[derive(Default)]
struct AnswerProgress {
    flow: Mutex<Flow>,
    /// The body was aborted.
    cut_off: AtomicBool,
    /// A part of it was sent.
    moved: AtomicBool,
}

#[derive(Default)]
struct Flow {
    /// The guest's body; `None` once the answer is cut off.
    body: Option<WasiBody>,
    /// When the last part was sent, if the next part has not been requested since.
    untaken_since: Option<Instant>,
    /// The time before that in which parts waited for the client.
    waited: Duration,
    /// The bytes that the client took.
    taken: u64,
}

impl Flow {
    /// Returns how far the client is behind [`PACE`].
    ///
    /// Time in which the client waits for the guest does not count.
    fn delay(&self) -> Duration {
        let waited =
            self.waited.saturating_add(self.untaken_since.map_or(Duration::ZERO, |since| since.elapsed()));
        waited.saturating_sub(Duration::from_millis(self.taken.saturating_mul(1_000) / PACE))
    }
}

impl AnswerProgress {
    fn flow(&self) -> MutexGuard<'_, Flow> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves when the client has not taken a part of the body for `patience`.
    ///
    /// The server requests a part when the connection has room for it. So a part that is ready and not
    /// requested waits for the client, and a client that waits for the guest is not slow.
    async fn until_stalled(&self, patience: Duration) {
        loop {
            let waited = self.flow().untaken_since.map_or(Duration::ZERO, |since| since.elapsed());
            match patience.checked_sub(waited) {
                Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
                _ => return,
            }
        }
    }

    /// Resolves when the client is slow: [`SLACK`] behind [`PACE`].
    async fn until_slow(&self) {
        loop {
            let delay = self.flow().delay();
            match SLACK.checked_sub(delay) {
                Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
                _ => return,
            }
        }
    }

    /// Aborts the body; the client gets an error instead of the rest.
    fn cut_off(&self) {
        self.cut_off.store(true, Ordering::Release);
        let body = self.flow().body.take();
        drop(body);
    }
}

impl Watch {
    fn task(&self) -> MutexGuard<'_, Task> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a request, whose answer must begin within `time`.
    fn begin(&self, reply: Reply, time: Duration, is_large: bool) {
        let deadline = Instant::now().checked_add(time);
        *self.task() = Task { reply: Some(reply), deadline, is_large, ..Task::default() };
    }

    /// Whether a large request has not been answered yet.
    fn may_compute_long(&self) -> bool {
        let task = self.task();
        task.is_large && task.reply.is_some()
    }

    fn end(&self) {
        *self.task() = Task::default();
    }

    fn spend(&self, time: Duration) {
        let mut task = self.task();
        let moved = task.progress.moved.swap(false, Ordering::Relaxed);
        task.spent = if moved { time } else { task.spent.saturating_add(time) };
    }

    /// Gives the body `time` to complete.
    fn extend(&self, time: Duration) -> Arc<AnswerProgress> {
        let mut task = self.task();
        task.deadline = Instant::now().checked_add(time);
        task.progress.clone()
    }

    fn reply(&self, answer: Result<Response<WasiBody>, Failure>) {
        if let Some(reply) = self.task().reply.take() {
            // a disconnected client gets nothing; dropping the answer informs the guest
            let _ = reply.send(answer);
        }
    }

    fn fail(&self, failure: Failure) {
        self.task().progress.cut_off.store(true, Ordering::Release);
        self.reply(Err(failure));
    }

    fn exceeded(&self, limits: &HostLimits) -> Option<Failure> {
        let task = self.task();
        let deadline = task.deadline?;
        if task.spent > limits.cpu_time {
            return Some(Failure::CpuTime);
        }
        (Instant::now() >= deadline).then_some(Failure::Timeout)
    }

    /// Awaits `future`, and wakes the task at the deadline, so that [`exceeded`](Self::exceeded) is checked.
    async fn until_deadline<T>(&self, future: impl Future<Output = T>) -> wasmtime::Result<T> {
        let Some(deadline) = self.task().deadline else { return Ok(future.await) };
        let limit = tokio::time::timeout_at(deadline.into(), future);
        limit.await.map_err(|_| wasmtime::format_err!("the deadline passed"))
    }
}

/// The body of a guest's answer. It ends with an error if the guest did not complete it; its end or drop lets
/// the instance continue.
struct GuestBody {
    progress: Arc<AnswerProgress>,
    _finished: oneshot::Sender<()>,
}

impl GuestBody {
    fn new(body: WasiBody, progress: Arc<AnswerProgress>, finished: oneshot::Sender<()>) -> Self {
        *progress.flow() = Flow { body: Some(body), untaken_since: Some(Instant::now()), ..Flow::default() };
        Self { progress, _finished: finished }
    }
}

impl Drop for GuestBody {
    fn drop(&mut self) {
        // the body only, as the instance has the progress too
        let body = self.progress.flow().body.take();
        drop(body);
    }
}

impl Body for GuestBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let mut flow = self.progress.flow();
        if let Some(since) = flow.untaken_since.take() {
            flow.waited = flow.waited.saturating_add(since.elapsed());
        }
        let polled = match &mut flow.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        };
        flow.untaken_since = matches!(polled, Poll::Ready(Some(_))).then(Instant::now);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let length = frame.data_ref().map_or(0, Bytes::len);
            flow.taken = flow.taken.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        }
        match polled {
            Poll::Ready(None) if self.progress.cut_off.load(Ordering::Acquire) => {
                Poll::Ready(Some(Err(Error::HttpResponseIncomplete)))
            }
            polled => {
                self.progress.moved.fetch_or(polled.is_ready(), Ordering::Relaxed);
                polled
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        let ended = self.progress.flow().body.as_ref().is_none_or(Body::is_end_stream);
        ended && !self.progress.cut_off.load(Ordering::Acquire)
    }

    fn size_hint(&self) -> SizeHint {
        self.progress.flow().body.as_ref().map_or_else(SizeHint::default, Body::size_hint)
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
