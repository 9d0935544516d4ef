//! The other server as a process of this program.

use std::{
    ffi::OsString,
    io::{self, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{
    super::Outcome,
    lines::{self, Output},
    note,
    wrapper::{Routed, To, Wrapper},
};

/// Time for the server to end after its input has ended.
const PATIENCE: Duration = Duration::from_secs(5);
/// The interval at which it is looked whether the server has ended.
const TICK: Duration = Duration::from_millis(20);

/// Starts the command, and passes messages until the client or the server ends.
///
/// # Errors
/// If the command cannot be started, or ends otherwise than after its input.
pub fn run(wrapper: Wrapper, command: &[OsString]) -> Result<Outcome> {
    let [program, arguments @ ..] = command else { bail!("--wrap needs a command: say --wrap -- COMMAND") };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    let input = child.stdin.take().context("the server has no input")?;
    let mut answers = BufReader::new(child.stdout.take().context("the server has no output")?);
    let child = Arc::new(Mutex::new(child));
    let pipes = Arc::new(Pipes { wrapper, client: Output::new(io::stdout()), server: write_to(input) });
    let (of_client, stopped) = (Arc::clone(&pipes), Arc::clone(&child));
    thread::spawn(move || {
        if let Err(error) = of_client.read_client() {
            note(&format!("the input of the client cannot be read: {error}"));
        }
        of_client.close();
        stop(&stopped);
    });
    while let Some(line) = lines::next(&mut answers)? {
        pipes.route(pipes.wrapper.route_server(line))?;
    }
    let is_over = pipes.is_closed();
    pipes.route(pipes.wrapper.fail_all("the server has ended"))?;
    if !is_over {
        bail!("the server has ended while the client was connected");
    }
    Ok(Outcome::Done)
}

/// Both ends.
struct Pipes {
    wrapper: Wrapper,
    client: Output<io::Stdout>,
    /// Absent once the client has ended.
    server: Mutex<Option<mpsc::Sender<Value>>>,
}

impl Pipes {
    fn read_client(&self) -> Result<()> {
        let mut input = io::stdin().lock();
        while let Some(line) = lines::next(&mut input)? {
            self.route(self.wrapper.route_client(line))?;
        }
        Ok(())
    }

    fn route(&self, messages: Routed) -> Result<()> {
        for (to, message) in messages {
            match to {
                To::Client => self.client.write(&message)?,
                To::Server => {
                    let server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
                    // one that has ended is noticed where its output is read
                    drop(server.as_ref().map(|server| server.send(message)));
                }
            }
        }
        Ok(())
    }

    fn close(&self) {
        self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn is_closed(&self) -> bool {
        self.server.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// Writes to the server in a thread of its own, so that a server that does not read holds up no answer.
fn write_to(input: impl Write + Send + 'static) -> Mutex<Option<mpsc::Sender<Value>>> {
    let (sender, messages) = mpsc::channel::<Value>();
    thread::spawn(move || {
        let output = Output::new(input);
        for message in messages {
            if output.write(&message).is_err() {
                return;
            }
        }
    });
    Mutex::new(Some(sender))
}

/// Ends the server, if it does not end by itself once its input has ended.
fn stop(child: &Mutex<Child>) {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        let ended = child.lock().unwrap_or_else(PoisonError::into_inner).try_wait();
        if !matches!(ended, Ok(None)) {
            return;
        }
        thread::sleep(TICK);
    }
    note("the server did not end after its input and was stopped");
    drop(child.lock().unwrap_or_else(PoisonError::into_inner).kill());
}
