Feature: Whatever goes wrong between the controller and the API server, the rollout arrives
  Calls are refused: an object has changed meanwhile, a quota is used up, a server is overloaded or on its way down.
  Answers get lost after the work was done. Watches break off, and what was missed may be known no more. Controllers are
  killed. None of it may cost a Pod too many, start a second ReplicaSet, or leave a rollout half done: the controller
  looks at what is there, and does what is still to be done.

  Rule: What is refused is tried again

    Background:
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready

    @id:faults/updates-refused
    @needs:fault-injection
    Scenario Outline: Two updates of ReplicaSets are refused with <refusal>
      Given the API server refuses the Deployment controller's next 2 updates of ReplicaSets with <refusal>
      When the image becomes "app:2"
      Then the Deployment controller has met 2 faults
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
        | 2        | app:2 | 2       |
      When the rollout comes to its end
      Then the Deployment reports 3 replicas, 3 updated, 3 available

      Examples:
        | refusal                                          |
        | a conflict                                       |
        | an exceeded quota                                |
        | an internal error                                |
        | an internal error, to be tried again in 1 second |
        | an unavailable service                           |
        | a timeout                                        |
        | too many requests                                |

    @id:faults/creation-refused
    @needs:fault-injection
    @needs:events
    Scenario: The new ReplicaSet exceeds a quota, and then does not
      Given the API server refuses the Deployment controller's next creation of a ReplicaSet with an exceeded quota
      When the image becomes "app:2"
      Then the Deployment controller has met 1 fault
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
        | 2        | app:2 | 2       |
      And a ReplicaSetCreateError event says "Failed to create new replica set "{app:2}": replicasets.apps "{app:2}" is forbidden: exceeded quota: team, requested: count/replicasets.apps=1, used: count/replicasets.apps=1, limited: count/replicasets.apps=1"

    @id:faults/status-refused
    @needs:fault-injection
    Scenario: The status is refused, and written later
      Given the API server refuses the Deployment controller's next 2 status updates of Deployments with an internal error
      When the image becomes "app:2"
      Then the Deployment controller has met 2 faults
      And the Deployment reports 4 replicas, 2 updated, 2 available

    @id:faults/last-status-refused
    @needs:fault-injection
    Scenario: A status is refused after which nothing else would be to do, and written all the same
      Given the API server refuses the Deployment controller's next status update of a Deployment with an internal error
      When 1 Pod of "app:1" becomes unready
      Then the Deployment controller has met 1 fault
      And the Deployment reports 3 replicas, 3 updated, 2 ready, 2 available

    @id:faults/second-update-refused
    @needs:fault-injection
    Scenario: The second of two updates is refused
      Given the API server refuses the Deployment controller's 2nd next update of a ReplicaSet with a conflict
      When the image becomes "app:2"
      Then the Deployment controller has met 1 fault
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
        | 2        | app:2 | 2       |

  Rule: What was done without an answer is not done twice

    Background:
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready

    @id:faults/creation-unanswered
    @needs:fault-injection
    Scenario: The ReplicaSet is there, and the controller does not know
      Given the answer to the Deployment controller's next creation of a ReplicaSet is lost
      When the image becomes "app:2"
      Then the Deployment controller has met 1 fault
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
        | 2        | app:2 | 2       |

    @id:faults/update-unanswered
    @needs:fault-injection
    Scenario: A ReplicaSet is scaled down, and the controller does not know
      Given the answer to the Deployment controller's next update of a ReplicaSet is lost
      When the image becomes "app:2"
      Then the Deployment controller has met 1 fault
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
        | 2        | app:2 | 2       |

    @id:faults/status-unanswered
    @needs:fault-injection
    Scenario: The status is written, and the controller does not know
      Given the answer to the Deployment controller's next status update of a Deployment is lost
      When the image becomes "app:2"
      Then the Deployment controller has met 1 fault
      And the Deployment reports 4 replicas, 2 updated, 2 available

    @id:faults/late-answer
    @needs:fault-injection
    Scenario: An answer takes its time
      Given the answer to the Deployment controller's next update of a ReplicaSet comes 1 second late
      When the image becomes "app:2"
      Then the Deployment controller has met 1 fault
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
        | 2        | app:2 | 2       |

  Rule: What a watch has missed is seen when it is taken up again

    Background:
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready

    @id:faults/watch-breaks
    @needs:fault-injection
    Scenario Outline: The watch of <kind> breaks in the middle of a rollout
      When the image becomes "app:2"
      And the Deployment controller's watch of <kind> breaks
      And the rollout comes to its end
      Then the Deployment reports 3 replicas, 3 updated, 3 available

      Examples:
        | kind        |
        | Deployments |
        | ReplicaSets |
        | Pods        |

    @id:faults/watch-expires
    @needs:fault-injection
    Scenario Outline: The watch of <kind> expires in the middle of a rollout
      When the image becomes "app:2"
      And the Deployment controller's watch of <kind> expires
      And the rollout comes to its end
      Then the Deployment reports 3 replicas, 3 updated, 3 available

      Examples:
        | kind        |
        | Deployments |
        | ReplicaSets |
        | Pods        |

    @id:faults/deleted-while-away
    @needs:fault-injection
    @needs:stalled-watches
    Scenario: A ReplicaSet is deleted, and nobody tells
      Given the Deployment controller's view of ReplicaSets is held
      And the operator runs "kubectl delete replicaset/{app:1} --cascade=orphan"
      And the Deployment controller's watch of ReplicaSets expires
      When the Deployment controller catches up
      Then the ReplicaSets are
        | revision | image | desired | ready | owner |
        | 1        | app:1 | 3       | 3     | web   |

  Rule: A controller that starts anew goes on where the last one was

    @id:faults/restart
    @needs:restarts
    Scenario: Killed in the middle of a rollout
      Given a Deployment "web" of 3 replicas, maxSurge 1, maxUnavailable 1, running "app:1"
      And all its Pods are ready
      And the image becomes "app:2"
      When the Deployment controller restarts
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
        | 2        | app:2 | 2       |
      When the rollout comes to its end
      Then the Deployment reports 3 replicas, 3 updated, 3 available
