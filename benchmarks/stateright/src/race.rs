//! The model: what the API server has, what the controller has heard of it, and all that can happen next.

use std::collections::VecDeque;
use std::fmt;

use stateright::{Model, Property};

/// Nothing is adopted by a Deployment that is being deleted, or that is gone.
pub const NOT_BY_THE_DELETED: &str = "nothing is adopted by a Deployment that is being deleted";

/// The world: so many Deployments, so many ReplicaSets of each, and how often the user deletes or makes a Deployment.
pub struct Race {
    pub deployments: u8,
    pub replica_sets: u8,
    pub acts: u8,
    pub recheck: bool,
}

/// Each Deployment that is made has the next one, from 1.
type Uid = u8;

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
enum Life {
    Live,
    Deleting,
    Gone,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct Deployment {
    uid: Uid,
    life: Life,
}

/// A ReplicaSet is no more than who owns it.
type ReplicaSet = Option<Uid>;

/// A cache, and the events that it has yet to hear of, in the order in which they happened.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Informer<T> {
    cache: Vec<T>,
    unheard: VecDeque<(u8, T)>,
}

impl<T: Copy> Informer<T> {
    fn new(cache: Vec<T>) -> Self {
        Self { cache, unheard: VecDeque::new() }
    }

    /// The number of whatever the next event is about.
    fn hear(&mut self) -> Option<u8> {
        let (number, value) = self.unheard.pop_front()?;
        self.cache[usize::from(number)] = value;
        Some(number)
    }
}

/// A sync that has seen orphans, and adopts one after the other.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
struct Sync {
    deployment: u8,
    uid: Uid,
    rechecked: bool,
    orphans: VecDeque<u8>,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct State {
    deployments: Vec<Deployment>,
    replica_sets: Vec<ReplicaSet>,
    deployment_informer: Informer<Deployment>,
    replica_set_informer: Informer<ReplicaSet>,
    queue: VecDeque<u8>,
    sync: Option<Sync>,
    /// Whether a Deployment that was being deleted, or gone, has adopted.
    adopted_by_the_deleted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Delete(u8),
    Make(u8),
    Orphan(u8),
    LetGo(u8),
    HearOfDeployment,
    HearOfReplicaSet,
    Look,
    Recheck,
    Adopt,
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delete(it) => write!(out, "the user deletes Deployment {it}, its ReplicaSets to be kept"),
            Self::Make(it) => write!(out, "the user makes Deployment {it} again"),
            Self::Orphan(it) => write!(out, "the garbage collector takes the owner off ReplicaSet {it}"),
            Self::LetGo(it) => write!(out, "the garbage collector lets Deployment {it} go"),
            Self::HearOfDeployment => write!(out, "the controller hears of a Deployment"),
            Self::HearOfReplicaSet => write!(out, "the controller hears of a ReplicaSet"),
            Self::Look => write!(out, "the controller looks at a Deployment"),
            Self::Recheck => write!(out, "the controller reads the Deployment from the API server"),
            Self::Adopt => write!(out, "the controller adopts a ReplicaSet"),
        }
    }
}

impl Model for Race {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let deployments = vec![Deployment { uid: 1, life: Life::Live }; self.deployments.into()];
        let replica_sets = vec![Some(1); usize::from(self.deployments * self.replica_sets)];
        vec![State {
            deployment_informer: Informer::new(deployments.clone()),
            replica_set_informer: Informer::new(replica_sets.clone()),
            deployments,
            replica_sets,
            queue: VecDeque::new(),
            sync: None,
            adopted_by_the_deleted: false,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (number, deployment) in (0..).zip(&state.deployments) {
            match deployment.life {
                Life::Live if self.acts >= 2 * deployment.uid - 1 => actions.push(Action::Delete(number)),
                Life::Deleting => self.collect(state, number, actions),
                Life::Gone if self.acts >= 2 * deployment.uid => actions.push(Action::Make(number)),
                Life::Live | Life::Gone => {}
            }
        }
        if !state.deployment_informer.unheard.is_empty() {
            actions.push(Action::HearOfDeployment);
        }
        if !state.replica_set_informer.unheard.is_empty() {
            actions.push(Action::HearOfReplicaSet);
        }
        match &state.sync {
            None if state.queue.is_empty() => {}
            None => actions.push(Action::Look),
            Some(sync) if self.recheck && !sync.rechecked => actions.push(Action::Recheck),
            Some(_) => actions.push(Action::Adopt),
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::Delete(number) => state.set_life(number, Life::Deleting),
            Action::LetGo(number) => state.set_life(number, Life::Gone),
            Action::Make(number) => {
                let uid = state.deployments[usize::from(number)].uid + 1;
                state.set_deployment(number, Deployment { uid, life: Life::Live });
            }
            Action::Orphan(number) => state.set_owner(number, None),
            Action::HearOfDeployment => {
                let number = state.deployment_informer.hear()?;
                state.enqueue(number);
            }
            Action::HearOfReplicaSet => {
                let number = state.replica_set_informer.hear()?;
                state.enqueue(number / self.replica_sets);
            }
            Action::Look => self.look(&mut state)?,
            Action::Recheck => state.recheck()?,
            Action::Adopt => state.adopt()?,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(NOT_BY_THE_DELETED, |_, state: &State| !state.adopted_by_the_deleted)]
    }
}

impl Race {
    /// The bytes of a state in which nothing is under way: what the API server has, and what is cached of it.
    pub fn bytes(&self) -> usize {
        let replica_sets = usize::from(self.replica_sets) * size_of::<ReplicaSet>();
        2 * usize::from(self.deployments) * (size_of::<Deployment>() + replica_sets)
    }

