Feature: Stories that were kept
  Random stories made short, in which a real control plane does now one thing and now another, because its controllers
  work side by side. The model takes one of these ways by itself, and beside a control plane finds the one that this
  took. What is said here is so whichever it is.

  @id:story/kept-paused-without-history
  Scenario: Paused and without a history, a Deployment deletes the ReplicaSet that it has just scaled up
    Given a Deployment "web" of 2 replicas, history limit 0, running "web:1"
    When the Deployment is paused
    When the Deployment is scaled to 0
    When the image becomes "web:2"
    When the Deployment is scaled to 2
    Then there are no ReplicaSets
    And there are no Pods

  @id:story/kept-replaced-at-full-size
  Scenario: A ReplicaSet that somebody deletes is made again at its full size
    Given a Deployment "web" of 2 replicas, running "web:1"
    When the operator runs "kubectl delete replicaset/{web:1} --cascade=foreground"
    Then the ReplicaSets are
      | revision | image | desired | Pods |
      | 1        | web:1 | 2       | 2    |

  @id:story/kept-recreate-restarted
  Scenario: Restarted, a Deployment of strategy Recreate starts all its Pods anew
    Given a Deployment "web" of 2 replicas, Recreate, running "web:1"
    When all Pods of "web:1" become ready
    When the operator runs "kubectl rollout restart deployment/web"
    Then the ReplicaSets are
      | revision | desired | Pods |
      | 1        | 0       | 0    |
      | 2        | 2       | 2    |
