//! The race of kubernetes issue 42639 for Stateright, a general model checker: what it takes of each thing, and no more.
//!
//! A Deployment is deleted, and its ReplicaSets are to be kept: the garbage collector takes the Deployment off them. The
//! Deployment controller, which hears of Deployments and of ReplicaSets on two watches, each as late as can be, finds
//! ReplicaSets that nobody owns, and adopts them for a Deployment that is being deleted. With the recheck it asks the
//! API server for the Deployment before it adopts.
//!
//! Goes through all schedules on one core, the shortest first, until a Deployment that is being deleted adopts, or all is
//! seen. Prints one line of JSON: `states` counts those that were reached anew as well, `bytes` are those of a state in
//! which nothing is under way, and `counterexample` has its steps, or is null. `--acts` is how often each Deployment is
//! deleted and made again, by turns: after 1 it is deleted, after 2 it is there again.

mod race;

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Instant;

use race::{NOT_BY_THE_DELETED, Race};
use serde_json::json;
use stateright::{Checker, Model};

const USAGE: &str = "usage: adoption-race --deployments N --replica-sets N --acts N --recheck 0|1, each N from 1 to 9";

fn main() -> ExitCode {
    let Some(race) = asked(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let bytes = race.bytes();
    let begun = Instant::now();
    let checker = race.checker().threads(1).spawn_bfs().join();
    let seconds = begun.elapsed().as_secs_f64();
    let counterexample = checker.discovery(NOT_BY_THE_DELETED).map(|path| {
        let steps = path.into_actions();
        steps.iter().map(ToString::to_string).collect::<Vec<_>>()
    });
    let result = json!({
        "states": checker.state_count(),
        "unique_states": checker.unique_state_count(),
        "seconds": seconds,
        "depth": checker.max_depth() - 1,
        "bytes": bytes,
        "counterexample": counterexample,
    });
    println!("{result}");
    ExitCode::SUCCESS
}

/// The race that the command line asks for; none if it does not say all, or says something else.
fn asked(arguments: impl Iterator<Item = String>) -> Option<Race> {
    let arguments: Vec<String> = arguments.collect();
    let mut given = HashMap::new();
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return None };
        given.insert(name.as_str(), value.parse::<u8>().ok().filter(|it| *it < 10)?);
    }
    let mut count = |name| given.remove(name).filter(|it| *it > 0);
    let (deployments, replica_sets, acts) = (count("--deployments")?, count("--replica-sets")?, count("--acts")?);
    let recheck = given.remove("--recheck").filter(|it| *it < 2)? == 1;
    given.is_empty().then_some(Race { deployments, replica_sets, acts, recheck })
}