    /// The ReplicaSets that a Deployment selects.
    fn selected(&self, deployment: u8) -> std::ops::Range<u8> {
        deployment * self.replica_sets..(deployment + 1) * self.replica_sets
    }

    /// The garbage collector sees everything as it is. Once nothing is owned any more, it lets the owner go.
    fn collect(&self, state: &State, deployment: u8, actions: &mut Vec<Action>) {
        let owner = Some(state.deployments[usize::from(deployment)].uid);
        let owned = self.selected(deployment).filter(|it| state.replica_sets[usize::from(*it)] == owner);
        let before = actions.len();
        actions.extend(owned.map(Action::Orphan));
        if actions.len() == before {
            actions.push(Action::LetGo(deployment));
        }
    }

    /// Begins a sync, from the caches alone; it ends at once if there is nothing to adopt, or nobody to adopt it.
    fn look(&self, state: &mut State) -> Option<()> {
        let deployment = state.queue.pop_front()?;
        let Deployment { uid, life } = state.deployment_informer.cache[usize::from(deployment)];
        let owners = &state.replica_set_informer.cache;
        let orphans: VecDeque<u8> = self.selected(deployment).filter(|it| owners[usize::from(*it)].is_none()).collect();
        if life == Life::Live && !orphans.is_empty() {
            state.sync = Some(Sync { deployment, uid, rechecked: false, orphans });
        }
        Some(())
    }
}

impl State {
    fn set_life(&mut self, number: u8, life: Life) {
        let uid = self.deployments[usize::from(number)].uid;
        self.set_deployment(number, Deployment { uid, life });
    }

    fn set_deployment(&mut self, number: u8, deployment: Deployment) {
        self.deployments[usize::from(number)] = deployment;
        self.deployment_informer.unheard.push_back((number, deployment));
    }

    fn set_owner(&mut self, number: u8, owner: ReplicaSet) {
        self.replica_sets[usize::from(number)] = owner;
        self.replica_set_informer.unheard.push_back((number, owner));
    }

    fn enqueue(&mut self, deployment: u8) {
        if !self.queue.contains(&deployment) {
            self.queue.push_back(deployment);
        }
    }

    /// Goes on if the Deployment is still the one of the cache, and not being deleted; fails, to try again, if not.
    fn recheck(&mut self) -> Option<()> {
        let sync = self.sync.as_mut()?;
        let deployment = Deployment { uid: sync.uid, life: Life::Live };
        if self.deployments[usize::from(sync.deployment)] == deployment {
            sync.rechecked = true;
        } else {
            self.retry();
        }
        Some(())
    }

    /// Adopts the next orphan; the API server refuses if it has another owner by now, and the sync fails.
    fn adopt(&mut self) -> Option<()> {
        let sync = self.sync.as_mut()?;
        let (deployment, uid) = (sync.deployment, sync.uid);
        let number = sync.orphans.pop_front()?;
        let last = sync.orphans.is_empty();
        match self.replica_sets[usize::from(number)] {
            Some(owner) if owner != uid => {
                self.retry();
                return Some(());
            }
            Some(_) => {}
            None => {
                let live = self.deployments[usize::from(deployment)] == Deployment { uid, life: Life::Live };
                self.adopted_by_the_deleted |= !live;
                self.set_owner(number, Some(uid));
            }
        }
        if last {
            self.sync = None;
        }
        Some(())
    }

    /// The sync has failed, and its Deployment is to be looked at again.
    fn retry(&mut self) {
        if let Some(sync) = self.sync.take() {
            self.enqueue(sync.deployment);
        }
    }
}
