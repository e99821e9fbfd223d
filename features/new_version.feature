Feature: A version is known by what it runs, not by what it is called
  Each version has a ReplicaSet of its own, named by a hash of the Pod template. But a name is only a name: hashes of
  different templates can be the same, a ReplicaSet can be made by hand, and the next Kubernetes version hashes
  otherwise. So whether there is a ReplicaSet for what the Deployment wants is decided by comparing templates; if there
  are several, the oldest is the one; and a name that is taken is no reason to take what has it.

  Rule: Of several that run the same, the oldest is the version

    @id:new-version/two-of-the-same
    Scenario: Two ReplicaSets made by hand run what a new Deployment wants
      Given ReplicaSets labelled "app=web" are made by hand:
        | name  | replicas | image |
        | older | 2        | app:1 |
        | newer | 2        | app:1 |
      And all Pods are ready
      When a Deployment "web" of 2 replicas, running "app:1" is created
      Then the ReplicaSets are
        | name  | revision | desired | owner |
        | older | 1        | 2       | web   |
        | newer | none     | 0       | web   |

  Rule: Two versions are two, however alike

    @id:new-version/nearly-the-same
    Scenario: Names of images that a weak hash cannot tell apart
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1.3.1"
      And all its Pods are ready
      When the image becomes "app:2.1.2"
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | image     | desired | available |
        | 1        | app:1.3.1 | 0       | 0         |
        | 2        | app:2.1.2 | 3       | 3         |

  Rule: A restart is a new version that runs the same
    "kubectl rollout restart" only notes the time on the Pod template. That makes it another template, so the Pods are
    replaced as in any rollout, with as many at work, and history gets a line for it.

    Background:
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the operator runs "kubectl rollout restart deployment/web"

    @id:new-version/restarted
    Scenario: Every Pod is replaced, and the ReplicaSet of before stays, with none
      Then kubectl answers "deployment.apps/web restarted"
      And the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 2       | 2         |
        | 2        | app:1 | 2       | 0         |
      When the rollout comes to its end
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 0       | 0         |
        | 2        | app:1 | 3       | 3         |
      When the operator runs "kubectl rollout history deployment/web"
      Then kubectl answers
        """
        deployment.apps/web
        REVISION  CHANGE-CAUSE
        1         <none>
        2         <none>
        """

    @id:new-version/restarted-again
    Scenario: Restarted in the middle of a restart, the Pods of the first go before they were any use
      When the operator runs "kubectl rollout restart deployment/web"
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 2       | 2         |
        | 2        | app:1 | 0       | 0         |
        | 3        | app:1 | 2       | 0         |

    @id:new-version/restart-undone
    Scenario: Undone, it goes back to the Pods that are still there
      When the operator runs "kubectl rollout undo deployment/web"
      Then the ReplicaSets are
        | revision | earlier | image | desired | available |
        | 2        | none    | app:1 | 0       | 0         |
        | 3        | 1       | app:1 | 3       | 2         |

  Rule: A Deployment that says nothing of how to roll out keeps its Pods at work

    @id:new-version/by-default
    Scenario Outline: <size> Pods, with nothing said: a quarter more, and a quarter less, and rather more than less
      Given a Deployment "web" of <size> replicas, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      And the image becomes "app:2"
      When the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | <old>   | <old>     |
        | 2        | app:2 | <new>   | 0         |

      Examples:
        | size | old | new |
        | 1    | 1   | 1   |
        | 3    | 3   | 1   |
        | 10   | 8   | 5   |

  Rule: The deadline of a rollout counts from its own beginning

    @id:new-version/deadline-begins-anew
    @needs:stalled-watches
    Scenario: The last rollout ended long ago: the next is not late from the start, even if its progress is not seen yet
      Given a Deployment "web" of 2 replicas, Recreate, progress deadline 3 seconds, running "app:1"
      And all its Pods are ready
      And 4 seconds pass
      And the Deployment controller's view of ReplicaSets is held
      When the image becomes "app:2"
      Then the condition Progressing is True because of NewReplicaSetAvailable
      When the Deployment controller catches up
      Then the condition Progressing is True because of ReplicaSetUpdated
