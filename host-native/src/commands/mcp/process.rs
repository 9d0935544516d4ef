//! The other server as a process of this program.

use std::{
    ffi::OsString,
    io::{self, BufReader, Write},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{
    super::Outcome,
    lines::{self, LONGEST, Output},
    note,
    wrapper::{Routed, To, Wrapper, request_key},
};

/// Time for the server to end after its input has ended.
const PATIENCE: Duration = Duration::from_secs(5);
/// The interval at which it is looked whether the server has ended.
const TICK: Duration = Duration::from_millis(20);
/// Time for the server to end after its output, so that its status is known.
const LAST_TICKS: Duration = Duration::from_secs(1);
/// Most bytes that wait for a server that does not read: two of the longest messages.
const MAX_WAITING: usize = 2 * LONGEST;

/// Starts the command, and passes messages until the client or the server ends.
///
/// # Errors
/// If the command cannot be started, or ends otherwise than after its input.
pub fn run(wrapper: Wrapper, command: &[OsString]) -> Result<Outcome> {
    let [program, arguments @ ..] = command else { bail!("--wrap needs a command: say --wrap -- COMMAND") };
    let mut server = Command::new(program);
    server.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    in_own_group(&mut server);
    let mut child = server.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let input = child.stdin.take().context("the server has no input")?;
    let output = BufReader::new(child.stdout.take().context("the server has no output")?);
    let child = Arc::new(Mutex::new(child));
    let pipes =
        Arc::new(Pipes { wrapper, client: Output::new(io::stdout()), server: ServerInput::new(input) });
    let (sender, ends) = mpsc::channel();
    let (of_client, running, client_end) = (Arc::clone(&pipes), Arc::clone(&child), sender.clone());
    thread::spawn(move || {
        if let Err(error) = of_client.read_client() {
            note(&format!("the input of the client cannot be read: {error}"));
        }
        of_client.server.close();
        stop(&running);
        drop(client_end.send(End::Client));
    });
    let of_server = Arc::clone(&pipes);
    thread::spawn(move || drop(sender.send(End::Server(of_server.read_server(output)))));
    let end = match ends.recv()? {
        // the rest of its output is still read, unless a process that it has left keeps the output open
        End::Client => ends.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            kill(&mut child.lock().unwrap_or_else(PoisonError::into_inner));
            End::Server(Ok(()))
        }),
        end => end,
    };
    if let End::Server(Err(error)) = end {
        return Err(error);
    }
    let is_over = pipes.server.is_closed();
    pipes.route(pipes.wrapper.fail_all("the server has ended"))?;
    if !is_over {
        let status = status(&child, LAST_TICKS).map(|status| format!(" with {status}")).unwrap_or_default();
        bail!("the server has ended{status} while the client was connected");
    }
    Ok(Outcome::Done)
}

/// The end of a side.
enum End {
    /// The client has ended, and the server was stopped.
    Client,
    /// The output of the server has ended, or could not be passed on.
    Server(Result<()>),
}

/// Both sides.
struct Pipes {
    wrapper: Wrapper,
    client: Output<io::Stdout>,
    server: ServerInput,
}

impl Pipes {
    fn read_client(&self) -> Result<()> {
        let mut input = io::stdin().lock();
        while let Some(line) = lines::next(&mut input)? {
            self.route(self.wrapper.route_client(line))?;
        }
        Ok(())
    }

    fn read_server(&self, mut output: impl io::BufRead) -> Result<()> {
        while let Some(line) = lines::next(&mut output)? {
            self.route(self.wrapper.route_server(line))?;
        }
        Ok(())
    }

    fn route(&self, messages: Routed) -> Result<()> {
        for (to, message) in messages {
            if to == To::Client {
                self.client.write(&message)?;
            } else if !self.server.send(&message) {
                match request_key(&message) {
                    Some(key) => self.route(self.wrapper.fail(&key, "the server does not read its input"))?,
                    None => note("the server does not read its input, so a message was dropped"),
                }
            }
        }
        Ok(())
    }
}

/// The input of the server. A thread of its own writes, so that a server that does not read holds up no answer.
struct ServerInput {
    /// Absent once the client has ended.
    lines: Mutex<Option<mpsc::Sender<String>>>,
    /// Bytes of the lines that are not written yet.
    waiting: Arc<AtomicUsize>,
}

impl ServerInput {
    fn new(mut input: impl Write + Send + 'static) -> Self {
        let (sender, lines) = mpsc::channel::<String>();
        let waiting = Arc::<AtomicUsize>::default();
        let left = Arc::clone(&waiting);
        thread::spawn(move || {
            for line in lines {
                let written = input.write_all(line.as_bytes()).and_then(|()| input.flush());
                left.fetch_sub(line.len(), Ordering::Relaxed);
                if written.is_err() {
                    return;
                }
            }
        });
        Self { lines: Mutex::new(Some(sender)), waiting }
    }

    /// Sends a message; `false` if the server has ended or does not read.
    fn send(&self, message: &Value) -> bool {
        let line = format!("{message}\n");
        let length = line.len();
        let fits = self.waiting.fetch_add(length, Ordering::Relaxed) + length <= MAX_WAITING;
        let is_sent = fits && self.lines().as_ref().is_some_and(|lines| lines.send(line).is_ok());
        if !is_sent {
            self.waiting.fetch_sub(length, Ordering::Relaxed);
        }
        is_sent
    }

    fn close(&self) {
        self.lines().take();
    }

    fn is_closed(&self) -> bool {
        self.lines().is_none()
    }

    fn lines(&self) -> MutexGuard<'_, Option<mpsc::Sender<String>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the server and its children, if it does not end by itself once its input has ended.
fn stop(child: &Mutex<Child>) {
    if status(child, PATIENCE).is_some() {
        return;
    }
    note("the server did not end after its input and was stopped");
    let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
    kill(&mut child);
    drop(child.wait());
}

/// Gives a command a group of processes: a launcher such as npx has the server as a child, and both must end.
#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn in_own_group(_: &mut Command) {}

/// Kills the processes of a command that is [`in_own_group`].
#[cfg(unix)]
fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    // a group that has ended needs no kill
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn kill(child: &mut Child) {
    drop(child.kill());
}

/// Returns the status of a server that ends in this time.
fn status(child: &Mutex<Child>, patience: Duration) -> Option<ExitStatus> {
    let since = Instant::now();
    loop {
        let ended = child.lock().unwrap_or_else(PoisonError::into_inner).try_wait();
        match ended {
            Ok(None) if since.elapsed() < patience => thread::sleep(TICK),
            ended => return ended.ok().flatten(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input that takes nothing until its sender is dropped.
    struct Unread(mpsc::Receiver<()>);

    impl Write for Unread {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            let Err(mpsc::RecvError) = self.0.recv() else { return Ok(0) };
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_server_that_does_not_read_fills_no_memory() {
        let (reading, unread) = mpsc::channel();
        let input = ServerInput::new(Unread(unread));
        let message = Value::from("x".repeat(LONGEST - 100));
        let sent: Vec<bool> = (0..4).map(|_| input.send(&message)).collect();
        assert_eq!(sent, [true, true, false, false]);
        // a small one still fits
        assert!(input.send(&Value::Null));
        drop(reading);
        input.close();
        assert!(input.is_closed() && !input.send(&Value::Null));
    }
}
