Feature: kubectl apply changes what a manifest says, and nothing else
  Most Deployments live in a repository: somebody edits a manifest, and kubectl apply brings the cluster up to it. What
  the manifest says is so afterwards; what it said last time and says no longer goes back to its default; and what
  others have set, such as an autoscaler the size, stays if the manifest has never spoken of it. All that is one write
  to the Deployment, so it leads to at most one new version.

  Rule: What the manifest says is so afterwards

    @id:apply/first
    Scenario: Applied for the first time, the Deployment is created
      When a Deployment "web" of 2 replicas, running "app:1" is applied
      Then kubectl answers "deployment.apps/web created"
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |

    @id:apply/unchanged
    Scenario: Applied again as it is, nothing happens
      Given a Deployment "web" of 2 replicas, running "app:1" is applied
      When a Deployment "web" of 2 replicas, running "app:1" is applied
      Then kubectl answers "deployment.apps/web unchanged"

    @id:apply/image-and-size
    Scenario: An image and a size in one go: what runs grows first, and the rollout is one of the new size
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 0, running "app:1" is applied
      And all its Pods are ready
      When a Deployment "web" of 4 replicas, maxSurge 1, maxUnavailable 0, running "app:2" is applied
      Then kubectl answers "deployment.apps/web configured"
      And the ReplicaSets are
        | revision | image | desired | desired-replicas | max-replicas |
        | 1        | app:1 | 4       | 4                | 5            |
        | 2        | app:2 | 1       | 4                | 5            |

    @id:apply/size-set-by-others
    Scenario: A size that somebody else has set meanwhile is set back
      Given a Deployment "web" of 2 replicas, running "app:1" is applied
      And the Deployment is scaled to 5
      When a Deployment "web" of 2 replicas, running "app:1" is applied
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |

  Rule: What it no longer says goes back to its default

    @id:apply/paused-no-more
    Scenario: No longer paused, the rollout begins
      Given a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 0, running "app:1" is applied
      And all its Pods are ready
      And a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 0, paused, running "app:2" is applied
      When a Deployment "web" of 2 replicas, maxSurge 1, maxUnavailable 0, running "app:2" is applied
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
        | 2        | app:2 | 1       |

    @id:apply/to-recreate
    Scenario: With the strategy its limits go, though the API server had filled them in
      Given a Deployment "web" of 2 replicas, running "app:1" is applied
      And all its Pods are ready
      When a Deployment "web" of 2 replicas, Recreate, running "app:1" is applied
      Then kubectl answers "deployment.apps/web configured"
      And the ReplicaSets are
        | revision | image | desired | ready |
        | 1        | app:1 | 2       | 2     |

    @id:apply/paused-by-hand
    Scenario: What the manifest has never spoken of stays as others have set it
      Given a Deployment "web" of 2 replicas, running "app:1" is applied
      And the Deployment is paused
      When a Deployment "web" of 2 replicas, running "app:2" is applied
      Then the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 2       |
