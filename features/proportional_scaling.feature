Feature: A Deployment scaled in the middle of a rollout keeps its versions in proportion
  While a rollout is under way two or more versions run side by side, and nobody knows yet whether the new one is any
  good. If Pods that are added then all went to the new version, a broken release would get every bit of the capacity
  that was asked for; if they all went to the old one, the rollout would be set back. So what is added or taken away is
  shared out by the ReplicaSets' sizes, rounded, and what rounding leaves over goes to the largest.

  A scaling step and a rollout step never mix: the whole of the new size is shared out first, and only then does the
  rollout move on from there.

  Rule: Pods are added and taken away by the ReplicaSets' sizes

    Background:
      Given a Deployment "web" of 10 replicas, maxSurge 3, maxUnavailable 2, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"

    @id:proportional-scaling/the-rollout-itself
    Scenario: Before any scaling, the rollout stands where its limits allow
      Then the ReplicaSets are
        | revision | image | desired | available | desired-replicas | max-replicas |
        | 1        | app:1 | 8       | 8         | 10               | 13           |
        | 2        | app:2 | 5       | 0         | 10               | 13           |
      And the Deployment reports 13 replicas, 5 updated, 8 available, 5 unavailable

    @id:proportional-scaling/up
    Scenario Outline: From 10 up to <to>, a broken new version gets no more than its share
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | revision | image | desired | available | max-replicas |
        | 1        | app:1 | <old>   | 8         | <most>       |
        | 2        | app:2 | <new>   | 0         | <most>       |

      Examples:
        | to | old | new | most |
        | 11 | 9   | 5   | 14   |
        | 12 | 9   | 6   | 15   |
        | 15 | 11  | 7   | 18   |
        | 20 | 14  | 9   | 23   |

    @id:proportional-scaling/down
    Scenario Outline: From 10 down to <to>, both versions shrink
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | <old>   | <old>     |
        | 2        | app:2 | <new>   | 0         |

      Examples:
        | to | old | new |
        | 9  | 7   | 5   |
        | 5  | 3   | 5   |
        | 2  | 0   | 2   |

    @id:proportional-scaling/to-zero
    Scenario: Down to zero, no version keeps a Pod, surge or not
      When the Deployment is scaled to 0
      Then the ReplicaSets are
        | revision | image | desired | Pods | max-replicas |
        | 1        | app:1 | 0       | 0    | 3            |
        | 2        | app:2 | 0       | 0    | 3            |
      And there are no Pods

    @id:proportional-scaling/from-zero
    Scenario: Up from zero there is no proportion left to keep, so all goes to the new version
      Given the Deployment is scaled to 0
      When the Deployment is scaled to 4
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 0       |
        | 2        | app:2 | 4       |

    @id:proportional-scaling/up-and-back
    Scenario: Up and back down again ends where it began
      When the Deployment is scaled to 15
      And the Deployment is scaled to 10
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 8       | 8         |
        | 2        | app:2 | 5       | 0         |

    @id:proportional-scaling/the-rollout-goes-on
    Scenario: Once the new version proves itself the rollout comes to its end at the new size
      Given the Deployment is scaled to 12
      When the rollout comes to its end
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 1        | app:1 | 0       | 0         |
        | 2        | app:2 | 12      | 12        |
      And the Deployment reports 12 replicas, 12 updated, 12 available

    @id:proportional-scaling/events
    Scenario: Every resize is told in an event, with both sizes
      When the Deployment is scaled to 15
      Then a ScalingReplicaSet event says "Scaled up replica set {app:1} from 8 to 11"
      And a ScalingReplicaSet event says "Scaled up replica set {app:2} from 5 to 7"

  Rule: The sums are the same for every way to write maxSurge and maxUnavailable
    A paused Deployment is scaled but not rolled on, so that the sharing-out is all there is to see.

    @id:proportional-scaling/notations
    Scenario Outline: maxSurge <surge> and maxUnavailable <unavailable>, from 10 to <to>
      Given a Deployment "web" of 10 replicas, maxSurge <surge>, maxUnavailable <unavailable>, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      And the Deployment is paused
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | image | desired | max-replicas |
        | app:1 | <old>   | <most>       |
        | app:2 | <new>   | <most>       |

      Examples: numbers
        | surge | unavailable | to | old | new | most |
        | 3     | 2           | 5  | 5   | 3   | 8    |
        | 3     | 2           | 3  | 4   | 2   | 6    |
        | 1     | 1           | 20 | 17  | 4   | 21   |
        | 0     | 1           | 20 | 18  | 2   | 20   |
        | 8     | 2           | 15 | 10  | 13  | 23   |

      Examples: per cent of the new size, surge rounded up and unavailability down
        | surge | unavailable | to | old | new | most |
        | 30%   | 20%         | 15 | 12  | 8   | 20   |
        | 25%   | 25%         | 7  | 6   | 3   | 9    |
        | 80%   | 20%         | 5  | 4   | 5   | 9    |
        | 0%    | 50%         | 4  | 2   | 2   | 4    |

  Rule: What rounding leaves over goes to the largest, and of equals to the youngest or the oldest
    Pods that are added go to the youngest of equals, for that is what the operator wants in the end; Pods that are
    taken away are taken from the oldest. ReplicaSets of the same second are told apart by their names.

    @id:proportional-scaling/ties-by-age
    Scenario Outline: Two of the same size, one older than the other, from 8 to <to>
      Given ReplicaSets labelled "app=web" are made by hand:
        | name    | replicas | image |
        | z-old   | 4        | app:1 |
        | a-young | 4        | app:2 |
      And all Pods are ready
      And a Deployment "web" of 8 replicas, maxSurge 0, maxUnavailable 1, paused, running "app:3"
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | name    | desired |
        | z-old   | <old>   |
        | a-young | <young> |

      Examples:
        | to | old | young |
        | 9  | 4   | 5     |
        | 10 | 5   | 5     |
        | 11 | 5   | 6     |
        | 7  | 3   | 4     |
        | 5  | 2   | 3     |

    @id:proportional-scaling/ties-by-name
    Scenario Outline: Two of the same size and the same second, from 8 to <to>
      Given ReplicaSets labelled "app=web" are made by hand, in one second:
        | name | replicas | image |
        | a    | 4        | app:1 |
        | b    | 4        | app:2 |
      And all Pods are ready
      And a Deployment "web" of 8 replicas, maxSurge 0, maxUnavailable 1, paused, running "app:3"
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | name | desired |
        | a    | <a>     |
        | b    | <b>     |

      Examples:
        | to | a | b |
        | 9  | 4 | 5 |
        | 7  | 3 | 4 |

    @id:proportional-scaling/three-versions
    Scenario Outline: Three versions at once, from 10 to <to>
      Given ReplicaSets labelled "app=web" are made by hand:
        | name   | replicas | image |
        | first  | 5        | app:1 |
        | second | 4        | app:2 |
        | third  | 3        | app:3 |
      And all Pods are ready
      And a Deployment "web" of 10 replicas, maxSurge 2, maxUnavailable 0, paused, running "app:3"
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | name   | desired  |
        | first  | <first>  |
        | second | <second> |
        | third  | <third>  |

      Examples:
        | to | first | second | third |
        | 12 | 6     | 5      | 3     |
        | 15 | 7     | 6      | 4     |
        | 5  | 3     | 2      | 2     |
        | 0  | 0     | 0      | 0     |

    @id:proportional-scaling/the-newest-suffices
    Scenario: Where the newest version alone has all that is wanted ready, the others go
      Given ReplicaSets labelled "app=web" are made by hand:
        | name   | replicas | image |
        | first  | 5        | app:1 |
        | second | 4        | app:2 |
        | third  | 3        | app:3 |
      And all Pods are ready
      And a Deployment "web" of 10 replicas, maxSurge 2, maxUnavailable 0, paused, running "app:3"
      When the Deployment is scaled to 1
      Then the ReplicaSets are
        | name   | desired |
        | first  | 0       |
        | second | 0       |
        | third  | 1       |

  Rule: The size last agreed on is noted on each ReplicaSet; a note that was tampered with shifts the balance, not the sum
    Proportion is reckoned from the annotation "max-replicas", which the controller writes whenever it sizes a
    ReplicaSet. Where the note is missing or makes no sense, the Deployment's present number of Pods takes its place.
    Whatever the notes say, the Deployment gets as many Pods as it was scaled to, and its surge, and all notes are set
    right.

    Background:
      Given a Deployment "web" of 10 replicas, maxSurge 3, maxUnavailable 2, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"

    @id:proportional-scaling/tampered-max
    Scenario Outline: The note on <whose> says "<note>" when the Deployment goes from 10 to 20
      Given the operator runs "kubectl annotate replicaset/{<whose>} deployment.kubernetes.io/max-replicas=<note> --overwrite"
      When the Deployment is scaled to 20
      Then the ReplicaSets are
        | image | desired | max-replicas |
        | app:1 | <old>   | 23           |
        | app:2 | <new>   | 23           |

      Examples: no number at all, or none that can be
        | whose | note       | old | new |
        | app:2 | thirteen   | 14  | 9   |
        | app:2 | -1         | 14  | 9   |
        | app:2 | 0          | 14  | 9   |
        | app:2 | 9999999999 | 14  | 9   |

      Examples: a number, but a wrong one
        | whose | note       | old | new |
        | app:2 | 17         | 16  | 7   |
        | app:2 | 23         | 18  | 5   |
        | app:2 | 2147483647 | 18  | 5   |
        | app:1 | 10         | 18  | 5   |
        | app:1 | 100        | 14  | 9   |

      Examples: no size at all, on the larger one
        | whose | note       | old | new |
        | app:1 | 0          | 14  | 9   |

    @id:proportional-scaling/note-removed
    Scenario: The note is gone when the Deployment goes from 10 to 20
      Given the operator runs "kubectl annotate replicaset/{app:2} deployment.kubernetes.io/max-replicas-"
      When the Deployment is scaled to 20
      Then the ReplicaSets are
        | image | desired | max-replicas |
        | app:1 | 14      | 23           |
        | app:2 | 9       | 23           |

    @id:proportional-scaling/tampered-desired
    Scenario: A wrong note of the wanted size is set right at once, and moves no Pod
      When the operator runs "kubectl annotate replicaset/{app:1} deployment.kubernetes.io/desired-replicas=7 --overwrite"
      Then the ReplicaSets are
        | image | desired | desired-replicas |
        | app:1 | 8       | 10               |
        | app:2 | 5       | 10               |

    @id:proportional-scaling/tampered-while-paused
    Scenario: While paused, every wrong note is set right at once
      Given the Deployment is paused
      When the operator runs "kubectl annotate replicaset/{app:2} deployment.kubernetes.io/max-replicas=100 --overwrite"
      Then the ReplicaSets are
        | image | desired | max-replicas |
        | app:1 | 8       | 13           |
        | app:2 | 5       | 13           |

  Rule: With only one version there is nothing to share out

    @id:proportional-scaling/one-version
    Scenario Outline: From 3 to <to> with one version
      Given a Deployment "web" of 3 replicas, maxSurge 3, running "app:1"
      And all its Pods are ready
      When the Deployment is scaled to <to>
      Then the ReplicaSets are
        | revision | image | desired | Pods | available | desired-replicas | max-replicas |
        | 1        | app:1 | <to>    | <to> | <ready>   | <to>             | <most>       |
      And the condition Progressing is True because of NewReplicaSetAvailable

      Examples:
        | to | ready | most |
        | 6  | 3     | 9    |
        | 1  | 1     | 4    |
        | 0  | 0     | 3    |

    @id:proportional-scaling/after-the-rollout
    Scenario: After a finished rollout the old version stays at nothing
      Given a Deployment "web" of 3 replicas, running "app:1"
      And all its Pods are ready
      And "app:2" has been rolled out
      When the Deployment is scaled to 5
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 0       |
        | 2        | app:2 | 5       |
