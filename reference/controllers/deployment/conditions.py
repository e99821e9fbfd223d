"""A Deployment's conditions, their reasons, and the rule by which one takes the place of another.

Source: the conditions part of ``pkg/controller/deployment/util/deployment_util.go``.
"""

from __future__ import annotations

from reference.api.objects import DeploymentCondition, DeploymentStatus, ReplicaSetCondition, replace

AVAILABLE = "Available"
PROGRESSING = "Progressing"
REPLICA_FAILURE = "ReplicaFailure"

REPLICA_SET_UPDATED = "ReplicaSetUpdated"
FAILED_REPLICA_SET_CREATE = "ReplicaSetCreateError"
NEW_REPLICA_SET = "NewReplicaSetCreated"
FOUND_NEW_REPLICA_SET = "FoundNewReplicaSet"
NEW_REPLICA_SET_AVAILABLE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"
PAUSED = "DeploymentPaused"
RESUMED = "DeploymentResumed"
MINIMUM_REPLICAS_AVAILABLE = "MinimumReplicasAvailable"
MINIMUM_REPLICAS_UNAVAILABLE = "MinimumReplicasUnavailable"


def get_deployment_condition(status: DeploymentStatus, type_: str) -> DeploymentCondition | None:
    """The first condition of this type."""
    for condition in status.conditions:
        if condition.type == type_:
            return condition
    return None


def set_deployment_condition(status: DeploymentStatus, condition: DeploymentCondition) -> DeploymentStatus:
    """The status with this condition last, in the place of any other of its type.

    One of the same value and reason stays as it is; one of the same value hands on its ``last_transition_time``.
    """
    current = get_deployment_condition(status, condition.type)
    if current is not None and current.status == condition.status:
        if current.reason == condition.reason:
            return status
        condition = replace(condition, last_transition_time=current.last_transition_time)
    others = tuple(other for other in status.conditions if other.type != condition.type)
    return replace(status, conditions=(*others, condition))


def remove_deployment_condition(status: DeploymentStatus, type_: str) -> DeploymentStatus:
    """The status without conditions of this type."""
    others = tuple(other for other in status.conditions if other.type != type_)
    return status if len(others) == len(status.conditions) else replace(status, conditions=others)


def replica_set_to_deployment_condition(condition: ReplicaSetCondition) -> DeploymentCondition:
    """A ReplicaSet's condition as its Deployment shows it."""
    return DeploymentCondition(
        type=condition.type,
        status=condition.status,
        last_update_time=condition.last_transition_time,
        last_transition_time=condition.last_transition_time,
        reason=condition.reason,
        message=condition.message,
    )
