Feature: Nothing that has lost its owner is forgotten, and nothing that is on its way out is counted on
  Owners are written on the objects themselves, where anybody can take them off. What matches a controller's selector
  and has no owner is adopted, as soon as it is there and whoever made it so. What is being deleted is another matter:
  it will be gone, so nobody adopts it; and who is being deleted needs no more of anything, so it adopts nobody.

  Lingering Pods are Pods that shut down slowly: deleted, they are listed as terminating until the scenario says that
  they are gone.

  Rule: What has lost its owner is adopted again, at once

    @id:ownership/pod-disowned
    Scenario: The owner is taken off a Pod by hand
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl patch pod/{a Pod of app:1} --patch='{"metadata":{"ownerReferences":null}}'"
      Then the Pods are
        | count | state | owner   |
        | 2     | ready | {app:1} |

    @id:ownership/replica-set-disowned
    Scenario: The owner is taken off a ReplicaSet by hand
      Given a Deployment "web" of 2 replicas, running "app:1"
      And all its Pods are ready
      When the operator runs "kubectl patch replicaset/{app:1} --patch='{"metadata":{"ownerReferences":null}}'"
      Then the ReplicaSets are
        | revision | image | desired | ready | owner |
        | 1        | app:1 | 2       | 2     | web   |

  Rule: What has an owner is counted by nobody else

    @id:ownership/the-same-labels
    Scenario: Two ReplicaSets made by hand select the same Pods, and each has its own
      When ReplicaSets labelled "app=shop" are made by hand:
        | name | replicas | image |
        | one  | 1        | app:1 |
        | two  | 2        | app:2 |
      Then the ReplicaSets are
        | name | image | desired | Pods | owner |
        | one  | app:1 | 1       | 1    | none  |
        | two  | app:2 | 2       | 2    | none  |
      And the Pods are
        | count | image | owner   |
        | 1     | app:1 | {app:1} |
        | 2     | app:2 | {app:2} |

  Rule: What is being deleted is not adopted

    @id:ownership/dying-replica-set
    Scenario: A ReplicaSet on its way out is left to go by a new Deployment that selects it
      Given a Deployment "web" of 2 replicas, lingering Pods, running "app:1"
      And all its Pods are ready
      And the operator runs "kubectl delete deployment/web --cascade=orphan"
      And the operator runs "kubectl delete replicaset/{app:1} --cascade=foreground"
      When a Deployment "web" of 2 replicas, running "app:2" is created
      Then the ReplicaSets are
        | image | desired | owner |
        | app:1 | 2       | none  |
        | app:2 | 2       | web   |
      When all terminating Pods of "app:1" are gone
      Then the ReplicaSets are
        | image | desired | owner |
        | app:2 | 2       | web   |

  Rule: Who is being deleted adopts nothing, and goes on telling how things are

    @id:ownership/dying-owner
    @needs:terminating-replicas
    Scenario: A Pod that a ReplicaSet on its way out could adopt is left alone
      Given a Deployment "web" of 2 replicas, lingering Pods, running "app:1"
      And all its Pods are ready
      And the operator runs "kubectl label pod/{a Pod of app:1} app=debug --overwrite"
      And the operator runs "kubectl delete replicaset/{app:1} --cascade=foreground"
      When the operator runs "kubectl label pod/{an orphaned Pod} app=web --overwrite"
      Then the Pods are
        | count | state       | owner   |
        | 2     | terminating | {app:1} |
        | 1     | ready       | none    |
      When 1 terminating Pod of "app:1" is gone
      Then the Deployment reports 0 replicas, 1 terminating
