Feature: A scaling that is interrupted ends as if it had not been
  Scaling a Deployment in the middle of a rollout takes several writes, one for each ReplicaSet, and each share is
  computed from the sizes of all. If one of the writes is refused, the controller begins anew, with some ReplicaSets scaled
  already. What it then comes to should be what it would have come to at once: otherwise one version gets more than its
  share, for no other reason than that the API server was busy for a moment.

  Rule: The shares do not depend on whether all were written at once

    Background:
      Given a Deployment "web" of 10 replicas, maxSurge 3, maxUnavailable 2, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"

    @id:interrupted-scaling/second-refused
    @needs:fault-injection
    Scenario Outline: From 10 to <to>, and the write of the second ReplicaSet is refused
      Given the API server refuses the Deployment controller's 2nd next update of a ReplicaSet with a conflict
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | revision | image | desired | desired-replicas |
        | 1        | app:1 | <old>   | <to>             |
        | 2        | app:2 | <new>   | <to>             |

      Examples:
        | to | old | new |
        | 12 | 9   | 6   |
        | 20 | 14  | 9   |
        | 5  | 3   | 5   |

    @id:interrupted-scaling/first-refused
    @needs:fault-injection
    Scenario: From 10 to 20, and already the first write is refused, twice
      Given the API server refuses the Deployment controller's next 2 updates of ReplicaSets with an internal error
      When the Deployment is scaled to 20
      Then the ReplicaSets are
        | revision | image | desired | desired-replicas |
        | 1        | app:1 | 14      | 20               |
        | 2        | app:2 | 9       | 20               |

    @id:interrupted-scaling/unanswered
    @needs:fault-injection
    Scenario: From 10 to 20, and the answer to the first write is lost
      Given the answer to the Deployment controller's next update of a ReplicaSet is lost
      When the Deployment is scaled to 20
      Then the ReplicaSets are
        | revision | image | desired | desired-replicas |
        | 1        | app:1 | 14      | 20               |
        | 2        | app:2 | 9       | 20               |

  Rule: What is left over by rounding is given away once

    @id:interrupted-scaling/three-versions
    @needs:fault-injection
    Scenario Outline: Three versions, from 10 to <to>, and the <nth> write is refused
      Given ReplicaSets labelled "app=web" are made by hand:
        | name   | replicas | image |
        | first  | 5        | app:1 |
        | second | 4        | app:2 |
        | third  | 3        | app:3 |
      And all Pods are ready
      And a Deployment "web" of 10 replicas, maxSurge 2, maxUnavailable 0, paused, running "app:3"
      And the API server refuses the Deployment controller's <nth> next update of a ReplicaSet with a conflict
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | name   | desired  |
        | first  | <first>  |
        | second | <second> |
        | third  | <third>  |

      Examples:
        | to | nth | first | second | third |
        | 12 | 2nd | 6     | 5      | 3     |
        | 12 | 3rd | 6     | 5      | 3     |
        | 5  | 2nd | 3     | 2      | 2     |
