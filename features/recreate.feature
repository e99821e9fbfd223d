Feature: Recreate stops the old version before it starts the new one
  Some applications cannot bear two versions at once: they lock a volume, own a schema, or hold a licence. For them a
  Deployment of strategy Recreate promises that no Pod of the new version is made while one of the old is alive or on
  its way out, even if that takes long. The price is a gap in service. Pods that are over for good, having failed or
  succeeded, hold nothing and are not waited for.

  Lingering Pods are Pods that shut down slowly: deleted, they are listed as terminating until the scenario says that
  they are gone.

  Rule: No new Pod before the last old one is gone

    Background:
      Given a Deployment "web" of 3 replicas, Recreate, lingering Pods, running "app:1"
      And all its Pods are ready

    @id:recreate/old-pods-go-first
    Scenario: The old Pods are all stopped, and nothing is started beside them
      When the image becomes "app:2"
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
      And the Pods are
        | count | image | state       |
        | 3     | app:1 | terminating |
      And the condition Available is False because of MinimumReplicasUnavailable

    @id:recreate/one-pod-lingers
    Scenario: One old Pod that lingers holds up all of the new ones
      Given the image becomes "app:2"
      When 2 Pods of "app:1" are gone
      Then the Pods are
        | count | image | state       |
        | 1     | app:1 | terminating |

    @id:recreate/last-pod-gone
    Scenario: The last old Pod gone, all new ones are made at once
      Given the image becomes "app:2"
      And 2 Pods of "app:1" are gone
      When 1 Pod of "app:1" is gone
      Then the ReplicaSets are
        | revision | image | desired | Pods | max-replicas |
        | 1        | app:1 | 0       | 0    | 3            |
        | 2        | app:2 | 3       | 3    | 3            |
      And the Pods are
        | count | image | state     |
        | 3     | app:2 | not ready |

    @id:recreate/complete
    Scenario: The rollout is complete when the new Pods are ready
      Given the image becomes "app:2"
      And all Pods of "app:1" are gone
      When all Pods become ready
      Then the Deployment reports 3 replicas, 3 updated, 3 ready, 3 available
      And the condition Progressing is True because of NewReplicaSetAvailable
      And the condition Available is True because of MinimumReplicasAvailable

    @id:recreate/unready-pods-go-too
    Scenario: Old Pods that never were ready are waited for like any other
      Given all Pods of "app:1" become unready
      When the image becomes "app:2"
      Then the Pods are
        | count | image | state       |
        | 3     | app:1 | terminating |

    @id:recreate/third-image
    Scenario: Another image while waiting: the one in between is never started
      Given the image becomes "app:2"
      And the image becomes "app:3"
      When all Pods of "app:1" are gone
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 0       |
        | 2        | app:3 | 3       |

    @id:recreate/back-while-waiting
    Scenario: Back to the old image while waiting: it starts again beside its own lingering Pods
      Given the image becomes "app:2"
      When the image becomes "app:1"
      Then the Pods are
        | count | image | state       |
        | 3     | app:1 | terminating |
        | 3     | app:1 | not ready   |
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 3       |

    @id:recreate/paused-while-waiting
    Scenario: Paused while waiting, a Deployment keeps its size by what it has: the old version starts again
      Given the image becomes "app:2"
      When the Deployment is paused
      Then the Pods are
        | count | image | state       |
        | 3     | app:1 | terminating |
        | 3     | app:1 | not ready   |
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
      And the Pods are
        | count | image | state       |
        | 6     | app:1 | terminating |

  Rule: Pods that are over for good are not waited for
    A failed or succeeded Pod stays listed until somebody clears it away. Nothing runs in it, so the new version need not
    wait for it. Up to Kubernetes 1.36, though, the controller looks when no Pod is listed any more: where a finished one
    stays, the new version waits until something else makes it look. Since 1.35 the counter of terminating Pods does that,
    unless the controller hears of the counter first and of the Pods later.

    @id:recreate/finished-pods
    @needs:free-pods
    @known-fault:106410
    @fixed-in:1.35
    Scenario Outline: An old Pod that has <ended>
      Given a Deployment "web" of 2 replicas, Recreate, lingering Pods, running "app:1"
      And all its Pods are ready
      And 1 Pod of "app:1" <ends>
      And the image becomes "app:2"
      When all Pods of "app:1" are gone
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
        | 2        | app:2 | 2       | 2    |
      And the Pods are
        | count | image | state     |
        | 1     | app:1 | <ended>   |
        | 2     | app:2 | not ready |

      Examples:
        | ends     | ended     |
        | fails    | failed    |
        | succeeds | succeeded |

    @id:recreate/finished-while-terminating
    @needs:free-pods
    @since:1.35
    Scenario Outline: An old Pod that <ends> while it lingers
      Given a Deployment "web" of 1 replica, Recreate, lingering Pods, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      When 1 terminating Pod of "app:1" <ends>
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
        | 2        | app:2 | 1       | 1    |

      Examples:
        | ends     |
        | fails    |
        | succeeds |

    @id:recreate/last-pod-gone-beside-a-finished-one
    @needs:free-pods
    @needs:stalled-watches
    @known-fault:128798
    @fixed-in:1.37
    Scenario: The last Pod that runs is gone, and the controller hears of it late; one that has failed is still there
      Given a Deployment "web" of 2 replicas, Recreate, lingering Pods, running "app:1"
      And all its Pods are ready
      And 1 Pod of "app:1" fails
      And the Deployment controller's view of Pods is held
      And the image becomes "app:2"
      And all terminating Pods of "app:1" are gone
      When the Deployment controller catches up
      Then the Pods are
        | count | image | state     |
        | 1     | app:1 | failed    |
        | 2     | app:2 | not ready |

  Rule: Scaling takes effect when there is something to scale

    Background:
      Given a Deployment "web" of 3 replicas, Recreate, lingering Pods, running "app:1"
      And all its Pods are ready

    @id:recreate/scaled-before
    Scenario Outline: Scaled to <to> before the rollout
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | revision | image | desired | Pods | max-replicas |
        | 1        | app:1 | <to>    | <to> | <to>         |

      Examples:
        | to |
        | 5  |
        | 1  |

    @id:recreate/scaled-while-waiting
    Scenario Outline: Scaled to <to> while waiting: the new version starts at that size
      Given the image becomes "app:2"
      And the Deployment is scaled to <to>
      When all Pods of "app:1" are gone
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
        | 2        | app:2 | <to>    | <to> |

      Examples:
        | to |
        | 5  |
        | 1  |
        | 0  |

    @id:recreate/scaled-after
    Scenario: Scaled while the new Pods are not ready yet
      Given the image becomes "app:2"
      And all Pods of "app:1" are gone
      When the Deployment is scaled to 5
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
        | 2        | app:2 | 5       | 5    |

  Rule: The strategy can be changed at any time, and holds from then on
    In the middle of a rolling update there are new Pods already. Beside them the old Pods' end goes unnoticed in
    Kubernetes 1.34, and the new version fills up with the controller's next look, whenever that is.

    @id:recreate/from-rolling-update
    @known-fault:106410
    @fixed-in:1.35
    Scenario: To Recreate in the middle of a rolling update: the old Pods go, then the new version fills up
      Given a Deployment "web" of 4 replicas, maxSurge 1, maxUnavailable 1, lingering Pods, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      And 1 Pod of "app:1" is gone
      When the strategy becomes Recreate
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
        | 2        | app:2 | 2       | 2    |
      When all Pods of "app:1" are gone
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
        | 2        | app:2 | 4       | 4    |

    @id:recreate/to-rolling-update
    Scenario: To RollingUpdate while waiting: the new version starts at once
      Given a Deployment "web" of 4 replicas, Recreate, lingering Pods, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      When the strategy becomes RollingUpdate, maxSurge 1, maxUnavailable 1
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
        | 2        | app:2 | 4       | 4    |
      And the Pods are
        | count | image | state       |
        | 4     | app:1 | terminating |
        | 4     | app:2 | not ready   |

    @id:recreate/no-limits
    Scenario: maxSurge and maxUnavailable have no meaning with Recreate, and are refused
      Given a Deployment "web" of 1 replica, Recreate, running "app:1"
      When the operator tries "kubectl patch deployment/web --patch='{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1}}}}'"
      Then kubectl answers "The Deployment "web" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"

  Rule: Without Pods that linger, all of it happens in one go

    @id:recreate/one-go
    Scenario: One change of image, and the new version is there
      Given a Deployment "web" of 1 replica, Recreate, running "app:1"
      And all its Pods are ready
      When the image becomes "app:2"
      Then the ReplicaSets are
        | revision | image | desired | Pods | ready |
        | 1        | app:1 | 0       | 0    | 0     |
        | 2        | app:2 | 1       | 1    | 0     |
      And a ScalingReplicaSet event says "Scaled down replica set {app:1} from 1 to 0"
      And a ScalingReplicaSet event says "Scaled up replica set {app:2} from 0 to 1"
