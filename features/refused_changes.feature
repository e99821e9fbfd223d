Feature: A Deployment that makes no sense is refused, with the reason
  A mistake found when it is made costs a minute; the same mistake found in the middle of a rollout costs an evening. So
  the API server takes no Deployment that could never work, and names each field that is wrong and what would be right.
  What runs is not touched by a change that is refused.

  Rule: Numbers make sense, each for itself and together

    Background:
      Given a Deployment "web" of 0 replicas, maxSurge 1, maxUnavailable 1, running "app:1"

    @id:refused-changes/negative
    Scenario Outline: <field> cannot be negative
      When the operator tries "kubectl patch deployment/web --patch='{"spec":{"<field>":-1}}'"
      Then kubectl answers "The Deployment "web" is invalid: spec.<field>: Invalid value: -1: must be greater than or equal to 0"
      And the ReplicaSets are
        | revision | image | desired |
        | 1        | app:1 | 0       |

      Examples:
        | field                |
        | replicas             |
        | revisionHistoryLimit |
        | minReadySeconds      |

    @id:refused-changes/deadline
    Scenario: Nobody can be late before being available is possible
      When the operator tries "kubectl patch deployment/web --patch='{"spec":{"minReadySeconds":5,"progressDeadlineSeconds":5}}'"
      Then kubectl answers "The Deployment "web" is invalid: spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"

    @id:refused-changes/limits
    Scenario Outline: <what>: <limits>
      When the operator tries "kubectl patch deployment/web --patch='{"spec":{"strategy":{"rollingUpdate":{<limits>}}}}'"
      Then kubectl's answer ends with "<answer>"

      Examples:
        | what                       | limits                                | answer                                                                 |
        | It would never move        | "maxSurge":0,"maxUnavailable":0       | maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0    |
        | In percent neither         | "maxSurge":"0%","maxUnavailable":"0%" | maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0 |
        | More than all              | "maxUnavailable":"101%"               | maxUnavailable: Invalid value: "101%": must not be greater than 100%   |
        | Neither number nor percent | "maxSurge":"some"                     | regex used for validation is '[0-9]+%')                                |

    @id:refused-changes/strategy
    Scenario: There are two strategies
      When the operator tries "kubectl patch deployment/web --patch='{"spec":{"strategy":{"type":"Sudden","rollingUpdate":null}}}'"
      Then kubectl's answer ends with "supported values: "Recreate", "RollingUpdate""

  Rule: Its Pods are such as it can look after

    @id:refused-changes/pods
    Scenario Outline: Pods <what>
      Given a Deployment "web" of 0 replicas, running "app:1"
      When the operator tries "kubectl patch deployment/web --patch='{"spec":{"template":<template>}}'"
      Then kubectl answers "The Deployment "web" is invalid: spec.template.<answer>"
      And the Deployment is at revision 1, running "app:1"

      Examples:
        | what                    | template                               | answer                                                                                      |
        | that it does not select | {"metadata":{"labels":{"app":"shop"}}} | metadata.labels: Invalid value: {"app":"shop"}: `selector` does not match template `labels` |
        | that end by themselves  | {"spec":{"restartPolicy":"Never"}}     | spec.restartPolicy: Unsupported value: "Never": supported values: "Always"                  |
        | with nothing in them    | {"spec":{"containers":null}}           | spec.containers: Required value                                                             |

  Rule: What a Deployment selects is decided once and for all
    Were it changed, all its ReplicaSets would be let go at once, and nobody would look after their Pods.

    @id:refused-changes/selector
    Scenario: The selector cannot be changed, even together with the labels
      Given a Deployment "web" of 0 replicas, running "app:1"
      When the operator tries "kubectl patch deployment/web --patch='{"spec":{"selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":{"app":"shop"}}}}}'"
      Then kubectl's answer ends with "field is immutable"
