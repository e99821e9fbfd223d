Feature: A ReplicaSet has one owner, and a Deployment that is being deleted adopts none
  Owner references decide who may size a ReplicaSet, and what is collected as garbage when the owner goes. A Deployment
  therefore adopts ReplicaSets that match its selector and have no owner, and lets go of those that match no longer.
  The controller knows the cluster from its caches, which may be late. If it adopted by what they say alone, it could
  adopt on behalf of a Deployment that somebody has just deleted while keeping its ReplicaSets: the orphans would then
  be collected together with the Deployment, and the Pods that were to be kept would die (kubernetes/kubernetes#42639).
  So before it adopts, the controller asks the API server whether its Deployment is still there, is the same one, and is
  not being deleted.

  Lingering Pods are Pods that shut down slowly: deleted, they are listed as terminating until the scenario says that
  they are gone.

  Rule: Orphans of a deleted Deployment stay orphans, even if the controller has not heard of the deletion

    Background:
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready

    @id:adoption-race/orphans-stay-orphans
    @needs:stalled-watches
    Scenario: Deleted behind the controller's back, leaving its ReplicaSet
      Given the Deployment controller's view of Deployments is held
      When the operator runs "kubectl delete deployment/web --cascade=orphan"
      Then there are no Deployments
      And the ReplicaSets are
        | revision | image | desired | ready | owner |
        | 1        | app:1 | 2       | 2     | none  |
      When the Deployment controller catches up
      Then the ReplicaSets are
        | revision | image | desired | ready | owner |
        | 1        | app:1 | 2       | 2     | none  |

    @id:adoption-race/orphans-mid-rollout
    @needs:stalled-watches
    Scenario: Deleted behind the controller's back in the middle of a rollout
      Given the image becomes "app:2"
      And the Deployment controller's view of Deployments is held
      When the operator runs "kubectl delete deployment/web --cascade=orphan"
      Then the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:1 | 1       | none  |
        | 2        | app:2 | 2       | none  |
      When the Deployment controller catches up
      Then the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:1 | 1       | none  |
        | 2        | app:2 | 2       | none  |

    @id:adoption-race/same-name-again
    @needs:stalled-watches
    Scenario: Created anew under the same name: only the new Deployment adopts, once the controller knows of it
      Given the Deployment controller's view of Deployments is held
      And the operator runs "kubectl delete deployment/web --cascade=orphan"
      When a Deployment "web" of 2 replicas, running "app:1" is created
      Then the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:1 | 2       | none  |
      When the Deployment controller catches up
      Then the ReplicaSets are
        | revision | image | desired | ready | owner |
        | 1        | app:1 | 2       | 2     | web   |
      And the Deployment reports 2 replicas, 2 updated, 2 available

    @id:adoption-race/orphan-label
    @needs:stalled-watches
    Scenario: An orphan that is relabelled meanwhile is not adopted either
      Given the Deployment controller's view of Deployments is held
      And the operator runs "kubectl delete deployment/web --cascade=orphan"
      When the operator runs "kubectl label replicaset/{app:1} tier=front"
      Then the ReplicaSets are
        | image | desired | owner |
        | app:1 | 2       | none  |
      When the Deployment controller catches up
      Then the ReplicaSets are
        | image | desired | owner |
        | app:1 | 2       | none  |

  Rule: An adoption that was looked into before the deletion does not come after it

    Between the question and the adoption the Deployment may be deleted. The adoption is then made on behalf of a
    Deployment that is no more, and what was to be kept is collected with it (kubernetes/kubernetes#43032).

    @id:adoption-race/looked-into-before
    @needs:fault-injection
    @known-fault:43032
    Scenario: A ReplicaSet is made by hand, and the Deployment deleted just after the controller has asked
      Given a Deployment "web" of 1 replica, maxSurge 1, maxUnavailable 0, running "app:1"
      And all its Pods are ready
      And the answer to the Deployment controller's next read of a Deployment comes 3 seconds late
      And before that answer comes the operator runs "kubectl delete deployment/web --cascade=orphan"
      When ReplicaSets labelled "app=web" are made by hand:
        | name | replicas | image |
        | hand | 0        | app:2 |
      Then there are no Deployments
      And the ReplicaSets are
        | image | desired | owner |
        | app:1 | 1       | none  |
        | app:2 | 0       | none  |

  Rule: With nothing held back, deleting does what its --cascade says

    Background:
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready

    @id:adoption-race/cascade-orphan
    Scenario: orphan: the Deployment goes, all else stays and works on
      When the operator runs "kubectl delete deployment/web --cascade=orphan"
      Then there are no Deployments
      And the ReplicaSets are
        | image | desired | ready | owner |
        | app:1 | 2       | 2     | none  |

    @id:adoption-race/cascade-background
    Scenario: background: the Deployment goes at once, its ReplicaSets and Pods follow
      When the operator runs "kubectl delete deployment/web --cascade=background"
      Then there are no Deployments
      And there are no ReplicaSets
      And there are no Pods

    @id:adoption-race/adopted-by-the-next
    Scenario: Orphans are adopted by the next Deployment that selects them, with their history
      Given "app:2" has been rolled out
      And the operator runs "kubectl delete deployment/web --cascade=orphan"
      When a Deployment "web" of 2 replicas, running "app:2" is created
      Then the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:1 | 0       | web   |
        | 2        | app:2 | 2       | web   |
      And the Deployment is at revision 2, running "app:2"

    @id:adoption-race/adopted-under-another-name
    Scenario: The name of the next Deployment does not matter, its selector does
      Given the operator runs "kubectl delete deployment/web --cascade=orphan"
      When a Deployment "shop" of 2 replicas, labelled "app=web", running "app:1" is created
      Then the ReplicaSets are
        | revision | image | desired | ready | owner |
        | 1        | app:1 | 2       | 2     | shop  |

  Rule: Deleted in the foreground, a Deployment waits for its Pods, and does no more than wait

    Background:
      Given a Deployment "web" of 2 replicas, lingering Pods, running "app:1"
      And all its Pods are ready

    @id:adoption-race/cascade-foreground
    Scenario: The Deployment goes last
      When the operator runs "kubectl delete deployment/web --cascade=foreground"
      Then the Deployment is being deleted
      And the ReplicaSets are
        | image | desired | owner |
        | app:1 | 2       | web   |
      When all Pods of "app:1" are gone
      Then there are no Deployments
      And there are no ReplicaSets
      And there are no Pods

    @id:adoption-race/not-while-being-deleted
    Scenario: A Deployment on its way out adopts nothing, and replaces nothing
      Given the operator runs "kubectl delete deployment/web --cascade=foreground"
      When ReplicaSets labelled "app=web" are made by hand:
        | name | replicas | image |
        | hand | 1        | app:2 |
      Then the ReplicaSets are
        | image | desired | owner |
        | app:1 | 2       | web   |
        | app:2 | 1       | none  |
      And the Pods are
        | count | image | state       |
        | 2     | app:1 | terminating |
        | 1     | app:2 | not ready   |

  Rule: ReplicaSets made by hand are adopted if they match and have no owner

    @id:adoption-race/hand-made-same-template
    Scenario: One that runs what the Deployment wants becomes its version
      Given ReplicaSets labelled "app=web" are made by hand:
        | name | replicas | image |
        | hand | 2        | app:1 |
      And all Pods are ready
      When a Deployment "web" of 2 replicas, running "app:1" is created
      Then the ReplicaSets are
        | name | revision | image | desired | ready | owner |
        | hand | 1        | app:1 | 2       | 2     | web   |
      And the condition Progressing is True because of NewReplicaSetAvailable

    @id:adoption-race/hand-made-other-template
    Scenario: One that runs something else is rolled over
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 0, running "app:2"
      And all its Pods are ready
      When ReplicaSets labelled "app=web" are made by hand:
        | name | replicas | image |
        | hand | 2        | app:1 |
      Then the ReplicaSets are
        | image | desired | ready | owner |
        | app:2 | 2       | 2     | web   |
        | app:1 | 0       | 0     | web   |

    @id:adoption-race/hand-made-no-match
    Scenario: One of other labels is left alone
      Given a Deployment "web" of 2 replicas, running "app:1"
      When ReplicaSets labelled "app=shop" are made by hand:
        | name | replicas | image |
        | hand | 1        | app:1 |
      Then the ReplicaSets are
        | desired | owner |
        | 2       | web   |
        | 1       | none  |

    @id:adoption-race/one-owner
    Scenario: What has an owner is not adopted by another Deployment that selects it as well
      Given a Deployment "web" of 2 replicas, labelled "app=web", running "app:1"
      And all its Pods are ready
      When a Deployment "shop" of 1 replica, labelled "app=web", running "app:2" is created
      Then the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:1 | 2       | web   |
        | 1        | app:2 | 1       | shop  |

  Rule: Labels decide, both ways

    @id:adoption-race/released
    Scenario: A ReplicaSet relabelled away is let go with its Pods, and a new one is made in its place
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      When the operator runs "kubectl label replicaset/{app:1} app=debug --overwrite"
      Then the ReplicaSets are
        | revision | image | desired | ready | owner |
        | 1        | app:1 | 2       | 2     | none  |
      And the Deployment reports 0 replicas
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | ready | owner |
        | 1        | app:1 | 2       | 2     | none  |
        | 1        | app:1 | 2       | 0     | web   |

    @id:adoption-race/old-version-released-and-adopted
    Scenario: An old version relabelled away is forgotten, and relabelled back is remembered
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      And "app:2" has been rolled out
      When the operator runs "kubectl label replicaset/{app:1} app=archive --overwrite"
      Then the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:1 | 0       | none  |
        | 2        | app:2 | 2       | web   |
      When the operator tries "kubectl rollout undo deployment/web"
      Then kubectl answers "error: no rollout history found for deployment "web""
      When the operator runs "kubectl label replicaset/{app:1} app=web --overwrite"
      Then the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:1 | 0       | web   |
        | 2        | app:2 | 2       | web   |

    @id:adoption-race/pod-released-and-adopted
    Scenario: A Pod relabelled away is let go and replaced, and relabelled back takes its replacement's place
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl label pod/{a Pod of app:1} app=debug --overwrite"
      Then the Pods are
        | count | state     | owner   |
        | 1     | ready     | {app:1} |
        | 1     | not ready | {app:1} |
        | 1     | ready     | none    |
      When the operator runs "kubectl label pod/{an orphaned Pod} app=web --overwrite"
      Then the Pods are
        | count | state     | owner   |
        | 2     | ready     | {app:1} |

    @id:adoption-race/orphaned-pods
    Scenario: A ReplicaSet deleted without its Pods is made again, and adopts them
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      When the operator runs "kubectl delete replicaset/{app:1} --cascade=orphan"
      Then there are no ReplicaSets
      And the Pods are
        | count | image | state | owner |
        | 2     | app:1 | ready | none  |
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | Pods | ready | owner |
        | 1        | app:1 | 2       | 2    | 2     | web   |
