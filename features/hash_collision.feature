Feature: A version gets a ReplicaSet of its own, even where its name is taken
  The name of a ReplicaSet is made of the Deployment's and of a hash of the Pod template. Two templates may have the
  same hash, and anybody may have made a ReplicaSet of that name. A Deployment that took it for its own would run what
  nobody asked for; one that insisted on the name would be stuck for ever (kubernetes/kubernetes#29735). So if the name
  is taken the Deployment counts a collision, and hashes again with that count: another name, and the rollout goes on.

  Here the name is taken by a ReplicaSet that the Deployment itself made, and that was then relabelled out of its reach.

  Rule: What is not the Deployment's is no version of it, whatever it runs

    Background:
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the Deployment is paused
      And the operator runs "kubectl label replicaset/{app:1} app=other --overwrite"

    @id:hash-collision/same-template
    Scenario: It runs the very same image: there is another ReplicaSet for it now, and this one is left alone
      When the Deployment is resumed
      Then the ReplicaSets are
        | image | desired | ready | owner |
        | app:1 | 2       | 2     | none  |
        | app:1 | 2       | 0     | web   |
      And the Deployment reports 2 replicas, 1 collision
      When the rollout comes to its end
      Then the ReplicaSets are
        | image | desired | ready | owner |
        | app:1 | 2       | 2     | none  |
        | app:1 | 2       | 2     | web   |

    @id:hash-collision/other-template
    Scenario: It has come to run another image
      Given the operator runs "kubectl patch replicaset/{app:1} --patch='{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:9"}]}}}}'"
      When the Deployment is resumed
      Then the ReplicaSets are
        | image | desired | owner |
        | app:9 | 2       | none  |
        | app:1 | 2       | web   |
      And the Deployment reports 2 replicas, 1 collision

    @id:hash-collision/counted-for-good
    Scenario: A collision is counted for good, and what was made before is found again
      Given the Deployment is resumed
      And the rollout comes to its end
      When the image becomes "app:2"
      Then the Deployment reports 1 collision
      When the operator runs "kubectl rollout undo deployment/web"
      Then the Deployment is at revision 3, running "app:1"
      And the Deployment reports 1 collision
      And the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:1 | 2       | none  |
        | 3        | app:1 | 2       | web   |
        | 2        | app:2 | 0       | web   |

  Rule: A version whose ReplicaSet was altered by hand is made anew

    @id:hash-collision/altered-by-hand
    Scenario: The Deployment's own ReplicaSet, with another image written into it
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl patch replicaset/{app:1} --patch='{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:9"}]}}}}'"
      Then the ReplicaSets are
        | revision | image | desired | owner |
        | 1        | app:9 | 1       | web   |
        | 2        | app:1 | 2       | web   |
      And the Deployment reports 1 collision

  Rule: A cache that is late is no collision
    The ReplicaSet that is in the way may be the one that the controller made a moment ago, and has not heard of yet. It
    then waits until it has.

    @id:hash-collision/slow-cache
    @needs:stalled-watches
    Scenario: The controller looks again before it has heard of what it made
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the Deployment controller's view of ReplicaSets is held
      When the image becomes "app:2"
      And the operator runs "kubectl annotate deployment/web note=look"
      Then the ReplicaSets are
        | image | desired |
        | app:1 | 1       |
        | app:2 | 1       |
      And the Deployment reports 0 collisions
      When the Deployment controller catches up
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 1       |
        | 2        | app:2 | 2       |
      And the Deployment reports 0 collisions
