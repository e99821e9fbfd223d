Feature: A Pod counts as available only when it has been ready for long enough
  Some faults show only after a while: a Pod answers, and a little later it falls over. With minReadySeconds a rollout
  waits and sees before it goes on. A Pod that has been ready for that long is available, and nothing else need happen
  for that: the controller looks at the clock by itself. Each Pod has a clock of its own, which begins anew when the
  Pod was down.

  Rule: Ready is not yet available

    @id:min-ready-seconds/wait-and-see
    Scenario: Ready Pods become available by the passing of time alone
      Given a Deployment "web" of 2 replicas, running "app:1"
      And the operator runs "kubectl patch deployment/web --patch='{"spec":{"minReadySeconds":3}}'"
      When all Pods become ready
      Then the Deployment reports 2 replicas, 2 updated, 2 ready, 0 available
      When 4 seconds pass
      Then the Deployment reports 2 replicas, 2 updated, 2 ready, 2 available

    @id:min-ready-seconds/rollout
    Scenario: A rollout does not go on before
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 0, available after 4 seconds, running "app:1"
      And all its Pods are ready
      And 5 seconds pass
      And the Deployment is paused
      And the image becomes "app:2"
      When the Deployment is resumed
      And all Pods become ready
      Then the ReplicaSets are
        | revision | image | desired | ready | available |
        | 1        | app:1 | 2       | 2     | 2         |
        | 2        | app:2 | 1       | 1     | 0         |
      When 5 seconds pass
      Then the ReplicaSets are
        | revision | image | desired | ready | available |
        | 1        | app:1 | 1       | 1     | 1         |
        | 2        | app:2 | 2       | 1     | 1         |

  Rule: Each Pod waits for itself

    @id:min-ready-seconds/one-after-the-other
    @needs:virtual-time
    Scenario: One that became ready later is available later by just that much
      Given a Deployment "web" of 2 replicas, running "app:1"
      And the operator runs "kubectl patch deployment/web --patch='{"spec":{"minReadySeconds":60}}'"
      And 1 Pod of "app:1" becomes ready
      And 20 seconds pass
      And 1 Pod of "app:1" becomes ready
      When 45 seconds pass
      Then the Deployment reports 2 replicas, 2 updated, 2 ready, 1 available
      When 20 seconds pass
      Then the Deployment reports 2 replicas, 2 updated, 2 ready, 2 available

    @id:min-ready-seconds/down-and-up-again
    @needs:virtual-time
    Scenario: One that was down begins anew, whether all others are ready or not
      Given a Deployment "web" of 2 replicas, running "app:1"
      And the operator runs "kubectl patch deployment/web --patch='{"spec":{"minReadySeconds":60}}'"
      And all Pods are ready
      And 20 seconds pass
      And all Pods of "app:1" become unready
      And 1 Pod of "app:1" becomes ready
      When 45 seconds pass
      Then the Deployment reports 2 replicas, 2 updated, 1 ready, 0 available
      When 20 seconds pass
      Then the Deployment reports 2 replicas, 2 updated, 1 ready, 1 available

  Rule: It is part of the Deployment, and of every ReplicaSet that runs

    @id:min-ready-seconds/changed
    Scenario: Taken away while a Pod waits for its time, the Pod is available at once
      Given a Deployment "web" of 1 replica, available after 300 seconds, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"minReadySeconds":0}}'"
      Then the Deployment reports 1 replica, 1 ready, 1 available
      And the condition Available is True because of MinimumReplicasAvailable

    @id:min-ready-seconds/no-new-version
    Scenario: Changed later, it starts no new version, and holds for the Pods that run
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"minReadySeconds":300}}'"
      Then the ReplicaSets are
        | revision | image | desired | ready | available |
        | 1        | app:1 | 2       | 2     | 0         |
      And the condition Available is False because of MinimumReplicasUnavailable
