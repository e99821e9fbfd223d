Feature: A paused Deployment keeps what it runs, and starts nothing new
  Pausing is how an operator makes several changes and rolls them out as one, and how a rollout that goes wrong is
  brought to a stand in the middle. So while a Deployment is paused no new version is started and no version is rolled
  on; but it is no maintenance mode: Pods that die are replaced, scaling works, and history is kept tidy. The clock
  that watches for stuck rollouts is stopped, for a rollout that nobody wants to go on cannot be late, and begins anew
  on resuming.

  Rule: No new version is started while paused

    Background:
      Given a Deployment "web" of 4 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the Deployment is paused

    @id:pause/no-new-replica-set
    Scenario: A new image waits until the Deployment is resumed
      When the image becomes "app:2"
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 4       | 4         |
      And the Deployment reports 4 replicas, 0 updated, 4 available

    @id:pause/resume-starts-it
    Scenario: Resumed, the rollout begins
      Given the image becomes "app:2"
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 3       | 3         |
        | 2        | app:2 | 2       | 0         |

    @id:pause/several-changes-one-revision
    Scenario: Several changes made while paused become one revision
      Given the image becomes "app:2"
      And the image becomes "app:3"
      And the image becomes "app:4"
      When the Deployment is resumed
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 0       | 0         |
        | 2        | app:4 | 4       | 4         |
      And the Deployment is at revision 2, running "app:4"

    @id:pause/changes-taken-back
    Scenario: Changes taken back while paused leave no trace
      Given the image becomes "app:2"
      And the image becomes "app:1"
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 4       | 4         |
      And the Deployment is at revision 1, running "app:1"
      And the Deployment reports 4 replicas, 4 updated, 4 available

    @id:pause/pods-are-replaced
    @needs:free-pods
    Scenario: A Pod that fails is replaced, paused or not
      When 1 Pod of "app:1" fails
      Then the Pods are
        | count | image | state     |
        | 3     | app:1 | ready     |
        | 1     | app:1 | failed    |
        | 1     | app:1 | not ready |

    @id:pause/strategy-change-waits
    Scenario: A change of strategy moves nothing by itself
      When the strategy becomes Recreate
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 4       | 4         |

  Rule: Created paused, a Deployment starts nothing at all

    @id:pause/created-paused
    Scenario: No ReplicaSet, until it is resumed
      Given a Deployment "web" of 2 replicas, paused, running "app:1"
      Then there are no ReplicaSets
      And the condition Progressing is Unknown because of DeploymentPaused
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 2       | 2    |

  Rule: A paused Deployment can be scaled

    @id:pause/scaling-one-version
    Scenario Outline: From 4 to <to> with one version
      Given a Deployment "web" of 4 replicas, maxSurge 1, maxUnavailable 0, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | image | desired | Pods | desired-replicas | max-replicas |
        | app:1 | <to>    | <to> | <to>             | <most>       |

      Examples:
        | to | most |
        | 6  | 7    |
        | 1  | 2    |
        | 0  | 1    |

    @id:pause/scaling-with-a-change-waiting
    Scenario: With a change waiting, it is still the old version that is scaled
      Given a Deployment "web" of 4 replicas, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      And the image becomes "app:2"
      When the Deployment is scaled to 6
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 6       |

    @id:pause/scaling-mid-rollout
    Scenario Outline: In the middle of a rollout, from 10 to <to>, in proportion
      Given a Deployment "web" of 10 replicas, maxSurge 3, maxUnavailable 2, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      And the Deployment is paused
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | image | desired | max-replicas |
        | app:1 | <old>   | <most>       |
        | app:2 | <new>   | <most>       |

      Examples:
        | to | old | new | most |
        | 15 | 11  | 7   | 18   |
        | 8  | 7   | 4   | 11   |
        | 5  | 5   | 3   | 8    |
        | 1  | 2   | 2   | 4    |
        | 0  | 0   | 0   | 3    |

  Rule: Paused in the middle, a rollout stands still

    Background:
      Given a Deployment "web" of 4 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      And the Deployment is paused

    @id:pause/mid-rollout-stands-still
    Scenario: New Pods that become ready do not move it on
      When all Pods become ready
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 3       | 3         |
        | 2        | app:2 | 2       | 2         |
      And the Deployment reports 5 replicas, 2 updated, 5 available
      And the condition Progressing is Unknown because of DeploymentPaused

    @id:pause/mid-rollout-goes-on
    Scenario: Resumed, it goes on from where it stood
      Given all Pods are ready
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 1       | 1         |
        | 2        | app:2 | 4       | 2         |

    @id:pause/mid-rollout-another-image
    Scenario: Another image while paused leaves both versions as they are
      When the image becomes "app:3"
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 3       | 3         |
        | 2        | app:2 | 2       | 0         |
      And the Deployment reports 5 replicas, 0 updated, 3 available

    @id:pause/mid-rollout-another-image-resumed
    Scenario: Resumed with another image, the version that was never finished goes first
      Given the image becomes "app:3"
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 3       | 3         |
        | 2        | app:2 | 0       | 0         |
        | 3        | app:3 | 2       | 0         |

  Rule: The condition Progressing says that the Deployment is paused, and the deadline waits

    @id:pause/condition
    Scenario: Paused and resumed, with nothing to roll out
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      When the Deployment is paused
      Then the condition Progressing is Unknown because of DeploymentPaused
      And the condition Available is True because of MinimumReplicasAvailable
      When the Deployment is resumed
      Then the condition Progressing is True because of NewReplicaSetAvailable

    @id:pause/condition-mid-rollout
    Scenario: Paused and resumed in the middle of a rollout
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      When the Deployment is paused
      Then the condition Progressing is Unknown because of DeploymentPaused
      When the Deployment is resumed
      Then the condition Progressing is Unknown because of DeploymentResumed
      When 1 Pod of "app:2" becomes ready
      Then the condition Progressing is True because of ReplicaSetUpdated

    @id:pause/no-deadline-while-paused
    Scenario: No deadline passes while paused; resumed, it begins anew
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, progress deadline 5 seconds, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      And the Deployment is paused
      When 8 seconds pass
      Then the condition Progressing is Unknown because of DeploymentPaused
      When the Deployment is resumed
      Then the condition Progressing is Unknown because of DeploymentResumed
      When 8 seconds pass
      Then the condition Progressing is False because of ProgressDeadlineExceeded

    @id:pause/after-the-deadline
    Scenario: A rollout that is late already stays late, paused or not
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, progress deadline 5 seconds, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      And 8 seconds pass
      When the Deployment is paused
      Then the condition Progressing is False because of ProgressDeadlineExceeded
      When the Deployment is resumed
      Then the condition Progressing is False because of ProgressDeadlineExceeded

  Rule: kubectl knows whether a Deployment is paused

    Background:
      Given a Deployment "web" of 1 replica, running "app:1"
      And all its Pods are ready

    @id:pause/twice
    Scenario: Pausing twice is refused
      Given the Deployment is paused
      When the operator tries "kubectl rollout pause deployment/web"
      Then kubectl answers "error: deployments.apps "web" is already paused"

    @id:pause/not-paused
    Scenario: Resuming what is not paused is refused
      When the operator tries "kubectl rollout resume deployment/web"
      Then kubectl answers "error: deployments.apps "web" is not paused"

    @id:pause/no-restart
    Scenario: A paused Deployment is not restarted
      Given the Deployment is paused
      When the operator tries "kubectl rollout restart deployment/web"
      Then kubectl answers "error: deployments.apps "web" can't restart paused deployment (run rollout resume first)"

  Rule: History is kept tidy while paused

    @id:pause/history-limit
    Scenario: A lower history limit takes effect at once
      Given a Deployment "web" of 1 replica, running "app:1"
      And all its Pods are ready
      And "app:2" has been rolled out
      And "app:3" has been rolled out
      And the Deployment is paused
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"revisionHistoryLimit":1}}'"
      Then the ReplicaSets are
        | revision | image | desired |
        | 2        | app:2 | 0       |
        | 3        | app:3 | 1       |
