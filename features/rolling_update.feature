Feature: A rolling update replaces Pods bit by bit, and keeps enough of them at work
  A new version must not take the service down, even if it never works. So the old Pods go only as far as new ones are
  available, and two limits say how far from the wanted size it may be at any time: maxSurge, by how many Pods there may
  be more, and maxUnavailable, by how many of them may be out of work. Between the two the rollout goes as fast as it
  can, and with a broken version it comes to a stand where nothing more is allowed; what still works is left alone.

  Rule: The limits say how far a version goes that never becomes ready
    A share in percent is rounded up for maxSurge and down for maxUnavailable, so that the service has rather a Pod too
    many than one too few. If both come to 0 nothing could ever move, and one Pod may be out of work all the same.

    @id:rolling-update/limits
    Scenario Outline: <size> Pods, maxSurge <surge>, maxUnavailable <unavailable>
      Given a Deployment "web" of <size> replicas, maxSurge <surge>, maxUnavailable <unavailable>, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      And the image becomes "app:2"
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | <old>   | <old>     |
        | 2        | app:2 | <new>   | 0         |

      Examples:
        | size | surge | unavailable | old | new |
        | 4    | 1     | 0           | 4   | 1   |
        | 4    | 0     | 1           | 3   | 1   |
        | 4    | 25%   | 25%         | 3   | 2   |
        | 3    | 25%   | 25%         | 3   | 1   |
        | 3    | 0     | 25%         | 2   | 1   |
        | 3    | 0%    | 50%         | 2   | 1   |
        | 3    | 50%   | 0%          | 3   | 2   |
        | 2    | 100%  | 0           | 2   | 2   |
        | 2    | 0     | 100%        | 0   | 2   |
        | 3    | 10    | 1           | 2   | 3   |
        | 1    | 0     | 25%         | 0   | 1   |

  Rule: Each new Pod that is available lets an old one go

    @id:rolling-update/step-by-step
    Scenario: From the first new Pod to the last old one
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      When the image becomes "app:2"
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 2       | 2         |
        | 2        | app:2 | 2       | 0         |
      When 1 Pod of "app:2" becomes ready
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 1       | 1         |
        | 2        | app:2 | 3       | 1         |
      When 1 Pod of "app:2" becomes ready
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 0       | 0         |
        | 2        | app:2 | 3       | 2         |
      And the Deployment reports 3 replicas, 3 updated, 2 available, 1 unavailable
      When 1 Pod of "app:2" becomes ready
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 0       | 0         |
        | 2        | app:2 | 3       | 3         |
      And the condition Progressing is True because of NewReplicaSetAvailable

    @id:rolling-update/events
    @needs:events
    Scenario: Every step is told in an event, with both sizes
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      When the image becomes "app:2"
      Then a ScalingReplicaSet event says "Scaled up replica set {app:1} from 0 to 2"
      And a ScalingReplicaSet event says "Scaled up replica set {app:2} from 0 to 1"
      And a ScalingReplicaSet event says "Scaled down replica set {app:1} from 2 to 1"
      And a ScalingReplicaSet event says "Scaled up replica set {app:2} from 1 to 2"

    @id:rolling-update/setback
    Scenario: A new Pod that loses its readiness holds up what is left
      Given a Deployment "web" of 3 replicas, maxSurge 0, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      And 1 Pod of "app:2" becomes ready
      When 1 Pod of "app:2" becomes unready
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 1       | 1         |
        | 2        | app:2 | 2       | 0         |
      When all Pods of "app:2" become ready
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 0       | 0         |
        | 2        | app:2 | 3       | 2         |

  Rule: Old Pods that do not work go first, for nobody misses them

    @id:rolling-update/unready-first
    Scenario: None of the old Pods is ready: a new one takes the place of each that may be out of work
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      When the image becomes "app:2"
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 2       | 2    |
        | 2        | app:2 | 2       | 2    |

    @id:rolling-update/some-unready
    Scenario: Of four old Pods two are ready: the other two go
      Given a Deployment "web" of 4 replicas, maxSurge 0, maxUnavailable 2, running "app:1"
      And 2 Pods of "app:1" become ready
      When the image becomes "app:2"
      Then the Pods are
        | count | image | state     |
        | 2     | app:1 | ready     |
        | 2     | app:2 | not ready |

    @id:rolling-update/never-down-to-nothing
    Scenario: A version that never works costs no more than maxUnavailable, however long the history of failures
      Given a Deployment "web" of 4 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      And the image becomes "app:3"
      When the image becomes "app:4"
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 3       | 3         |
        | 2        | app:2 | 0       | 0         |
        | 3        | app:3 | 0       | 0         |
        | 4        | app:4 | 2       | 0         |

  Rule: Pods on their way out count no longer, neither as surplus nor as at work

    @id:rolling-update/terminating-pods
    Scenario: Pods that shut down slowly do not slow the rollout down
      Given a Deployment "web" of 2 replicas, maxSurge 0, maxUnavailable 1, lingering Pods, running "app:1"
      And all its Pods are ready
      When the image becomes "app:2"
      Then the Pods are
        | count | image | state       |
        | 1     | app:1 | ready       |
        | 1     | app:1 | terminating |
        | 1     | app:2 | not ready   |
      When 1 Pod of "app:2" becomes ready
      Then the Pods are
        | count | image | state       |
        | 2     | app:1 | terminating |
        | 1     | app:2 | ready       |
        | 1     | app:2 | not ready   |

  Rule: The ReplicaSets are the Deployment's to size

    @id:rolling-update/replica-set-scaled-by-hand
    Scenario Outline: A ReplicaSet scaled to <to> by hand is brought back
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl scale replicaset/{app:1} --replicas=<to>"
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 3       | 3    |

      Examples:
        | to |
        | 5  |
        | 0  |

    @id:rolling-update/old-replica-set-scaled-by-hand
    Scenario: An old ReplicaSet scaled up by hand is scaled down again
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And "app:2" has been rolled out
      When the operator runs "kubectl scale replicaset/{app:1} --replicas=2"
      Then the ReplicaSets are
        | revision | image | desired | Pods |
        | 1        | app:1 | 0       | 0    |
        | 2        | app:2 | 2       | 2    |

    @id:rolling-update/replica-set-deleted
    Scenario: A ReplicaSet deleted by hand is made again, as the same version
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      When the operator runs "kubectl delete replicaset/{app:1}"
      Then there are no ReplicaSets
      And there are no Pods
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | Pods | ready | owner |
        | 1        | app:1 | 2       | 2    | 0     | web   |

  Rule: What is no part of the Pod template starts no rollout

    @id:rolling-update/no-new-version
    Scenario Outline: A change of <what>
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl patch deployment/web --patch='<patch>'"
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 2       | 2         |

      Examples:
        | what            | patch                                                        |
        | the labels      | {"metadata":{"labels":{"tier":"front"}}}                     |
        | the strategy    | {"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":0}}}} |
        | the deadline    | {"spec":{"progressDeadlineSeconds":300}}                     |

  Rule: Any change of the Pod template does, be it one that no Pod would notice

    @id:rolling-update/new-version
    Scenario Outline: Another version of the same image, by a change of <what>
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"template":<patch>}}'"
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 1       | 1         |
        | 2        | app:1 | 2       | 0         |

      Examples:
        | what               | patch                                        |
        | the Pods' labels   | {"metadata":{"labels":{"tier":"front"}}}     |
        | how they shut down | {"spec":{"terminationGracePeriodSeconds":5}} |
