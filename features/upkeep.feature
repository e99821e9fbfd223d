Feature: A Deployment keeps as many Pods as it was asked for
  This is what a Deployment is for on all the days without a rollout: so many Pods run, whatever becomes of a single
  one. A Pod that has ended is replaced, one that is deleted is replaced at once, were it still shutting down, and one
  that is merely not ready is left alone, for it may get well again. What is said of all that can be relied on: the
  numbers are counted anew whenever they change, and the conditions follow from them.

  Rule: From the first moment there is one ReplicaSet, and it has what was asked for

    @id:upkeep/created
    Scenario Outline: Created with <replicas> replicas
      When a Deployment "web" of <replicas> replicas, running "app:1" is created
      Then the ReplicaSets are
        | revision | image | desired    | Pods       | ready | owner | desired-replicas | max-replicas |
        | 1        | app:1 | <replicas> | <replicas> | 0     | web   | <replicas>       | <most>       |
      And the Deployment is at revision 1, running "app:1"

      Examples: maxSurge is 25% unless said otherwise
        | replicas | most |
        | 0        | 0    |
        | 1        | 2    |
        | 5        | 7    |

    @id:upkeep/counters
    Scenario: Its counters tell what is there, and what is missing
      When a Deployment "web" of 3 replicas, running "app:1" is created
      Then the Deployment reports 3 replicas, 3 updated, 0 ready, 0 available, 3 unavailable
      When 2 Pods of "app:1" become ready
      Then the Deployment reports 3 replicas, 3 updated, 2 ready, 2 available, 1 unavailable
      When 1 Pod of "app:1" becomes ready
      Then the Deployment reports 3 replicas, 3 updated, 3 ready, 3 available, 0 unavailable

  Rule: Pods that are gone are replaced

    Background:
      Given a Deployment "web" of 2 replicas, lingering Pods, running "app:1"
      And all its Pods are ready

    @id:upkeep/pod-deleted
    Scenario: One that is deleted is replaced at once, and need not be gone for that
      When the operator runs "kubectl delete pod/{a Pod of app:1}"
      Then the Pods are
        | count | image | state       |
        | 1     | app:1 | ready       |
        | 1     | app:1 | not ready   |
        | 1     | app:1 | terminating |
      And the Deployment reports 2 replicas, 1 ready, 1 available, 1 unavailable

    @id:upkeep/terminating-counted
    @needs:terminating-replicas
    Scenario: What is still shutting down is counted for itself
      When the operator runs "kubectl delete pod/{a Pod of app:1}"
      Then the Deployment reports 2 replicas, 1 terminating
      When all terminating Pods of "app:1" are gone
      Then the Deployment reports 2 replicas, 0 terminating

    @id:upkeep/pod-ended
    @needs:free-pods
    Scenario Outline: One that has <ended> is replaced, and stays to be looked at
      When 1 Pod of "app:1" <ends>
      Then the Pods are
        | count | image | state     |
        | 1     | app:1 | ready     |
        | 1     | app:1 | not ready |
        | 1     | app:1 | <ended>   |
      And the Deployment reports 2 replicas, 1 ready, 1 available, 1 unavailable

      Examples:
        | ends     | ended     |
        | fails    | failed    |
        | succeeds | succeeded |

    @id:upkeep/pod-unready
    Scenario: One that is no longer ready is not replaced, only missed
      When 1 Pod of "app:1" becomes unready
      Then the Pods are
        | count | image | state     |
        | 1     | app:1 | ready     |
        | 1     | app:1 | not ready |
      And the Deployment reports 2 replicas, 1 ready, 1 available, 1 unavailable

  Rule: Scaled down, it gives up first what works least

    @id:upkeep/unready-go-first
    Scenario: Of five Pods two are not ready, and two are too many
      Given a Deployment "web" of 5 replicas, running "app:1"
      And 3 Pods of "app:1" become ready
      When the Deployment is scaled to 3
      Then the Pods are
        | count | image | state |
        | 3     | app:1 | ready |

  Rule: It is available as long as no more Pods are out of work than maxUnavailable allows

    @id:upkeep/available
    Scenario Outline: <ready> of 4 Pods ready, maxUnavailable <unavailable>
      Given a Deployment "web" of 4 replicas, maxUnavailable <unavailable>, running "app:1"
      When <ready> Pods of "app:1" become ready
      Then the condition Available is <status> because of <reason>

      Examples:
        | unavailable | ready | status | reason                     |
        | 1           | 3     | True   | MinimumReplicasAvailable   |
        | 1           | 2     | False  | MinimumReplicasUnavailable |
        | 50%         | 2     | True   | MinimumReplicasAvailable   |

    @id:upkeep/available-with-none
    Scenario: So with a maxUnavailable of all, it is available without a single Pod (kubernetes/kubernetes#61205)
      When a Deployment "web" of 1 replica, maxUnavailable 1, running "app:1" is created
      Then the condition Available is True because of MinimumReplicasAvailable
      And the Deployment reports 1 replica, 0 available, 1 unavailable

  Rule: Whether the controller has seen the latest change is to be seen as well
    What is reported may be about the Deployment as it was a moment ago. So each change of the spec gets a number, and
    the status has the number of the last one that it takes into account.

    @id:upkeep/observed
    @needs:stalled-watches
    Scenario: kubectl waits for that before it believes what is reported
      Given a Deployment "web" of 1 replica, running "app:1"
      And all its Pods are ready
      And the Deployment controller's view of Deployments is held
      When the Deployment is scaled to 2
      And the operator runs "kubectl rollout status deployment/web"
      Then kubectl answers "Waiting for deployment spec update to be observed..."
      When the Deployment controller catches up
      And the operator runs "kubectl rollout status deployment/web"
      Then kubectl answers "Waiting for deployment "web" rollout to finish: 1 of 2 updated replicas are available..."
