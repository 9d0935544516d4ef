//! The tasks of the project: `cargo xtask setup`, `build`, `serve`, `test`, `eval`, `fuzz`, `bench`,
//! `train`, `deploy` and `licences`.
//!
//! Each task does the set-up that it needs, prints each step, and repeats no work: cargo decides what must be
//! compiled, and the other steps compare their inputs and outputs with those of the last run.

mod bench;
mod build;
mod deploy;
mod eval;
mod fuzz;
mod licences;
mod npm;
mod program;
mod serve;
mod setup;
mod shell;
mod sizes;
mod step;
mod test;
mod train;
mod wasm_opt;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The tasks of Textveil.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Setup(setup::Arguments),
    Build(build::Arguments),
    Serve(serve::Arguments),
    Test(test::Arguments),
    Eval(eval::Arguments),
    Fuzz(fuzz::Arguments),
    Bench(bench::Arguments),
    Train(train::Arguments),
    Deploy(deploy::Arguments),
    Licences(licences::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Setup(arguments) => setup::run(&arguments),
        Task::Build(arguments) => build::run(&arguments),
        Task::Serve(arguments) => serve::run(&arguments),
        Task::Test(arguments) => test::run(&arguments),
        Task::Eval(arguments) => eval::run(&arguments),
        Task::Fuzz(arguments) => fuzz::run(&arguments),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Train(arguments) => train::run(&arguments),
        Task::Deploy(arguments) => deploy::run(&arguments),
        Task::Licences(arguments) => licences::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
