//! A plain HTTP/1.1 client with one connection, kept open.

use std::net::SocketAddr;

use anyhow::Result;
use bytes::Bytes;
use http::{
    Method, Request, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HOST},
};
use http_body_util::{BodyExt, Full};
use hyper::{
    body::Incoming,
    client::conn::http1::{SendRequest, handshake},
};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    server: SocketAddr,
    sender: SendRequest<Full<Bytes>>,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// If nothing listens there.
    pub async fn open(server: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // it ends with the connection; what fails shows in the request that fails with it
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Self { server, sender })
    }

    /// Sends a request with a JSON body and gives status and body of the answer.
    ///
    /// # Errors
    /// If the connection fails.
    pub async fn send(
        &mut self,
        method: Method,
        path: &str,
        api_key: Option<&str>,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes)> {
        let mut request = Request::builder().method(method).uri(path).header(HOST, self.server.to_string());
        if let Some(key) = api_key {
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let response = self.request(request.body(Full::new(body))?).await?;
        let status = response.status();
        Ok((status, response.into_body().collect().await?.to_bytes()))
    }

    /// Sends a request unchanged and returns the answer when its head arrives.
    ///
    /// # Errors
    /// If the connection fails.
    pub async fn request(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>> {
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }
}
