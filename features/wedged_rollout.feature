Feature: A rollout completes, whatever the Deployment is scaled to in the middle of it
  Whether a Deployment was scaled is not written anywhere: the controller notes on each ReplicaSet the size for which it
  was last scaled, in the annotation "deployment.kubernetes.io/desired-replicas", and takes any other size of the
  Deployment for a scaling. While one is under way it only scales, and the rollout waits. So that note must always be
  brought up to date; where it is not, each look is a scaling with nothing to scale, and the rollout waits for ever,
  without a word: no event, no error, and no progress deadline, for that is not looked at while scaling.

  The controller knows the ReplicaSets from its cache, which may be late. Here it is late by two looks, as on a busy
  cluster: just after it has started the new version and shrunk the old one, somebody scales the Deployment down.

  Rule: A scaling that the ReplicaSets have the size for already is over at once

    Background:
      Given a Deployment "web" of 3 replicas, maxSurge 0, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the Deployment controller's view of ReplicaSets is held
      And the image becomes "app:2"

    @id:wedged-rollout/scaled-to-what-is-left
    @needs:stalled-watches
    @known-fault:138840
    Scenario: Scaled down to what the old version was just shrunk to
      When the Deployment is scaled to 2
      And the Deployment controller catches up
      Then the ReplicaSets are
        | revision | image | desired | desired-replicas |
        | 1        | app:1 | 1       | 2                |
        | 2        | app:2 | 1       | 2                |
      When the rollout comes to its end
      Then the ReplicaSets are
        | revision | image | desired | desired-replicas |
        | 1        | app:1 | 0       | 2                |
        | 2        | app:2 | 2       | 2                |

    @id:wedged-rollout/deadline
    @needs:stalled-watches
    @known-fault:138840
    Scenario: If the new version never becomes ready, that is told when the progress deadline has passed
      Given the operator runs "kubectl patch deployment/web --patch='{"spec":{"progressDeadlineSeconds":5}}'"
      And the Deployment is scaled to 2
      And the Deployment controller catches up
      When 7 seconds pass
      Then the condition Progressing is False because of ProgressDeadlineExceeded

    @id:wedged-rollout/scaled-again
    @needs:stalled-watches
    Scenario: Scaled once more, to a size that no ReplicaSet has, any such rollout goes on
      Given the Deployment is scaled to 2
      And the Deployment controller catches up
      When the Deployment is scaled to 4
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | image | desired | available | desired-replicas |
        | 1        | app:1 | 0       | 0         | 4                |
        | 2        | app:2 | 4       | 4         | 4                |

  Rule: So is one of a Deployment that recreates its Pods

    Here nothing is late. A Deployment that recreates its Pods is scaled once its old Pods are gone; but one that becomes
    such in the middle of a rolling update has Pods of both versions, and is not scaled in proportion either. Nobody
    brings the notes up to date, and the rollout that would take the old Pods away waits for a scaling that never ends.

    Background:
      Given a Deployment "web" of 4 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"

    @id:wedged-rollout/recreate-and-scaled
    @known-fault:recreate-while-scaling
    Scenario: The strategy becomes Recreate and the size another, in one change
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"replicas":6,"strategy":{"$patch":"replace","type":"Recreate"}}}'"
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 0       |
        | 2        | app:2 | 6       |

    @id:wedged-rollout/recreate-and-scaled-in-a-pause
    @known-fault:recreate-while-scaling
    Scenario: The same, in a pause, one change after the other
      Given the Deployment is paused
      When the strategy becomes Recreate
      And the Deployment is scaled to 6
      And the Deployment is resumed
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 0       |
        | 2        | app:2 | 6       |

    @id:wedged-rollout/recreate-then-scaled
    Scenario: One after the other, the rollout has taken the old Pods away before the size changes
      When the strategy becomes Recreate
      And the Deployment is scaled to 6
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 0       |
        | 2        | app:2 | 6       |

    @id:wedged-rollout/scaled-back
    Scenario: Scaled back to what the notes say, it goes on
      Given the operator runs "kubectl patch deployment/web --patch='{"spec":{"replicas":6,"strategy":{"$patch":"replace","type":"Recreate"}}}'"
      When the Deployment is scaled to 4
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 0       |
        | 2        | app:2 | 4       |
