Feature: What is noted on a Deployment is noted on the version that it runs
  Annotations tell why a version was rolled out, by whom, from which commit. A rollback should bring that back with the
  version; so the Deployment's annotations are copied to the ReplicaSet that it runs, and stay there when the next
  version comes. Not copied is what is about the Deployment itself, as kubectl's own note of what was applied last.

  Rule: Notes are copied to the version that runs, and to no other

    Background:
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And the operator runs "kubectl annotate deployment/web team=shop"

    @id:annotations/copied
    Scenario: A note made on the Deployment is made on its ReplicaSet as well, and starts nothing
      Then the annotation "team" of {app:1} is "shop"
      And the Deployment is at revision 1, running "app:1"

    @id:annotations/changed
    Scenario: Changed, it is changed there as well
      When the operator runs "kubectl annotate deployment/web team=bank --overwrite"
      Then the annotation "team" of {app:1} is "bank"

    @id:annotations/old-versions-keep-theirs
    Scenario: Old versions keep what was true of them
      Given "app:2" has been rolled out
      When the operator runs "kubectl annotate deployment/web team=bank --overwrite"
      Then the annotation "team" of {app:1} is "shop"
      And the annotation "team" of {app:2} is "bank"

    @id:annotations/not-taken-away
    Scenario: Taken away from the Deployment, it stays on the version that had it
      When the operator runs "kubectl annotate deployment/web team-"
      Then the annotation "team" of {app:1} is "shop"
      When the image becomes "app:2"
      Then {app:2} has no annotation "team"

    @id:annotations/changed-by-hand
    Scenario: Changed on the ReplicaSet by hand, it is set right
      When the operator runs "kubectl annotate replicaset/{app:1} team=thieves --overwrite"
      Then the annotation "team" of {app:1} is "shop"

    @id:annotations/brought-back
    Scenario: A wish for an older version brings its notes back
      Given "app:2" has been rolled out
      And the operator runs "kubectl annotate deployment/web team=bank --overwrite"
      When the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=1"
      Then the Deployment's annotation "team" is "shop"

  Rule: What is the Deployment's own, or the ReplicaSet's, is not copied

    @id:annotations/not-copied
    Scenario: kubectl's note of what was applied last
      Given a Deployment "web" of 0 replicas, running "app:1"
      When the operator runs "kubectl annotate deployment/web kubectl.kubernetes.io/last-applied-configuration={}"
      Then {app:1} has no annotation "kubectl.kubernetes.io/last-applied-configuration"

    @id:annotations/revision-by-hand
    Scenario: A revision written on the Deployment by hand is set right by that of the version it runs
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And "app:2" has been rolled out
      When the operator runs "kubectl annotate deployment/web deployment.kubernetes.io/revision=7 --overwrite"
      Then the Deployment is at revision 2, running "app:2"
      And the ReplicaSets are
        | revision | image |
        | 1        | app:1 |
        | 2        | app:2 |
