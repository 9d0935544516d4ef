//! The `textveil` program.

fn main() {}
