Feature: A rollback is a rollout of an older version, under a new revision number
  When a release turns out bad, the way back must be quick, and must not depend on anybody remembering what ran before.
  So a Deployment keeps its old ReplicaSets, and going back means to take the Pod template of one of them. Nothing is
  rewound: the old version gets the next revision number, and its earlier numbers are noted on it, so that history
  only ever grows, and "the revision before" always means what ran before.

  There are two ways in: "kubectl rollout undo" copies the template by itself, and older tools leave a wish in the
  annotation "deprecated.deployment.rollback.to", which the controller grants or refuses, in an event, and always
  takes away again.

  Rule: kubectl rollout undo brings an older version back

    Background:
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And "app:2" has been rolled out
      And "app:3" has been rolled out
      And the Deployment is scaled to 2
      And all its Pods are ready

    @id:rollback/history
    Scenario: Old versions are kept, at no Pods
      Then the ReplicaSets are
        | revision | earlier | image | desired |
        | 1        | none    | app:1 | 0       |
        | 2        | none    | app:2 | 0       |
        | 3        | none    | app:3 | 2       |
      And the Deployment is at revision 3, running "app:3"

    @id:rollback/undo
    Scenario: To the version before, with no revision named
      When the operator runs "kubectl rollout undo deployment/web"
      Then kubectl answers "deployment.apps/web rolled back"
      And the Deployment is at revision 4, running "app:2"
      When the rollout comes to its end
      Then the ReplicaSets are
        | revision | earlier | image | desired |
        | 1        | none    | app:1 | 0       |
        | 4        | 2       | app:2 | 2       |
        | 3        | none    | app:3 | 0       |

    @id:rollback/undo-to-revision
    Scenario Outline: To revision <revision>
      When the operator runs "kubectl rollout undo deployment/web --to-revision=<revision>"
      Then kubectl answers "deployment.apps/web rolled back"
      And the Deployment is at revision 4, running "<image>"
      When the rollout comes to its end
      Then the ReplicaSets are
        | revision | earlier | image | desired |
        | <first>  | <was 1> | app:1 | <one>   |
        | <second> | <was 2> | app:2 | <two>   |
        | 3        | none    | app:3 | 0       |

      Examples:
        | revision | image | first | was 1 | one | second | was 2 | two |
        | 1        | app:1 | 4     | 1     | 2   | 2      | none  | 0   |
        | 2        | app:2 | 1     | none  | 0   | 4      | 2     | 2   |

    @id:rollback/undo-is-a-rollout
    Scenario: It is a rollout like any other: the limits hold, and Pods must become ready
      When the operator runs "kubectl rollout undo deployment/web --to-revision=1"
      Then the ReplicaSets are
        | revision | image | desired | available |
        | 4        | app:1 | 2       | 0         |
        | 2        | app:2 | 0       | 0         |
        | 3        | app:3 | 1       | 1         |
      And the Deployment reports 3 replicas, 2 updated, 1 available

    @id:rollback/undo-twice
    Scenario: Twice in a row ends where it began
      When the operator runs "kubectl rollout undo deployment/web"
      And the rollout comes to its end
      And the operator runs "kubectl rollout undo deployment/web"
      And the rollout comes to its end
      Then the Deployment is at revision 5, running "app:3"
      And the ReplicaSets are
        | revision | earlier | image | desired |
        | 1        | none    | app:1 | 0       |
        | 4        | 2       | app:2 | 0       |
        | 5        | 3       | app:3 | 2       |

    @id:rollback/numbers-are-kept
    Scenario: A version that comes back time and again remembers all its numbers
      When the operator runs "kubectl rollout undo deployment/web --to-revision=1"
      And the rollout comes to its end
      And the operator runs "kubectl rollout undo deployment/web --to-revision=3"
      And the rollout comes to its end
      And the operator runs "kubectl rollout undo deployment/web --to-revision=4"
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | earlier | image | desired |
        | 6        | 1,4     | app:1 | 2       |
        | 2        | none    | app:2 | 0       |
        | 5        | 3       | app:3 | 0       |

    @id:rollback/by-hand
    Scenario: Setting the old image by hand is a rollback too
      When the image becomes "app:1"
      And the rollout comes to its end
      Then the ReplicaSets are
        | revision | earlier | image | desired |
        | 4        | 1       | app:1 | 2       |
        | 2        | none    | app:2 | 0       |
        | 3        | none    | app:3 | 0       |

    @id:rollback/undo-unknown-revision
    Scenario Outline: To revision <revision>, which does not exist
      When the operator tries "kubectl rollout undo deployment/web --to-revision=<revision>"
      Then kubectl answers "error: unable to find specified revision <revision> in history"
      And the Deployment is at revision 3, running "app:3"

      Examples:
        | revision |
        | 4        |
        | 99       |
        | -1       |

    @id:rollback/undo-to-the-current
    Scenario: To what is running already: nothing is done
      When the operator runs "kubectl rollout undo deployment/web --to-revision=3"
      Then kubectl answers "deployment.apps/web skipped rollback (current template already matches revision 3)"
      And the Deployment is at revision 3, running "app:3"

    @id:rollback/undo-while-paused
    Scenario: While paused it is refused
      Given the Deployment is paused
      When the operator tries "kubectl rollout undo deployment/web"
      Then kubectl answers "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
      And the Deployment is at revision 3, running "app:3"

    @id:rollback/undo-mid-rollout
    Scenario: Out of a rollout that got stuck
      Given the image becomes "app:4"
      When the operator runs "kubectl rollout undo deployment/web"
      Then the ReplicaSets are
        | revision | earlier | image | desired | available |
        | 1        | none    | app:1 | 0       | 0         |
        | 2        | none    | app:2 | 0       | 0         |
        | 5        | 3       | app:3 | 2       | 1         |
        | 4        | none    | app:4 | 0       | 0         |
      And the Deployment reports 2 replicas, 2 updated, 1 available

    @id:rollback/kubectl-history
    Scenario: kubectl shows the history, under the present numbers
      Given the operator runs "kubectl rollout undo deployment/web --to-revision=1"
      When the operator runs "kubectl rollout history deployment/web"
      Then kubectl answers
        """
        deployment.apps/web
        REVISION  CHANGE-CAUSE
        2         <none>
        3         <none>
        4         <none>
        """

  Rule: What was noted about a version comes back with it

    @id:rollback/change-cause
    Scenario: The change cause of the old version
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And the operator runs "kubectl annotate deployment/web kubernetes.io/change-cause=first"
      And all Pods are ready
      And "app:2" has been rolled out
      And the operator runs "kubectl annotate deployment/web kubernetes.io/change-cause=second"
      When the operator runs "kubectl rollout undo deployment/web"
      Then the Deployment's annotation "kubernetes.io/change-cause" is "first"
      And the ReplicaSets are
        | revision | image | cause  |
        | 3        | app:1 | first  |
        | 2        | app:2 | second |

  Rule: What is no longer there cannot be brought back

    @id:rollback/beyond-the-limit
    Scenario: A revision that the history limit has dropped
      Given a Deployment "web" of 1 replica, history limit 1, running "app:1"
      And all its Pods are ready
      And "app:2" has been rolled out
      And "app:3" has been rolled out
      When the operator tries "kubectl rollout undo deployment/web --to-revision=1"
      Then kubectl answers "error: unable to find specified revision 1 in history"
      And the ReplicaSets are
        | revision | image | desired |
        | 2        | app:2 | 0       |
        | 3        | app:3 | 1       |

    @id:rollback/no-history
    Scenario: With a history of one there is no version before
      Given a Deployment "web" of 1 replica, running "app:1"
      And all its Pods are ready
      When the operator tries "kubectl rollout undo deployment/web"
      Then kubectl answers "error: no rollout history found for deployment "web""

    @id:rollback/no-history-kept
    Scenario: With a history limit of 0 nothing is kept to go back to
      Given a Deployment "web" of 1 replica, history limit 0, running "app:1"
      And all its Pods are ready
      And "app:2" has been rolled out
      When the operator tries "kubectl rollout undo deployment/web"
      Then kubectl answers "error: no rollout history found for deployment "web""
      And the ReplicaSets are
        | revision | image | desired |
        | 2        | app:2 | 1       |

  Rule: The controller still grants the wishes of older tools

    Background:
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And "app:2" has been rolled out
      And "app:3" has been rolled out
      And the Deployment is scaled to 2
      And all its Pods are ready

    @id:rollback/wish
    Scenario Outline: A wish for revision <revision>
      When the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=<revision>"
      Then a DeploymentRollback event says "Rolled back deployment "web" to revision <found>"
      And the Deployment is at revision 4, running "<image>"
      And the Deployment has no annotation "deprecated.deployment.rollback.to"

      Examples: 0 means the version before
        | revision | found | image |
        | 1        | 1     | app:1 |
        | 2        | 2     | app:2 |
        | 0        | 2     | app:2 |

    @id:rollback/wish-brings-back-the-cause
    Scenario: What was noted on the version comes back with it
      Given the operator runs "kubectl annotate deployment/web kubernetes.io/change-cause=third"
      And the image becomes "app:4"
      And the operator runs "kubectl annotate deployment/web kubernetes.io/change-cause=fourth --overwrite"
      And the rollout comes to its end
      When the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=3"
      Then the Deployment's annotation "kubernetes.io/change-cause" is "third"

    @id:rollback/wish-unknown-revision
    Scenario: A wish for a revision that is gone
      When the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=99"
      Then a DeploymentRollbackRevisionNotFound event says "Unable to find the revision to rollback to."
      And the Deployment is at revision 3, running "app:3"
      And the Deployment has no annotation "deprecated.deployment.rollback.to"

    @id:rollback/wish-for-the-current
    Scenario: A wish for what is running already
      When the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=3"
      Then a DeploymentRollbackTemplateUnchanged event says "The rollback revision contains the same template as current deployment "web""
      And the Deployment is at revision 3, running "app:3"
      And the Deployment has no annotation "deprecated.deployment.rollback.to"

    @id:rollback/wish-twice
    Scenario: Two wishes for the version before end where it began
      When the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=0"
      And the rollout comes to its end
      And the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=0"
      And the rollout comes to its end
      Then the Deployment is at revision 5, running "app:3"
      And a DeploymentRollback event says "Rolled back deployment "web" to revision 2"
      And a DeploymentRollback event says "Rolled back deployment "web" to revision 3"

    @id:rollback/wish-while-paused
    Scenario: A wish made while paused waits, and is granted on resuming
      Given the Deployment is paused
      When the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=1"
      Then there is no DeploymentRollback event
      And the Deployment is at revision 3, running "app:3"
      And the Deployment's annotation "deprecated.deployment.rollback.to" is "1"
      When the Deployment is resumed
      Then a DeploymentRollback event says "Rolled back deployment "web" to revision 1"
      And the Deployment is at revision 4, running "app:1"
      And the Deployment has no annotation "deprecated.deployment.rollback.to"

    @id:rollback/wish-mid-rollout
    Scenario: A wish in the middle of a rollout
      Given the image becomes "app:4"
      When the operator runs "kubectl annotate deployment/web deprecated.deployment.rollback.to=0"
      Then a DeploymentRollback event says "Rolled back deployment "web" to revision 3"
      And the ReplicaSets are
        | revision | earlier | image | desired |
        | 1        | none    | app:1 | 0       |
        | 2        | none    | app:2 | 0       |
        | 5        | 3       | app:3 | 2       |
        | 4        | none    | app:4 | 0       |

    @id:rollback/wish-that-is-no-number
    Scenario Outline: A wish that is no number, "<wish>", is refused by the API itself
      When the operator tries "kubectl annotate deployment/web deprecated.deployment.rollback.to=<wish>"
      Then kubectl's answer ends with "failed to parse annotation[deprecated.deployment.rollback.to]=<wish> as int64: strconv.ParseInt: parsing "<wish>": invalid syntax"
      And the Deployment is at revision 3, running "app:3"

      Examples:
        | wish |
        | abc  |
        | 1.5  |

    @id:rollback/wish-without-history
    Scenario: A wish for the version before where there is only one
      Given a Deployment "shop" of 1 replica, running "app:1"
      When the operator runs "kubectl annotate deployment/shop deprecated.deployment.rollback.to=0"
      Then a DeploymentRollbackRevisionNotFound event says "Unable to find last revision."
      And the Deployment has no annotation "deprecated.deployment.rollback.to"
