Feature: A rollout that gets nowhere is reported, and one that is over is not
  A rollout may be stuck for many reasons: an image that cannot be pulled, a probe that never succeeds, a quota. Whoever
  waits for it, a person or a pipeline, must learn of that in time, and a Deployment that stands still on purpose must
  not cry wolf. So each piece of progress sets the clock back, and when nothing has happened for progressDeadlineSeconds
  the condition Progressing becomes False. Nothing else follows from that: what runs is left alone, and when the rollout
  moves again after all, it is in progress again.

  Rule: Without progress for the whole time, the rollout is late

    Background:
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, progress deadline 3 seconds, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"

    @id:progress-deadline/late
    Scenario: The new version never becomes ready
      When 5 seconds pass
      Then the condition Progressing is False because of ProgressDeadlineExceeded
      And the condition Available is True because of MinimumReplicasAvailable
      And the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 1       | 1         |
        | 2        | app:2 | 2       | 0         |
      When the operator tries "kubectl rollout status deployment/web"
      Then kubectl answers "error: deployment "web" exceeded its progress deadline"

    @id:progress-deadline/late-and-on
    Scenario: Late or not, it goes on when its Pods become ready
      Given 5 seconds pass
      When 1 Pod of "app:2" becomes ready
      Then the condition Progressing is True because of ReplicaSetUpdated
      When 1 Pod of "app:2" becomes ready
      Then the condition Progressing is True because of NewReplicaSetAvailable

    @id:progress-deadline/way-back
    Scenario: The way back from a rollout that is late begins with a clock of its own
      Given 5 seconds pass
      When the operator runs "kubectl rollout undo deployment/web"
      Then the condition Progressing is True because of ReplicaSetUpdated

  Rule: Each piece of progress sets the clock back

    @id:progress-deadline/progress-sets-it-back
    @needs:virtual-time
    Scenario: With a deadline of ten minutes, as it is unless said otherwise, seven minutes are not late, twice
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      When 420 seconds pass
      And 1 Pod of "app:2" becomes ready
      And 420 seconds pass
      Then the condition Progressing is True because of ReplicaSetUpdated
      When 200 seconds pass
      Then the condition Progressing is False because of ProgressDeadlineExceeded

  Rule: What has once been rolled out is not late, whatever happens to it later

    Background:
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, progress deadline 6 seconds, running "app:1"
      And all its Pods are ready

    @id:progress-deadline/pods-lost-later
    Scenario: Pods that stop being ready after the rollout
      When all Pods of "app:1" become unready
      And 8 seconds pass
      Then the condition Progressing is True because of NewReplicaSetAvailable
      And the condition Available is False because of MinimumReplicasUnavailable

    @id:progress-deadline/scaled-later
    Scenario: Pods that are added after the rollout
      When the Deployment is scaled to 4
      And 8 seconds pass
      Then the condition Progressing is True because of NewReplicaSetAvailable
      And the condition Available is False because of MinimumReplicasUnavailable

    @id:progress-deadline/rest-is-no-delay
    Scenario: The time of rest before a rollout does not count
      Given 8 seconds pass
      When the image becomes "app:2"
      Then the condition Progressing is True because of ReplicaSetUpdated

    @id:progress-deadline/rest-is-no-delay-back
    Scenario: Nor does it before a rollback (kubernetes/kubernetes#49637)
      Given "app:2" has been rolled out
      And 8 seconds pass
      When the operator runs "kubectl rollout undo deployment/web"
      Then the condition Progressing is True because of ReplicaSetUpdated

  Rule: Without a deadline nothing is said of progress

    @id:progress-deadline/none
    Scenario: The largest number stands for none
      Given a Deployment "web" of 1 replica, progress deadline 2147483647 seconds, running "app:1"
      When all Pods become ready
      Then there is no condition Progressing
      And the condition Available is True because of MinimumReplicasAvailable

    @id:progress-deadline/taken-away
    Scenario: Taken away later, the condition goes with it; given back, it returns
      Given a Deployment "web" of 1 replica, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"progressDeadlineSeconds":2147483647}}'"
      Then there is no condition Progressing
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"progressDeadlineSeconds":600}}'"
      Then the condition Progressing is True because of NewReplicaSetAvailable

  Rule: Pods that may not even be made are told of at once
    Where the API server refuses the Pods themselves, for a quota that is used up or something that they name and that
    is not there, nobody has to wait for a deadline: the condition ReplicaFailure has the server's own words. It is gone
    as soon as no Pods are refused any more.

    Background:
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 0, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      And the image becomes "app:2"
      And the operator runs "kubectl patch deployment/web --patch='{"spec":{"template":{"spec":{"priorityClassName":"none-such"}}}}'"
      And the Deployment is resumed

    @id:progress-deadline/pods-refused
    Scenario: Pods of a priority class that is not there: the new version has none, and the old one goes on
      Then the condition ReplicaFailure is True because of FailedCreate
      And the condition Available is True because of MinimumReplicasAvailable
      And the ReplicaSets are
        | revision | image | desired | Pods | available |
        | 1        | app:1 | 2       | 2    | 2         |
        | 2        | app:2 | 1       | 0    | 0         |

    @id:progress-deadline/pods-refused-event
    @needs:events
    Scenario: An event says so as well
      Then a FailedCreate event says "Error creating: pods "{app:2}-" is forbidden: no PriorityClass with name none-such was found"

    @id:progress-deadline/pods-refused-and-mended
    Scenario: With Pods that may be made, it is over
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"template":{"spec":{"priorityClassName":null}}}}'"
      Then there is no condition ReplicaFailure
      When the rollout comes to its end
      Then the Deployment reports 2 replicas, 2 updated, 2 available
      And there is no condition ReplicaFailure

    @id:progress-deadline/pods-refused-and-undone
    Scenario: So it is on the way back
      When the operator runs "kubectl rollout undo deployment/web"
      Then there is no condition ReplicaFailure
      And the Deployment reports 2 replicas, 2 updated, 2 available
