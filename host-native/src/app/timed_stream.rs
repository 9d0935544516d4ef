//! A connection whose client must take what is sent to it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream whose writes fail after a timeout if the peer does not read.
///
/// Without this, a client that does not read the answer could keep its connection forever.
pub(crate) struct TimedStream<S> {
    stream: S,
    patience: Duration,
    /// Runs while a write waits.
    timer: Option<Pin<Box<Sleep>>>,
    is_waiting: bool,
}

impl<S> TimedStream<S> {
    /// Lets writes to `stream` wait for `patience` at most.
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, timer: None, is_waiting: false }
    }

    /// Starts the timer at the first write that waits, and stops it when one is done.
    fn timed<T>(&mut self, polled: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.is_waiting = false;
            return polled;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        if !self.is_waiting {
            let now = Instant::now();
            timer.as_mut().reset(now.checked_add(self.patience).unwrap_or(now));
            self.is_waiting = true;
        }
        timer.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.timed(polled, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.timed(polled, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.timed(polled, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn a_write_waits_for_a_client_that_reads_and_for_no_other() {
        let (mut client, server) = duplex(10);
        let mut server = TimedStream::new(server, Duration::from_secs(1_000));
        let mut taken = [0; 100];
        let (sent, read) = tokio::join!(server.write_all(&[1; 100]), client.read_exact(&mut taken));
        sent.unwrap();
        read.unwrap();

        server.patience = Duration::from_millis(10);
        server.write_all(&[1; 10]).await.unwrap();
        let outcome = server.write_all(&[1]).await;
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
