Feature: A rollout completes, whatever the Deployment is scaled to in the middle of it
  Whether a Deployment was scaled is not written anywhere: the controller notes on each ReplicaSet the size for which it
  was last scaled, in the annotation "deployment.kubernetes.io/desired-replicas", and takes any other size of the
  Deployment for a scaling. While one is under way it only scales, and the rollout waits. So that note must always be
  brought up to date; where it is not, each look is a scaling with nothing to scale, and the rollout waits for ever:
  no event, no error, and after the progress deadline a word of a rollout that is stuck.

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
