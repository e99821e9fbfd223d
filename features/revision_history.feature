Feature: Old versions are kept as far as the history limit says, and no further
  Each old ReplicaSet is a version that can be brought back at once, and a line in every listing. So
  revisionHistoryLimit says how many are kept beside the one that runs, ten unless said otherwise; the lowest revisions
  go first. Only what is finished goes: an old ReplicaSet that still has Pods stays, and while a rollout is under way
  nothing is taken away, for that is when one wants to go back.

  Rule: After each rollout the lowest revisions beyond the limit go

    @id:revision-history/limit-1
    Scenario: With a limit of 1 there is the version that runs, and the one before
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, history limit 1, running "app:1"
      And "app:2" has been rolled out
      When the image becomes "app:3"
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | image |
        | 2        | app:2 |
        | 3        | app:3 |

    @id:revision-history/limit-0
    Scenario: With a limit of 0 nothing is kept but what runs
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, history limit 0, running "app:1"
      When the image becomes "app:2"
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | image |
        | 2        | app:2 |

    @id:revision-history/lowest-revision-first
    Scenario: What goes is the lowest revision, were its ReplicaSet the youngest
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, history limit 1, running "app:1"
      And "app:2" has been rolled out
      And "app:1" has been rolled out
      When the image becomes "app:3"
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | earlier | image |
        | 3        | 1       | app:1 |
        | 4        | none    | app:3 |

    @id:revision-history/numbers-go-on
    Scenario: Numbers are not used again, whatever went
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, history limit 0, running "app:1"
      And "app:2" has been rolled out
      When the image becomes "app:1"
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | earlier | image |
        | 3        | none    | app:1 |

  Rule: While a rollout is under way nothing goes

    Background:
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, history limit 0, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"

    @id:revision-history/not-mid-rollout
    Scenario: Versions that never came to anything stay until it is over
      When the image becomes "app:3"
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 1       |
        | 2        | app:2 | 0       |
        | 3        | app:3 | 2       |
      When the rollout comes to its end
      Then the ReplicaSets are
        | revision | image | desired |
        | 3        | app:3 | 2       |

    @id:revision-history/way-back-mid-rollout
    Scenario: So there is a way back from a rollout that is stuck, with no history at all
      When the operator runs "kubectl rollout undo deployment/web"
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | earlier | image | desired |
        | 3        | 1       | app:1 | 2       |

  Rule: A limit that is changed holds at once

    @id:revision-history/lowered
    Scenario: Lowered, the lowest revisions go; raised again, they do not come back
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And "app:2" has been rolled out
      And "app:3" has been rolled out
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"revisionHistoryLimit":1}}'"
      Then the ReplicaSets are
        | revision | image |
        | 2        | app:2 |
        | 3        | app:3 |
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"revisionHistoryLimit":5}}'"
      Then the ReplicaSets are
        | revision | image |
        | 2        | app:2 |
        | 3        | app:3 |

  Rule: What is taken away by hand is forgotten

    @id:revision-history/deleted-by-hand
    Scenario: An old ReplicaSet deleted by hand is forgotten, and nothing else is changed by that
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And "app:2" has been rolled out
      And "app:3" has been rolled out
      When the operator runs "kubectl delete replicaset/{app:2}"
      Then the ReplicaSets are
        | revision | image |
        | 1        | app:1 |
        | 3        | app:3 |
      When the operator runs "kubectl rollout undo deployment/web"
      Then the Deployment is at revision 4, running "app:1"
