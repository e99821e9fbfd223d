Feature: What a template asks for is what its Pods get, or it is refused with the reason
  A Deployment's template is a Pod that is made later, and many times, when nobody looks. So a mistake in it is told when
  the template is written; and where the API server completes each Pod when it is made, each version's Pods are
  completed alike, or not made at all, and then an Event says why.

  Rule: A template that no Pod could be made of is refused

    @id:pod-templates/mistake
    Scenario Outline: <what> is a mistake
      Given a Deployment "web" of 0 replicas, running "app:1"
      When the operator tries "kubectl patch deployment/web --patch='{"spec":{"template":{"spec":<spec>}}}'"
      Then kubectl's answer ends with "<answer>"
      And the Deployment is at revision 1, running "app:1"

      Examples:
        | what                               | spec | answer |
        | Kept apart with no weight          | {"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"podAffinityTerm":{"topologyKey":"host"}}]}}} | must be in the range 1-100 |
        | Spread twice by the same key       | {"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"},{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}]} | Duplicate value: "{zone, DoNotSchedule}" |
        | A profile of the node with no name | {"securityContext":{"seccompProfile":{"type":"Localhost"}}} | must be set when seccomp type is Localhost |
        | An operating system that is none   | {"os":{"name":"beos"}} | supported values: "linux", "windows" |
        | A claim of the Pod's that is none  | {"containers":[{"name":"app","resources":{"claims":[{"name":"gpu"}]}}]} | must be one of the names in pod.spec.resourceClaims which is empty |

  Rule: What the API server adds to a Pod it adds to each

    @id:pod-templates/completed
    Scenario Outline: <what>
      Given a Deployment "web" of 0 replicas, running "app:1"
      And the operator runs "kubectl patch deployment/web --patch='{"spec":{"template":{"spec":<spec>}}}'"
      When the Deployment is scaled to 1
      Then the Deployment reports 1 replica, 1 updated

      Examples:
        | what                                      | spec |
        | Pods are spread among those of a version  | {"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"web"}},"matchLabelKeys":["pod-template-hash"]}]} |
        | Pods are kept apart from other versions   | {"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"topologyKey":"host","labelSelector":{"matchLabels":{"app":"web"}},"mismatchLabelKeys":["pod-template-hash"]}}]}}} |
        | Resources are for the whole Pod           | {"resources":{"limits":{"cpu":"100m","memory":"64Mi"}}} |
        | A container may do all that its node does | {"containers":[{"name":"app","securityContext":{"privileged":true}}]} |

    @id:pod-templates/refused
    Scenario Outline: <what>, and the Pods that there are stay
      Given a Deployment "web" of 1 replica, maxSurge 1, maxUnavailable 0, running "app:1"
      When the operator runs "kubectl patch deployment/web --patch='{"spec":{"template":{"spec":<spec>}}}'"
      Then the Deployment reports 1 replica, 0 updated

      Examples:
        | what                            | spec |
        | There is no such priority class | {"priorityClassName":"high"} |
        | There is no such runtime        | {"runtimeClassName":"gvisor"} |
        | A priority has to have a class  | {"priority":5} |
