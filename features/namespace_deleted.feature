Feature: In a namespace that is being deleted nothing is made any more
  Deleting a namespace deletes all that is in it, the Pods first. That takes its time, for Pods shut down as slowly as
  they do; until then the Deployments are still there, and would replace what goes. But whatever is added would only have
  to be deleted again, so the API server refuses it, and the controllers take that for an answer: they neither insist nor
  complain.

  Rule: What goes is not replaced, and what is missing stays missing

    @id:namespace-deleted/nothing-new
    Scenario: While its Pods shut down, a Deployment makes no new ones, and no new version
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, lingering Pods, running "app:1"
      And all its Pods are ready
      And the namespace is deleted
      And 7 seconds pass
      When the image becomes "app:2"
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
      And the Pods are
        | count | image | state       |
        | 2     | app:1 | terminating |
      And the condition Progressing is True because of NewReplicaSetAvailable
      And there is no ReplicaSetCreateError event
